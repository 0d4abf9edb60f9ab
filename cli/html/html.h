// A page that opens anywhere, without a network: its data as JSON, and what draws them (script/*.js, D3).
#ifndef HW_CLI_HTML_H
#define HW_CLI_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Can a page be written to this file? False after a complaint, also where D3 was not there when the command was built.
bool hw_cli_html_check(const char *path);

// What a page's data have under a name, as JSON.
typedef struct hw_cli_html_part {
    const char *name;
    char *json;                      // NULL: memory ran out
} hw_cli_html_part;

enum { HW_CLI_HTML_PARTS = 12 };
typedef struct hw_cli_html_page {
    hw_cli_html_part parts[HW_CLI_HTML_PARTS];
    size_t n;
} hw_cli_html_page;

// Adds a part that a writer writes, who returns false where memory ran out.
typedef bool hw_cli_html_writer(const void *context, FILE *out);
void hw_cli_html_add(hw_cli_html_page *page, const char *name, hw_cli_html_writer *write, const void *context);

// Writes the page to path and frees its parts. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_html_deliver(hw_cli_html_page *page, const char *path, const char *title);

#endif
