#include "check/suppressions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/suppression.h"
#include "cli.h"
#include "report/source.h"

enum { LINE_BYTES = 1024, PATH_BYTES = 4200 };

// ---- the file -------------------------------------------------------------------------------------------------------

static int parse_text(const char *text, size_t bytes, const char *path, hw_check_suppressions *out) {
    hw_diag diag = {0};
    char message[sizeof diag + 32];
    if (!hw_check_suppressions_parse(text, bytes, path, out, &diag)) return 0;
    hw_cli_complain("%s", hw_diag_format(&diag, message, sizeof message));
    return HW_EXIT_USAGE;
}

// All of a file, to be freed; NULL with errno.
static char *read_text(const char *path, size_t *bytes) {
    FILE *in = fopen(path, "r"), *out = NULL;
    char *text = NULL, part[4096];
    if (in) out = open_memstream(&text, bytes);
    for (size_t n; out && (n = fread(part, 1, sizeof part, in)) > 0;) fwrite(part, 1, n, out);
    const bool is_read = out && !ferror(in) && fclose(out) == 0;
    if (in) fclose(in);
    if (is_read) return text;
    free(text);
    return NULL;
}

static int read_suppressions(const char *path, hw_check_suppressions *out) {
    size_t bytes = 0;
    char *text = read_text(path, &bytes);
    *out = (hw_check_suppressions){.items = NULL};
    if (!text) hw_cli_complain("cannot read %s: %s", path, strerror(errno));
    int status = text ? parse_text(text, bytes, path, out) : HW_EXIT_USAGE;
    free(text);
    return status;
}

int hw_cli_try_suppressions(const char *path) {
    hw_check_suppressions s;
    int status = read_suppressions(path, &s);
    hw_check_suppressions_free(&s);
    return status;
}

static bool is_named(const hw_check_suppressions *s, const hw_cli_finding *f) {
    char place[LINE_BYTES];
    for (unsigned k = 0; k < f->n_sides; k++) {
        hw_cli_finding_place(&f->sides[k], place, sizeof place);
        if (hw_check_suppresses(s, f->kind, place, f->sides[k].kernel)) return true;
        hw_cli_inlined at;
        for (size_t i = 0; hw_cli_finding_inlined(&f->sides[k], i, &at); i++) {
            snprintf(place, sizeof place, "%s:%u", at.file, at.line);
            if (hw_check_suppresses(s, f->kind, place, NULL)) return true;
        }
    }
    return f->subject.kernel && hw_check_suppresses(s, f->kind, NULL, f->subject.kernel);
}

// ---- the source -----------------------------------------------------------------------------------------------------

// Does a line of the source have a comment `halfwarp-check: allow KIND`?
static bool line_allows(const hw_source *source, unsigned line, const char *kind) {
    static const char mark[] = "halfwarp-check: allow ";
    char text[LINE_BYTES];
    const char *at = line ? strstr(hw_source_line(source, line, text, sizeof text), mark) : NULL;
    return at && strncmp(at + strlen(mark), kind, strlen(kind)) == 0 &&
           !isalnum((unsigned char)at[strlen(mark) + strlen(kind)]);
}

// Does it, or the line above it?
static bool place_allows(const char *file, unsigned line, hw_check_kind kind) {
    hw_source *source = hw_source_open(file);
    const char *name = hw_check_kind_name(kind);
    const bool allows = source && (line_allows(source, line, name) || line_allows(source, line - 1, name));
    hw_source_close(source);
    return allows;
}

static bool side_allows(const hw_cli_finding_side *side, hw_check_kind kind) {
    char file[PATH_BYTES];
    unsigned line;
    hw_cli_inlined at;
    if (hw_cli_finding_line(side, file, sizeof file, &line) && place_allows(file, line, kind)) return true;
    for (size_t i = 0; hw_cli_finding_inlined(side, i, &at); i++)
        if (at.line && place_allows(at.file, at.line, kind)) return true;
    return false;
}

static bool is_allowed_in_source(const hw_cli_finding *f) {
    for (unsigned k = 0; k < f->n_sides; k++)
        if (side_allows(&f->sides[k], f->kind)) return true;
    return false;
}

int hw_cli_suppress(hw_cli_findings *findings, const char *path) {
    hw_check_suppressions s = {.items = NULL};
    size_t kept = 0;
    int status = path ? read_suppressions(path, &s) : 0;
    for (size_t i = 0; !status && i < findings->n; i++) {
        const hw_cli_finding *f = &findings->items[i];
        if (is_named(&s, f) || is_allowed_in_source(f)) findings->n_suppressed++;
        else findings->items[kept++] = *f;
    }
    if (!status) findings->n = kept;
    hw_check_suppressions_free(&s);
    return status;
}
