// Charts with two axes: a scale from numbers to pixels, marks along it, and curves whose ends are labelled.
#ifndef HW_CLI_CHART_H
#define HW_CLI_CHART_H

#include <stdbool.h>

#include "picture/svg.h"

enum { HW_CHART_TICKS = 16, HW_CHART_CURVES = 16, HW_CHART_COLOURS = 7 };

// Of curves, by number; the colour that stands for no curve's own is grey.
extern const char *const hw_chart_colours[HW_CHART_COLOURS];

// From low at pixel `from` to high at pixel `to`, which for an axis that goes up is the smaller one.
typedef struct hw_chart_axis {
    double low, high;          // low < high; above 0 where it is_log
    double from, to;
    bool is_log;
    const char *title;
    // Where marks stand, in order, and what they say (NULL: the number).
    double ticks[HW_CHART_TICKS];
    const char *tick_names[HW_CHART_TICKS];
    int n_ticks;
} hw_chart_axis;

double hw_chart_at(const hw_chart_axis *axis, double value);

// Marks at round numbers, about as many as asked for (up to HW_CHART_TICKS).
void hw_chart_choose_ticks(hw_chart_axis *axis, int wanted);

// The lines of the grid, the axes along the left and lower edge, the numbers, unless names_y is false those of y, and
// the axes' titles.
void hw_chart_frame(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, bool names_y);

typedef struct hw_chart_curve {
    const char *label;         // at its end
    const char *title;         // in full, for who points at it
    const char *colour, *dash; // dash NULL: none, but where another curve lies below it
    int mark;                  // of its points; -1: they have none
    const double *x, *y;       // points that are NaN or lie below the axis are not drawn
    int n;
} hw_chart_curve;

// Draws curves, and beside the right edge their labels, apart from each other, each with a line to its curve's end. A
// curve that lies on an earlier one for most of its way is dashed, so that both are seen. unit: of y, for titles.
void hw_chart_draw(FILE *out, const hw_chart_axis *x, const hw_chart_axis *y, const hw_chart_curve *curves, int count,
                   const char *unit);

// Room that the labels take to the right of x->to.
double hw_chart_label_width(const hw_chart_curve *curves, int count);

#endif
