// Accesses outside of the allocation or variable that their pointer came from, of freed memory, and misaligned ones.
#pragma once
#include "cases.cuh"

// Of the allocations of this file.
enum { INTS = 100, SMALL_BYTES = INTS * sizeof(int) };

#define RUN_ON(name, shared_bytes, ...)                                                                                \
    (!is_wanted(#name) ? (void)0                                                                                       \
     : is_ordered      ? name<true><<<1, 32, shared_bytes>>>(__VA_ARGS__)                                              \
                       : name<false><<<1, 32, shared_bytes>>>(__VA_ARGS__))

static int *allocate_ints() {
    int *memory;
    cudaMalloc(&memory, SMALL_BYTES);
    cudaMemset(memory, 0, SMALL_BYTES);
    return memory;
}

// ---- allocations ---------------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void past_end(int *out, int n) {
    const int i = n - 32 + threadIdx.x + (Ordered ? 0 : 1);
    out[i] = i;                                     // past_end
}

template <bool Ordered> __global__ void before_begin(int *out) {
    const int i = threadIdx.x - (Ordered ? 0 : 1);
    out[i] = i;                                     // before_begin
}

template <bool Ordered> __global__ void far_past_end(const int *in, int *out, int n) {
    out[threadIdx.x] = in[threadIdx.x * (Ordered ? 1 : n)];    // far_past_end
}

template <bool Ordered> __global__ void half_past_end(const int *in, int *out, int n) {
    const int2 *pairs = (const int2 *)(in + (Ordered ? 0 : n - 1));
    const int2 pair = pairs[0];                     // half_past_end
    out[threadIdx.x] = pair.x + pair.y;
}

// An index that leads into another allocation: no guard is between.
template <bool Ordered> __global__ void into_another(int *out, long distance) {
    out[threadIdx.x + (Ordered ? 0 : distance)] = 1;           // into_another
}

// One of two pointers, and an index that is right for neither.
template <bool Ordered> __global__ void into_third(const int *a, const int *b, int *out, long distance) {
    const int *from = threadIdx.x % 2 ? a : b;
    out[threadIdx.x] = from[threadIdx.x + (Ordered ? 0 : distance)];    // into_third
}

template <bool Ordered> __device__ __noinline__ int fetch(const int *from, long index) {
    return from[index];                             // in_function
}
template <bool Ordered> __global__ void in_function(const int *in, int *out, long distance) {
    out[threadIdx.x] = fetch<Ordered>(in, threadIdx.x + (Ordered ? 0 : distance));
}

struct two_arrays {
    int n, *first, *second;
};
template <bool Ordered> __global__ void of_structure(two_arrays arrays, long distance) {
    arrays.first[threadIdx.x] = arrays.n;
    arrays.second[threadIdx.x + (Ordered ? 0 : distance)] = arrays.n;   // of_structure
}

template <bool Ordered> __global__ void loop_past_end(const int *in, int *out, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n + (Ordered ? 0 : 32); i += 32) sum += in[i];    // loop_past_end
    out[threadIdx.x] = sum;
}

template <bool Ordered> __global__ void atomic_past_end(int *out, int n) {
    atomicAdd(&out[Ordered ? 0 : n], 1);            // atomic_past_end
}

template <bool Ordered> __global__ void null_pointer(int *out) {
    if (!Ordered || out) *out = 1;                  // null_pointer
}

static void run_allocations() {
    int *a = allocate_ints(), *b = allocate_ints(), *c = allocate_ints(), *odd;
    cudaMalloc(&odd, SMALL_BYTES + sizeof(int));
    cudaMemset(odd, 0, SMALL_BYTES + sizeof(int));
    RUN_ON(past_end, 0, a, INTS);
    RUN_ON(before_begin, 0, a);
    RUN_ON(far_past_end, 0, a, b, INTS);
    RUN_ON(half_past_end, 0, odd, b, INTS + 1);
    RUN_ON(into_another, 0, a, (long)(b - a));
    RUN_ON(into_third, 0, a, b, data, (long)(c - b));
    RUN_ON(in_function, 0, a, data, (long)(b - a));
    RUN_ON(of_structure, 0, two_arrays{1, a, b}, (long)(c - b));
    RUN_ON(loop_past_end, 0, a, b, INTS);
    RUN_ON(atomic_past_end, 0, a, INTS);
    RUN_ON(null_pointer, 0, nullptr);
}

// ---- variables -----------------------------------------------------------------------------------------------------

