// Halfwarp's library: tiled kernels on the CPU, on NVIDIA GPUs and on simulated ones.
//
// Arrays are DLPack's DLTensor (shapes and strides in elements, NumPy's order: the last axis varies fastest; strides
// NULL means contiguous). NumPy, PyTorch, CuPy and JAX export them. Halfwarp never takes ownership of an array and
// keeps no pointer to it once the operation has finished.
//
// Every function that can fail returns hw_status. A call that fails replaces what *diag holds, its text, file and line,
// with one sentence about itself; one that succeeds leaves *diag as it was; diag may be NULL. Nothing is printed, no
// environment variable is read, and no failure leaves a result half written without saying so.
//
//     hw_device *device;
//     hw_diag diag = {0};
//     if (hw_device_open("cuda:0", NULL, &device, &diag)) return complain(diag.text);
//     hw_transpose(hw_device_stream(device), &in, NULL, &out, &diag);
//     hw_stream_synchronize(hw_device_stream(device), &diag);
//     hw_device_close(device);
//
// Versions: functions may change from 0.x to 0.x+1, and not within 0.x; enumerators keep their numbers for good.
// docs/stability.md has the rules. halfwarp/sim.h has the simulator, for kernels of one's own.
#ifndef HALFWARP_H
#define HALFWARP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dlpack/dlpack.h>

#include "halfwarp/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Devices --------------------------------------------------------------------------------------------------------
//
//   cpu      this machine's processors, all of them
//   cuda:N   GPU N, by the driver and NVRTC, which are loaded when the device is opened; kernels are compiled when they
//            are first used and kept on disk
//   sim:G    GPU model G (h200, v100, ...; `halfwarp gpus`) simulated on the CPU: slow, and every result as on the GPU;
//            or a file's GPU, sim:FILE.json (halfwarp-gpus(1))
//
// Calls on one device may come from several threads; calls on one stream from one at a time. Devices, streams and
// events mean what they do in CUDA's driver API, which cuda:N calls.

typedef struct hw_device hw_device;
typedef struct hw_stream hw_stream;   // work that runs in order; a device has one of its own, and more on request
typedef struct hw_event hw_event;     // a point in a stream

typedef enum hw_device_kind { HW_DEVICE_CPU, HW_DEVICE_CUDA, HW_DEVICE_SIM } hw_device_kind;

// Zero or NULL members mean what the comment says.
typedef struct hw_device_options {
    uint64_t memory_limit_bytes;   // the most that may be allocated on the device at a time; 0: what it has
    uint32_t threads;              // of cpu and sim; 0: one per processor
    const char *cache_dir;         // of compiled kernels; NULL: .cache/halfwarp in the user's home; "": nothing is kept
    const char *search_path;       // where compilers are looked for, as in PATH; NULL: the usual folders
} hw_device_options;

typedef struct hw_device_properties {
    hw_device_kind kind;
    char name[128];                // "NVIDIA H200", or the processor's name
    DLDevice dl;                   // what DLTensor.device of an array on this device says; kDLExtDev for sim
    int cc;                        // compute capability, 90 for 9.0; 0 for cpu
    uint32_t multiprocessors;      // or processors
    uint64_t memory_bytes;         // in all, or the limit that was set
    uint32_t l2_bytes;             // last-level cache; 0: not known
    uint32_t shared_bytes;         // per block, the most that can be had; 0 for cpu
    uint32_t shared_bytes_per_multiprocessor, threads_per_multiprocessor;
    uint32_t banks, bank_bytes;    // of shared memory; 0 for cpu
    double memory_gbs;             // datasheet bandwidth, 10^9 bytes/s; 0: not known
    double fp32_tflops;            // of all multiprocessors, a multiply-add counted as two; 0: not known
    double fp64_tflops;            // the same, without tensor cores
} hw_device_properties;

// Opens a device. name NULL or "": cuda:0 where there is one, else cpu. HW_NOT_FOUND, with the reason: no such device,
// no driver, no NVRTC; HW_USAGE: no device has such a name. Cost: cuda creates a context, a few hundred milliseconds.
HW_API hw_status hw_device_open(const char *name, const hw_device_options *options, hw_device **out, hw_diag *diag);
// Waits for its work, and frees what was allocated on it, its streams and events. NULL is allowed.
HW_API void hw_device_close(hw_device *device);
// Valid as long as the device. No work is waited for.
HW_API const hw_device_properties *hw_device_get_properties(const hw_device *device);

