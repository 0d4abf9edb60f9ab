// Matrices of 8x8 halves between shared memory and registers: ldmatrix, stmatrix, movmatrix.
//
// A row is 16 bytes, at the address of lane 8 * matrix + row. In registers lane 4 * row + k holds elements 2k and
// 2k + 1 of its row, or of its column where the instruction transposes. PTX ISA 9.7.14.5.15 to 17.
#include <string.h>

#include "exec/memory/locate.h"
#include "isa/matrix.h"

enum { ROWS = 8, WORDS = 4 };

typedef uint16_t matrix[ROWS][ROWS];

static uint32_t pair(uint16_t low, uint16_t high) { return low | (uint32_t)high << 16; }

// What the lane holds of a matrix that is transposed.
static uint32_t element_across(const matrix m, int lane) {
    int row = 2 * (lane % 4), col = lane / 4;
    return pair(m[row][col], m[row + 1][col]);
}

// The places of the rows; of lanes that have exited NULL. False after a fault.
static bool find_rows(hw_state *s, const hw_inst *in, bool is_write, void *at[32]) {
    hw_warp *w = &s->warp;
    uint32_t all = w->mask, lanes = all & (in->matrices == 4 ? ~0u : (1u << ROWS * in->matrices) - 1);
    if (all != s->live) {
        hw_fault_stop(s, in, HW_FAULT_LANES_MISSING, __builtin_ctz(all));
        return false;
    }
    if (!lanes) return true;
    hw_set_mask(w, lanes);
    bool found = hw_locate_lanes(s, in, is_write, at);
    int first = __builtin_ctz(lanes);
    if (found && !hw_access_is_nowhere(s, at[first]) && s->patterns[in->pattern].space != HW_SPACE_SHARED) {
        uint64_t address = in->a == HW_NO_SLOT ? (uint64_t)in->imm : hw_address_of(w, in, first);
        hw_fault_access(s, in, HW_FAULT_ADDRESS, first, HW_SPACE_GLOBAL, address, 16, is_write);
        found = false;
    }
    for (int i = 0; i < 32; i++) at[i] = lanes >> i & 1 ? at[i] : NULL;
    hw_set_mask(w, all);
    return found;
}

static inline const hw_inst *load_matrices(hw_warp *w, const hw_inst *in, bool transposes) {
    void *at[32] = {NULL};
    if (!find_rows(hw_state_of(w), in, false, at)) return NULL;
    const hw_slot *registers = w->slots + in->list;
    for (int m = 0; m < in->matrices; m++) {
        matrix rows = {{0}};
        for (int r = 0; r < ROWS; r++)
            if (at[ROWS * m + r]) memcpy(rows[r], at[ROWS * m + r], sizeof rows[r]);
        uint32_t *d = hw_at(w, registers[m]), words[32];
        if (transposes) for (int i = 0; i < 32; i++) words[i] = element_across(rows, i);
        else memcpy(words, rows, sizeof words);
        HW_LANES(d, words[i]);
    }
    return in + 1;
}

static inline const hw_inst *store_matrices(hw_warp *w, const hw_inst *in, bool transposes) {
    void *at[32] = {NULL};
    if (!find_rows(hw_state_of(w), in, true, at)) return NULL;
    const hw_slot *registers = w->slots + in->list;
    for (int m = 0; m < in->matrices; m++) {
        const uint32_t *a = hw_at(w, registers[m]);
        matrix rows;
        uint32_t words[ROWS * WORDS];
        memcpy(rows, a, sizeof rows);
        for (int i = 0; i < 32; i++) words[i] = transposes ? element_across(rows, i) : a[i];
        for (int r = 0; r < ROWS; r++)
            if (at[ROWS * m + r]) memcpy(at[ROWS * m + r], words + WORDS * r, sizeof rows[r]);
    }
    return in + 1;
}

static const hw_inst *ldmatrix(hw_warp *w, const hw_inst *in) { return load_matrices(w, in, false); }
static const hw_inst *ldmatrix_trans(hw_warp *w, const hw_inst *in) { return load_matrices(w, in, true); }
static const hw_inst *stmatrix(hw_warp *w, const hw_inst *in) { return store_matrices(w, in, false); }
static const hw_inst *stmatrix_trans(hw_warp *w, const hw_inst *in) { return store_matrices(w, in, true); }