// Two arrays of shared memory side by side: what leaves one is in the other.
template <bool Ordered> __global__ void into_neighbour(int *out) {
    __shared__ int first[64], second[64];
    first[threadIdx.x] = second[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 31) {
        first[threadIdx.x + (Ordered ? 1 : 33)] = 1;           // into_neighbour
        second[threadIdx.x - (Ordered ? 31 : 32)] = 1;         // into_neighbour
    }
    __syncwarp();
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

template <bool Ordered> __global__ void past_shared(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 31) tile[threadIdx.x + (Ordered ? 0 : 1)] = 1;   // past_shared
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x];
}

template <bool Ordered> __global__ void past_dynamic(int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x + (Ordered ? 0 : 1)] = 1;      // past_dynamic
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x];
}

// What lies before dynamic shared memory is the static part.
template <bool Ordered> __global__ void before_dynamic(int *out) {
    extern __shared__ int tile[];
    __shared__ int fixed[32];
    fixed[threadIdx.x] = 0;
    __syncwarp();
    tile[threadIdx.x - (Ordered ? 0 : 1)] = 1;      // before_dynamic
    __syncwarp();
    out[threadIdx.x] = fixed[threadIdx.x] + tile[threadIdx.x];
}

__device__ int table[INTS], behind_table[INTS];
template <bool Ordered> __global__ void past_variable(int *out, long distance) {
    out[threadIdx.x] = table[threadIdx.x + (Ordered ? 0 : distance)];   // past_variable
}

template <bool Ordered> __global__ void past_local(int *out, int n) {
    int own[8];
    for (int i = 0; i < 8; i++) own[(i + n) % 8] = i;
    out[threadIdx.x] = own[(Ordered ? n % 8 : 10 * n)];        // past_local
}

static void run_variables() {
    void *first, *second;
    cudaGetSymbolAddress(&first, table);
    cudaGetSymbolAddress(&second, behind_table);
    RUN_ON(into_neighbour, 0, data);
    RUN_ON(past_shared, 0, data);
    RUN_ON(past_dynamic, 32 * sizeof(int), data);
    RUN_ON(before_dynamic, 32 * sizeof(int), data);
    RUN_ON(past_variable, 0, data, (long)((int *)second - (int *)first));
    RUN_ON(past_local, 0, data, 11);
}

// ---- freed memory --------------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void freed_read(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x];             // freed_read
}
template <bool Ordered> __global__ void freed_write(int *out) {
    out[threadIdx.x] = 1;                           // freed_write
}
template <bool Ordered> __global__ void freed_in_stream(int *out) {
    out[threadIdx.x] = 1;                           // freed_in_stream
}
template <bool Ordered> __global__ void freed_atomic(int *out) {
    atomicAdd(&out[threadIdx.x], 1);                // freed_atomic
}
// By the kernel itself, twice.
template <bool Ordered> __global__ void freed_twice(int *out) {
    int *own = new int[8];
    own[0] = threadIdx.x;
    out[threadIdx.x] = own[0];
    delete[] own;
    if (!Ordered) delete[] own;                     // freed_twice
}
// A pointer out of memory: nobody knows where it came from.
template <bool Ordered> __global__ void freed_list(int *const *list) {
    list[1][threadIdx.x] = 1;                       // freed_list
}

static void run_freed() {
    int *a = allocate_ints(), *b = allocate_ints(), *c = allocate_ints(), *d = allocate_ints(), **list, *in_order;
    int *const elements[] = {data, d};
    cudaMalloc(&list, sizeof elements);
    cudaMemcpy(list, elements, sizeof elements, cudaMemcpyHostToDevice);
    cudaMallocAsync(&in_order, SMALL_BYTES, 0);
    if (is_ordered) RUN_ON(freed_read, 0, a, data);
    cudaFree(a);                                    // freed_read
    if (!is_ordered) RUN_ON(freed_read, 0, a, data);
    if (is_ordered) RUN_ON(freed_write, 0, b);
    cudaFree(b);                                    // freed_write
    if (!is_ordered) RUN_ON(freed_write, 0, b);
    if (is_ordered) RUN_ON(freed_in_stream, 0, in_order);
    cudaFreeAsync(in_order, 0);                     // freed_in_stream
    if (!is_ordered) RUN_ON(freed_in_stream, 0, in_order);
    if (is_ordered) RUN_ON(freed_atomic, 0, c);
    cudaFree(c);                                    // freed_atomic
    if (!is_ordered) RUN_ON(freed_atomic, 0, c);
    RUN_ON(freed_twice, 0, data);
    if (is_ordered) RUN_ON(freed_list, 0, list);
    cudaFree(d);                                    // freed_list
    if (!is_ordered) RUN_ON(freed_list, 0, list);
    cudaFree(list);
}