// Memory on the device, at a multiple of 256 bytes, not initialised. 0 bytes give NULL. HW_NO_MEMORY. Of cuda and sim
// not for the host to touch, but through hw_copy and hw_fill.
HW_API hw_status hw_device_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag);
// Waits for the device's work. NULL is allowed.
HW_API void hw_device_free(hw_device *device, void *memory);
// Memory of this machine that the device copies from and to at full speed (pinned, for cuda). As above.
HW_API hw_status hw_host_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag);
HW_API void hw_host_free(hw_device *device, void *memory);

// The device's own stream; lives as long as the device. Others are the caller's, to be destroyed before it or with it.
HW_API hw_stream *hw_device_stream(hw_device *device);
HW_API hw_status hw_stream_create(hw_device *device, hw_stream **out, hw_diag *diag);
HW_API void hw_stream_destroy(hw_stream *stream);   // waits for its work; NULL is allowed
HW_API hw_device *hw_stream_device(const hw_stream *stream);
// Waits; reports what went wrong in the stream's work since it was last asked (HW_FAULT).
HW_API hw_status hw_stream_synchronize(hw_stream *stream, hw_diag *diag);

// An event that has not been recorded yet; the caller's, to be destroyed before the device or with it.
HW_API hw_status hw_event_create(hw_device *device, hw_event **out, hw_diag *diag);
HW_API void hw_event_destroy(hw_event *event);   // NULL is allowed
// Comes about when all that the stream was given before is done; of the same device (HW_USAGE).
HW_API hw_status hw_event_record(hw_event *event, hw_stream *stream, hw_diag *diag);
// Later work of the stream begins after the event. On cpu and sim, where work is done when its call returns, at once.
HW_API hw_status hw_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag);
// Waits until the event has come about.
HW_API hw_status hw_event_synchronize(hw_event *event, hw_diag *diag);
// Between two recorded events, waiting for the second; wall-clock time on cpu and sim.
HW_API hw_status hw_event_elapsed_ns(hw_event *start, hw_event *stop, double *ns, hw_diag *diag);

// Copies within the device, or between it and this machine, in the order of the stream; which it is, is seen from the
// addresses. The ranges must not overlap. On cuda asynchronous as its driver has it: memory of this machine that is not
// from hw_host_alloc may be waited for, and is slower.
HW_API hw_status hw_copy(hw_stream *stream, void *to, const void *from, size_t bytes, hw_diag *diag);
// rows of row_bytes each; pitches in bytes.
HW_API hw_status hw_copy_2d(hw_stream *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t row_bytes, size_t rows, hw_diag *diag);
// Every one of so many bytes becomes `byte`, in the order of the stream.
HW_API hw_status hw_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag);

// ---- Transpose ------------------------------------------------------------------------------------------------------

// out[i0, i1, ...] = in[...], where axis k of out is axis axes[k] of in: NumPy's transpose, written out in memory.
//
// Axes        each of in's once; negative ones count from the last. NULL: reversed.
// Shapes      any rank up to 32, any extents, zero included; out's shape is in's, permuted.
// Strides     any, negative and broadcast (0) ones included for in; no two elements of out may share memory.
// Types       1, 2, 4, 8 or 16 bytes an element; both arrays of the same size of element. Values are copied bit by bit.
// Alignment   none is asked for; arrays that begin at multiples of 16 bytes are the fastest.
// Place       both arrays on the stream's device; or both on this machine (kDLCPU, kDLCUDAHost), from where a cuda or
//             sim device gets them in pieces that fit its memory, with copies and kernels overlapped. There the
//             processor does what is in place, has gaps, or runs backwards, where it lies. Done on return.
// In place    when both arrays begin at the same address and fill the same memory without gaps, for any permutation;
//             scratch memory on the device of at most the array's size is used where the permutation needs it.
//             Any other overlap is refused.
// Order       asynchronous on cuda; done on return on cpu and sim. Deterministic.
// Errors      HW_USAGE: NULL, ranks or shapes that do not fit, axes that are no permutation, wrong device, overlap;
//             HW_UNSUPPORTED: element size, more than 2^40 elements; HW_NO_MEMORY; HW_COMPILE and HW_NOT_FOUND from the
//             first use of a kernel.
// Cost        reads and writes each element once, in place up to twice; first use of a kernel compiles it (0.3 s).
//             Arrays on this machine: pinned ones as fast as the bus, of a cuda device up to 1 GiB, which stays in its
//             pool until it is closed or another allocation needs it.
// Source      NumPy's transpose. Tiles through shared memory, as in the ladder (kernels/transpose), which follows
//             NVIDIA's MatrixTranspose.pdf; indices are divided as by Granlund and Montgomery, "Division by invariant
//             integers using multiplication" (1994). Overlap is found by the equation of NumPy's mem_overlap.c.
HW_API hw_status hw_transpose(hw_stream *stream, const DLTensor *in, const int *axes, DLTensor *out, hw_diag *diag);

