// Order of what the host program asks for: of a stream, of events, of waiting, of the legacy default stream, and of
// copies and sets. The case is the kernels' template argument, so that their findings can be told apart. No case ends
// with a call that its row names: a compiler may jump there, and leave its place to the caller.
#pragma once
#include "cases.cuh"

template <class Case> __global__ void put(int *to) {
    to[threadIdx.x] = threadIdx.x;                  // put
}

template <class Case> __global__ void take(const int *from, int *to) {
    to[threadIdx.x] = from[31 - threadIdx.x];       // take
}

static cudaStream_t stream, other;
static cudaStream_t apart;                          // does not wait for the legacy default stream, nor that for it
static cudaEvent_t event;
static int on_host[64];
enum { ELEMS = 32, BYTES = ELEMS * sizeof(int) };

#define PUT(name, stream) put<name><<<1, ELEMS, 0, stream>>>(data)
#define TAKE(name, stream) take<name><<<1, ELEMS, 0, stream>>>(data, data + 64)
#define CASE(name)                                                                                                     \
    struct name {                                                                                                      \
        static void run();                                                                                             \
    };                                                                                                                 \
    void name::run()

// ---- a stream ------------------------------------------------------------------------------------------------------

CASE(stream_read) {
    PUT(stream_read, stream);
    TAKE(stream_read, is_ordered ? stream : other);
}
CASE(stream_write) {
    PUT(stream_write, stream);
    PUT(stream_write, is_ordered ? stream : other);
}
CASE(stream_write_after_read) {
    TAKE(stream_write_after_read, stream);
    PUT(stream_write_after_read, is_ordered ? stream : other);
}
CASE(stream_of_other_bytes) {
    PUT(stream_of_other_bytes, stream);
    put<stream_of_other_bytes><<<1, ELEMS, 0, other>>>(data + (is_ordered ? ELEMS : ELEMS - 1));
}

// Reads in several streams, of which the writer's waits for all but the first; by kernels and by copies.
static const int n_readers = 4;
static void wait_for_readers(cudaStream_t *streams, cudaStream_t writer) {
    for (int i = 0; i < n_readers; i++) {
        cudaEventRecord(event, streams[i]);
        if (is_ordered || i) cudaStreamWaitEvent(writer, event, 0);
    }
}
CASE(readers_of_streams) {
    cudaStream_t streams[n_readers];
    for (int i = 0; i < n_readers; i++) {
        cudaStreamCreate(&streams[i]);
        take<readers_of_streams><<<1, ELEMS, 0, streams[i]>>>(data, data + 64 * (i + 1));
    }
    wait_for_readers(streams, stream);
    PUT(readers_of_streams, stream);
    for (int i = 0; i < n_readers; i++) cudaStreamDestroy(streams[i]);
}
CASE(readers_by_copies) {
    cudaStream_t streams[n_readers];
    for (int i = 0; i < n_readers; i++) {
        cudaStreamCreate(&streams[i]);
        cudaMemcpyAsync(data + 64 * (i + 1), data, BYTES, cudaMemcpyDeviceToDevice, streams[i]);    // readers_by_copies
    }
    wait_for_readers(streams, stream);
    PUT(readers_by_copies, stream);
    for (int i = 0; i < n_readers; i++) cudaStreamDestroy(streams[i]);
}

// ---- events --------------------------------------------------------------------------------------------------------

CASE(event_wait) {
    PUT(event_wait, stream);
    cudaEventRecord(event, stream);
    if (is_ordered) cudaStreamWaitEvent(other, event, 0);
    TAKE(event_wait, other);
}
CASE(event_too_early) {
    if (!is_ordered) cudaEventRecord(event, stream);
    PUT(event_too_early, stream);
    if (is_ordered) cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    TAKE(event_too_early, other);
}
CASE(event_of_other_stream) {
    PUT(event_of_other_stream, stream);
    cudaEventRecord(event, is_ordered ? stream : apart);
    cudaStreamWaitEvent(other, event, 0);
    TAKE(event_of_other_stream, other);
}
CASE(event_host) {
    PUT(event_host, stream);
    cudaEventRecord(event, stream);
    if (is_ordered) cudaEventSynchronize(event);
    TAKE(event_host, other);
}
// An event that is said to have been reached has been waited for.
CASE(event_asked) {
    PUT(event_asked, stream);
    cudaEventRecord(event, stream);
    while (is_ordered && cudaEventQuery(event) == cudaErrorNotReady) {}
    TAKE(event_asked, other);
}
// Recorded again, it stands for the later place.
CASE(event_twice) {
    cudaEventRecord(event, stream);
    PUT(event_twice, stream);
    if (is_ordered) cudaEventRecord(event, stream);
    cudaStreamWaitEvent(other, event, 0);
    TAKE(event_twice, other);
}

// ---- the host waits ------------------------------------------------------------------------------------------------

