// Which source line an instruction belongs to. Functions of the CUDA toolkit's own headers (such as atomicAdd) are
// inlined everywhere; what they do is put down to the line of the user's that called them. Of other functions that were
// inlined an instruction has the line in them, and the chain of places at which they were.
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "ptx/parser.h"

enum { MAX_INLINING_DEPTH = 64 };

static bool is_toolkit_path(const char *path) {
    const char *targets = strstr(path, "/targets/");
    return (targets && strstr(targets, "-linux/include/")) || !strncmp(path, "/usr/local/cuda", 15) ||
           !strncmp(path, "/usr/include/", 13);
}

// Asked once for a file: names may stand at the end of the text.
bool hw_ptx_is_toolkit_file(parser *p, uint32_t file) {
    if (file >= MAX_FILES) return false;
    while (p->n_file_kinds <= file) {
        if (!hw_ptx_room(p, &p->file_kinds, p->n_file_kinds, &p->cap_file_kinds, sizeof *p->file_kinds)) return false;
        p->file_kinds[p->n_file_kinds++] = FILE_NOT_ASKED;
    }
    if (p->file_kinds[file] == FILE_NOT_ASKED) {
        const char *path = hw_ptx_source_file(p, file);
        p->file_kinds[file] = path && is_toolkit_path(path) ? FILE_OF_TOOLKIT : FILE_OF_USER;
    }
    return p->file_kinds[file] == FILE_OF_TOOLKIT;
}

// ---- what .loc said before ----

static location *slot_of(parser *p, const place *code) {
    const uint64_t hash = hw_mix_word((uint64_t)code->file << 32 | code->line, code->column);
    return &p->locations[hash >> 32 & (HW_PTX_LOCATIONS - 1)];
}

// A place in a function that was inlined twice may be either: the newest is likely the one meant.
static const location *find_location(parser *p, const place *at) {
    const location *found = slot_of(p, at);
    const place *code = &found->code;
    const bool is_it = code->line == at->line && code->file == at->file && code->column == at->column;
    return is_it && found->serial == p->function_serial ? found : NULL;
}

// ---- chains of inlined functions ----

static bool are_equal(const inlining *a, const inlining *b) {
    return a->is.file == b->is.file && a->is.line == b->is.line && a->is.outer == b->is.outer &&
           a->is.function == b->is.function && a->function.label == b->function.label &&
           a->function.offset == b->function.offset;
}

// The number of an item like this one; 0 after a failure.
static uint32_t find_or_add(parser *p, inlining *wanted) {
    const uint64_t hash = hw_mix_word((uint64_t)wanted->is.file << 32 | wanted->is.line, wanted->is.outer);
    uint32_t *chain = &p->inlining_chains[hash >> 32 & (HW_PTX_INLINING_CHAINS - 1)];
    for (uint32_t i = *chain; i; i = p->inlinings[i].next)
        if (are_equal(&p->inlinings[i], wanted)) return i;
    if (!p->n_inlinings) {
        if (!hw_ptx_room(p, &p->inlinings, 0, &p->cap_inlinings, sizeof *p->inlinings)) return 0;
        p->inlinings[p->n_inlinings++] = (inlining){.depth = 0};
    }
    if (!hw_ptx_room(p, &p->inlinings, p->n_inlinings, &p->cap_inlinings, sizeof *p->inlinings)) return 0;
    wanted->next = *chain;
    *chain = (uint32_t)p->n_inlinings;
    p->inlinings[p->n_inlinings++] = *wanted;
    return *chain;
}

// What was inlined at a place. A chain that is too long loses its outer end.
static uint32_t add_inlining(parser *p, const place *at) {
    const location *outer = find_location(p, at);
    inlining here = {.is = {.file = at->file, .line = at->line}};
    if (outer && outer->inlined && p->inlinings[outer->inlined].depth < MAX_INLINING_DEPTH) {
        here.is.outer = outer->inlined;
        here.depth = p->inlinings[outer->inlined].depth + 1;
    }
    if (outer && outer->function.label) here.function = outer->function;
    else if (p->function && (!outer || !outer->inlined)) here.is.function = p->function->name;
    return find_or_add(p, &here);
}

