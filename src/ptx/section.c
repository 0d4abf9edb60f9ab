// Sections of a debugger's: bytes and names, written as directives. PTX ISA section 11.5, .section.
#include <stdlib.h>
#include <string.h>

#include "ptx/layouts.h"
#include "ptx/parser.h"

// What a section has so far; or how much that will be, where there is no room yet.
typedef struct writing {
    uint8_t *bytes;
    hw_section_name *names;
    size_t n_bytes, n_names;
} writing;

static void put_value(writing *w, uint64_t value, unsigned width) {
    for (unsigned i = 0; w->bytes && i < width; i++) w->bytes[w->n_bytes + i] = (uint8_t)(value >> 8 * i);
    w->n_bytes += width;
}

// A name, or name+7.
static void put_name(parser *p, writing *w, const char *word, size_t length, unsigned width) {
    size_t n = 0;
    while (n < length && word[n] != '+') n++;
    if (w->names)
        w->names[w->n_names] = (hw_section_name){.at = w->n_bytes, .name = hw_arena_string(p->scratch, word, n)};
    w->n_names++;
    put_value(w, n < length ? strtoull(word + n + 1, NULL, 0) : 0, width);
}

// .b8 .b16 .b32 .b64; 0: something else.
static unsigned width_of(const char *word, size_t length) {
    const bool is_short = length == 3, is_long = length == 4;
    if (length < 3 || word[0] != '.' || word[1] != 'b') return 0;
    if (is_short && word[2] == '8') return 1;
    if (is_long && word[2] == '1' && word[3] == '6') return 2;
    if (is_long && word[2] == '3' && word[3] == '2') return 4;
    return is_long && word[2] == '6' && word[3] == '4' ? 8 : 0;
}

// at ends with '}' or NUL, as the section's text does.
static void read_section(parser *p, lexer at, writing *w) {
    unsigned width = 1;
    for (hw_ptx_skip_space(&at); *at.at && *at.at != '}'; hw_ptx_skip_space(&at)) {
        const char *word = at.at;
        at.at += strcspn(at.at, " \t\n\r:,}");
        const size_t length = (size_t)(at.at - word);
        if (!length) at.at++;
        else if (width_of(word, length)) width = width_of(word, length);
        else if ((*word >= '0' && *word <= '9') || *word == '-') put_value(w, strtoull(word, NULL, 0), width);
        else if (*at.at == ':') at.at++;
        else put_name(p, w, word, length, width);
    }
}

static bool keep_section(parser *p, const char *text, hw_section *out) {
    const lexer at = {.at = text, .end = p->lex.end};
    writing w = {.bytes = NULL};
    *out = (hw_section){.bytes = NULL};
    if (!text) return true;
    read_section(p, at, &w);
    const writing room = w;
    w = (writing){.bytes = hw_ptx_take_scratch(p, room.n_bytes + 1),
                  .names = hw_ptx_take_scratch(p, (room.n_names + 1) * sizeof *w.names)};
    if (!w.bytes || !w.names) return false;
    read_section(p, at, &w);
    *out = (hw_section){.bytes = w.bytes, .names = w.names, .n_bytes = w.n_bytes, .n_names = w.n_names};
    return !hw_arena_ran_out(p->scratch) || hw_ptx_out_of_memory(p);
}

bool hw_ptx_keep_layouts(parser *p) {
    hw_debug_sections of;
    if (!p->debug_info || !p->debug_abbrev) return true;
    if (!keep_section(p, p->debug_info, &of.info) || !keep_section(p, p->debug_abbrev, &of.abbrev) ||
        !keep_section(p, p->debug_loc, &of.loc)) return false;
    p->module->layouts = hw_layouts_read(p->module->arena, p->scratch, &of);
    return p->module->layouts || hw_ptx_out_of_memory(p);
}
