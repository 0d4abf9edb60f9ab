// A source file's lines, to show beside their counters.
#include "report/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_BYTES = 16 << 20 };

struct hw_source {
    char *text;
    size_t length;
    uint32_t *starts;    // by line from 0
    uint32_t n_lines;
};

// The whole file, or NULL.
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *text = file ? hw_malloc(MAX_BYTES) : NULL;
    bool fits = false;
    if (text) {
        *length = fread(text, 1, MAX_BYTES, file);
        fits = *length < MAX_BYTES && !ferror(file);
    }
    if (file) fclose(file);
    if (fits) return text;
    hw_free(text);
    return NULL;
}

static bool find_lines(hw_source *source) {
    uint32_t n = 1;
    for (size_t i = 0; i < source->length; i++) n += source->text[i] == '\n';
    source->starts = hw_calloc(n, sizeof *source->starts);
    if (!source->starts) return false;
    for (size_t i = 0; i < source->length; i++)
        if (source->text[i] == '\n') source->starts[++source->n_lines] = (uint32_t)i + 1;
    source->n_lines++;
    return true;
}

hw_source *hw_source_open(const char *path) {
    hw_source *source = hw_calloc(1, sizeof *source);
    if (!source) return NULL;
    source->text = read_file(path, &source->length);
    if (source->text && find_lines(source)) return source;
    hw_source_close(source);
    return NULL;
}

void hw_source_close(hw_source *source) {
    if (!source) return;
    hw_free(source->text);
    hw_free(source->starts);
    hw_free(source);
}

const char *hw_source_line(const hw_source *source, uint32_t number, char *out, size_t out_bytes) {
    size_t used = 0;
    out[0] = 0;
    if (!source || !number || number > source->n_lines) return out;
    size_t at = source->starts[number - 1];
    size_t end = number < source->n_lines ? source->starts[number] - 1 : source->length;
    while (at < end && strchr(" \t\r", source->text[at]) && source->text[at]) at++;
    for (; at < end && used + 1 < out_bytes; at++) {
        unsigned char c = (unsigned char)source->text[at];
        out[used++] = c < 32 || c == 127 ? ' ' : (char)c;
    }
    while (used && out[used - 1] == ' ') used--;
    out[used] = 0;
    return out;
}
