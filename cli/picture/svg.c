// Pictures as SVG: each shape is one element.
#include "picture/svg.h"

#include <stdbool.h>
#include <string.h>

// ---- Text -----------------------------------------------------------------------------------------------------------

// Bytes of the UTF-8 character at text; 0: it is none that XML takes.
static size_t character_bytes(const char *text) {
    const unsigned char first = (unsigned char)*text;
    const size_t n = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3
                   : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (n == 1) return first >= 0x20 && first != 0x7f;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    // Surrogates, what is longer than it has to be, and what lies past the last character.
    const unsigned char second = n ? (unsigned char)text[1] : 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second >= 0x90))
        return 0;
    return n;
}

static void write_text(const char *text, FILE *out) {
    while (*text) {
        const size_t n = character_bytes(text);
        if (!n) fputc('?', out);
        else if (*text == '&') fputs("&amp;", out);
        else if (*text == '<') fputs("&lt;", out);
        else if (*text == '>') fputs("&gt;", out);
        else fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
}

static void write_title(const char *title, FILE *out) {
    if (!title || !*title) return;
    fputs("<title>", out);
    write_text(title, out);
    fputs("</title>", out);
}

double hw_svg_text_width(const char *text, double size) {
    size_t characters = 0;
    for (; *text; text++) characters += ((unsigned char)*text & 0xc0) != 0x80;
    return 0.6 * size * (double)characters;   // of DejaVu Sans and Verdana, the widest of the fonts asked for
}

void hw_svg_text(FILE *out, double x, double y, hw_svg_anchor anchor, double size, const char *colour,
                 const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%g\" fill=\"%s\">", x, y, anchors[anchor],
            size, colour);
    write_text(text, out);
    fputs("</text>\n", out);
}

// ---- The page -------------------------------------------------------------------------------------------------------

void hw_svg_begin(FILE *out, double width, double height, const char *title, const char *subtitle) {
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                 "role=\"img\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\n",
            width, height, width, height);
    write_title(title, out);
    if (subtitle && *subtitle) {
        fputs("\n<desc>", out);
        write_text(subtitle, out);
        fputs("</desc>", out);
    }
    fprintf(out, "\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
    hw_svg_text(out, 16, 28, HW_SVG_START, 16, "#111111", title);
    if (subtitle && *subtitle) hw_svg_text(out, 16, 48, HW_SVG_START, 12, "#555555", subtitle);
}

void hw_svg_end(FILE *out) { fputs("</svg>\n", out); }

void hw_svg_group(FILE *out, const char *title) {
    fputs("<g>", out);
    write_title(title, out);
    fputc('\n', out);
}

void hw_svg_group_end(FILE *out) { fputs("</g>\n", out); }

// ---- Shapes ---------------------------------------------------------------------------------------------------------

static void write_points(const hw_svg_point *points, size_t n, FILE *out) {
    fputs(" points=\"", out);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%.2f,%.2f", i ? " " : "", points[i].x, points[i].y);
    fputc('"', out);
}

void hw_svg_curve(FILE *out, const hw_svg_point *points, size_t n, const char *colour, double width, const char *dash) {
    fputs("<polyline", out);
    write_points(points, n, out);
    fprintf(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"", colour, width);
    if (dash) fprintf(out, " stroke-dasharray=\"%s\"", dash);
    fputs("/>\n", out);
}

void hw_svg_line(FILE *out, hw_svg_point from, hw_svg_point to, const char *colour, double width, const char *dash) {
    hw_svg_curve(out, (hw_svg_point[2]){from, to}, 2, colour, width, dash);
}

void hw_svg_area(FILE *out, const hw_svg_point *points, size_t n, const char *colour) {
    fputs("<polygon", out);
    write_points(points, n, out);
    fprintf(out, " fill=\"%s\"/>\n", colour);
}

void hw_svg_bar(FILE *out, hw_svg_point corner, double width, double height, const char *colour, const char *title) {
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\">", corner.x, corner.y, width,
            height, colour);
    write_title(title, out);
    fputs("</rect>\n", out);
}

// Corners on a circle of radius 1, the first straight above; what has none is the circle itself.
static size_t corners_of(int shape, hw_svg_point corners[6]) {
    static const hw_svg_point triangle[] = {{0, -1.15}, {1, 0.75}, {-1, 0.75}},
                              turned[] = {{0, 1.15}, {1, -0.75}, {-1, -0.75}},
                              square[] = {{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}},
                              diamond[] = {{0, -1.25}, {1.1, 0}, {0, 1.25}, {-1.1, 0}},
                              wide[] = {{-1.3, -0.5}, {1.3, -0.5}, {1.3, 0.5}, {-1.3, 0.5}},
                              tall[] = {{-0.5, -1.3}, {0.5, -1.3}, {0.5, 1.3}, {-0.5, 1.3}};
    static const struct {
        const hw_svg_point *corners;
        size_t n;
    } shapes[HW_SVG_MARKS] = {{NULL, 0}, {square, 4}, {triangle, 3}, {diamond, 4}, {turned, 3}, {wide, 4}, {tall, 4}};
    const int index = shape % HW_SVG_MARKS;
    if (shapes[index].n) memcpy(corners, shapes[index].corners, shapes[index].n * sizeof *corners);
    return shapes[index].n;
}

void hw_svg_mark(FILE *out, int shape, hw_svg_point at, double radius, const char *colour, const char *title) {
    hw_svg_point corners[6];
    const size_t n = corners_of(shape, corners);
    for (size_t i = 0; i < n; i++)
        corners[i] = (hw_svg_point){at.x + radius * corners[i].x, at.y + radius * corners[i].y};
    if (n) fputs("<polygon", out);
    else fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", at.x, at.y, radius);
    if (n) write_points(corners, n, out);
    fprintf(out, " fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\">", colour);
    write_title(title, out);
    fputs(n ? "</polygon>\n" : "</circle>\n", out);
}
