// Exact sums: every bit of every term counts, and the sum is rounded once. The same bits as on the processor.
//
// Idea       A sum of f32 in f64 is exact for as long as the terms' exponents are close together: 24 bits of a term, 15
//            of a spread, 14 for counting fit in 53. So each thread keeps 16 sums in shared memory, one for each group
//            of 16 exponents, and adds a term to that of its own exponent: a conversion, a shift, a mask, a load, an
//            addition, a store, whatever the numbers are. No term is compared with another, nothing branches;
//            infinities and NaNs of f32 go their way in the highest group. A term of f64 is two such terms, its upper
//            26 bits and its lower 27, and the groups of a block lie around the largest of its first terms, but so far
//            below f64's end that no group overflows. Terms outside of them, infinities and NaNs go straight to the
//            limbs of common/exact.cuh and the flags. At the end a block's groups are integers, which are added up and
//            put into limbs.
// Predicted  H200, f32 2^28: as fast as a plain sum. A multiprocessor must take 4.5 terms a cycle to be as fast as
//            memory: shared memory gives and takes 8 of 8 bytes, the conversion unit 16.
// Measured   H200, f32 2^28: 248 us, 4333 GB/s, 95% of a plain sum's loads and additions in the same run (236 us), for
//            uniform and normal numbers, for ones from 10^-20 to 10^20, and for random bits alike. f64 2^27: 262 us,
//            90%; exponents all over f64's range, of which a block's groups hold a tenth: 9%.
// Held back  By the round through shared memory of 8 bytes and back for each term, and 2 us for the groups of 1024
//            threads at the end.
//
//   ELEMENT_BYTES        4 or 8
//   THREADS              per block, a power of two
//   WORDS                words of 16 bytes that a thread has under way
//   KEPT, REDUCED        axes
//   CONTIGUOUS           the terms of an output lie side by side
//   PARTS                outputs have several blocks: the last one to finish adds up their limbs
//   DIVIDES              the result is the mean
#include "common/exact.cuh"
#include "common/word.cuh"

#ifndef ELEMENT_BYTES
#define ELEMENT_BYTES 4
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef WORDS
#define WORDS 4
#endif
#ifndef KEPT
#define KEPT 0
#endif
#ifndef REDUCED
#define REDUCED 1
#endif
#ifndef CONTIGUOUS
#define CONTIGUOUS 1
#endif
#ifndef PARTS
#define PARTS 1
#endif
#ifndef DIVIDES
#define DIVIDES 0
#endif

constexpr bool IS_F64 = ELEMENT_BYTES == 8;
#if ELEMENT_BYTES == 8
typedef double number;
typedef exact_bits number_bits;
#else
typedef float number;
typedef unsigned number_bits;
#endif
constexpr int WORD = 16 / ELEMENT_BYTES;                      // terms
constexpr int LIMBS = IS_F64 ? EXACT_LIMBS_F64 : EXACT_LIMBS_F32;
constexpr int GROUPS = 16, SPREAD_BITS = 4;                   // of 16 exponents each
constexpr int EXPONENTS = GROUPS << SPREAD_BITS;              // of all groups
constexpr int MOST_TERMS_BITS = IS_F64 ? 10 : 13;
constexpr int MOST_TERMS = 1 << MOST_TERMS_BITS;              // that a thread adds before its groups may overflow
constexpr int RECORD = LIMBS + 1;                             // what a block leaves: limbs and flags

struct exact_axis {
    unsigned long long n;
    long long in_step, out_step;
};

struct exact_shape {
    unsigned long long terms, terms_per_block, blocks_per_output, outputs;
    exact_axis kept[KEPT ? KEPT : 1], reduced[REDUCED ? REDUCED : 1];   // the last the fastest
};

// What a block has in common besides the groups.
struct exact_block {
    exact_limb limbs[LIMBS];
    exact_limb total[GROUPS];
    unsigned flags;
    int first;                // f64: the lowest exponent of group 0
};

// ---- Groups: double sums[GROUPS][THREADS], the thread's own column --------------------------------------------------

__device__ __forceinline__ double minus_zero() { return __longlong_as_double(1ll << 63); }

__device__ __forceinline__ void clear_groups(double *sums) {
#pragma unroll
    for (int g = 0; g < GROUPS; g++) sums[g * THREADS] = minus_zero();
}

// The limbs' bit that counts the least of group g: no term of the group has a lower one.
__device__ __forceinline__ int place_of_group(int g, int first) {
    return IS_F64 ? first + 16 * g - 1049 - EXACT_LOW_F64 : 16 * g - 150 - EXACT_LOW_F32;
}

