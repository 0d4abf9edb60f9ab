// Pictures as SVG 1.1: shapes in pixels from the upper left corner. What has a title tells it to whoever points at it,
// and to programs that read pictures aloud; "" or NULL: no title. Text may hold any bytes.
#ifndef HW_CLI_SVG_H
#define HW_CLI_SVG_H

#include <stddef.h>
#include <stdio.h>

typedef struct hw_svg_point {
    double x, y;
} hw_svg_point;

typedef enum hw_svg_anchor { HW_SVG_START, HW_SVG_MIDDLE, HW_SVG_END } hw_svg_anchor;

// A white page with the title and, below, the subtitle (HW_SVG_HEAD pixels in all), which are the document's as well.
enum { HW_SVG_HEAD = 60 };
void hw_svg_begin(FILE *out, double width, double height, const char *title, const char *subtitle);
void hw_svg_end(FILE *out);

// What is drawn between both belongs together.
void hw_svg_group(FILE *out, const char *title);
void hw_svg_group_end(FILE *out);

// y: of the baseline. size: of the letters, pixels.
void hw_svg_text(FILE *out, double x, double y, hw_svg_anchor anchor, double size, const char *colour,
                 const char *text);
// How wide a text of that size is about: fonts differ, and what is read on another machine has another.
double hw_svg_text_width(const char *text, double size);

// dash: SVG's stroke-dasharray, "6 4"; NULL: none.
void hw_svg_line(FILE *out, hw_svg_point from, hw_svg_point to, const char *colour, double width, const char *dash);
void hw_svg_curve(FILE *out, const hw_svg_point *points, size_t n, const char *colour, double width, const char *dash);
void hw_svg_area(FILE *out, const hw_svg_point *points, size_t n, const char *colour);
void hw_svg_bar(FILE *out, hw_svg_point corner, double width, double height, const char *colour, const char *title);

// The marks of curves: shapes that differ where colours do not, by number.
enum { HW_SVG_MARKS = 7 };
void hw_svg_mark(FILE *out, int shape, hw_svg_point at, double radius, const char *colour, const char *title);

#endif
