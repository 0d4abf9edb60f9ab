#define _GNU_SOURCE
#include "check/suppressions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "report/source.h"

enum { LINE_BYTES = 1024 };

typedef struct suppression {
    hw_check_kind kind;              // HW_CHECK_KINDS: all
    char *pattern;
} suppression;

typedef struct suppressions {
    suppression *items;
    size_t n;
} suppressions;

// ---- the file -------------------------------------------------------------------------------------------------------

// "race reduce.cu:*". 0: nothing in the line, 1: it is one, -1 after a complaint.
static int read_suppression(char *line, const char *path, int number, suppression *out) {
    line[strcspn(line, "#\n")] = '\0';
    char *rest = line, *kind = strsep(&rest, " \t");
    while (kind && !*kind) kind = strsep(&rest, " \t");
    if (!kind) return 0;
    while (rest && (*rest == ' ' || *rest == '\t')) rest++;
    size_t length = rest ? strlen(rest) : 0;
    while (length && (rest[length - 1] == ' ' || rest[length - 1] == '\t')) rest[--length] = '\0';
    out->kind = strcmp(kind, "*") == 0 ? HW_CHECK_KINDS : hw_check_find_kind(kind);
    if (!length || (out->kind == HW_CHECK_KINDS && strcmp(kind, "*") != 0)) {
        hw_cli_complain("%s:%d: a line is a kind of finding (race, barrier, uninitialised, leak or *) and a pattern "
                        "of a place or kernel, and not '%s%s%s'",
                        path, number, kind, length ? " " : "", length ? rest : "");
        return -1;
    }
    out->pattern = strdup(rest);
    return out->pattern ? 1 : -1;
}

static int read_suppressions(const char *path, suppressions *out) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    if (!in) {
        hw_cli_complain("cannot read %s: %s", path, strerror(errno));
        return HW_EXIT_USAGE;
    }
    for (int number = 1; !status && getline(&line, &room, in) > 0; number++) {
        suppression one = {0};
        int found = read_suppression(line, path, number, &one);
        suppression *items = found > 0 ? realloc(out->items, (out->n + 1) * sizeof *items) : NULL;
        if (items) out->items = items, out->items[out->n++] = one;
        if (found < 0 || (found && !items)) status = HW_EXIT_USAGE;
    }
    free(line);
    fclose(in);
    return status;
}

static void free_suppressions(suppressions *s) {
    for (size_t i = 0; i < s->n; i++) free(s->items[i].pattern);
    free(s->items);
}

int hw_cli_try_suppressions(const char *path) {
    suppressions s = {0};
    int status = read_suppressions(path, &s);
    free_suppressions(&s);
    return status;
}

// Of a path only the end has to be like the pattern: a/b/reduce.cu:12 is like reduce.cu:*.
static bool is_like(const char *pattern, const char *text) {
    for (const char *at = text; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (fnmatch(pattern, at, 0) == 0) return true;
    return false;
}

static bool is_named(const suppressions *s, const hw_cli_finding *f) {
    char place[LINE_BYTES];
    for (size_t i = 0; i < s->n; i++) {
        const suppression *one = &s->items[i];
        if (one->kind != HW_CHECK_KINDS && one->kind != f->kind) continue;
        for (unsigned k = 0; k < f->n_sides; k++) {
            const char *kernel = f->sides[k].kernel;
            if (is_like(one->pattern, hw_cli_finding_place(&f->sides[k], place, sizeof place))) return true;
            if (kernel && fnmatch(one->pattern, kernel, 0) == 0) return true;
        }
    }
    return false;
}

// ---- the source -----------------------------------------------------------------------------------------------------

// Does a line of the source have a comment `halfwarp-check: allow KIND`?
static bool line_allows(const hw_source *source, unsigned line, const char *kind) {
    static const char mark[] = "halfwarp-check: allow ";
    char text[LINE_BYTES];
    const char *at = line ? strstr(hw_source_line(source, line, text, sizeof text), mark) : NULL;
    return at && strncmp(at + strlen(mark), kind, strlen(kind)) == 0;
}

static bool is_allowed_in_source(const hw_cli_finding *f) {
    bool allows = false;
    for (unsigned k = 0; k < f->n_sides && !allows; k++) {
        const hw_cli_finding_side *side = &f->sides[k];
        hw_source *source = side->line ? hw_source_open(side->file) : NULL;
        const char *kind = hw_check_kind_name(f->kind);
        allows = source && (line_allows(source, side->line, kind) || line_allows(source, side->line - 1, kind));
        hw_source_close(source);
    }
    return allows;
}

int hw_cli_suppress(hw_cli_findings *findings, const char *path) {
    suppressions s = {0};
    size_t kept = 0;
    int status = path ? read_suppressions(path, &s) : 0;
    for (size_t i = 0; !status && i < findings->n; i++) {
        const hw_cli_finding *f = &findings->items[i];
        if (is_named(&s, f) || is_allowed_in_source(f)) findings->n_suppressed++;
        else findings->items[kept++] = *f;
    }
    if (!status) findings->n = kept;
    free_suppressions(&s);
    return status;
}
