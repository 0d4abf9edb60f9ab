// Rows: the elements of each output lie in runs, which warps read along. What hw_reduce launches for whole arrays, for
// rows, and for any axes of which the densest goes.
//
// Idea       GROUP lanes read a row, INNER of them along each of its runs, in words of VECTOR elements of which UNROLL
//            are in flight before the first is looked at. Short rows share a warp; long ones have a block, or several
//            (`parts`), whose states the last of them puts together, so that one launch does all. The counter that
//            tells it wraps to zero by itself. Words are aligned in memory: elements before the first and after the
//            last are read singly.
// Predicted  H200, f32 sum of 2^28: every sector is read once; what is written is nothing beside it.
// Measured   H200, launches in a row: f32 sum of 2^28 240.4 us, 4467 GB/s, 110% of the copy that is rung 5; 2^30 4661
//            GB/s, 2^24 3500 GB/s (in part from L2), 2^20 4.6 us, 65536 and fewer 3.8 us. argmin of 2^28 4469 GB/s, i8
//            and f16 4500 GB/s. Rows of 16384: 4640 GB/s; of 64, 65536 of them: 4.6 us; of 8, 2^20 of them: 8.5 us.
// Held back  By DRAM; for small arrays by the start of the launch and the way of the counter through L2, each about 1
//            us.
#ifndef THREADS
#define THREADS 256
#endif
#ifndef GROUP
#define GROUP THREADS   // lanes for each output: a power of two up to 32, or all
#endif
#ifndef INNER
#define INNER GROUP     // of them, along a run
#endif
#ifndef VECTOR
#define VECTOR 4        // elements of a word
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef ALIGNED
#define ALIGNED 0       // runs begin at multiples of a word
#endif
#ifndef PARTS
#define PARTS 1         // 0: an output has one block at most
#endif
#ifndef KEPT_AXES
#define KEPT_AXES 0
#endif
#ifndef OUTER_AXES
#define OUTER_AXES 0    // of the reduced ones, without the innermost
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif
#ifndef IN
#define IN f32
#endif
#ifndef OUT
#define OUT f32
#endif
#ifndef FOLD
#define FOLD sum_fold
#endif

// Each word is read once: it need not stay in L1, but where lanes read words side by side one after the other.
#ifndef READ_ONCE
#define READ_ONCE (GROUP > 1)
#endif

#include "reduce/axes.cuh"
#include "reduce/combine.cuh"

typedef FOLD<IN> fold;
typedef fold::state state;
typedef parts_of<IN, VECTOR> word;

struct rows_shape {
    unsigned long long outputs, terms;
    unsigned long long runs, run;           // of an output; elements of a run
    long long stride, index_step;           // from element to element of a run: 1 unless VECTOR is
    unsigned run_parts, word_parts;         // parts of an output: by runs, by words of a run
    axis kept[KEPT_AXES ? KEPT_AXES : 1], outer[OUTER_AXES ? OUTER_AXES : 1];
};

// The elements at `from` that lie before the first whole word.
__device__ __forceinline__ index_t before_words(const IN *from, index_t n) {
    if (ALIGNED || VECTOR == 1) return 0;
    const index_t before = (index_t)(0 - (unsigned long long)from) % sizeof(word) / sizeof(IN);
    return before < n ? before : n;
}

