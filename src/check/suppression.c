#include "check/suppression.h"

#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"

struct hw_check_suppression {
    hw_check_kind kind;              // HW_CHECK_KINDS: all
    char *pattern;
};

// ---- lines ----------------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

typedef struct word {
    const char *at;
    size_t length;
} word;

// Without the blanks around it, up to a comment or a byte that is no text.
static word trim(const char *at, size_t length) {
    size_t n = 0;
    while (n < length && at[n] && at[n] != '#') n++;
    while (n && is_blank(at[n - 1])) n--;
    while (n && is_blank(*at)) at++, n--;
    return (word){at, n};
}

static word first_word(word line) {
    size_t n = 0;
    while (n < line.length && !is_blank(line.at[n])) n++;
    return (word){line.at, n};
}

static bool read_kind(word name, hw_check_kind *kind) {
    char text[32];
    *kind = HW_CHECK_KINDS;
    if (name.length == 1 && *name.at == '*') return true;
    if (name.length >= sizeof text) return false;
    memcpy(text, name.at, name.length);
    text[name.length] = '\0';
    *kind = hw_check_find_kind(text);
    return *kind != HW_CHECK_KINDS;
}

static char *copy_word(word w) {
    char *copy = hw_malloc(w.length + 1);
    if (!copy) return NULL;
    memcpy(copy, w.at, w.length);
    copy[w.length] = '\0';
    return copy;
}

static hw_status read_line(word line, const char *name, int number, hw_check_suppressions *out, hw_diag *diag) {
    const word kind = first_word(line);
    const word pattern = trim(kind.at + kind.length, line.length - kind.length);
    hw_check_suppression one;
    if (!read_kind(kind, &one.kind) || !pattern.length) {
        char kinds[256];
        return hw_diag_set_at(diag, HW_MALFORMED, name, number, "a line is a kind of finding (%s or *) and a pattern "
                              "of a place or kernel, and not '%.*s'", hw_check_kind_names(kinds, sizeof kinds),
                              (int)(line.length < 200 ? line.length : 200), line.at);
    }
    one.pattern = copy_word(pattern);
    if (!one.pattern || !hw_grow((void **)&out->items, out->n, &out->capacity, sizeof *out->items)) {
        hw_free(one.pattern);
        return hw_diag_no_memory(diag);
    }
    out->items[out->n++] = one;
    return HW_OK;
}

hw_status hw_check_suppressions_parse(const char *text, size_t bytes, const char *name, hw_check_suppressions *out,
                                      hw_diag *diag) {
    const char *at = text, *end = text + bytes;
    hw_status status = HW_OK;
    *out = (hw_check_suppressions){.items = NULL};
    for (int number = 1; !status && at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *line_end = newline ? newline : end;
        const word line = trim(at, (size_t)(line_end - at));
        if (line.length) status = read_line(line, name, number, out, diag);
        at = line_end + (newline != NULL);
    }
    return status;
}

void hw_check_suppressions_free(hw_check_suppressions *s) {
    for (size_t i = 0; i < s->n; i++) hw_free(s->items[i].pattern);
    hw_free(s->items);
    *s = (hw_check_suppressions){.items = NULL};
}

// ---- findings -------------------------------------------------------------------------------------------------------

// Of a path only the end has to be like the pattern: a/b/reduce.cu:12 is like reduce.cu:*.
static bool is_like(const char *pattern, const char *place) {
    for (const char *at = place; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (fnmatch(pattern, at, 0) == 0) return true;
    return false;
}

bool hw_check_suppresses(const hw_check_suppressions *s, hw_check_kind kind, const char *place, const char *kernel) {
    for (size_t i = 0; i < s->n; i++) {
        const hw_check_suppression *one = &s->items[i];
        if (one->kind != HW_CHECK_KINDS && one->kind != kind) continue;
        if (is_like(one->pattern, place) || (kernel && fnmatch(one->pattern, kernel, 0) == 0)) return true;
    }
    return false;
}