CASE(wait_for_stream) {
    PUT(wait_for_stream, stream);
    cudaStreamSynchronize(is_ordered ? stream : other);
    TAKE(wait_for_stream, other);
}
CASE(wait_for_device) {
    PUT(wait_for_device, apart);
    if (is_ordered) cudaDeviceSynchronize();
    TAKE(wait_for_device, other);
}
CASE(wait_for_copy) {
    PUT(wait_for_copy, stream);
    if (is_ordered) cudaMemcpy(on_host, data, BYTES, cudaMemcpyDeviceToHost);
    TAKE(wait_for_copy, apart);
}
CASE(wait_by_asking) {
    PUT(wait_by_asking, stream);
    while (is_ordered && cudaStreamQuery(stream) == cudaErrorNotReady) {}
    TAKE(wait_by_asking, other);
}
CASE(wait_by_free) {
    int *more;
    cudaMalloc(&more, BYTES);
    PUT(wait_by_free, apart);
    if (is_ordered) cudaFree(more);
    TAKE(wait_by_free, other);
    if (!is_ordered) cudaFree(more);
}

// ---- the legacy default stream -------------------------------------------------------------------------------------

CASE(legacy_before) {
    PUT(legacy_before, 0);
    TAKE(legacy_before, is_ordered ? stream : apart);
}
CASE(legacy_after) {
    PUT(legacy_after, is_ordered ? stream : apart);
    TAKE(legacy_after, 0);
}
// Whatever stands between two streams in the default stream is an order between these.
CASE(legacy_between) {
    PUT(legacy_between, stream);
    if (is_ordered) put<legacy_between><<<1, ELEMS>>>(data + 1024);
    TAKE(legacy_between, other);
}
// cudaMemset returns before it is done, and so does a copy within the device.
CASE(legacy_set) {
    cudaMemset(data, 1, BYTES);                     // legacy_set
    TAKE(legacy_set, is_ordered ? stream : apart);
}
CASE(legacy_copy) {
    cudaMemcpy(data, data + 256, BYTES, cudaMemcpyDeviceToDevice);    // legacy_copy
    TAKE(legacy_copy, is_ordered ? stream : apart);
}

// ---- copies and sets -----------------------------------------------------------------------------------------------

CASE(copy_in) {
    cudaMemcpyAsync(data, on_host, BYTES, cudaMemcpyHostToDevice, stream);    // copy_in
    TAKE(copy_in, is_ordered ? stream : other);
}
CASE(copy_out) {
    PUT(copy_out, stream);
    cudaMemcpyAsync(on_host, data, BYTES, cudaMemcpyDeviceToHost, is_ordered ? stream : other);    // copy_out
    cudaDeviceSynchronize();
}
CASE(copy_out_before) {
    cudaMemcpyAsync(on_host, data, BYTES, cudaMemcpyDeviceToHost, stream);    // copy_out_before
    if (is_ordered) cudaStreamSynchronize(stream);
    PUT(copy_out_before, other);
}
CASE(copy_within) {
    cudaMemcpyAsync(data, data + 256, BYTES, cudaMemcpyDeviceToDevice, stream);    // copy_within
    PUT(copy_within, is_ordered ? stream : other);
}
CASE(copy_rows) {
    cudaMemcpy2DAsync(data, 64, on_host, 16, 16, 4, cudaMemcpyHostToDevice, stream);    // copy_rows
    put<copy_rows><<<1, is_ordered ? 12 : 16, 0, other>>>(data + 4);
}
CASE(set_read) {
    cudaMemsetAsync(data, 1, BYTES, stream);        // set_read
    TAKE(set_read, is_ordered ? stream : other);
}
CASE(set_twice) {
    cudaMemsetAsync(data, 1, BYTES, stream);        // set_twice
    cudaMemsetAsync(data, 2, BYTES, is_ordered ? stream : other);    // set_twice
    cudaDeviceSynchronize();
}
CASE(free_in_order) {
    int *own;
    cudaMallocAsync((void **)&own, BYTES, stream);
    put<free_in_order><<<1, ELEMS, 0, stream>>>(own);
    cudaFreeAsync(own, is_ordered ? stream : other);    // free_in_order
    cudaDeviceSynchronize();
}

static void run_streams() {
    static void (*const cases[])() = {
        stream_read::run, stream_write::run, stream_write_after_read::run, stream_of_other_bytes::run,
        readers_of_streams::run, readers_by_copies::run,
        event_wait::run, event_too_early::run, event_of_other_stream::run, event_host::run, event_asked::run,
        event_twice::run, wait_for_stream::run, wait_for_device::run, wait_for_copy::run, wait_by_asking::run,
        wait_by_free::run, legacy_before::run, legacy_after::run, legacy_between::run, legacy_set::run,
        legacy_copy::run, copy_in::run, copy_out::run, copy_out_before::run, copy_within::run, copy_rows::run,
        set_read::run, set_twice::run, free_in_order::run};
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    for (void (*run)() : cases) {
        begin_case();
        cudaEventCreate(&event);
        run();
        cudaDeviceSynchronize();
        cudaEventDestroy(event);
    }
}
