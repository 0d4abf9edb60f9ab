// Hazards of the host program's own calls. A case is a function: with is_right it has none, without it has the one that
// its row in tests/cli/check/check_hosts.sh names, in the lines that end with the case's name. With a number it is only
// the case of that place in the list, from 0 on.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { BYTES = 4096, ELEMS = BYTES / sizeof(int), ROWS = 16, WIDTH = 64 };

static bool is_right;
static int *device, *pinned, own[2 * ELEMS];
static cudaStream_t stream;
__device__ int variable[16];

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void work(int *out) { out[threadIdx.x] += 1; }
__global__ void nothing() {}
__global__ void fill_pool(int *out) { out[threadIdx.x] = 1; }    // launch_and_free_of_pool

// ---- frees ----------------------------------------------------------------------------------------------------------

static void free_twice() {
    int *p;
    cudaMalloc(&p, BYTES);
    cudaFree(p);                                          // free_twice
    if (is_right) p = NULL;
    cudaFree(p);                                          // free_twice
}
static void free_inside() {
    int *p;
    cudaMalloc(&p, BYTES);
    cudaFree(is_right ? p : p + 1);                       // free_inside
    if (!is_right) cudaFree(p);
}
static void free_of_stack() {
    int there[4] = {0}, *p = there;
    if (is_right) cudaMalloc(&p, BYTES);
    cudaFree(p);                                          // free_of_stack
}
static void free_of_malloc() {
    void *p = malloc(BYTES);
    if (!is_right) cudaFreeHost(p);                       // free_of_malloc
    free(p);
}
static void free_pinned_as_device() {
    int *p;
    cudaMallocHost(&p, BYTES);
    if (!is_right) cudaFree(p);                           // free_pinned_as_device
    cudaFreeHost(p);
}
static void free_device_as_pinned() {
    int *p;
    cudaMalloc(&p, BYTES);
    if (!is_right) cudaFreeHost(p);                       // free_device_as_pinned
    cudaFree(p);
}
static void free_pinned_twice() {
    int *p;
    cudaMallocHost(&p, BYTES);
    cudaFreeHost(p);                                      // free_pinned_twice
    if (!is_right) cudaFreeHost(p);                       // free_pinned_twice
}
static void free_in_stream_twice() {
    int *p;
    cudaMallocAsync(&p, BYTES, stream);
    cudaFreeAsync(p, stream);                             // free_in_stream_twice
    if (!is_right) cudaFreeAsync(p, stream);              // free_in_stream_twice
}
static void free_array_twice() {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, WIDTH, ROWS);
    cudaFreeArray(array);                                 // free_array_twice
    if (!is_right) cudaFreeArray(array);                  // free_array_twice
}
static void unregister_twice() {
    void *p = aligned_alloc(4096, BYTES);
    cudaHostRegister(p, BYTES, 0);
    cudaHostUnregister(p);
    if (!is_right) cudaHostUnregister(p);                 // unregister_twice
    free(p);
}

// ---- copies and sets ------------------------------------------------------------------------------------------------

