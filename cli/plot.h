// Pictures as files, drawn by gnuplot: bar charts, and what a script of the caller's draws.
#ifndef HW_CLI_PLOT_H
#define HW_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { HW_PLOT_PANELS = 2, HW_PLOT_SERIES = 2 };

typedef struct hw_plot_bar {
    const char *label;                 // of the row
    double value[HW_PLOT_PANELS][HW_PLOT_SERIES];   // negative: no bar
    bool is_faint;                     // no part of the comparison
} hw_plot_bar;

typedef struct hw_plot_panel {
    const char *title;                 // what the axis counts
    const char *series[HW_PLOT_SERIES];   // NULL: one series, without a key
    int decimals;                      // of the numbers at the bars
    double limit;                      // a line across; 0: none
} hw_plot_panel;

typedef struct hw_plot {
    const char *title, *subtitle;
    const hw_plot_panel *panels;
    int n_panels;
    const hw_plot_bar *bars;           // from top to bottom
    size_t n_bars;
} hw_plot;

// Is this a name that a plot can be written to (.svg or .png), and is gnuplot there? 0, or HW_EXIT_USAGE after a
// complaint: asked before the work begins.
int hw_cli_plot_check(const char *path);

// Writes the file, whole or not at all. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_plot_write(const hw_plot *plot, const char *path);

// The same with a script of the caller's own: what there is to draw, between hw_cli_plot_begin and "unset multiplot".
typedef void hw_plot_script(const void *context, const char *path, FILE *out);
int hw_cli_plot_run(hw_plot_script *script, const void *context, const char *path);

// Terminal, output, title and subtitle of a picture of that many pixels that draws to path; begins a multiplot.
void hw_cli_plot_begin(const char *path, int width, int height, const char *title, const char *subtitle, FILE *out);

// Text as gnuplot quotes it.
void hw_cli_plot_text(const char *text, FILE *out);

#endif
