// Halfwarp's library: tiled kernels on the CPU, on NVIDIA GPUs and on simulated ones.
//
// Arrays are DLPack's DLTensor (shapes and strides in elements, NumPy's order: the last axis varies fastest; strides NULL
// means contiguous). NumPy, PyTorch, CuPy and JAX export them. Halfwarp never takes ownership of an array and keeps no
// pointer to it once the operation has finished.
//
// Every function that can fail returns hw_status and writes one sentence into *diag, which may be NULL. Nothing is
// printed, no environment variable is read, and no failure leaves a result half written without saying so.
//
//     hw_device *device;
//     hw_diag diag = {0};
//     if (hw_device_open("cuda:0", NULL, &device, &diag)) return complain(diag.text);
//     hw_transpose(hw_device_stream(device), &in, NULL, &out, &diag);
//     hw_stream_synchronize(hw_device_stream(device), &diag);
//     hw_device_close(device);
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

#define HW_API __attribute__((visibility("default")))

// ---- Devices --------------------------------------------------------------------------------------------------------
//
//   cpu      this machine's processors, all of them
//   cuda:N   GPU N, by the driver and NVRTC, which are loaded when the device is opened; kernels are compiled when they
//            are first used and kept on disk
//   sim:G    GPU model G (h200, v100, ...; `halfwarp gpus`) simulated on the CPU: slow, and every result as on the GPU
//
// Calls on one device may come from several threads; calls on one stream from one at a time.

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
} hw_device_properties;

// Opens a device. name NULL or "": cuda:0 where there is one, else cpu. HW_NOT_FOUND, with the reason: no such device,
// no driver, no NVRTC; HW_USAGE: no device has such a name. Cost: cuda creates a context, a few hundred milliseconds.
HW_API hw_status hw_device_open(const char *name, const hw_device_options *options, hw_device **out, hw_diag *diag);
// Waits for its work, and frees what was allocated on it. NULL is allowed.
HW_API void hw_device_close(hw_device *device);
HW_API const hw_device_properties *hw_device_get_properties(const hw_device *device);

// Memory on the device, at a multiple of 256 bytes, not initialised. 0 bytes give NULL. HW_NO_MEMORY.
HW_API hw_status hw_device_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag);
// Waits for the device's work. NULL is allowed.
HW_API void hw_device_free(hw_device *device, void *memory);
// Memory of this machine that the device copies from and to at full speed (pinned, for cuda). As above.
HW_API hw_status hw_host_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag);
HW_API void hw_host_free(hw_device *device, void *memory);

// The device's own stream; lives as long as the device.
HW_API hw_stream *hw_device_stream(hw_device *device);
HW_API hw_status hw_stream_create(hw_device *device, hw_stream **out, hw_diag *diag);
HW_API void hw_stream_destroy(hw_stream *stream);   // waits for its work; NULL is allowed
HW_API hw_device *hw_stream_device(const hw_stream *stream);
// Waits; reports what went wrong in the stream's work since it was last asked (HW_FAULT).
HW_API hw_status hw_stream_synchronize(hw_stream *stream, hw_diag *diag);

HW_API hw_status hw_event_create(hw_device *device, hw_event **out, hw_diag *diag);
HW_API void hw_event_destroy(hw_event *event);
HW_API hw_status hw_event_record(hw_event *event, hw_stream *stream, hw_diag *diag);
// Later work of the stream begins after the event. On cpu and sim, where work is done when its call returns, at once.
HW_API hw_status hw_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag);
// Waits until the event has come about.
HW_API hw_status hw_event_synchronize(hw_event *event, hw_diag *diag);
// Between two recorded events, waiting for the second; wall-clock time on cpu and sim.
HW_API hw_status hw_event_elapsed_ns(hw_event *start, hw_event *stop, double *ns, hw_diag *diag);

// Copies within the device, or between it and this machine, in the order of the stream; which it is, is seen from the
// addresses. The ranges must not overlap.
HW_API hw_status hw_copy(hw_stream *stream, void *to, const void *from, size_t bytes, hw_diag *diag);
// rows of row_bytes each; pitches in bytes.
HW_API hw_status hw_copy_2d(hw_stream *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t row_bytes, size_t rows, hw_diag *diag);
HW_API hw_status hw_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag);

// ---- Transpose ------------------------------------------------------------------------------------------------------

// out[i0, i1, ...] = in[...], where axis k of out is axis axes[k] of in: NumPy's transpose, written out in memory.
//
// Shapes      any rank up to 32, any extents, zero included; out's shape is in's, permuted. axes NULL: reversed.
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
HW_API hw_status hw_transpose(hw_stream *stream, const DLTensor *in, const int *axes, DLTensor *out, hw_diag *diag);

// What hw_transpose would do with these arrays on this device, in words, a line per step: the merged shape, the kernel,
// its tile, what it is expected to move. data pointers may be NULL. text always ends with NUL.
HW_API hw_status hw_transpose_explain(hw_device *device, const DLTensor *in, const int *axes, const DLTensor *out,
                                      char *text, size_t text_bytes, hw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
