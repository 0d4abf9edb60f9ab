// Pictures as files: .svg, which is written here, and .png, which rsvg-convert makes of it.
#ifndef HW_CLI_PICTURE_H
#define HW_CLI_PICTURE_H

#include <stdio.h>

// Is this a name that a picture can be written to, and can its format be made here? 0, or HW_EXIT_USAGE after a
// complaint: asked before the work begins.
int hw_cli_picture_check(const char *path);

// Writes the picture of `context`, whole or not at all: draw writes it as SVG. 0, or HW_EXIT_USAGE after a complaint.
typedef void hw_cli_drawing(const void *context, FILE *out);
int hw_cli_picture_write(hw_cli_drawing *draw, const void *context, const char *path);

#endif