// A group's sum counted in those.
__device__ __forceinline__ exact_limb count_of_group(double sum, int g, int first) {
    const int exponent = IS_F64 ? 1049 - first - 16 * g : 150 - 16 * g;   // up to 1049: in two steps
    const double half = __longlong_as_double((exact_limb)(1023 + exponent / 2) << 52),
                 rest = __longlong_as_double((exact_limb)(1023 + exponent - exponent / 2) << 52);
    return (exact_limb)(sum * half * rest);
}

template <bool shared> __device__ __forceinline__ void add_to_limbs(exact_limb *limbs, exact_limb value, int place) {
    const exact_pieces p = exact_split(value, place);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        if (shared) atomicAdd((exact_bits *)&limbs[p.index + i], (exact_bits)p.piece[i]);
        else limbs[p.index + i] += p.piece[i];
    }
}

#if ELEMENT_BYTES == 4
template <bool shared>
__device__ __forceinline__ void add_term(double *sums, float term, int, exact_limb *, unsigned &) {
    sums[(__float_as_uint(term) >> (23 + SPREAD_BITS) & (GROUPS - 1)) * THREADS] += (double)term;
}
#else
// shared: the limbs are the block's, else the thread's own.
template <bool shared>
__device__ __forceinline__ void add_term(double *sums, double term, int first, exact_limb *limbs, unsigned &flags) {
    const exact_bits bits = (exact_bits)__double_as_longlong(term);
    const int exponent = (int)(bits >> 52 & 2047) - first;
    if ((unsigned)(exponent - 53) < EXPONENTS - 53) {
        const double upper = __longlong_as_double((exact_limb)(bits & ~0x7ffffffull)), lower = term - upper;
        const int lower_exponent = (int)((exact_bits)__double_as_longlong(lower) >> 52 & 2047) - first;
        sums[(exponent >> SPREAD_BITS) * THREADS] += upper;
        sums[(max(lower_exponent, 0) >> SPREAD_BITS) * THREADS] += lower;   // a 0 does no harm in group 0
    } else if (term == 0) {
        flags |= exact_flags(bits);
    } else {
        const unsigned these = exact_flags(bits);
        flags |= these;
        int place;
        const exact_limb significand = exact_significand(bits, &place);
        if (!(these & (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY)))
            add_to_limbs<shared>(limbs, significand, place);
    }
}
#endif

// The exponents that the groups of f64 take, from the largest of some terms: 154 below and 48 above. The last of them
// is as far below f64's last, 2046, as MOST_TERMS terms can reach, and one more: no group's sum becomes infinite, and
// infinities and NaNs, which have no lower part, stay out of the groups.
constexpr int LAST_EXPONENT = 2046 - MOST_TERMS_BITS - 1;
__device__ __forceinline__ int first_exponent(int largest) {
    return max(min(largest + 48, LAST_EXPONENT) - (EXPONENTS - 1), 0);
}
__device__ __forceinline__ int exponent_of(number term) {
    return IS_F64 ? (int)((exact_bits)__double_as_longlong(term) >> 52 & 2047) : 0;
}

// Takes what a group's sum says of flags away from it.
__device__ __forceinline__ double finite_part(double sum, unsigned &flags) {
    const unsigned these = exact_flags((exact_bits)__double_as_longlong(sum));
    flags |= these;
    return these & (EXACT_NAN | EXACT_PLUS_INFINITY | EXACT_MINUS_INFINITY) ? 0 : sum;
}

// The groups of all threads into the block's limbs; each warp adds up some of the groups. The groups are empty then.
__device__ void flush_block(double *groups, exact_block &block, unsigned &flags) {
    const int lane = threadIdx.x % 32;
    __syncthreads();
    for (int g = threadIdx.x / 32; g < GROUPS; g += THREADS / 32) {
        exact_limb total = 0;
        for (int i = lane; i < THREADS; i += 32) {
            total += count_of_group(finite_part(groups[g * THREADS + i], flags), g, block.first);
            groups[g * THREADS + i] = minus_zero();
        }
#pragma unroll
        for (int d = 16; d; d /= 2) total += __shfl_down_sync(~0u, total, d);
        if (!lane) block.total[g] = total;
    }
    __syncthreads();
    if (threadIdx.x) return;
    for (int g = 0; g < GROUPS; g++)
        add_to_limbs<true>(block.limbs, block.total[g], place_of_group(g, block.first));
}

// ---- A block's terms ------------------------------------------------------------------------------------------------

typedef parts_of<number, WORD> word;