static void copy_past_device() {
    cudaMemcpy(device, own, is_right ? BYTES : BYTES + 4, cudaMemcpyHostToDevice);    // copy_past_device
}
static void copy_past_pinned() {
    cudaMemcpy(device, pinned + (is_right ? 0 : 1), BYTES, cudaMemcpyHostToDevice);   // copy_past_pinned
}
static void copy_past_middle() {
    cudaMemcpy(own, device + ELEMS / 2, BYTES / (is_right ? 2 : 1), cudaMemcpyDeviceToHost);    // copy_past_middle
}
static void copy_rows_past() {
    const int rows = BYTES / 256;
    cudaMemcpy2D(device, 256, own, WIDTH, WIDTH, rows + !is_right, cudaMemcpyHostToDevice);     // copy_rows_past
}
static void copy_past_symbol() {
    cudaMemcpyToSymbol(variable, own, sizeof variable, is_right ? 0 : 4);             // copy_past_symbol
}
static void copy_past_array() {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, WIDTH, ROWS);
    const size_t row = WIDTH * sizeof(int);
    cudaMemcpy2DToArray(array, 0, is_right ? 0 : 1, own, row, row, ROWS, cudaMemcpyHostToDevice);    // copy_past_array
    cudaFreeArray(array);
}
static void copy_from_freed() {
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemset(p, 0, BYTES);
    if (!is_right) cudaFree(p);                           // copy_from_freed
    cudaMemcpy(own, p, BYTES, cudaMemcpyDeviceToHost);    // copy_from_freed
    if (is_right) cudaFree(p);
}
static void copy_from_null() {
    int *p = is_right ? device : NULL;
    cudaMemcpy(own, p, BYTES, cudaMemcpyDeviceToHost);    // copy_from_null
}
static void copy_other_way() {
    cudaMemcpy(own, device, BYTES, is_right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);    // copy_other_way
}
// A GPU does this one, by the addresses.
static void copy_within_as_in() {
    const cudaMemcpyKind kind = is_right ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    cudaMemcpy(device, device + ELEMS / 2, BYTES / 2, kind);    // copy_within_as_in
}
static void copy_out_as_host() {
    cudaMemcpy(own, device, BYTES, is_right ? cudaMemcpyDefault : cudaMemcpyHostToHost);    // copy_out_as_host
}
static void copy_symbol_other_way() {
    const cudaMemcpyKind kind = is_right ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    cudaMemcpyToSymbol(variable, own, sizeof variable, 0, kind);    // copy_symbol_other_way
}
static void set_past() { cudaMemset(device + 1, 0, is_right ? BYTES - 4 : BYTES); }    // set_past
static void set_of_host() { cudaMemset(is_right ? (void *)device : own, 0, BYTES); }    // set_of_host
static void set_rows_past() { cudaMemset2D(device, 256, 0, WIDTH, BYTES / 256 + !is_right); }    // set_rows_past
static void set_freed() {
    int *p;
    cudaMalloc(&p, BYTES);
    if (!is_right) cudaFree(p);                           // set_freed
    cudaMemsetAsync(p, 0, BYTES, stream);                 // set_freed
    cudaStreamSynchronize(stream);
    if (is_right) cudaFree(p);
}

// ---- objects --------------------------------------------------------------------------------------------------------

static void launch_in_destroyed() {
    cudaStream_t gone;
    cudaStreamCreate(&gone);
    if (!is_right) cudaStreamDestroy(gone);               // launch_in_destroyed
    fill<<<1, 32, 0, gone>>>(device);                     // launch_in_destroyed
    if (is_right) cudaStreamDestroy(gone);
    cudaGetLastError();
}
static void wait_for_destroyed() {
    cudaStream_t gone;
    cudaStreamCreate(&gone);
    if (!is_right) cudaStreamDestroy(gone);               // wait_for_destroyed
    cudaStreamSynchronize(gone);                          // wait_for_destroyed
    if (is_right) cudaStreamDestroy(gone);
}
static void copy_in_destroyed() {
    cudaStream_t gone;
    cudaStreamCreate(&gone);
    if (!is_right) cudaStreamDestroy(gone);               // copy_in_destroyed
    cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, gone);    // copy_in_destroyed
    cudaDeviceSynchronize();
    if (is_right) cudaStreamDestroy(gone);
}
static void destroy_stream_twice() {
    cudaStream_t gone;
    cudaStreamCreate(&gone);
    cudaStreamDestroy(gone);                              // destroy_stream_twice
    if (!is_right) cudaStreamDestroy(gone);               // destroy_stream_twice
}
// The other stream is made behind it: its handle is another one.
static void record_destroyed() {
    cudaEvent_t event, other;
    cudaEventCreate(&event);
    if (!is_right) cudaEventDestroy(event);               // record_destroyed
    cudaEventCreate(&other);
    cudaEventRecord(event, stream);                       // record_destroyed
    cudaEventDestroy(other);
    if (is_right) cudaEventDestroy(event);
}
static void record_unmade() {
    cudaEvent_t event = (cudaEvent_t)own;
    if (is_right) cudaEventCreate(&event);
    cudaEventRecord(event, stream);                       // record_unmade
    if (is_right) cudaEventDestroy(event);
}
static void copy_to_freed_array() {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, WIDTH, ROWS);
    const size_t row = WIDTH * sizeof(int);
    if (!is_right) cudaFreeArray(array);                  // copy_to_freed_array
    cudaMemcpy2DToArray(array, 0, 0, own, row, row, ROWS, cudaMemcpyHostToDevice);    // copy_to_freed_array
    if (is_right) cudaFreeArray(array);
}
static void destroy_texture_twice() {
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {cudaResourceTypeLinear};
    cudaTextureDesc reading = {{cudaAddressModeClamp}};
    resource.res.linear.devPtr = device;
    resource.res.linear.sizeInBytes = BYTES;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    cudaCreateTextureObject(&texture, &resource, &reading, NULL);
    cudaDestroyTextureObject(texture);                    // destroy_texture_twice
    if (!is_right) cudaDestroyTextureObject(texture);     // destroy_texture_twice
}