static const hw_inst *movmatrix(hw_warp *w, const hw_inst *in) {
    hw_state *s = hw_state_of(w);
    if (w->mask != s->live) return hw_fault_stop(s, in, HW_FAULT_LANES_MISSING, __builtin_ctz(w->mask));
    matrix rows;
    uint32_t words[32], *d = hw_at(w, in->d);
    memcpy(rows, hw_at(w, in->a), sizeof rows);
    for (int i = 0; i < 32; i++) words[i] = element_across(rows, i);
    HW_LANES(d, words[i]);
    return in + 1;
}

// Where the first element of each lane's fragment in a row or column lies in memory: the vector's place, the lane's in
// it. stride: between vectors, in the lane.
#define OFFSETS(vector, place, stride) ((((uint64_t)(vector) * (stride)) + (place)) << shift)
static inline void wmma_offsets(const hw_inst *in, const uint32_t *strides, bool is_one_stride, uint64_t offsets[32]) {
    const uint32_t vector = HW_PLACE_VECTOR(in->imm), place = HW_PLACE_IN_VECTOR(in->imm);
    const uint32_t step = HW_PLACE_STEP(in->imm), length = strides ? strides[0] : HW_PLACE_LENGTH(in->imm);
    const int shift = __builtin_ctz(in->width);
    if (is_one_stride && in->groups_have_vectors)
        HW_LANE_LOOP for (int i = 0; i < 32; i++)
            offsets[i] = OFFSETS(vector + (uint32_t)i / 4, place + (uint32_t)i % 4 * step, length);
    else if (is_one_stride)
        HW_LANE_LOOP for (int i = 0; i < 32; i++)
            offsets[i] = OFFSETS(vector + (uint32_t)i % 4 * step, place + (uint32_t)i / 4, length);
    else if (in->groups_have_vectors)
        HW_LANE_LOOP for (int i = 0; i < 32; i++)
            offsets[i] = OFFSETS(vector + (uint32_t)i / 4, place + (uint32_t)i % 4 * step, strides[i]);
    else
        HW_LANE_LOOP for (int i = 0; i < 32; i++)
            offsets[i] = OFFSETS(vector + (uint32_t)i % 4 * step, place + (uint32_t)i / 4, strides[i]);
}

// Is the stride the same for all lanes of all the block's warps?
static inline bool has_one_stride(const hw_inst *in) {
    return in->b == HW_NO_SLOT || (in->b & 3) == HW_BASE_LAUNCH || (in->b & 3) == HW_BASE_BLOCK;
}

static inline void add_offsets(const hw_warp *w, const hw_inst *in, const uint64_t offsets[32]) {
    const uint64_t *a = in->a == HW_NO_SLOT ? NULL : hw_at(w, in->a);
    uint64_t *d = hw_at(w, in->d);
    if (a) HW_LANES(d, a[i] + offsets[i]);
    else HW_LANES(d, offsets[i]);
}

static const hw_inst *wmma_address(hw_warp *w, const hw_inst *in) {
    uint64_t offsets[32];
    wmma_offsets(in, in->b == HW_NO_SLOT ? NULL : hw_at(w, in->b), has_one_stride(in), offsets);
    add_offsets(w, in, offsets);
    HW_NEXT(w, in);
}

static const hw_inst *wmma_address_convoy(hw_warp *w, const hw_inst *in) {
    const bool is_one_stride = has_one_stride(in);
    uint64_t offsets[32];
    if (is_one_stride) wmma_offsets(in, in->b == HW_NO_SLOT ? NULL : hw_at(w, in->b), true, offsets);
    HW_EACH_WARP(if (!is_one_stride) wmma_offsets(in, hw_at(w, in->b), false, offsets);
                 add_offsets(w, in, offsets););
    HW_NEXT(w, in);
}

#define BOTH(name, function, ...) {function, function##_convoy},
#define ROW(name, function, ...) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_matrix)[] = {
#include "isa/bodies/matrix.def"
};
