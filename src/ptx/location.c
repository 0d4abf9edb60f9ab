// Which source line an instruction belongs to. Functions of the CUDA toolkit's own headers (such as atomicAdd) are
// inlined everywhere; what they do is put down to the line of the user's that called them.
#include <string.h>

#include "ptx/parser.h"

enum { MAX_INLINING_DEPTH = 64 };

static bool is_toolkit_path(const char *path) {
    const char *targets = strstr(path, "/targets/");
    return (targets && strstr(targets, "-linux/include/")) || !strncmp(path, "/usr/local/cuda", 15) ||
           !strncmp(path, "/usr/include/", 13);
}

// Asked once for a file: names may stand at the end of the text.
static bool is_toolkit_file(parser *p, uint32_t file) {
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

// Where the code at a place was inlined, as a .loc has said before; the newest first, since it is likely the one meant.
static const inlining *find_inlining(const parser *p, const place *at) {
    for (size_t i = 0; i < HW_PTX_INLININGS; i++) {
        const inlining *found = &p->inlinings[(p->next_inlining - 1 - i) % HW_PTX_INLININGS];
        const place *code = &found->code;
        if (code->line == at->line && code->file == at->file && code->column == at->column) return found;
    }
    return NULL;
}

static void place_unplaced(parser *p, uint32_t file, uint32_t line) {
    for (; p->first_unplaced < p->n_insts; p->first_unplaced++) {
        p->insts[p->first_unplaced].loc_file = file;
        p->insts[p->first_unplaced].loc_line = line;
    }
}

// A compiler says line 0 of what it has moved or united, and nothing of what comes first. Such instructions are put
// down to the line that they work for, the next one of their basic block; at its end to the one before.
void hw_ptx_end_of_block(parser *p) {
    if (p->known_line) place_unplaced(p, p->known_file, p->known_line);
}

bool hw_ptx_set_location(parser *p, const place *code, const place *inlined_at) {
    place here = *code;
    if (inlined_at) p->inlinings[p->next_inlining++ % HW_PTX_INLININGS] = (inlining){*code, *inlined_at};
    for (int depth = 0; inlined_at && depth < MAX_INLINING_DEPTH && is_toolkit_file(p, here.file); depth++) {
        here = *inlined_at;
        const inlining *outer = find_inlining(p, &here);
        inlined_at = outer ? &outer->at : NULL;
    }
    p->loc_file = here.file;
    p->loc_line = here.line;
    if (here.line) {
        place_unplaced(p, here.file, here.line);
        p->known_file = here.file;
        p->known_line = here.line;
    }
    return p->status == HW_OK;
}