// ---- launches -------------------------------------------------------------------------------------------------------

static void launch_large_block() { nothing<<<1, is_right ? 1024 : 1025>>>(); }       // launch_large_block
static void launch_no_blocks() { nothing<<<is_right ? 1 : 0, 32>>>(); }              // launch_no_blocks
static void launch_tall_grid() { nothing<<<dim3(1, is_right ? 1 : 65536), 32>>>(); }       // launch_tall_grid
static void launch_much_shared() { nothing<<<1, 32, is_right ? 1024 : 1 << 20>>>(); }      // launch_much_shared
static void launch_deep_block() { nothing<<<1, dim3(1, 1, is_right ? 64 : 65)>>>(); }      // launch_deep_block

// ---- errors ---------------------------------------------------------------------------------------------------------

static void error_of_malloc() {
    int *p = NULL;
    cudaMalloc(&p, is_right ? BYTES : (size_t)1 << 50);   // error_of_malloc
    work<<<1, 32>>>(device);
    if (cudaGetLastError()) puts("wrong");                // error_of_malloc
    cudaFree(p);
}
static void error_of_attribute() {
    const int bytes = is_right ? 1024 : 1 << 20;
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);    // error_of_attribute
    cudaMemset(device, 0, BYTES);
    if (cudaGetLastError()) puts("wrong");                // error_of_attribute
}
static void error_peeked() {
    cudaSetDevice(is_right ? 0 : 7);                      // error_peeked
    cudaMemset(device, 0, BYTES);
    if (cudaPeekAtLastError()) puts("wrong");             // error_peeked
    cudaGetLastError();
}
// Asked for at once: that is what it is for.
static void error_unasked() {
    cudaDeviceSetLimit((cudaLimit)99, 0);                 // error_unasked
    if (is_right) cudaGetLastError();
    work<<<1, 32>>>(device);
}
static void error_overwritten() {
    cudaFuncSetCacheConfig((void *)own, cudaFuncCachePreferL1);    // error_overwritten
    if (is_right) cudaGetLastError();
    work<<<1, 32>>>(device);
    cudaSetDevice(is_right ? 0 : 9);
    cudaGetLastError();
}

// ---- asynchronous copies --------------------------------------------------------------------------------------------

