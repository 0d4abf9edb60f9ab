// How an array is cut into pieces that go through a device one after the other: pure functions of its merged shape.
#ifndef HW_OP_TRANSPOSE_PIECES_H
#define HW_OP_TRANSPOSE_PIECES_H

#include "op/transpose/permutation.h"

// How pieces divide an axis: each takes `length` steps, and the last of the `count` pieces may take fewer.
typedef struct hw_range {
    uint64_t length, count;
} hw_range;

// A piece is a run of in: a range of one axis with all axes that are faster in in, at one place along each slower axis.
// Where out's fastest axis is one of the slower axes of in, the piece takes a range of that axis too, since single
// elements would be scattered over out otherwise; the piece is then several runs of in at equal distances, shorter runs
// where memory is small. The same is done with out's next axis where the fastest axis of out is short and the fastest
// axis of in as well, such as the colours of an image.
typedef struct hw_cut {
    uint32_t order[HW_MAX_RANK];     // axes by their stride in in, the slowest first
    uint32_t depth, far;             // the last axis with a range, and the one that makes runs of out, in this order
    hw_range ranges[HW_MAX_RANK];    // of the axes in this order, up to depth
    uint64_t pieces;
} hw_cut;

// Pieces of about `wanted` bytes, larger where runs of out would be shorter than 2 KiB for it, and never above `most`.
// False when one element is too large. p: merged, both arrays dense.
bool hw_cut_choose(const hw_permutation *p, uint64_t wanted, uint64_t most, hw_cut *cut);

// One piece: where it begins, how far it reaches, and the runs of in that it is, in elements.
typedef struct hw_part {
    uint64_t n[HW_MAX_RANK], elems;
    uint64_t in_first, out_first;
    uint64_t run, runs, pitch;
} hw_part;

hw_part hw_part_of(const hw_permutation *p, const hw_cut *cut, uint64_t index);   // the first is the largest

enum { HW_WORD_BYTES = 16 };   // that a kernel moves at a time from a piece to out

// How a piece lies in memory: densely, its axes in the order of in or of out; in the order of out with gaps, so that
// its runs begin at the same places in words as the runs of the array out; or in the array out itself.
typedef enum hw_part_layout { HW_LIKE_IN, HW_LIKE_OUT, HW_LIKE_WORDS_OF_OUT, HW_IN_OUT } hw_part_layout;

// The piece from one place to another, merged.
hw_permutation hw_part_move(const hw_permutation *p, const hw_part *part, const void *in, hw_part_layout from,
                            void *out, hw_part_layout to);

// For HW_LIKE_WORDS_OF_OUT: the bytes that a piece takes, in whole words, wherever in its first word it begins; and the
// address at which the piece begins in memory that begins with a word.
uint64_t hw_part_words_bytes(const hw_permutation *p, const hw_part *part);
void *hw_part_in_words(const hw_permutation *p, const hw_part *part, void *memory);

#endif
