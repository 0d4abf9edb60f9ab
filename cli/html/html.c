#define _GNU_SOURCE
#include "html/html.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "cli.h"
#include "output/whole_file.h"

// What the build has embedded: this folder's files, and D3 with its licence, "" where it was not installed
// (cmake/html.cmake).
extern const char hw_cli_html_css[], hw_cli_html_js[], hw_cli_html_d3[], hw_cli_html_d3_licence[];

bool hw_cli_html_check(const char *path) {
    if (!*hw_cli_html_d3) {
        hw_cli_complain("--report was not built: it needs D3 (apt-get install node-d3, then make)");
        return false;
    }
    // A forgotten name would have the page written over the program that follows.
    const char *ending = strrchr(path, '.');
    if (!ending || (strcmp(ending, ".html") != 0 && strcmp(ending, ".htm") != 0)) {
        hw_cli_complain("--report takes the name of a page, FILE.html, and got '%s'", path);
        return false;
    }
    return hw_cli_is_file_name("--report", path) && !hw_cli_try_file(path);
}

// To be freed; NULL where memory ran out.
static char *make_text(hw_cli_html_writer *write, const void *context, size_t *bytes) {
    char *text = NULL;
    FILE *memory = open_memstream(&text, bytes);
    bool good = memory && write(context, memory);
    if (memory && fclose(memory) != 0) good = false;
    if (good) return text;
    free(text);
    return NULL;
}

void hw_cli_html_add(hw_cli_html_page *page, const char *name, hw_cli_html_writer *write, const void *context) {
    size_t bytes = 0;
    page->parts[page->n++] = (hw_cli_html_part){name, make_text(write, context, &bytes)};
}

// ---- The page -------------------------------------------------------------------------------------------------------

// JSON in a page: '<', which is in texts alone, could end the element that holds it.
static void write_json(const char *json, FILE *out) {
    for (; *json; json++) {
        if (*json == '<') fputs("\\u003c", out);
        else fputc(*json, out);
    }
}

static void write_text(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '<') fputs("&lt;", out);
        else if (*text == '&') fputs("&amp;", out);
        else fputc(*text, out);
    }
}

static void write_head(const char *title, FILE *out) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
    write_text(title, out);
    fprintf(out, " - Halfwarp</title>\n<style>\n%s</style>\n</head>\n<body>\n", hw_cli_html_css);
    fputs("<a class=\"skip\" href=\"#main\">to the report</a>\n<main id=\"main\" tabindex=\"-1\">\n<h1 id=\"heading\">",
          out);
    write_text(title, out);
    fputs("</h1>\n<noscript>This report is drawn by JavaScript, which is switched off.</noscript>\n</main>\n"
          "<footer>Made by Halfwarp " HW_VERSION ". Times of simulated GPUs are estimates; plots by D3.</footer>\n",
          out);
}

typedef struct titled_page {
    const hw_cli_html_page *page;
    const char *title;
} titled_page;

static bool write_page(const void *context, FILE *out) {
    const titled_page *titled = context;
    const hw_cli_html_page *page = titled->page;
    for (size_t i = 0; i < page->n; i++)
        if (!page->parts[i].json) return false;
    write_head(titled->title, out);
    fputs("<script type=\"application/json\" id=\"data\">{", out);
    for (size_t i = 0; i < page->n; i++) {
        fprintf(out, "%s\"%s\": ", i ? ",\n" : "", page->parts[i].name);
        write_json(page->parts[i].json, out);
    }
    fputs("}</script>\n<script type=\"text/plain\">\n", out);
    write_text(hw_cli_html_d3_licence, out);
    fprintf(out, "</script>\n<script>\n%s</script>\n<script>\n%s</script>\n</body>\n</html>\n", hw_cli_html_d3,
            hw_cli_html_js);
    return true;
}

int hw_cli_html_deliver(hw_cli_html_page *page, const char *path, const char *title) {
    const titled_page titled = {page, title};
    size_t bytes = 0;
    char *text = make_text(write_page, &titled, &bytes);
    if (!text) hw_cli_complain("out of memory");
    const int status = text ? hw_cli_write_file(path, text, bytes) : HW_EXIT_USAGE;
    free(text);
    for (size_t i = 0; i < page->n; i++) free(page->parts[i].json);
    page->n = 0;
    return status;
}
