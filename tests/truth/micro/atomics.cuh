// Atomics: `same` lanes of a warp meet in one word.
enum { INT_ADD, FLOAT_ADD, DOUBLE_ADD, CAS, MIN_INT, LONG_ADD, EXCH, AND_OR, HALF2_ADD, OPS };
static const char *op_names[OPS] = {"int_add", "float_add", "double_add",      "cas", "int_min", "long_add",
                                    "exch",    "or",        "returned_int_add"};
template <int OP> __device__ void act(char *place, int lane, int *keep) {
    if (OP == INT_ADD) atomicAdd((int *)place, lane + 1);
    if (OP == FLOAT_ADD) atomicAdd((float *)place, 1.0f);
    if (OP == DOUBLE_ADD) atomicAdd((double *)place, 1.0);
    if (OP == CAS) *keep += atomicCAS((int *)place, lane, lane + 1);
    if (OP == MIN_INT) atomicMin((int *)place, lane);
    if (OP == LONG_ADD) atomicAdd((unsigned long long *)place, lane + 1ull);
    if (OP == EXCH) *keep += atomicExch((int *)place, lane);
    if (OP == AND_OR) atomicOr((int *)place, 1 << lane);
    if (OP == HALF2_ADD) *keep += atomicAdd((int *)place, lane);
}
template <int OP> __global__ void shared_atomics(int same, int width, int rounds, int *out) {
    extern __shared__ char words[];
    for (int i = threadIdx.x; i < 32 * 8 * (int)(blockDim.x / 32) / 4; i += blockDim.x) ((int *)words)[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, keep = 0;
    char *place = words + threadIdx.x / 32 * 256 + lane / same * width;
    for (int r = 0; r < rounds; r++) act<OP>(place, lane, &keep);
    __syncthreads();
    if (keep == -12345 || ((int *)words)[threadIdx.x % 64] == -12345) *out = keep;
}
template <int OP> __global__ void global_atomics(char *data, int same, int width, int rounds, int *out, int apart) {
    int lane = threadIdx.x % 32, keep = 0;
    size_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *place = data + warp % 65536 * apart + lane / same * width;
    for (int r = 0; r < rounds; r++) act<OP>(place, lane, &keep);
    if (keep == -12345) *out = keep;
}
template <int OP> static void atomics_of(char *d, int *o, bool counted) {
    int width = OP == DOUBLE_ADD || OP == LONG_ADD ? 8 : 4;
    char label[100];
    for (int same : {1, 2, 4, 8, 16, 32}) {
        if (counted) {
            printf("L,shared %s %d\n", op_names[OP], same);
            shared_atomics<OP><<<1, 32, 256>>>(same, width, 1, o);
            printf("L,global %s %d\n", op_names[OP], same);
            global_atomics<OP><<<1, 32>>>(d, same, width, 1, o, 256);
            continue;
        }
        snprintf(label, sizeof label, "shared_%s_%d", op_names[OP], same);
        timed(
            label, 132.0 * 4 * 8 * 256, "warp_ops",
            [&] { shared_atomics<OP><<<132 * 4, 256, 2048>>>(same, width, 256, o); }, 3);
        snprintf(label, sizeof label, "global_%s_%d", op_names[OP], same);
        timed(
            label, 132.0 * 4 * 8 * 32, "warp_ops",
            [&] { global_atomics<OP><<<132 * 4, 256>>>(d, same, width, 32, o, 256); }, 3);
    }
    if (counted) return;
    snprintf(label, sizeof label, "global_one_word_%s", op_names[OP]);
    timed(
        label, 132.0 * 4 * 8 * 4, "warp_ops", [&] { global_atomics<OP><<<132 * 4, 256>>>(d, 32, width, 4, o, 0); }, 3);
}
__global__ void shared_random(const int *places, int rounds, int bins, int *out,
                              int op) {   // a histogram: bins words, places by a table
    extern __shared__ char words[];
    int *w = (int *)words;
    for (int i = threadIdx.x; i < bins; i += blockDim.x) w[i] = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        int b = places[r * 32 + threadIdx.x % 32] % bins;
        if (op == 0) atomicAdd(w + b, 1);
        else atomicAdd((float *)w + b, 1.0f);
    }
    __syncthreads();
    if (w[threadIdx.x % bins] == -12345) *out = 1;
}
static void atomics(bool counted) {
    char *d;
    int *o;
    M(cudaMalloc(&d, 65536 * 256 + 4096));
    M(cudaMemset(d, 0, 65536 * 256));
    M(cudaMalloc(&o, 4));
    atomics_of<INT_ADD>(d, o, counted);
    atomics_of<FLOAT_ADD>(d, o, counted);
    atomics_of<DOUBLE_ADD>(d, o, counted);
    atomics_of<CAS>(d, o, counted);
    atomics_of<MIN_INT>(d, o, counted);
    atomics_of<LONG_ADD>(d, o, counted);
    atomics_of<EXCH>(d, o, counted);
    atomics_of<AND_OR>(d, o, counted);
    atomics_of<HALF2_ADD>(d, o, counted);
    int *places;
    std::vector<int> host(64 * 32);
    uint32_t x = 12345;
    for (int &p : host) {
        x = x * 1664525u + 1013904223u;
        p = x >> 8;
    }
    M(cudaMalloc(&places, host.size() * 4));
    M(cudaMemcpy(places, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
    for (int op = 0; op < 2; op++)
        for (int bins : {4, 16, 32, 64, 256, 1024}) {
            char label[100];
            snprintf(label, sizeof label, "shared_random_%s_%d_bins", op ? "float" : "int", bins);
            if (counted) {
                printf("L,%s\n", label);
                shared_random<<<1, 32, 4096>>>(places, 64, bins, o, op);
            } else
                timed(
                    label, 132.0 * 4 * 8 * 64, "warp_ops",
                    [&] { shared_random<<<132 * 4, 256, 4096>>>(places, 64, bins, o, op); }, 3);
        }
    M(cudaDeviceSynchronize());
}