// ---- names of functions ----

// Bytes of a section of strings, with labels that names refer to. at ends with '}' or NUL, as the section's text does.
static size_t read_strings(parser *p, lexer at, char *out) {
    size_t n = 0;
    for (hw_ptx_skip_space(&at); *at.at && *at.at != '}'; hw_ptx_skip_space(&at)) {
        const char *word = at.at;
        at.at += strcspn(at.at, " \t\n\r:,}");
        if (at.at == word) {
            at.at++;
        } else if (*word >= '0' && *word <= '9') {
            if (out) out[n] = (char)strtoul(word, NULL, 10);
            n++;
        } else if (*word != '.') {
            atom *label = hw_ptx_find_atom(p, word, (size_t)(at.at - word));
            if (label) label->string = (uint32_t)n + 1;
        }
    }
    return n;
}

// All strings in one piece, which ends with a NUL.
static bool keep_strings(parser *p, const char **strings, size_t *n) {
    lexer at = {.at = p->strings, .end = p->lex.end};
    *n = p->strings ? read_strings(p, at, NULL) : 0;
    char *kept = hw_ptx_take(p, *n + 1);
    if (kept && *n) read_strings(p, at, kept);
    if (kept) kept[*n] = 0;
    *strings = kept;
    return kept != NULL;
}

bool hw_ptx_keep_inlinings(parser *p) {
    const char *strings;
    size_t n_bytes;
    if (!p->n_inlinings) return true;
    hw_inlining *kept = hw_ptx_take(p, p->n_inlinings * sizeof *kept);
    if (!kept || !keep_strings(p, &strings, &n_bytes)) return false;
    for (size_t i = 0; i < p->n_inlinings; i++) {
        const string_name *name = &p->inlinings[i].function;
        kept[i] = p->inlinings[i].is;
        if (!name->label || !name->label->string || name->offset >= n_bytes) continue;
        const uint64_t begin = name->label->string - 1 + name->offset;
        if (begin < n_bytes) kept[i].function = strings + begin;
    }
    p->module->inlinings = kept;
    p->module->n_inlinings = (uint32_t)p->n_inlinings;
    return true;
}

// ---- the lines of instructions ----

static void place_unplaced(parser *p, uint32_t file, uint32_t line, uint32_t inlined) {
    for (; p->first_unplaced < p->n_insts; p->first_unplaced++) {
        p->insts[p->first_unplaced].loc_file = file;
        p->insts[p->first_unplaced].loc_line = line;
        p->insts[p->first_unplaced].loc_inlined = inlined;
    }
}

// A compiler says line 0 of what it has moved or united, and nothing of what comes first. Such instructions are put
// down to the line that they work for, the next one of their basic block; at its end to the one before.
void hw_ptx_end_of_block(parser *p) {
    if (p->known_line) place_unplaced(p, p->known_file, p->known_line, p->known_inlined);
}

bool hw_ptx_set_location(parser *p, const place *code, const string_name *function, const place *inlined_at) {
    location here = {.code = *code, .function = *function, .serial = p->function_serial};
    if (inlined_at) here.inlined = add_inlining(p, inlined_at);
    *slot_of(p, code) = here;
    p->loc_file = code->file;
    p->loc_line = code->line;
    p->loc_inlined = here.inlined;
    while (p->loc_inlined && hw_ptx_is_toolkit_file(p, p->loc_file)) {
        const hw_inlining *at = &p->inlinings[p->loc_inlined].is;
        p->loc_file = at->file;
        p->loc_line = at->line;
        p->loc_inlined = at->outer;
    }
    if (p->loc_line) {
        place_unplaced(p, p->loc_file, p->loc_line, p->loc_inlined);
        p->known_file = p->loc_file;
        p->known_line = p->loc_line;
        p->known_inlined = p->loc_inlined;
    }
    return p->status == HW_OK;
}