// What hw_transpose would do with these arrays on this device, in words, a line per step: the merged shape, the kernel,
// its tile, what it is expected to move. data pointers may be NULL. text always ends with NUL.
HW_API hw_status hw_transpose_explain(hw_device *device, const DLTensor *in, const int *axes, const DLTensor *out,
                                      char *text, size_t text_bytes, hw_diag *diag);

// ---- Matrix product -------------------------------------------------------------------------------------------------

// What the multiplications of hw_matmul are done in. HW_PRECISION_OF_TYPE: f32 in true fp32, f64 in fp64, f16 and bf16
// as they are (products exact, sums in f32).
typedef enum hw_precision {
    HW_PRECISION_OF_TYPE,
    HW_PRECISION_FP32,
    HW_PRECISION_TF32,   // f32 inputs rounded to 10 bits of mantissa; tensor cores, from compute capability 8.0
    HW_PRECISION_BF16,   // f32 inputs rounded to bfloat16; as above. cpu rounds the inputs and multiplies in fp32
    HW_PRECISION_FP64,
} hw_precision;

// C = alpha A B + beta C.
//
// Shapes      A (..., m, k), B (..., k, n), C (..., m, n); m, n, k may be 0 (k = 0: C = beta C). The axes before the
//             last two are batches; one of extent 1, or missing at the front, in A or B serves all of C's, as in NumPy.
// Strides     the last two axes of each array: one of them contiguous (row- or column-major, any leading dimension);
//             batch axes any, 0 included for A and B. No two elements of C may share memory.
// Types       A and B of one type: f32, f64, f16, bf16, or an integer, i8 to i64 and u8 to u64. C of the same; or, with
//             room for its sums, f32 for f16 and bf16, i32 for i8 and i16, u32 for u8 and u16.
// alpha, beta beta 0: C is only written, whatever it held, NaN included. alpha 0: A and B are not read. Both are
//             rounded to the type of the sums; of integers they are whole numbers of at most 2^53.
// Alignment   none is asked for; rows that begin at multiples of 16 bytes are the fastest.
// Place       all arrays on the stream's device; for cpu on this machine. C must not overlap A or B.
// Order       asynchronous on cuda; done on return on cpu and sim. Deterministic: the same bits in every run on a
//             device.
// Accuracy    a sum of k products in the order of the kernel that was chosen, in f32 (f64 for f64): the error of an
//             element is at most about k eps sum |a||b|, in practice near sqrt(k) eps. Integers are exact modulo 2^n,
//             n the bits of C, on every device: they wrap, as NumPy's do.
// Errors      HW_USAGE: NULL, shapes that do not fit, wrong device, overlap, a precision that the type does not have;
//             HW_UNSUPPORTED: a type or strides other than these, tensor cores that the device lacks; HW_NOT_FOUND: cpu
//             without OpenBLAS, of floats; HW_NO_MEMORY; HW_COMPILE.
// Cost        2 m n k operations a matrix; where few tiles would leave multiprocessors idle k is cut, and the parts are
//             kept in scratch memory on the device (at most 64 MiB).
// Source      BLAS's gemm, with NumPy's batches. PTX ISA, "Matrix multiply-accumulate operation using mma instruction",
//             of tensor cores; cpu calls OpenBLAS (cblas.h of version 0.3), and multiplies integers in blocks, as in
//             Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).
HW_API hw_status hw_matmul(hw_stream *stream, double alpha, const DLTensor *a, const DLTensor *b, double beta,
                           DLTensor *c, hw_precision precision, hw_diag *diag);

// As hw_transpose_explain.
HW_API hw_status hw_matmul_explain(hw_device *device, const DLTensor *a, const DLTensor *b, const DLTensor *c,
                                   hw_precision precision, char *text, size_t text_bytes, hw_diag *diag);

