// Bar charts as picture files: rows from top to bottom, one panel of bars or several beside each other.
#ifndef HW_CLI_PLOT_H
#define HW_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>

enum { HW_PLOT_PANELS = 3, HW_PLOT_SERIES = 2 };

typedef struct hw_plot_bar {
    const char *label;                 // of the row
    double value[HW_PLOT_PANELS][HW_PLOT_SERIES];   // negative: no bar
    const char *note[HW_PLOT_PANELS];  // behind the number of the last series, or in place of all; NULL: nothing
    bool is_faint;                     // no part of the comparison
} hw_plot_bar;

typedef struct hw_plot_panel {
    const char *title;                 // what the axis counts
    const char *series[HW_PLOT_SERIES];   // NULL: one series, without a key
    int decimals;                      // of the numbers at the bars
    double least;                      // that the axis reaches, however small the values are
    double limit;                      // a line across; 0: none
    const char *limit_name;            // what stands above it
    double weight;                     // of the picture's width
} hw_plot_panel;

typedef struct hw_plot {
    const char *title, *subtitle;
    const hw_plot_panel *panels;
    int n_panels;
    const hw_plot_bar *bars;           // from top to bottom
    size_t n_bars;
} hw_plot;

// Writes the file, whole or not at all; each bar says what it is to who points at it. 0, or HW_EXIT_USAGE after a
// complaint.
int hw_cli_plot_write(const hw_plot *plot, const char *path);

#endif