__device__ __forceinline__ void load_words(word *words, const number *in, unsigned long long first) {
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        words[k].whole = *(const decltype(word::whole) *)(in + (first + k * THREADS) * WORD);
}

// n terms side by side.
__device__ void add_contiguous(double *groups, exact_block &block, unsigned &flags, const number *in,
                               unsigned long long n) {
    double *sums = groups + threadIdx.x;
    const int first = block.first;
    const unsigned behind = (unsigned)((exact_bits)in / ELEMENT_BYTES % WORD);
    const unsigned head = behind ? min((unsigned long long)(WORD - behind), n) : 0;
    if (threadIdx.x < head) add_term<true>(sums, in[threadIdx.x], first, block.limbs, flags);
    in += head;
    n -= head;
    const unsigned long long all = n / WORD, tiles = all / (THREADS * WORDS);
    unsigned long long at = threadIdx.x;
    unsigned added = 2;
    word next[WORDS];
    if (tiles) load_words(next, in, at);
    for (unsigned long long t = 0; t < tiles; t++) {
        word now[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++) now[k].whole = next[k].whole;
        at += THREADS * WORDS;
        if (t + 1 < tiles) load_words(next, in, at);
        if ((added += WORDS * WORD) > MOST_TERMS) {
            flush_block(groups, block, flags);
            added = WORDS * WORD;
        }
#pragma unroll
        for (int k = 0; k < WORDS; k++)
#pragma unroll
            for (int i = 0; i < WORD; i++) add_term<true>(sums, now[k].parts[i], first, block.limbs, flags);
    }
    if (added + (WORDS + 1) * WORD > MOST_TERMS) flush_block(groups, block, flags);
    for (unsigned long long i = tiles * THREADS * WORDS * WORD + threadIdx.x; i < n; i += THREADS)
        add_term<true>(sums, in[i], first, block.limbs, flags);
}

__device__ long long offset_of_term(const exact_shape &shape, unsigned long long term) {
    long long offset = 0;
#pragma unroll
    for (int a = REDUCED - 1; a > 0; a--) {
        const unsigned long long rest = term / shape.reduced[a].n;
        offset += (long long)(term - rest * shape.reduced[a].n) * shape.reduced[a].in_step;
        term = rest;
    }
    return REDUCED ? offset + (long long)term * shape.reduced[0].in_step : 0;
}

__device__ void add_scattered(double *groups, exact_block &block, unsigned &flags, const number *in,
                              const exact_shape &shape, unsigned long long from, unsigned long long to) {
    double *sums = groups + threadIdx.x;
    unsigned added = 0;
    for (unsigned long long base = from; base < to; base += THREADS) {
        if (++added > MOST_TERMS) {
            flush_block(groups, block, flags);
            added = 1;
        }
        const unsigned long long term = base + threadIdx.x;
        if (term < to) add_term<true>(sums, in[offset_of_term(shape, term)], block.first, block.limbs, flags);
    }
}

// Moves the pointers to an output's first term and to the output.
__device__ __forceinline__ void step_to_output(const exact_shape &shape, unsigned long long output, const number *&in,
                                               number_bits *&out) {
#pragma unroll
    for (int a = KEPT - 1; a >= 0; a--) {
        const unsigned long long rest = a ? output / shape.kept[a].n : 0;
        const long long index = (long long)(output - rest * shape.kept[a].n);
        in += index * shape.kept[a].in_step;
        out += index * shape.kept[a].out_step;
        output = rest;
    }
}

// ---- The parts of an output -----------------------------------------------------------------------------------------

// Leaves the block's limbs and flags as a record of its own.
__device__ void leave_record(exact_limb *record, exact_block &block) {
    if (threadIdx.x == 0) exact_carry(block.limbs, LIMBS);
    __syncthreads();
    for (int i = threadIdx.x; i < LIMBS; i += THREADS) record[i] = block.limbs[i];
    if (threadIdx.x == 0) record[LIMBS] = block.flags;
}

