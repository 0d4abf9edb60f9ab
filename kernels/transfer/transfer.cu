// For `halfwarp bandwidth`: a copy that reads or writes this machine's memory from the GPU (mapped, "zero-copy"), and
// work of any length for copies to overlap with. Both take any number of 16-byte words and any grid.
struct __align__(16) word { unsigned x, y, z, w; };

extern "C" __global__ void transfer_copy(word *__restrict__ out, const word *__restrict__ in,
                                         unsigned long long words) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step)
        out[i] = in[i];
}

// Rounds of a linear congruential generator on each word, in place: nothing that a compiler can leave out.
extern "C" __global__ void transfer_work(word *out, unsigned long long words, int rounds) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) {
        word value = out[i];
        for (int k = 0; k < rounds; k++) {
            value.x = value.x * 1664525u + 1013904223u;
            value.y ^= value.x;
        }
        out[i] = value;
    }
}
