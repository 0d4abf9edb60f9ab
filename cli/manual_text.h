// A manual as plain text, where there is no man to show it.
#ifndef HW_CLI_MANUAL_TEXT_H
#define HW_CLI_MANUAL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

// The source of man/halfwarp-columns.7.
extern const char hw_cli_columns_manual[];

// Writes a manual in mdoc(7), of the macros that ours have: sections, paragraphs, lists with tags, and words with a
// meaning. Lines have at most width characters; 0: any number. False: out of memory.
bool hw_cli_write_manual(const char *mdoc, int width, FILE *out);

#endif