// ---- Reduction ------------------------------------------------------------------------------------------------------

typedef enum hw_reduction {
    HW_REDUCE_SUM, HW_REDUCE_PRODUCT, HW_REDUCE_MIN, HW_REDUCE_MAX, HW_REDUCE_ARGMIN, HW_REDUCE_ARGMAX, HW_REDUCE_MEAN,
    HW_REDUCE_NORM,            // square root of the sum of squares
    HW_REDUCE_VAR,             // mean of the squared distances from the mean
    HW_REDUCE_STD,             // its square root
    HW_REDUCE_ANY,             // is one of the elements not 0?
    HW_REDUCE_ALL,             // are all?
    HW_REDUCE_COUNT_NONZERO,   // how many are not?
} hw_reduction;

typedef enum hw_reduce_flags {
    HW_REDUCE_EXACT = 1,   // sum and mean of f32 and f64: the exact sum rounded once, the same bits on every device
} hw_reduce_flags;
// A flag for var and std, 0 to 2^24 - 1: what is taken off the number of elements before it divides (NumPy's ddof).
#define HW_REDUCE_DDOF(n) ((uint32_t)(n) << 8)

enum { HW_BOOL = 6 };   // the code of DLPack's kDLBool, of 8 bits: headers before DLPack 0.8 have no name for it

// Combines the elements along some axes of an array.
//
// Axes        n_axes of them, in any order, none twice; 0: all. Negative ones count from the last.
// Shapes      out has in's axes without those, or with extent 1 instead of them (NumPy's keepdims). Zero extents: a sum
//             is 0, a product 1, a norm 0, a count 0, any false, all true, a mean, var or std NaN; min, max, argmin,
//             argmax along an axis of extent 0 are refused (HW_USAGE), even where out has no elements. Other axes of
//             extent 0: nothing is done.
// Strides     any, as in hw_transpose.
// Types       in: i8 to i64, u8 to u64, f16, bf16, f32, f64, bool (bytes of 0 and 1). out: what hw_reduce_dtype says;
//             where that is bool, u8 is taken as well.
// NaN         any NaN makes sum, product, mean, norm, var, std, min and max NaN; argmin and argmax give the first NaN;
//             any, all and count_nonzero take it for what it is, not 0.
// Ties        argmin and argmax: the lowest index; index in C order of the reduced axes alone; -0.0 equals 0.0 there.
//             min and max put -0.0 below 0.0, as IEEE 754-2019's minimum and maximum, so that no order shows in the
//             result.
// Sums        integers modulo 2^64; f16 and bf16 in f32, f32 in f32 and f64 in f64, in many parts that are then added
//             pairwise; a mean is the sum divided once, in the type of the sum (integers: the exact sum, in f64).
// Variances   of all types in f64, rounded at the end: each part is its number of elements, their mean, and the sum of
//             their squared distances from it; parts are put together as Chan, Golub and LeVeque do. So the array is
//             read once, where two passes would read it twice, and nothing cancels when the mean is large. The
//             relative error of var is at most about n u sqrt(1 + mean^2 / var), u = 2^-53 and n the elements; in
//             practice far less, as most are added in pairs. Equal elements have a var of 0. What divides is n - ddof,
//             or 0 where that is negative, as in NumPy.
// Exact       with HW_REDUCE_EXACT: the exact sum, or for a mean its exact quotient, rounded once to nearest, ties to
//             even. Infinities of both signs make NaN; a sum of 0 is +0 unless every element is -0.
// Place       both arrays on the stream's device; for cpu on this machine. They must not overlap.
// Order       asynchronous on cuda; done on return on cpu and sim. Deterministic: the same bits in every run on a
//             device, however many threads; with HW_REDUCE_EXACT on all devices.
// Errors      HW_USAGE: NULL, axes or shapes that do not fit, wrong device, overlap, nothing to choose from;
//             HW_REDUCE_DDOF other than for var and std; HW_UNSUPPORTED: type, HW_REDUCE_EXACT other than for sums and
//             means of f32 and f64; HW_NO_MEMORY; HW_COMPILE.
// Cost        reads each element once; one launch, scratch memory of at most 8 MiB, which the stream keeps.
// Source      NumPy's reductions; IEEE 754-2019, minimum and maximum. Variances: Chan, Golub and LeVeque, "Algorithms
//             for computing the sample variance" (The American Statistician 37, 1983). Exact sums: Kulisch, "Arithmetic
//             in Action" (1976 and later), the long accumulator; Neal, "Fast exact summation using small and large
//             superaccumulators" (2015); Collange, Defour, Graillat and Iakymchuk, "Numerical reproducibility for the
//             parallel reduction on multi- and many-core architectures" (ExBLAS, 2015); on processors also Demmel and
//             Hida, "Fast and accurate floating point summation" (2003), and Rump, Ogita and Oishi, "Accurate
//             floating-point summation" (2008). Indices: Granlund and Montgomery, as of hw_transpose.
HW_API hw_status hw_reduce(hw_stream *stream, hw_reduction reduction, const DLTensor *in, const int *axes, int n_axes,
                           uint32_t flags, DLTensor *out, hw_diag *diag);