// ---- alignment -----------------------------------------------------------------------------------------------------

template <bool Ordered> __global__ void misaligned_vector(const int *in, int *out) {
    const int4 four = ((const int4 *)(in + (Ordered ? 0 : 1)))[threadIdx.x];    // misaligned_vector
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
template <bool Ordered> __global__ void misaligned_write(char *out) {
    *(int *)(out + (Ordered ? 4 : 6) * threadIdx.x) = 1;       // misaligned_write
}
template <bool Ordered> __global__ void misaligned_shared(int *out) {
    extern __shared__ char bytes[];
    *(volatile int *)(bytes + (Ordered ? 4 : 5) * threadIdx.x) = 1;    // misaligned_shared
    __syncwarp();
    out[threadIdx.x] = bytes[threadIdx.x];
}
template <bool Ordered> __global__ void misaligned_atomic(char *out) {
    atomicAdd((int *)(out + (Ordered ? 4 : 2)), 1);            // misaligned_atomic
}

static void run_misaligned() {
    RUN_ON(misaligned_vector, 0, data + 512, data);
    RUN_ON(misaligned_write, 0, (char *)data);
    RUN_ON(misaligned_shared, 256, data);
    RUN_ON(misaligned_atomic, 0, (char *)data);
}

// ---- what looks wrong and is not -----------------------------------------------------------------------------------

template <bool> __global__ void count_back(int *end) { end[-1 - (int)threadIdx.x] = 1; }
template <bool> __global__ void from_one_on(int *before) { before[1 + threadIdx.x] = 1; }
template <bool> __global__ void with_halo(int *middle) { middle[(int)threadIdx.x - 16] = 1; }
template <bool> __global__ void of_either(int *a, int *b) { (threadIdx.x % 2 ? a : b)[threadIdx.x] = 1; }
template <bool> __global__ void by_distance(int *a, int *b) {
    for (int *at = a + threadIdx.x; at < a + 96; at += 32) {
        *at = 1;
        *(b + (at - a)) = 2;
    }
}
template <bool> __global__ void by_list(int *const *list, int n) {
    for (int i = 0; i < n; i++) list[i][threadIdx.x] = i;
}
template <bool> __global__ void rows_of_pitch(char *first, size_t pitch, int rows) {
    for (int y = 0; y < rows; y++) ((int *)(first + y * pitch))[threadIdx.x] = y;
}
template <bool> __global__ void own_heap(int *out) {
    int *own = new int[8];
    for (int i = 0; i < 8; i++) own[i] = i;
    out[threadIdx.x] = own[threadIdx.x % 8];
    delete[] own;
}
template <bool> __global__ void carved_up(int *out) {
    extern __shared__ int pieces[];
    int *first = pieces, *second = pieces + 32;
    first[threadIdx.x] = second[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
template <bool> __global__ void unused_null(int *out, int *maybe) {
    if (maybe) maybe[threadIdx.x] = 1;
    (maybe ? maybe : out)[threadIdx.x] = 2;
}

static void run_fine() {
    int *a = allocate_ints(), *b = allocate_ints(), *managed, **list, *const elements[] = {a, b};
    char *rows;
    size_t pitch;
    cudaMalloc(&list, sizeof elements);
    cudaMemcpy(list, elements, sizeof elements, cudaMemcpyHostToDevice);
    cudaMallocPitch(&rows, &pitch, 32 * sizeof(int), 4);
    cudaMallocManaged(&managed, SMALL_BYTES);
    RUN_ON(count_back, 0, a + INTS);
    RUN_ON(from_one_on, 0, a - 1);
    RUN_ON(with_halo, 0, a + 16);
    RUN_ON(of_either, 0, a, managed);
    RUN_ON(by_distance, 0, a, b);
    RUN_ON(by_list, 0, list, 2);
    RUN_ON(rows_of_pitch, 0, rows, pitch, 4);
    RUN_ON(own_heap, 0, b);
    RUN_ON(carved_up, 64 * sizeof(int), b);
    RUN_ON(unused_null, 0, b, nullptr);
}

static void run_bounds() {
    begin_case();
    run_fine();
    run_allocations();
    run_variables();
    run_freed();
    run_misaligned();
}
