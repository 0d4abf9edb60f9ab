// Cuts an array into pieces, and says where each of them lies.
#include "op/transpose/transpose_pieces.h"

#include <string.h>

#include "base/integers.h"

static void sort_by_out(const hw_permutation *p, uint32_t order[HW_MAX_RANK]) {
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t at = i;
        for (; at > 0 && p->in_stride[order[at - 1]] < p->in_stride[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

// Cuts n into ranges of nearly the same length; long ranges begin at multiples of 32 elements, so that lanes move whole
// words.
static hw_range divide_axis(uint64_t n, uint64_t length) {
    enum { UNIT = 32 };
    if (length > n) length = n;
    hw_range range = {length, hw_divide_up(n, length)};
    range.length = hw_divide_up(n, range.count);
    if (range.count > 1 && length >= 4 * UNIT) {
        const uint64_t up = hw_align_up(range.length, UNIT);
        range.length = up <= length ? up : length / UNIT * UNIT;
    }
    range.count = hw_divide_up(n, range.length);
    return range;
}

// The axis along which runs of out become long, and how many of its elements that takes: out's fastest axis, or the
// first axis of out that makes runs long together with all faster axes of out. A piece holds those faster axes whole,
// because they are faster in in, too.
static uint64_t find_far(const hw_permutation *p, hw_cut *cut) {
    enum { RUN_BYTES = 2048 };
    uint64_t bytes = p->elem_bytes;
    uint32_t before = p->rank;
    for (uint32_t axis = p->rank; axis-- > 0; bytes *= p->n[axis]) {   // merged: the last is the fastest in out
        uint32_t place = 0;
        while (cut->order[place] != axis) place++;
        if (place > before) break;
        cut->far = before = place;
        if (bytes * p->n[axis] >= RUN_BYTES) return hw_divide_up(RUN_BYTES, bytes);
    }
    return p->n[cut->order[cut->far]];
}

bool hw_cut_choose(const hw_permutation *p, uint64_t wanted, uint64_t most, hw_cut *cut) {
    uint64_t taken = 1;   // of the slower axes
    *cut = (hw_cut){.pieces = 1};
    sort_by_out(p, cut->order);
    const uint64_t least_far = find_far(p, cut);
    for (uint32_t d = 0; d < p->rank; d++) {
        const uint64_t n = p->n[cut->order[d]], step = taken * (uint64_t)p->in_stride[cut->order[d]] * p->elem_bytes;
        const uint64_t least = d == cut->far && d + 1 < p->rank ? least_far : 1;
        const bool is_last = least <= most / step;
        uint64_t length = hw_least(least, most / p->elem_bytes);
        if (is_last && length < wanted / step) length = hw_least(wanted / step, most / step);
        if (length == 0) return false;
        cut->depth = d;
        cut->ranges[d] = divide_axis(n, length);
        cut->pieces *= cut->ranges[d].count;
        if (is_last) return true;
        taken *= cut->ranges[d].length;
    }
    return false;
}

hw_part hw_part_of(const hw_permutation *p, const hw_cut *cut, uint64_t index) {
    hw_part part = {.elems = 1, .runs = 1};
    memcpy(part.n, p->n, sizeof part.n);
    for (uint32_t d = cut->depth + 1; d-- > 0;) {
        const uint32_t axis = cut->order[d];
        const hw_range *range = &cut->ranges[d];
        const uint64_t from = index % range->count * range->length, left = p->n[axis] - from;
        index /= range->count;
        part.n[axis] = left < range->length ? left : range->length;
        part.in_first += from * (uint64_t)p->in_stride[axis];
        part.out_first += from * (uint64_t)p->out_stride[axis];
    }
    for (uint32_t i = 0; i < p->rank; i++) part.elems *= part.n[i];
    if (cut->far < cut->depth) part.runs = part.n[cut->order[cut->far]];
    part.run = part.elems / part.runs;
    part.pitch = part.runs > 1 ? (uint64_t)p->in_stride[cut->order[cut->far]] : part.run;
    return part;
}

// The strides of an array of these extents that lies densely, its axes in the order that `stride` gives.
static void dense_strides(const hw_permutation *p, const int64_t *stride, const uint64_t *n, int64_t *out) {
    for (uint32_t i = 0; i < p->rank; i++) {
        out[i] = 1;
        for (uint32_t k = 0; k < p->rank; k++)
            if (stride[k] < stride[i]) out[i] *= (int64_t)n[k];
    }
}

// The strides of out's order with gaps before axes that do not begin at the same place in a word of 16 bytes otherwise.
// Returns the elements from the first to the last.
static uint64_t strides_with_gaps(const hw_permutation *p, const uint64_t *n, int64_t *out) {
    const uint64_t word = p->elem_bytes < HW_WORD_BYTES ? HW_WORD_BYTES / p->elem_bytes : 1;
    uint64_t reach = 1, last = 1;
    for (uint32_t i = p->rank; i-- > 0;) {   // merged: the last is the fastest in out
        out[i] = (int64_t)(reach + ((uint64_t)p->out_stride[i] - reach) % word);
        if (n[i] == 1) continue;
        reach = (uint64_t)out[i] * n[i];
        last += (uint64_t)out[i] * (n[i] - 1);
    }
    return last;
}

static void layout_strides(const hw_permutation *p, const hw_part *part, hw_part_layout layout, int64_t *strides) {
    switch (layout) {
    case HW_LIKE_IN: dense_strides(p, p->in_stride, part->n, strides); break;
    case HW_LIKE_OUT: dense_strides(p, p->out_stride, part->n, strides); break;
    case HW_LIKE_WORDS_OF_OUT: strides_with_gaps(p, part->n, strides); break;
    case HW_IN_OUT: memcpy(strides, p->out_stride, sizeof p->out_stride);
    }
}

uint64_t hw_part_words_bytes(const hw_permutation *p, const hw_part *part) {
    int64_t strides[HW_MAX_RANK];
    const uint64_t bytes = strides_with_gaps(p, part->n, strides) * p->elem_bytes;
    return hw_align_up(bytes, HW_WORD_BYTES) + HW_WORD_BYTES;
}

void *hw_part_in_words(const hw_permutation *p, const hw_part *part, void *memory) {
    const uintptr_t to = (uintptr_t)p->out + part->out_first * p->elem_bytes;
    return (void *)((uintptr_t)memory + to % HW_WORD_BYTES);   // explanations have no memory to point to
}

hw_permutation hw_part_move(const hw_permutation *p, const hw_part *part, const void *in, hw_part_layout from,
                            void *out, hw_part_layout to) {
    hw_permutation piece = *p;
    memcpy(piece.n, part->n, sizeof piece.n);
    piece.elems = part->elems;
    layout_strides(p, part, from, piece.in_stride);
    layout_strides(p, part, to, piece.out_stride);
    piece.in = in;
    piece.out = out;
    piece.in_place = false;
    hw_permutation_merge(&piece);
    return piece;
}
