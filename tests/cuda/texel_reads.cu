// What texture fetches find in a multiprocessor's cache: rows of the H200's own program (truth/micro/textures.cuh), a
// quarter of its size, a gather of random words by global memory and by a texture, from a large array and from a small
// table, and blocks that read each sector of their part once.
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int WIDTH = 2048, HEIGHT = 256, N = WIDTH * HEIGHT, GATHERED = N / 4, TABLE = 1024;

__global__ void plane(cudaTextureObject_t t, float *out, float shift) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDTH + x] = tex2D<float>(t, x + shift, y + shift);
}
__global__ void window(cudaTextureObject_t t, float *out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) sum += tex2D<float>(t, x + i + 0.5f, y + j + 0.5f);
    out[y * WIDTH + x] = sum;
}
__global__ void gather(const float *in, const int *at, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[at[i]];
}
__global__ void gather_texels(cudaTextureObject_t t, const int *at, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<float>(t, at[i]);
}

__global__ void once(cudaTextureObject_t t, float *out) {
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += tex1Dfetch<float>(t, 8 * ((16 * blockIdx.x + k) * blockDim.x + threadIdx.x));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static cudaTextureObject_t make(const cudaResourceDesc &of, cudaTextureFilterMode filter) {
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    how.filterMode = filter;
    must(cudaCreateTextureObject(&texture, &of, &how, nullptr));
    return texture;
}

int main() {
    float *in, *out;
    int *at;
    cudaArray_t array;
    const cudaChannelFormatDesc words = cudaCreateChannelDesc<float>();
    must(cudaMalloc(&in, N * sizeof *in));
    must(cudaMalloc(&out, N * sizeof *out));
    must(cudaMalloc(&at, GATHERED * sizeof *at));
    must(cudaMemset(in, 0, N * sizeof *in));
    must(cudaMallocArray(&array, &words, WIDTH, HEIGHT));
    cudaResourceDesc image = {}, line = {};
    image.resType = cudaResourceTypeArray;
    image.res.array.array = array;
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = in;
    line.res.linear.desc = words;
    line.res.linear.sizeInBytes = N * sizeof *in;
    const cudaTextureObject_t point = make(image, cudaFilterModePoint), smooth = make(image, cudaFilterModeLinear),
                              texels = make(line, cudaFilterModePoint);
    const dim3 square(16, 16), flat(32, 8);
    plane<<<dim3(WIDTH / 16, HEIGHT / 16), square>>>(point, out, 0.5f);
    plane<<<dim3(WIDTH / 32, HEIGHT / 8), flat>>>(smooth, out, 0.3f);
    window<<<dim3(WIDTH / 32, HEIGHT / 8), flat>>>(point, out);
    std::vector<int> places(GATHERED);
    for (const int most : {N, TABLE}) {
        unsigned random = 1;
        for (int &place : places) place = (int)(((random = random * 1664525u + 1013904223u) >> 8) % (unsigned)most);
        must(cudaMemcpy(at, places.data(), GATHERED * sizeof *at, cudaMemcpyHostToDevice));
        gather<<<GATHERED / 256, 256>>>(in, at, out);
        gather_texels<<<GATHERED / 256, 256>>>(texels, at, out);
    }
    once<<<N / 8 / 16 / 256, 256>>>(texels, out);
    must(cudaDeviceSynchronize());
    return 0;
}
