// A warp's matrices for mma.sync: how they lie in registers, how they get there from a strip in shared memory, and the
// product itself. PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
//
// A strip is LENGTH rows of A or columns of B, DEPTH steps of k. ALONG_K: neighbours along k are neighbours in memory,
// so (i, step) is at i * PITCH + step; else at step * PITCH + i. The lanes of a read are to meet in no bank. What
// ldmatrix reads is swizzled for this: the place of 16 bytes among the eight of their 128 is their own XOR a number of
// their line's. Lines that begin at other than multiples of 32 bytes would do too, but an asynchronous copy to them
// fetches half of their sectors twice. Of others PITCH leaves a gap between lines.
#pragma once

#include "common/async.cuh"
#include "common/word.cuh"
#include "matmul/types.cuh"

// What is multiplied. ROUNDED: floats that become bf16 in registers.
#define MMA_F16 0
#define MMA_BF16 1
#define MMA_TF32 2
#define MMA_ROUNDED_BF16 3
#define MMA_F64 4

#ifndef MMA
#define MMA MMA_TF32
#endif

#define IS_HALF (MMA == MMA_F16 || MMA == MMA_BF16)
#define IS_F64 (MMA == MMA_F64)

// Of f64: m16n8k8 from compute capability 9.0 on, where it is twice as fast as m8n8k4, which is all that there is
// before.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define F64_STEPS 4
#else
#define F64_STEPS 8
#endif

// Of one instruction: rows of A, columns of B, steps of k.
constexpr int MMA_ROWS = IS_F64 && F64_STEPS == 4 ? 8 : 16, MMA_COLS = 8;
constexpr int MMA_STEPS = IS_F64 ? F64_STEPS : MMA == MMA_TF32 ? 8 : 16;

// By ldmatrix; else a word of shared memory for each register, or two. And elements of k in a register.
#if IS_F64
__host__ __device__ constexpr bool by_matrices(bool) { return false; }
constexpr int PER_WORD = 1;
#else
__host__ __device__ constexpr bool by_matrices(bool along_k) { return IS_HALF || (MMA == MMA_TF32 && along_k); }
constexpr int PER_WORD = MMA == MMA_TF32 ? 1 : 2;
#endif

__host__ __device__ constexpr int gap_bytes(bool along_k) {
    return by_matrices(along_k) ? 0 : MMA == MMA_ROUNDED_BF16 && !along_k ? 16 : 32;
}
__host__ __device__ constexpr int pitch_of(bool along_k, int length, int depth) {
    return (along_k ? depth : length) + gap_bytes(along_k) / (int)sizeof(input_t);
}
// What the places of a line's 16 bytes are swizzled by, in bytes; eight lines that are read together differ in it or in
// their place among 128 bytes.
template <bool along_k, int pitch> __device__ __forceinline__ constexpr unsigned swizzle_of(int line) {
    constexpr int line_bytes = pitch * (int)sizeof(input_t), together = line_bytes < 128 ? 128 / line_bytes : 1;
    return by_matrices(along_k) ? line / together % 8 * 16 : 0;
}

#if IS_F64
struct a_fragment { double at[MMA_ROWS * MMA_STEPS / 32]; };
struct b_fragment { double at[MMA_COLS * MMA_STEPS / 32]; };
struct sums_fragment { double at[MMA_ROWS * MMA_COLS / 32]; };
#else
struct a_fragment { unsigned at[4]; };
struct b_fragment { unsigned at[2]; };
struct sums_fragment { float at[4]; };
#endif

__device__ __forceinline__ unsigned to_tf32(unsigned bits) {
    unsigned result;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(__uint_as_float(bits)));
    return result;
}

// first is the lower half.
__device__ __forceinline__ unsigned to_bf16x2(float first, float second) {
    unsigned result;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(second), "f"(first));
    return result;
}

// Four 8x8 matrices of 16 bits, whose rows of 16 bytes the lanes point to, eight lanes for each.
__device__ __forceinline__ void load_matrices(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3, unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(from) : "memory");
}
__device__ __forceinline__ void load_matrices_turned(unsigned &r0, unsigned &r1, unsigned &r2, unsigned &r3,
                                                     unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(from) : "memory");
}

// Bytes from a strip's beginning to element (i, step).
template <bool along_k, int pitch> __device__ __forceinline__ constexpr int bytes_to(int i, int step) {
    return (along_k ? i * pitch + step : step * pitch + i) * (int)sizeof(input_t);
}

// Where a lane's own part of the warp's first fragment lies, whose rows or columns begin at `first`. For ldmatrix it
// points to a row: matrices are numbered by the lane's upper two bits, the lower of which goes along k in fragments of
// B, and the upper in those of A. Else to its own element.
template <bool along_k, int pitch> __device__ __forceinline__ unsigned lane_bytes(int first, bool is_b) {
    const int lane = threadIdx.x % 32;
    if constexpr (by_matrices(along_k)) {
        constexpr int wide = 16 / (int)sizeof(input_t);   // elements of a matrix's row in memory; it has 8 rows
        const int k_number = is_b ? lane / 8 % 2 : lane / 16, i_number = is_b ? lane / 16 : lane / 8 % 2;
        const int i = first + (along_k ? lane % 8 + 8 * i_number : wide * i_number);
        const int step = along_k ? wide * k_number : lane % 8 + 8 * k_number;
        return bytes_to<along_k, pitch>(i, step) ^ swizzle_of<along_k, pitch>(along_k ? i : step);
    } else {
        return bytes_to<along_k, pitch>(first + lane / 4, lane % 4 * PER_WORD);
    }
}