// Counts itself; whether all parts of the output have been left. The counter wraps to zero by itself.
__device__ bool is_last_part(unsigned *counter, unsigned parts) {
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicInc(counter, parts - 1) == parts - 1;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

// Adds up the records: each warp some of the limbs, and one of them the flags.
__device__ void gather_records(const exact_limb *records, unsigned parts, exact_block &block) {
    const int lane = threadIdx.x % 32;
    for (int limb = threadIdx.x / 32; limb < RECORD; limb += THREADS / 32) {
        exact_limb sum = 0;
        for (unsigned part = lane; part < parts; part += 32) {
            const exact_limb value = __ldcg(records + (unsigned long long)part * RECORD + limb);
            sum = limb == LIMBS ? sum | value : sum + value;
        }
#pragma unroll
        for (int d = 16; d; d /= 2) {
            const exact_limb value = __shfl_down_sync(~0u, sum, d);
            sum = limb == LIMBS ? sum | value : sum + value;
        }
        if (lane) continue;
        if (limb == LIMBS) block.flags = (unsigned)sum;
        else block.limbs[limb] = sum;
    }
    __syncthreads();
}

extern "C" __global__ __launch_bounds__(THREADS) void exact_block_sum(const number *in, number_bits *out,
                                                                      unsigned *counters, exact_limb *records,
                                                                      const exact_shape shape) {
    extern __shared__ __align__(16) double groups[];
    __shared__ exact_block block;
    const unsigned long long output = blockIdx.x / shape.blocks_per_output, part = blockIdx.x % shape.blocks_per_output;
    const unsigned long long from = part * shape.terms_per_block, to = min(from + shape.terms_per_block, shape.terms);
    step_to_output(shape, output, in, out);
    for (int i = threadIdx.x; i < LIMBS; i += THREADS) block.limbs[i] = 0;
    if (threadIdx.x == 0) block.flags = block.first = 0;
    clear_groups(groups + threadIdx.x);
    __syncthreads();
    unsigned flags = 0;
    if (IS_F64) {
        const unsigned long long mine = from + threadIdx.x;
        int exponent = mine < to ? exponent_of(in[offset_of_term(shape, mine)]) : 0;
        if (exponent == 2047) exponent = 0;
        atomicMax(&block.first, exponent);
        __syncthreads();
        const int largest = block.first;
        __syncthreads();
        if (threadIdx.x == 0) block.first = first_exponent(largest);
        __syncthreads();
    }
    if (CONTIGUOUS) add_contiguous(groups, block, flags, in + from, to - from);
    else add_scattered(groups, block, flags, in, shape, from, to);
    flush_block(groups, block, flags);
    if (flags) atomicOr(&block.flags, flags);
    __syncthreads();
    if (PARTS) {
        const unsigned parts = (unsigned)shape.blocks_per_output;
        exact_limb *first_record = records + output * parts * RECORD;
        leave_record(first_record + part * RECORD, block);
        if (!is_last_part(counters + output, parts)) return;
        gather_records(first_record, parts, block);
    }
    if (threadIdx.x == 0)
        *out = (number_bits)exact_result(block.limbs, IS_F64, block.flags, DIVIDES ? shape.terms : 1);
}

// ---- A thread for each output ---------------------------------------------------------------------------------------

__device__ void flush_thread(double *sums, exact_limb *limbs, int first, unsigned &flags) {
    for (int g = 0; g < GROUPS; g++) {
        const double sum = finite_part(sums[g * THREADS], flags);
        sums[g * THREADS] = minus_zero();
        if (sum != 0) add_to_limbs<false>(limbs, count_of_group(sum, g, first), place_of_group(g, first));
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void exact_thread_sum(const number *in, number_bits *out,
                                                                       const exact_shape shape) {
    extern __shared__ __align__(16) double groups[];
    const unsigned long long output = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
    if (output >= shape.outputs) return;
    step_to_output(shape, output, in, out);
    double *sums = groups + threadIdx.x;
    clear_groups(sums);
    exact_limb limbs[LIMBS];
    for (int i = 0; i < LIMBS; i++) limbs[i] = 0;
    const int first = first_exponent(exponent_of(*in) % 2047);
    unsigned flags = 0;
    const unsigned long long inner = REDUCED ? shape.reduced[REDUCED ? REDUCED - 1 : 0].n : 1;
    const long long step = REDUCED ? shape.reduced[REDUCED ? REDUCED - 1 : 0].in_step : 0;
    unsigned added = 0;
    for (unsigned long long term = 0; term < shape.terms; term += inner) {
        const number *from = in + offset_of_term(shape, term);
        for (unsigned long long i = 0; i < inner; i += WORDS) {
            number terms[WORDS];
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                if (i + k < inner) terms[k] = from[(long long)(i + k) * step];
            if ((added += WORDS) > MOST_TERMS) {
                flush_thread(sums, limbs, first, flags);
                added = WORDS;
            }
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                if (i + k < inner) add_term<false>(sums, terms[k], first, limbs, flags);
        }
    }
    flush_thread(sums, limbs, first, flags);
    *out = (number_bits)exact_result(limbs, IS_F64, flags, DIVIDES ? shape.terms : 1);
}
