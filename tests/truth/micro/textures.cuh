// Textures: linear memory and arrays, near and far fetches.
__global__ void tex_linear_1d(cudaTextureObject_t t, float *o, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1Dfetch<float>(t, (int)(((long long)i * stride) % n));
}
__global__ void tex_gather_1d(cudaTextureObject_t t, const int *at, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1Dfetch<float>(t, at[i]);
}
__global__ void ldg_gather_1d(const float *in, const int *at, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = __ldg(in + at[i]);
}
__global__ void tex_2d(cudaTextureObject_t t, float *o, int w, int h, float dx, float dy) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) o[y * w + x] = tex2D<float>(t, x + dx, y + dy);
}
__global__ void tex_2d_random(cudaTextureObject_t t, const int *at, float *o, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = at[y * w + x];
    o[y * w + x] = tex2D<float>(t, k % w + 0.5f, k / w + 0.5f);
}
__global__ void tex_2d_window(cudaTextureObject_t t, float *o, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int j = -r; j <= r; j++)
        for (int i = -r; i <= r; i++) s += tex2D<float>(t, x + i + 0.5f, y + j + 0.5f);
    o[y * w + x] = s;
}
__global__ void tex_2d_float4(cudaTextureObject_t t, float4 *o, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    o[y * w + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f);
}
static void textures(bool counted) {
    const int W = 2048, H = 1024, N = W * H;
    float *in, *o;
    int *at;
    M(cudaMalloc(&in, N * 16));
    M(cudaMalloc(&o, N * 16));
    M(cudaMalloc(&at, N * 4));
    M(cudaMemset(in, 0, N * 16));
    std::vector<int> host(N);
    uint64_t x = 88172645463325252ull;
    for (int &p : host) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        p = x % N;
    }
    M(cudaMemcpy(at, host.data(), N * 4, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t lin, point, smooth, four;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = in;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = N * 4;
    t.readMode = cudaReadModeElementType;
    M(cudaCreateTextureObject(&lin, &r, &t, 0));
    cudaArray_t array, array4;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), f4 = cudaCreateChannelDesc<float4>();
    M(cudaMallocArray(&array, &f, W, H));
    M(cudaMallocArray(&array4, &f4, W, H));
    M(cudaMemcpy2DToArray(array, 0, 0, in, W * 4, W * 4, H, cudaMemcpyDeviceToDevice));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    M(cudaCreateTextureObject(&point, &r, &t, 0));
    t.filterMode = cudaFilterModeLinear;
    M(cudaCreateTextureObject(&smooth, &r, &t, 0));
    r.res.array.array = array4;
    t.filterMode = cudaFilterModePoint;
    M(cudaCreateTextureObject(&four, &r, &t, 0));
    dim3 g(W / 16, H / 16), b(16, 16), g32(W / 32, H / 8), b32(32, 8);
#define T(name, ...)                                                                                                   \
    if (counted) {                                                                                                     \
        printf("L,%s\n", name);                                                                                        \
        __VA_ARGS__;                                                                                                   \
    } else                                                                                                             \
        timed(                                                                                                         \
            name, N, "fetches", [&] { __VA_ARGS__; }, 3)
    T("tex1d_stride_1", (tex_linear_1d<<<N / 256, 256>>>(lin, o, N, 1)));
    T("tex1d_stride_2", (tex_linear_1d<<<N / 256, 256>>>(lin, o, N, 2)));
    T("tex1d_stride_32", (tex_linear_1d<<<N / 256, 256>>>(lin, o, N, 32)));
    T("tex1d_random", (tex_gather_1d<<<N / 256, 256>>>(lin, at, o, N)));
    T("ldg_random", (ldg_gather_1d<<<N / 256, 256>>>(in, at, o, N)));
    T("tex2d_point_16x16", (tex_2d<<<g, b>>>(point, o, W, H, 0.5f, 0.5f)));
    T("tex2d_point_32x8", (tex_2d<<<g32, b32>>>(point, o, W, H, 0.5f, 0.5f)));
    T("tex2d_linear_16x16", (tex_2d<<<g, b>>>(smooth, o, W, H, 0.3f, 0.3f)));
    T("tex2d_linear_32x8", (tex_2d<<<g32, b32>>>(smooth, o, W, H, 0.3f, 0.3f)));
    T("tex2d_random", (tex_2d_random<<<g32, b32>>>(point, at, o, W, H)));
    T("tex2d_window_3x3", (tex_2d_window<<<g32, b32>>>(point, o, W, H, 1)));
    T("tex2d_window_7x7", (tex_2d_window<<<g32, b32>>>(point, o, W, H, 3)));
    T("tex2d_float4", (tex_2d_float4<<<g32, b32>>>(four, (float4 *)o, W, H)));
    M(cudaDeviceSynchronize());
}
