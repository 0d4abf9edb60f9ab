// Runs of bytes from the device's memory to this machine's, over the bus, while copies go the other way.
//
// Idea       Lanes write aligned words of 16 bytes, warps four aligned lines of 128, so that the bus carries whole
//            lines. `in` lies as `out` does in words of 16 bytes: what is a whole word on one side is one on the other,
//            and only the ends of runs are stored in smaller pieces. A few blocks take all words by turns; the host
//            (src/op/transpose/transpose_host.c) keeps their number where as much is written as copies bring: of
//            more the requests of the copies' reads wait behind the writes.
// Predicted  One word for each thread is under way, for about half a microsecond: 2 GB/s for 64 threads, so 22 blocks
//            for a bus that carries 48 GB/s each way.
// Measured   docs/performance.md, "Arrays larger than the device's memory".
// Held back  By the bus.
//
//   THREADS              per block
//   GRID_AXES            1, for the words of a run, and one for each axis that counts runs
#define INDEX_BITS 64    // steps of the grid are bytes
#include "common/boxes.cuh"
#include "common/word.cuh"

struct send_shape {
    unsigned words;                     // in all: of each run those of the lines that it touches where it lies worst
    int run_bytes;
    grid_axis grid[GRID_AXES];
};

constexpr int WORD = 16, LINE = 128;    // bytes

// The bytes [at, end) of a word, in pieces that lie at multiples of themselves. `to` is where the word's first byte
// goes.
__device__ void store_part(char *to, const parts_of<unsigned long long, 2> &word, int at, int end) {
    while (at < end) {
        const unsigned long long rest = word.parts[at / 8] >> at % 8 * 8;
        int bytes = 8;
        while (at & (bytes - 1) || bytes > end - at) bytes /= 2;
        switch (bytes) {
        case 1: *(word_of<1> *)(to + at) = (word_of<1>)rest; break;
        case 2: *(word_of<2> *)(to + at) = (word_of<2>)rest; break;
        case 4: *(word_of<4> *)(to + at) = (word_of<4>)rest; break;
        default: *(unsigned long long *)(to + at) = rest;
        }
        at += bytes;
    }
}

extern "C" __global__ __launch_bounds__(THREADS) void send(const char *in, char *out, const send_shape shape) {
    for (unsigned word = blockIdx.x * THREADS + threadIdx.x; word < shape.words; word += gridDim.x * THREADS) {
        const char *from = in;
        char *to = out;
        unsigned numbers[GRID_AXES];
        number_along_grid<GRID_AXES>(word, shape.grid, numbers);
        step_along_grid<1, GRID_AXES>(shape.grid, numbers, from, to);
        const int at = (int)numbers[0] * WORD - (int)((unsigned long long)to % LINE);
        if (at <= -WORD || at >= shape.run_bytes) continue;
        parts_of<unsigned long long, 2> loaded;
        loaded.whole = *(const word_of<WORD> *)(from + at);   // with what lies beside the run
        if (at >= 0 && at + WORD <= shape.run_bytes) *(word_of<WORD> *)(to + at) = loaded.whole;
        else store_part(to + at, loaded, max(-at, 0), min(shape.run_bytes - at, WORD));
    }
}