// The type of the result: i64 for argmin, argmax and count_nonzero; bool for any and all; sums and products of integers
// i64 or u64 (of bool i64), means, norms, variances of them f64; else the type of the elements, as in NumPy.
HW_API DLDataType hw_reduce_dtype(hw_reduction reduction, DLDataType elements);

// As hw_transpose_explain.
HW_API hw_status hw_reduce_explain(hw_device *device, hw_reduction reduction, const DLTensor *in, const int *axes,
                                   int n_axes, uint32_t flags, char *text, size_t text_bytes, hw_diag *diag);

// ---- Nearest neighbours ---------------------------------------------------------------------------------------------

typedef enum hw_nearest_method {
    HW_NEAREST_AUTO,     // by the sizes; on the processor, in many dimensions, by trying both on a few queries
    HW_NEAREST_BRUTE,    // every pair
    HW_NEAREST_SEARCH,   // a spatial index is built and searched
} hw_nearest_method;

typedef struct hw_nearest_options {
    int k;                       // neighbours for each query, 1 to 128
    double radius;               // only neighbours at this distance or nearer; 0 or infinite: any
    hw_nearest_method method;
} hw_nearest_options;

// The k nearest points of each query, the nearest first.
//
// Shapes      points (n, d), d 1 to 16; queries (q, d), or NULL: the points themselves, of which none is its own
//             neighbour. indices (q, k), or (q) for k = 1; squared_distances alike, or NULL.
// Types       points and queries f32 or f64, both the same; indices i64; squared_distances of the points' type.
// Strides     any for points and queries; results contiguous.
// Distance    the sum of (p - q)^2, axis 0 first, each further axis by one fused multiply-add, in the points' type:
//             every method on every device computes the same bits, so the neighbours are the same too. Where it is NaN,
//             because infinite coordinates are equal, it counts as infinite. A radius is compared squared, in that
//             type.
// Ties        to the lower index. Where there are fewer than k neighbours: index -1, distance infinite.
// NaN         coordinates that are NaN are refused, with the row. Infinite ones have neighbours like others.
// Place       all arrays on the stream's device; for cpu on this machine. Results must not overlap what is read.
// Order       done on return. Deterministic.
// Errors      HW_USAGE: NULL, shapes, k, radius, a NaN coordinate, wrong device; HW_UNSUPPORTED: types, more than 16
//             dimensions, 2^31 points or more; HW_NO_MEMORY; HW_COMPILE.
// Cost        brute: n q d. Search: about (n + q) log n for points in space, whether uniform, clustered or equal;
//             scratch memory on the device of about 30 bytes for each point, or its coordinates and 20 bytes.
// Source      on GPUs points in the order of J. Skilling's Hilbert curve ("Programming the Hilbert curve", AIP
//             Conference Proceedings 707, 2004) and bitonic merges (K. Batcher, "Sorting networks and their
//             applications", 1968); on processors a kd-tree. A squared distance is s = (p0 - q0) * (p0 - q0), then
//             s = fma(pa - qa, pa - qa, s) for a = 1, 2, ..., on every device.
HW_API hw_status hw_nearest(hw_stream *stream, const DLTensor *points, const DLTensor *queries,
                            const hw_nearest_options *options, DLTensor *indices, DLTensor *squared_distances,
                            hw_diag *diag);

// As hw_transpose_explain, of what can be said without the data.
HW_API hw_status hw_nearest_explain(hw_device *device, const DLTensor *points, const DLTensor *queries,
                                    const hw_nearest_options *options, char *text, size_t text_bytes, hw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
