// Constants: `words` different words of a warp; and more than the cache holds.
__constant__ int table[16384];
__global__ void constants(int *o, int words, int rounds, int span) {
    int lane = threadIdx.x % 32, s = 0, k = lane % words;
    for (int r = 0; r < rounds; r++) {
        s += table[(k + r * 64) % span];
    }
    if (s == -1) *o = s;
}
__global__ void constants_walk(int *o, int span, int rounds) {
    int s = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < span; i += 16) s += table[i + (s & 1)];
    if (s == -1) *o = s;
}
static void constant(bool counted) {
    int *o;
    char label[100];
    M(cudaMalloc(&o, 4));
    for (int words : {1, 2, 4, 8, 16, 32}) {
        snprintf(label, sizeof label, "constant_%d_words", words);
        if (counted) {
            printf("L,%s\n", label);
            constants<<<132, 256>>>(o, words, 64, 256);
        } else
            timed(
                label, 132.0 * 4 * 8 * 1024, "warp_loads", [&] { constants<<<132 * 4, 256>>>(o, words, 1024, 256); },
                3);
    }
    for (int kb : {1, 2, 4, 8, 16, 32, 64}) {
        snprintf(label, sizeof label, "constant_walk_%d_KB", kb);
        int span = kb * 256;
        if (counted) {
            printf("L,%s\n", label);
            constants_walk<<<132, 32>>>(o, span, 4);
        } else
            timed(
                label, 132.0 * span / 16 * 64, "warp_loads", [&] { constants_walk<<<132, 32>>>(o, span, 64); }, 3);
    }
    M(cudaDeviceSynchronize());
}
