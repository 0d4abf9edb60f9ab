// What the tests of merging share: the loads and stores of a program, counted as tools/record_merging.py counts those
// of machine code.
#ifndef MERGE_TEST_H
#define MERGE_TEST_H

#include "lower_test.h"

// By kind: lds, sts (shared), ldg, stg (global), ld, st (generic); then by width: 8, 16, 32, 64, 128 bits.
enum { KINDS = 6, WIDTHS = 5, CELLS = KINDS * WIDTHS };

static inline char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static inline bool is_load_or_store(const hw_program *p, uint32_t note) {
    hw_op op = note < p->function->n_insts ? p->function->insts[note].op : HW_OP_NONE;
    return op == HW_OP_LD || op == HW_OP_ST;
}

static inline int kind_of(const hw_note *note) {
    bool is_store = note->kind == HW_NOTE_STORE;
    switch (note->space) {
    case HW_SPACE_SHARED: return is_store;
    case HW_SPACE_GLOBAL: return 2 + is_store;
    case HW_SPACE_GENERIC: return 4 + is_store;
    default: return -1;
    }
}

// As merged; or as_written.
static inline void count_notes(const hw_program *p, uint32_t *cells, bool as_written) {
    memset(cells, 0, CELLS * sizeof *cells);
    for (uint32_t i = 0; i < p->n_notes; i++) {
        const hw_note *note = &p->notes[i];
        uint32_t bytes = as_written ? note->width_bytes : note->merged_bytes;
        if ((note->kind != HW_NOTE_LOAD && note->kind != HW_NOTE_STORE) || !bytes) continue;
        int kind = kind_of(note);
        // What loads and stores by matrices do is not counted here.
        if (kind >= 0 && is_load_or_store(p, i)) cells[kind * WIDTHS + __builtin_ctz(bytes)]++;
    }
}

#endif
