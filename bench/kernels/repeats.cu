// Programs that launch again and again: repeats CASE [SIZE [LAUNCHES]]. In the first three cases launches do what
// earlier ones did; in the others none does, and nothing can be saved. bench/repeats.py times them.
#include "common.h"
#include <cmath>
#include <cstring>

constexpr int ROUNDS = 16;

__global__ void smooth(float *out, const float *in, int n, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = in[i], next = in[(i + shift) % n];
    for (int k = 0; k < ROUNDS; k++) value = 0.5f * value + 0.5f * next;
    out[i] = value;
}

__global__ void smooth_in_place(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * out[i] + 0.25f;
}

struct buffers {
    std::vector<float> given;
    float *a, *b, *c;
    int n;
};

static void launch(float *out, const float *in, int n, int shift) {
    smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, in, n, shift);
}

// One launch, as programs time it.
static void same(buffers &x, int) { launch(x.b, x.a, x.n, 1); }
// Two kernels of which the second reads what the first has written.
static void chain(buffers &x, int) {
    launch(x.b, x.a, x.n, 1);
    launch(x.c, x.b, x.n, 2);
}
// The input is copied each time, and is the same.
static void copied(buffers &x, int) {
    check(cudaMemcpy(x.a, x.given.data(), x.n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    launch(x.b, x.a, x.n, 1);
}
// A hundred different launches in turns, all with one result.
static void turns(buffers &x, int i) { launch(x.b, x.a, x.n, i % 100); }
// The result of each is the input of the next.
static void exchanged(buffers &x, int) {
    launch(x.b, x.a, x.n, 1);
    std::swap(x.a, x.b);
}
static void in_place(buffers &x, int) { smooth_in_place<<<(x.n + BLOCK - 1) / BLOCK, BLOCK>>>(x.b, x.n); }
// No argument comes twice.
static void different(buffers &x, int i) { launch(x.b, x.a, x.n, i); }

static const struct {
    const char *name;
    void (*step)(buffers &x, int i);
} cases[] = {{"same", same},           {"chain", chain},       {"copied", copied},       {"turns", turns},
             {"exchanged", exchanged}, {"in_place", in_place}, {"different", different}};

int main(int argc, char **argv) {
    int n = argument(argc, argv, 2, 1 << 16), launches = argument(argc, argv, 3, 1000);
    for (const auto &each : cases) {
        if (argc < 2 || strcmp(argv[1], each.name)) continue;
        std::vector<float> given = numbers(n);
        buffers x = {given, on_device(given), on_device(given), on_device(given), n};
        for (int i = 0; i < launches; i++) each.step(x, i);
        double sum = 0;
        for (float value : result(x.b, n)) sum += value;
        printf("%s: %.9g\n", each.name, sum);
        return 0;
    }
    fprintf(stderr, "usage: %s CASE [SIZE [LAUNCHES]]; the cases are\n", argv[0]);
    for (const auto &each : cases) fprintf(stderr, "  %s\n", each.name);
    return 2;
}