// The `part`th of shape.word_parts of a run's words, which take turns: lane, lane + INNER, ..., UNROLL at a time.
__device__ __forceinline__ void take_words(state *s, const IN *from, const rows_shape &shape, index_t words_end,
                                           index_t part, int lane, index_t index) {
    const word_of<sizeof(word)> *words = (const word_of<sizeof(word)> *)from;
    const index_t step = UNROLL * INNER * (PARTS ? shape.word_parts : 1);
    const long long stride = VECTOR == 1 ? shape.stride : 1;
    const index_t index_step = VECTOR * (index_t)(ORDERED ? 1 : shape.index_step);
    index_t at = (PARTS ? part * (UNROLL * INNER) : 0) + lane;
    word loaded[UNROLL];
    for (; at + (UNROLL - 1) * INNER < words_end; at += step) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) load_word(loaded[u], words + stride * (at + u * INNER));
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            fold::template take_word<VECTOR>(s, loaded[u], index + index_step * (at + u * INNER));
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (at + u * INNER < words_end) load_word(loaded[u], words + stride * (at + u * INNER));
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (at + u * INNER < words_end)
            fold::template take_word<VECTOR>(s, loaded[u], index + index_step * (at + u * INNER));
}

// The `part`th of shape.word_parts of a run, by INNER lanes. `index` is that of its first element.
__device__ __forceinline__ void take_run(state *s, const IN *from, const rows_shape &shape, index_t part, int lane,
                                         index_t index) {
    const index_t n = (index_t)shape.run, before = before_words(from, n), words = (n - before) / VECTOR;
    if (!ALIGNED && part == 0)
        for (index_t i = lane; i < before; i += INNER) fold::take(s[0], from[i], index + i);
    take_words(s, from + before, shape, words, part, lane, index + before);
    if (VECTOR > 1 && (!PARTS || part == shape.word_parts - 1))
        for (index_t i = before + words * VECTOR + lane; i < n; i += INNER) fold::take(s[0], from[i], index + i);
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_rows(OUT *__restrict__ out, const IN *__restrict__ in, const rows_shape shape, char *scratch,
            unsigned scratch_zeros) {
    const int groups = THREADS / GROUP, lane = threadIdx.x % GROUP % INNER, run_lane = threadIdx.x % GROUP / INNER;
    const unsigned parts = PARTS ? shape.run_parts * shape.word_parts : 1;
    const unsigned long long tile = PARTS ? blockIdx.x / parts : blockIdx.x;
    const unsigned part = PARTS ? blockIdx.x % parts : 0;
    const unsigned run_part = PARTS ? part / shape.word_parts : 0, word_part = PARTS ? part % shape.word_parts : 0;
    const index_t output = (index_t)tile * groups + threadIdx.x / GROUP;
    long long in_offset = 0, out_offset = 0;
    state s[STATES];
#pragma unroll
    for (int i = 0; i < STATES; i++) s[i] = fold::none();
    walk<KEPT_AXES>(shape.kept, output, in_offset, out_offset);
    if (GROUP == THREADS || output < shape.outputs) {
        const index_t run_step = (PARTS ? shape.run_parts : 1) * (GROUP / INNER), runs = OUTER_AXES ? shape.runs : 1;
        for (index_t run = run_part * (GROUP / INNER) + run_lane; run < runs; run += run_step) {
            long long offset = in_offset, index = 0;
            walk<OUTER_AXES>(shape.outer, run, offset, index);
            take_run(s, in + offset, shape, word_part, lane, (index_t)index);
            if (!OUTER_AXES) break;
        }
    }
    state all = over_states<fold>(s);
    if (GROUP < THREADS) {
        all = over_lanes<fold, (GROUP < 32 ? GROUP : 32)>(all);
        if (threadIdx.x % GROUP == 0 && output < shape.outputs) fold::result(out[out_offset], all, (f64)shape.terms);
        return;
    }
    all = over_block<fold, THREADS>(all);
    if (PARTS && parts > 1) {
        state *of_parts = (state *)(scratch + scratch_zeros) + tile * parts;
        if (threadIdx.x == 0) of_parts[part] = all;
        if (!is_last_block((unsigned *)scratch + tile, parts)) return;
        all = fold::none();
        for (unsigned i = threadIdx.x; i < parts; i += THREADS) all = fold::both(all, of_parts[i]);
        all = over_block<fold, THREADS>(all);
    }
    if (threadIdx.x == 0) fold::result(out[out_offset], all, (f64)shape.terms);
}