static void copy_and_write() {
    cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream);    // copy_and_write
    if (is_right) cudaStreamSynchronize(stream);
    pinned[7]++;
    cudaStreamSynchronize(stream);                        // copy_and_write
}
static void copy_and_write_target() {
    cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, stream);    // copy_and_write_target
    if (is_right) cudaStreamSynchronize(stream);
    memset(pinned, 9, BYTES);
    cudaDeviceSynchronize();                              // copy_and_write_target
}
static void copy_rows_and_write() {
    cudaMemcpy2DAsync(device, 256, pinned, 128, 64, 8, cudaMemcpyHostToDevice, stream);    // copy_rows_and_write
    pinned[is_right ? 16 : 32] += 1;    // between two rows, and in the second
    cudaStreamSynchronize(stream);                        // copy_rows_and_write
}
// Each of two buffers has its event.
static void copy_and_write_other() {
    cudaEvent_t copied;
    cudaEventCreate(&copied);
    cudaMemcpyAsync(device, pinned, BYTES / 2, cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied, stream);
    cudaMemcpyAsync(device, pinned + ELEMS / 2, BYTES / 2, cudaMemcpyHostToDevice, stream);    // copy_and_write_other
    cudaEventSynchronize(copied);
    pinned[is_right ? 0 : ELEMS / 2] += 1;
    cudaStreamSynchronize(stream);                        // copy_and_write_other
    cudaEventDestroy(copied);
}
static void copy_and_free() {
    int *p;
    cudaMallocHost(&p, BYTES);
    cudaMemcpyAsync(device, p, BYTES, cudaMemcpyHostToDevice, stream);    // copy_and_free
    if (is_right) cudaStreamSynchronize(stream);
    cudaFreeHost(p);                                      // copy_and_free
}
static void copy_and_unregister() {
    int *p = (int *)aligned_alloc(4096, BYTES);
    cudaHostRegister(p, BYTES, 0);
    cudaMemcpyAsync(p, device, BYTES, cudaMemcpyDeviceToHost, stream);    // copy_and_unregister
    if (is_right) cudaStreamSynchronize(stream);
    cudaHostUnregister(p);                                // copy_and_unregister
    free(p);
}
static void copy_and_free_of_pool() {
    int *p;
    cudaMallocAsync(&p, BYTES, stream);
    cudaMemcpyAsync(p, pinned, BYTES, cudaMemcpyHostToDevice, stream);    // copy_and_free_of_pool
    if (is_right) cudaStreamSynchronize(stream);
    cudaFree(p);                                          // copy_and_free_of_pool
    cudaDeviceSynchronize();
}
static void launch_and_free_of_pool() {
    int *p;
    cudaMallocAsync(&p, BYTES, stream);
    fill_pool<<<1, 32, 0, stream>>>(p);
    if (is_right) cudaStreamSynchronize(stream);
    cudaFree(p);                                          // launch_and_free_of_pool
    cudaDeviceSynchronize();
}

// ---- what is right in either case -----------------------------------------------------------------------------------

static void twice_of_stream(void *numbers) { *(int *)numbers *= 2; }

// Written by the GPU, by a function of the stream, before the copy and after the wait: never by the host in between.
static void pinned_memory_goes_round() {
    for (int i = 0; i < 3; i++) {
        memset(pinned, i, BYTES);
        cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream);
        work<<<1, 32, 0, stream>>>(device);
        cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, stream);
        work<<<1, 32, 0, stream>>>(pinned);
        cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream);
        cudaLaunchHostFunc(stream, twice_of_stream, pinned);
        cudaStreamSynchronize(stream);
    }
}
// Copies of pageable memory have ended, or are staged, when the call returns.
static void pageable_memory_is_free() {
    int *p = (int *)calloc(ELEMS, sizeof(int));
    cudaMemcpyAsync(device, p, BYTES, cudaMemcpyHostToDevice, stream);
    p[3] = 4;
    free(p);
    cudaStreamSynchronize(stream);
}
// Of memory that cudaMalloc gave: cudaFree waits.
static void free_waits() {
    int *p;
    cudaMalloc(&p, BYTES);
    fill<<<1, 32, 0, stream>>>(p);
    cudaFree(p);
}
static void less_is_tried() {
    void *p = NULL;
    nothing<<<1, 2048>>>();
    if (cudaPeekAtLastError() == cudaErrorInvalidValue) cudaGetLastError();
    nothing<<<1, 1024>>>();
    if (cudaMalloc(&p, (size_t)1 << 50)) {
        cudaGetLastError();
        cudaMalloc(&p, BYTES);
    }
    work<<<1, 32>>>((int *)p);
    if (cudaGetLastError()) puts("wrong");
    cudaFree(p);
}

