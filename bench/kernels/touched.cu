// Memory that launches touch, each element once a launch, in the way that is named: bench/check.py --memory measures
// what `halfwarp check` keeps of it. usage: touched WAY MEGABYTES; a power of two
#include <cstring>

#include "common.h"

typedef unsigned char byte;
enum { PIECE = 32 };

// Which byte a thread's k-th is: each of a piece of its own, so that lanes are apart; or any, so that neighbours are of
// different warps.
struct apart {
    __device__ static unsigned of(unsigned thread, unsigned k, unsigned) { return thread * PIECE + k; }
};
struct anywhere {
    __device__ static unsigned of(unsigned thread, unsigned k, unsigned bytes) {
        return (thread * PIECE + k) * 2654435761u % bytes;    // odd, so that each comes once
    }
};

__device__ static unsigned own() { return blockIdx.x * BLOCK + threadIdx.x; }

__global__ void write_rows(int *data) { data[own()] = 1; }

__global__ void write_words(int *data) {
    for (unsigned k = 0; k < PIECE / 4; k++) data[own() * (PIECE / 4) + k] = 1;
}

__global__ void read_words(const int *data, int *sum) {
    int mine = 0;
    for (unsigned k = 0; k < PIECE / 4; k++) mine += data[own() * (PIECE / 4) + k];
    if (mine == 1) *sum = mine;                       // no sum is 1, which no compiler knows
}

template <class Place> __global__ void write_bytes(byte *data, unsigned bytes) {
    for (unsigned k = 0; k < PIECE; k++) data[Place::of(own(), k, bytes)] = k;
}

template <class Place> __global__ void read_bytes(const byte *data, unsigned bytes, int *sum) {
    int mine = 0;
    for (unsigned k = 0; k < PIECE; k++) mine += data[Place::of(own(), k, bytes)];
    if (mine == 1) *sum = mine;
}

template <class Place> __global__ void add_to_bytes(byte *data, unsigned bytes) {
    for (unsigned k = 0; k < PIECE; k++) data[Place::of(own(), k, bytes)] += k;
}

// Written by one warp of the block, and read by the next one behind the barrier.
template <class Place> __global__ void exchange_bytes(byte *data, unsigned bytes, int *sum) {
    int mine = 0;
    for (unsigned k = 0; k < PIECE; k++) data[Place::of(own(), k, bytes)] = k;
    __syncthreads();
    for (unsigned k = 0; k < PIECE; k++) mine += data[Place::of(own() ^ 32, k, bytes)];
    if (mine == 1) *sum = mine;
}

struct memory {
    byte *data;
    unsigned bytes;
    int *sum;
    unsigned blocks(unsigned each) const { return bytes / each / BLOCK; }
};

template <class Place> static bool touch_bytes(const char *way, const memory &m) {
    const bool writes = strstr(way, "written"), exchanges = strstr(way, "exchanged"), adds = strstr(way, "changed");
    const unsigned blocks = m.blocks(PIECE);
    if (exchanges) exchange_bytes<Place><<<blocks, BLOCK>>>(m.data, m.bytes, m.sum);
    else if (adds) add_to_bytes<Place><<<blocks, BLOCK>>>(m.data, m.bytes);
    else if (writes) write_bytes<Place><<<blocks, BLOCK>>>(m.data, m.bytes);
    if (strstr(way, "read")) read_bytes<Place><<<blocks, BLOCK>>>(m.data, m.bytes, m.sum);
    return writes || exchanges || adds;
}

static bool touch_words(const char *way, const memory &m) {
    write_words<<<m.blocks(PIECE), BLOCK>>>((int *)m.data);
    if (strstr(way, "read")) read_words<<<m.blocks(PIECE), BLOCK>>>((int *)m.data, m.sum);
    return true;
}

static bool touch(const char *way, const memory &m) {
    if (!strcmp(way, "rows")) write_rows<<<m.blocks(4), BLOCK>>>((int *)m.data);
    else if (!strncmp(way, "words", 5)) return touch_words(way, m);
    else if (!strncmp(way, "bytes", 5)) return touch_bytes<apart>(way, m);
    else if (!strncmp(way, "anywhere", 8)) return touch_bytes<anywhere>(way, m);
    else return strcmp(way, "rows") == 0 || strcmp(way, "none") == 0;
    return true;
}

int main(int argc, char **argv) {
    memory m = {};
    m.bytes = (unsigned)argument(argc, argv, 2, 16) << 20;
    check(cudaMalloc(&m.data, m.bytes), "cudaMalloc");
    check(cudaMalloc(&m.sum, sizeof *m.sum), "cudaMalloc");
    check(cudaMemset(m.data, 0, m.bytes), "cudaMemset");
    if (argc < 2 || !touch(argv[1], m)) {
        fprintf(stderr, "usage: %s none|rows|words[-read]|(bytes|anywhere)-(written|changed|exchanged)[-read] "
                        "[MEGABYTES]\n", argv[0]);
        return 2;
    }
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
