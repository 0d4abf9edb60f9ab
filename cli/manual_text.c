// mdoc(7) as plain text. A line that begins with a dot is a macro and its words, any other is text.
#define _GNU_SOURCE
#include "manual_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/grid.h"

typedef struct page {
    FILE *out, *paragraph;   // what is under way, as one line
    char *text;              // of paragraph
    size_t length;
    int width, lists;        // lists: how deep
    bool is_glued;           // the next word follows without a blank
    bool is_first;           // nothing is written yet
    bool failed;
} page;

enum { TEXT_INDENT = 2, LIST_INDENT = 6 };

// ---- Paragraphs -----------------------------------------------------------------------------------------------------

static void begin_paragraph(page *p) {
    p->text = NULL;
    p->paragraph = open_memstream(&p->text, &p->length);
    p->failed |= p->paragraph == NULL;
    p->is_glued = true;
}

static void end_paragraph(page *p, int indent) {
    if (!p->paragraph || fclose(p->paragraph) != 0) p->failed = true;
    else if (p->length) {
        fprintf(p->out, "%*s", indent, "");
        hw_grid_write_wrapped(p->text, p->width, indent, indent, p->out);
        p->is_first = false;
    }
    free(p->text);
    begin_paragraph(p);
}

static int body_indent(const page *p) { return TEXT_INDENT + p->lists * LIST_INDENT; }

static void append_word(page *p, const char *before, const char *word, size_t length, const char *behind) {
    if (!p->paragraph) return;
    const bool is_closing = length == 1 && strchr(",.;:)", *word) && !*before;
    if (!p->is_glued && !is_closing) fputc(' ', p->paragraph);
    fprintf(p->paragraph, "%s%.*s%s", before, (int)length, word, behind);
    p->is_glued = length == 1 && *word == '(';
}

// ---- Words of a macro -----------------------------------------------------------------------------------------------

// The next word, without the quotes that are around it. False at the end of the line.
static bool next_word(const char **at, const char *end, const char **word, size_t *length) {
    while (*at < end && **at == ' ') ++*at;
    if (*at >= end) return false;
    const bool is_quoted = **at == '"';
    *word = *at + is_quoted;
    const char *stop = *word;
    while (stop < end && *stop != (is_quoted ? '"' : ' ')) stop++;
    *length = (size_t)(stop - *word);
    *at = stop < end ? stop + 1 : end;
    return true;
}

static bool is_macro_word(const char *word, size_t length, const char *name) {
    return length == strlen(name) && !memcmp(word, name, length);
}

// "halfwarp-profile 1" as halfwarp-profile(1).
static void add_reference(page *p, const char **at, const char *end) {
    const char *name, *section;
    size_t name_length, section_length;
    if (!next_word(at, end, &name, &name_length)) return;
    append_word(p, "", name, name_length, "");
    if (!next_word(at, end, &section, &section_length)) return;
    if (!isdigit((unsigned char)*section)) {
        append_word(p, "", section, section_length, "");
        return;
    }
    p->is_glued = true;
    append_word(p, "(", section, section_length, ")");
}

// Words, and macros that say what they mean: of those Fl puts a hyphen before its word, Sq and Dq quote one, Ns glues.
static void add_words(page *p, const char *at, const char *end) {
    static const char *const silent[] = {"Li", "Cm", "Ar", "Em", "Pa", "Ev", "Nm", "Ic", "No"};
    const char *word, *before = "", *behind = "";
    size_t length;
    char hyphens[8] = "";
    while (next_word(&at, end, &word, &length)) {
        bool is_macro = false;
        for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
            is_macro |= is_macro_word(word, length, silent[i]);
        if (is_macro) continue;
        if (is_macro_word(word, length, "Ns")) p->is_glued = true;
        else if (is_macro_word(word, length, "Xr")) add_reference(p, &at, end);
        else if (is_macro_word(word, length, "Fl") && strlen(hyphens) + 1 < sizeof hyphens) strcat(hyphens, "-");
        else if (is_macro_word(word, length, "Sq")) before = behind = "'";
        else if (is_macro_word(word, length, "Dq")) before = behind = "\"";
        else {
            const bool opens = *before, closes = opens && !(at < end);
            append_word(p, opens ? before : hyphens, word, length, closes ? behind : "");
            if (opens && !closes) before = "";
            hyphens[0] = '\0';
        }
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

static void write_heading(page *p, int indent, const char *at, const char *end) {
    end_paragraph(p, body_indent(p));
    fprintf(p->out, "%s%*s%.*s\n", p->is_first ? "" : "\n", indent, "", (int)(end - at), at);
    p->is_first = false;
}

static void take_macro(page *p, const char *at, const char *end) {
    const char *whole = at, *name;
    size_t length;
    if (!next_word(&at, end, &name, &length)) return;
    if (is_macro_word(name, length, "Dd") || is_macro_word(name, length, "Dt") || is_macro_word(name, length, "Os"))
        return;
    if (is_macro_word(name, length, "Sh")) write_heading(p, 0, at, end);
    else if (is_macro_word(name, length, "Ss")) write_heading(p, 1, at, end);
    else if (is_macro_word(name, length, "Pp")) {
        end_paragraph(p, body_indent(p));
        fputc('\n', p->out);
    } else if (is_macro_word(name, length, "Bl") || is_macro_word(name, length, "El")) {
        end_paragraph(p, body_indent(p));
        p->lists += is_macro_word(name, length, "Bl") ? 1 : -1;
    } else if (is_macro_word(name, length, "It")) {
        end_paragraph(p, body_indent(p));
        add_words(p, at, end);
        end_paragraph(p, body_indent(p) - LIST_INDENT);
    } else if (is_macro_word(name, length, "Nd")) {
        append_word(p, "", "-", 1, "");
        add_words(p, at, end);
    } else add_words(p, whole, end);
}

bool hw_cli_write_manual(const char *mdoc, int width, FILE *out) {
    page p = {.out = out, .width = width, .is_first = true};
    begin_paragraph(&p);
    while (*mdoc) {
        const char *end = mdoc + strcspn(mdoc, "\n");
        if (*mdoc == '.') take_macro(&p, mdoc + 1, end);
        else if (end > mdoc) append_word(&p, "", mdoc, (size_t)(end - mdoc), "");
        mdoc = end + (*end == '\n');
    }
    end_paragraph(&p, body_indent(&p));
    if (p.paragraph) fclose(p.paragraph);
    free(p.text);
    return !p.failed;
}