// ---- what stays, with --leaks ---------------------------------------------------------------------------------------

static void leak_device() {
    int *p;
    cudaMalloc(&p, BYTES);                                // leak_device
    if (is_right) cudaFree(p);
}
static void leak_managed() {
    int *p;
    cudaMallocManaged(&p, BYTES);                         // leak_managed
    if (is_right) cudaFree(p);
}
static void leak_pinned() {
    int *p;
    cudaMallocHost(&p, BYTES);                            // leak_pinned
    if (is_right) cudaFreeHost(p);
}
static void leak_registered() {
    cudaHostRegister(own, BYTES, 0);                      // leak_registered
    if (is_right) cudaHostUnregister(own);
}
static void leak_array() {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, WIDTH, ROWS);        // leak_array
    if (is_right) cudaFreeArray(array);
}
static void leak_stream() {
    cudaStream_t made;
    cudaStreamCreate(&made);                              // leak_stream
    if (is_right) cudaStreamDestroy(made);
}
static void leak_event() {
    cudaEvent_t made;
    cudaEventCreate(&made);                               // leak_event
    if (is_right) cudaEventDestroy(made);
}
static void leak_texture() {
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {cudaResourceTypeLinear};
    cudaTextureDesc reading = {{cudaAddressModeClamp}};
    resource.res.linear.devPtr = device;
    resource.res.linear.sizeInBytes = BYTES;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    cudaCreateTextureObject(&texture, &resource, &reading, NULL);    // leak_texture
    if (is_right) cudaDestroyTextureObject(texture);
}

int main(int argc, char **argv) {
    static void (*const cases[])() = {
        free_twice, free_inside, free_of_stack, free_of_malloc, free_pinned_as_device, free_device_as_pinned,
        free_pinned_twice, free_in_stream_twice, free_array_twice, unregister_twice, copy_past_device, copy_past_pinned,
        copy_past_middle, copy_rows_past, copy_past_symbol, copy_past_array, copy_from_freed, copy_from_null,
        copy_other_way, copy_within_as_in, copy_out_as_host, copy_symbol_other_way, set_past, set_of_host,
        set_rows_past, set_freed, launch_in_destroyed, wait_for_destroyed, copy_in_destroyed, destroy_stream_twice,
        record_destroyed, record_unmade, copy_to_freed_array, destroy_texture_twice, launch_large_block,
        launch_no_blocks, launch_tall_grid, launch_much_shared, launch_deep_block, error_of_malloc, error_of_attribute,
        error_peeked, error_unasked, error_overwritten, copy_and_write, copy_and_write_target, copy_rows_and_write,
        copy_and_write_other, copy_and_free, copy_and_unregister, copy_and_free_of_pool, launch_and_free_of_pool,
        pinned_memory_goes_round, pageable_memory_is_free, free_waits, less_is_tried, leak_device, leak_managed,
        leak_pinned, leak_registered, leak_array, leak_stream, leak_event, leak_texture};
    const int n_cases = sizeof cases / sizeof *cases, first = argc > 2 ? atoi(argv[2]) : 0;
    const int end = argc > 2 ? first + 1 : n_cases;
    is_right = argc > 1 && strcmp(argv[1], "clean") == 0;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, BYTES);
    cudaMemset(device, 0, BYTES);
    cudaMallocHost(&pinned, BYTES);
    for (int i = first; i < end && i < n_cases; i++) {
        cudaDeviceSynchronize();
        cases[i]();
    }
    cudaDeviceSynchronize();
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
    puts("done");
}