// From there to the fragment i rows and `step` steps on, multiples of a fragment's, in a stage: lines are then as many
// on that they are swizzled alike, and the bits of 16 to 64 bytes that i or step sets are set in `from` by its swizzle
// alone. What does not change from stage to stage comes first.
template <bool along_k, int pitch>
__device__ __forceinline__ unsigned fragment_at(unsigned from, unsigned stage, int i, int step) {
    const unsigned bytes = bytes_to<along_k, pitch>(i, step);
    return by_matrices(along_k) ? (from ^ bytes % 128) + (stage + bytes / 128 * 128) : from + stage + bytes;
}

__device__ __forceinline__ float load_float(unsigned from) {
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
    return value;
}

#if IS_F64
__device__ __forceinline__ double load_double(unsigned from) {
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(from) : "memory");
    return value;
}
#else
// A register that ldmatrix does not make: the element at `from` for tf32; it and the next along k for bf16.
template <bool along_k, int pitch> __device__ __forceinline__ unsigned load_word(unsigned from) {
    if constexpr (MMA == MMA_TF32) {
        return __float_as_uint(load_float(from));
    } else if constexpr (along_k) {
        float first, second;
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(first), "=f"(second) : "r"(from) : "memory");
        return to_bf16x2(first, second);
    } else {
        return to_bf16x2(load_float(from), load_float(from + bytes_to<along_k, pitch>(0, 1)));
    }
}
#endif

// Rows i to i + MMA_ROWS of A, from `step` on. from: the strip's address in the first stage, with the lane's bytes.
template <bool along_k, int pitch>
__device__ __forceinline__ void load_a(a_fragment &to, unsigned from, unsigned stage, int i, int step) {
#if IS_F64
#pragma unroll
    for (int r = 0; r < MMA_ROWS * MMA_STEPS / 32; r++)
        to.at[r] = load_double(fragment_at<along_k, pitch>(from, stage, i + r % (MMA_ROWS / 8) * 8,
                                                           step + r / (MMA_ROWS / 8) * 4));
#else
    if constexpr (by_matrices(along_k)) {
        from = fragment_at<along_k, pitch>(from, stage, i, step);
        if constexpr (along_k) load_matrices(to.at[0], to.at[1], to.at[2], to.at[3], from);
        else load_matrices_turned(to.at[0], to.at[1], to.at[2], to.at[3], from);
    } else {
#pragma unroll
        for (int r = 0; r < 4; r++)
            to.at[r] = load_word<along_k, pitch>(fragment_at<along_k, pitch>(from, stage, i + r % 2 * 8,
                                                                             step + r / 2 * 4 * PER_WORD));
    }
#endif
}

// Columns j to j + 2 MMA_COLS of B, from `step` on: two fragments.
template <bool along_k, int pitch>
__device__ __forceinline__ void load_b(b_fragment (&to)[2], unsigned from, unsigned stage, int j, int step) {
#if IS_F64
#pragma unroll
    for (int f = 0; f < 2; f++)
#pragma unroll
        for (int r = 0; r < MMA_STEPS / 4; r++)
            to[f].at[r] = load_double(fragment_at<along_k, pitch>(from, stage, j + f * 8, step + r * 4));
#else
    if constexpr (by_matrices(along_k)) {
        from = fragment_at<along_k, pitch>(from, stage, j, step);
        if constexpr (along_k) load_matrices(to[0].at[0], to[0].at[1], to[1].at[0], to[1].at[1], from);
        else load_matrices_turned(to[0].at[0], to[0].at[1], to[1].at[0], to[1].at[1], from);
    } else {
#pragma unroll
        for (int r = 0; r < 4; r++)
            to[r / 2].at[r % 2] = load_word<along_k, pitch>(
                fragment_at<along_k, pitch>(from, stage, j + r / 2 * 8, step + r % 2 * 4 * PER_WORD));
    }
#endif
}

// tf32 is rounded when it is used, so that nobody waits for what is still on its way.
__device__ __forceinline__ void round_a(a_fragment &a) {
#if MMA == MMA_TF32
#pragma unroll
    for (int r = 0; r < 4; r++) a.at[r] = to_tf32(a.at[r]);
#endif
}
__device__ __forceinline__ void round_b(b_fragment &b) {
#if MMA == MMA_TF32
#pragma unroll
    for (int r = 0; r < 2; r++) b.at[r] = to_tf32(b.at[r]);
#endif
}

// sums += a b
__device__ __forceinline__ void multiply(sums_fragment &sums, const a_fragment &a, const b_fragment &b) {
#if IS_F64 && F64_STEPS == 4
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sums.at[0]), "+d"(sums.at[1]) : "d"(a.at[0]), "d"(b.at[0]));
#elif IS_F64
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(sums.at[0]), "+d"(sums.at[1]), "+d"(sums.at[2]), "+d"(sums.at[3])
                 : "d"(a.at[0]), "d"(a.at[1]), "d"(a.at[2]), "d"(a.at[3]), "d"(b.at[0]), "d"(b.at[1]));
#else
#if MMA == MMA_F16
#define MMA_NAME "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#elif MMA == MMA_TF32
#define MMA_NAME "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#else
#define MMA_NAME "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#endif
    asm volatile(MMA_NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums.at[0]), "+f"(sums.at[1]), "+f"(sums.at[2]), "+f"(sums.at[3])
                 : "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(b.at[0]), "r"(b.at[1]));
#endif
}

// Element e of a fragment of sums is at this row and column of it.
__device__ __forceinline__ int sum_row(int e) { return threadIdx.x % 32 / 4 + e / 2 * 8; }
__device__ __forceinline__ int sum_col(int e) { return threadIdx.x % 4 * 2 + e % 2; }
