// Reads through texture objects and prints the bits. textures.h200.txt is what an H200 printed.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define GOOD(call)                                                                      \
    do {                                                                                \
        cudaError_t e = (call);                                                         \
        if (e) printf("line %d: %s\n", __LINE__, cudaGetErrorName(e)), exit(1);         \
    } while (0)

enum { POINTS = 48, WIDTH = 5, HEIGHT = 3, DEPTH = 4 };

__device__ static void put(unsigned int *out, int i, float v) { out[i] = __float_as_uint(v); }
__device__ static void put(unsigned int *out, int i, int v) { out[i] = (unsigned int)v; }
__device__ static void put(unsigned int *out, int i, unsigned int v) { out[i] = v; }

template <class T> __global__ void read_1d(cudaTextureObject_t t, unsigned int *out, float first, float step) {
    int i = threadIdx.x;
    put(out, i, tex1D<T>(t, first + step * i));
}
template <class T> __global__ void read_2d(cudaTextureObject_t t, unsigned int *out, float first, float step) {
    int i = threadIdx.x;
    put(out, i, tex2D<T>(t, first + step * i, 2.25f - 0.37f * step * i));
}
template <class T> __global__ void read_3d(cudaTextureObject_t t, unsigned int *out, float first, float step) {
    int i = threadIdx.x;
    put(out, i, tex3D<T>(t, first + step * i, 1.25f + 0.2f * step * i, 3.5f - 0.4f * step * i));
}
__global__ void fetch_floats(cudaTextureObject_t t, unsigned int *out) {
    put(out, threadIdx.x, tex1Dfetch<float>(t, (int)threadIdx.x * 3 - 9));
}
__global__ void fetch_bytes(cudaTextureObject_t t, unsigned int *out) {
    uchar4 v = tex1Dfetch<uchar4>(t, (int)threadIdx.x - 2);
    out[threadIdx.x] = v.x | v.y << 8 | v.z << 16 | (unsigned int)v.w << 24;
}

static unsigned int *out;

static void print(const char *what, int a = 0, int b = 0, int c = 0) {
    unsigned int host[POINTS];
    GOOD(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %d %d %d:", what, a, b, c);
    for (int i = 0; i < POINTS; i++) printf(" %x", host[i]);
    printf("\n");
}

static cudaTextureObject_t make(const cudaResourceDesc &resource, int edge, int filter, bool normalized,
                                cudaTextureReadMode mode) {
    cudaTextureObject_t t;
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    for (int axis = 0; axis < 3; axis++) desc.addressMode[axis] = (cudaTextureAddressMode)edge;
    desc.filterMode = (cudaTextureFilterMode)filter;
    desc.readMode = mode;
    desc.normalizedCoords = normalized;
    GOOD(cudaCreateTextureObject(&t, &resource, &desc, NULL));
    return t;
}

static cudaTextureObject_t plain(const cudaResourceDesc &resource, int edge, int filter, bool normalized) {
    return make(resource, edge, filter, normalized, cudaReadModeElementType);
}

static cudaResourceDesc array_of(const float *values, int width, int height, int depth) {
    cudaResourceDesc resource;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMemcpy3DParms copy;
    memset(&resource, 0, sizeof resource);
    memset(&copy, 0, sizeof copy);
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), 0));
    copy.srcPtr = make_cudaPitchedPtr((void *)values, width * sizeof(float), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void arrays() {
    float values[WIDTH * HEIGHT * DEPTH];
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++) values[i] = (float)(i * i % 97) - 20.5f;
    cudaResourceDesc line = array_of(values, WIDTH, 0, 0), plane = array_of(values, WIDTH, HEIGHT, 0);
    cudaResourceDesc box = array_of(values, WIDTH, HEIGHT, DEPTH);
    for (int edge = 0; edge < 4; edge++)
        for (int filter = 0; filter < 2; filter++)
            for (int normalized = 0; normalized < 2; normalized++) {
                // Wrapping and mirroring are for normalized coordinates.
                if (!normalized && (edge == cudaAddressModeWrap || edge == cudaAddressModeMirror)) continue;
                float first = normalized ? -1.7f : -2.f, step = normalized ? 0.0831f : 0.1937f;
                read_1d<float><<<1, POINTS>>>(plain(line, edge, filter, normalized), out, first, step);
                print("1d", edge, filter, normalized);
                read_2d<float><<<1, POINTS>>>(plain(plane, edge, filter, normalized), out, first, step);
                print("2d", edge, filter, normalized);
                read_3d<float><<<1, POINTS>>>(plain(box, edge, filter, normalized), out, first, step);
                print("3d", edge, filter, normalized);
            }
}

// Bytes in rows that are 512 apart; as integers and as fractions.
static void pitched() {
    unsigned char bytes[HEIGHT][WIDTH];
    void *p;
    size_t pitch;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) bytes[y][x] = (unsigned char)(y * 83 + x * 37);
    GOOD(cudaMallocPitch(&p, &pitch, WIDTH, HEIGHT));
    GOOD(cudaMemcpy2D(p, pitch, bytes, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = p;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        resource.res.pitch2D.desc =
            is_signed ? cudaCreateChannelDesc<signed char>() : cudaCreateChannelDesc<unsigned char>();
        cudaTextureObject_t t = plain(resource, cudaAddressModeClamp, cudaFilterModePoint, false);
        if (is_signed) read_2d<int><<<1, POINTS>>>(t, out, -2.f, 0.1937f);
        else read_2d<unsigned int><<<1, POINTS>>>(t, out, -2.f, 0.1937f);
        print("bytes", is_signed);
        for (int filter = 0; filter < 2; filter++) {
            t = make(resource, cudaAddressModeBorder, filter, false, cudaReadModeNormalizedFloat);
            read_2d<float><<<1, POINTS>>>(t, out, -2.f, 0.1937f);
            print("fractions", is_signed, filter);
        }
    }
}

static void linear() {
    float values[100];
    void *p;
    for (int i = 0; i < 100; i++) values[i] = i * 0.5f;
    GOOD(cudaMalloc(&p, sizeof values));
    GOOD(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof values;
    fetch_floats<<<1, POINTS>>>(plain(resource, cudaAddressModeClamp, cudaFilterModePoint, false), out);
    print("fetch");
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = 160;
    fetch_bytes<<<1, POINTS>>>(plain(resource, cudaAddressModeClamp, cudaFilterModePoint, false), out);
    print("fetch bytes");
}

// What is refused, and with which error.
static void refusals() {
    cudaTextureObject_t t = 0;
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    void *p;
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    GOOD(cudaMalloc(&p, 4096));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = p;
    resource.res.pitch2D.width = 16;
    resource.res.pitch2D.height = 8;
    resource.res.pitch2D.pitchInBytes = 512;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    desc.filterMode = cudaFilterModeLinear;
    printf("filtered integers: %s\n", cudaGetErrorName(cudaCreateTextureObject(&t, &resource, &desc, NULL)));
    desc.filterMode = cudaFilterModePoint;
    printf("nothing: %s\n", cudaGetErrorName(cudaCreateTextureObject(NULL, &resource, &desc, NULL)));
    printf("good: %s\n", cudaGetErrorName(cudaCreateTextureObject(&t, &resource, &desc, NULL)));
    printf("destroyed: %s\n", cudaGetErrorName(cudaDestroyTextureObject(t)));
}

int main() {
    GOOD(cudaMalloc(&out, POINTS * sizeof *out));
    arrays();
    pitched();
    linear();
    refusals();
    return 0;
}
