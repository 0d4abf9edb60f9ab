// All cases of this folder: with `racy` each has the hazard of its name, with `clean` none has any. With the name of
// one behind that, or `streams` or `undefined`, it runs without the others, for tools that end the program at the first
// hazard; those of these two parts run together.
#include "blocks.cuh"
#include "bounds.cuh"
#include "clusters.cuh"
#include "copies.cuh"
#include "messages.cuh"
#include "patterns.cuh"
#include "phases.cuh"
#include "rows.cuh"
#include "streams.cuh"
#include "undefined.cuh"
#include "warps.cuh"

int main(int argc, char **argv) {
    is_ordered = argc > 1 && strcmp(argv[1], "clean") == 0;
    only = argc > 2 ? argv[2] : NULL;
    cudaMalloc(&data, DATA_BYTES);
    run_blocks();
    run_warps();
    run_messages();
    run_copies();
    run_phases();
    run_clusters();
    run_rows();
    if (is_wanted("streams")) run_streams();
    run_patterns();
    run_bounds();
    if (is_wanted("undefined")) run_undefined();
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error ? cudaGetErrorString(error) : "done");
    return error != 0;
}
