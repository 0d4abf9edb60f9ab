// Layers, cubes and surfaces: what is read and written where; arrays.h100.txt has what an H100
// prints (nvcc 13.0, November 2026).
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define GOOD(call)                                                                                             \
    do {                                                                                                       \
        cudaError_t error = call;                                                                              \
        if (error) printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));                                 \
    } while (0)

enum { POINTS = 64 };

static cudaArray_t make_array(cudaExtent extent, unsigned flags, size_t rows, size_t slices, const float *texels) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    GOOD(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr((void *)texels, extent.width * sizeof(float), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t make_texture(cudaArray_t array, bool filters, bool normalizes, cudaTextureAddressMode edge) {
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    cudaTextureObject_t t = 0;
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    desc.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.normalizedCoords = normalizes;
    for (int axis = 0; axis < 3; axis++) desc.addressMode[axis] = edge;
    GOOD(cudaCreateTextureObject(&t, &resource, &desc, NULL));
    return t;
}

// Places all over and beyond the texture, the same in every run.
__device__ float place(int i, int axis, float size) {
    unsigned bits = (unsigned)(i * 3 + axis + 1) * 2654435761u;
    return ((int)(bits >> 16 & 1023) - 256) / 512.0f * size;
}

__global__ void lines(cudaTextureObject_t t, float size, float *out) {
    int i = threadIdx.x;
    out[i] = tex1DLayered<float>(t, place(i, 0, size), i % 6 - 1);
}
__global__ void planes(cudaTextureObject_t t, float size, float *out) {
    int i = threadIdx.x;
    out[i] = tex2DLayered<float>(t, place(i, 0, size), place(i, 1, size), i % 6 - 1);
}
__device__ float3 direction(int i) {
    return make_float3(place(i, 0, 1) - 0.5f, place(i, 1, 1) - 0.5f, place(i, 2, 1) - 0.5f);
}
__global__ void cube(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    float3 d = direction(i);
    out[i] = texCubemap<float>(t, d.x, d.y, d.z);
}
__global__ void cubes(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    float3 d = direction(i);
    out[i] = texCubemapLayered<float>(t, d.x, d.y, d.z, i % 4 - 1);
}

template <class T> static void tell(const char *name, const T *device, int n) {
    std::vector<T> host(n);
    GOOD(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    printf("%s", name);
    for (int i = 0; i < n; i++) {
        unsigned bits = 0;
        memcpy(&bits, &host[i], sizeof(T));
        printf(" %x", bits);
    }
    printf("\n");
}

static float texels[12 * 16 * 16];

static void read_layers(float *out) {
    const cudaTextureAddressMode edges[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    cudaArray_t line = make_array(make_cudaExtent(16, 0, 4), cudaArrayLayered, 1, 4, texels);
    cudaArray_t plane = make_array(make_cudaExtent(16, 8, 4), cudaArrayLayered, 8, 4, texels);
    for (int filters = 0; filters < 2; filters++)
        for (int edge = 0; edge < 4; edge++) {
            char name[32];
            snprintf(name, sizeof name, "lines %d %d", filters, edge);
            lines<<<1, POINTS>>>(make_texture(line, filters, true, edges[edge]), 1, out);
            tell(name, out, POINTS);
            snprintf(name, sizeof name, "planes %d %d", filters, edge);
            planes<<<1, POINTS>>>(make_texture(plane, filters, true, edges[edge]), 1, out);
            tell(name, out, POINTS);
        }
    planes<<<1, POINTS>>>(make_texture(plane, true, false, cudaAddressModeClamp), 8, out);
    tell("planes in texels", out, POINTS);
}

static void read_cubes(float *out) {
    cudaArray_t one = make_array(make_cudaExtent(16, 16, 6), cudaArrayCubemap, 16, 6, texels);
    cudaArray_t two = make_array(make_cudaExtent(8, 8, 12), cudaArrayCubemap | cudaArrayLayered, 8, 12, texels);
    for (int filters = 0; filters < 2; filters++) {
        cube<<<1, POINTS>>>(make_texture(one, filters, true, cudaAddressModeWrap), out);
        tell(filters ? "cube filtered" : "cube", out, POINTS);
        cubes<<<1, POINTS>>>(make_texture(two, filters, true, cudaAddressModeClamp), out);
        tell(filters ? "cubes filtered" : "cubes", out, POINTS);
    }
}

template <class T> __global__ void write_plane(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite((T)(100 * y + x), s, (int)sizeof(T) * (x - 1), y - 1, cudaBoundaryModeZero);
}
template <class T> __global__ void read_plane(cudaSurfaceObject_t s, T *out) {
    int x = threadIdx.x, y = threadIdx.y, width = blockDim.x, n = width * blockDim.y, i = y * width + x;
    surf2Dread(&out[i], s, (int)sizeof(T) * (x - 1), y - 1, cudaBoundaryModeZero);
    surf2Dread(&out[n + i], s, (int)sizeof(T) * (x - 1), y - 1, cudaBoundaryModeClamp);
}
template <class T> static void use_plane(const char *name) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc resource;
    cudaSurfaceObject_t s;
    T *out;
    memset(&resource, 0, sizeof resource);
    GOOD(cudaMalloc(&out, 2 * 80 * sizeof(T)));
    GOOD(cudaMallocArray(&array, &format, 8, 6, cudaArraySurfaceLoadStore));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    GOOD(cudaCreateSurfaceObject(&s, &resource));
    write_plane<T><<<1, dim3(10, 8)>>>(s);
    read_plane<<<1, dim3(10, 8)>>>(s, out);
    tell(name, out, 160);
    GOOD(cudaDestroySurfaceObject(s));
    GOOD(cudaFreeArray(array));
}

__global__ void write_solid(cudaSurfaceObject_t s, bool is_layered) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    float4 value = make_float4(x, y, z, 0.5f);
    if (is_layered) surf2DLayeredwrite(value, s, 16 * x, y, z);
    else surf3Dwrite(value, s, 16 * x, y, z);
}
__global__ void read_solid(cudaSurfaceObject_t s, bool is_layered, float *out) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    float4 value = is_layered ? surf2DLayeredread<float4>(s, 16 * (3 - x), y, z)
                              : surf3Dread<float4>(s, 16 * (3 - x), y, z);
    out[(z * 4 + y) * 4 + x] = value.x + 10 * value.y + 100 * value.z + value.w;
}
static void use_solid(float *out) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    for (int layered = 0; layered < 2; layered++) {
        cudaArray_t array;
        cudaResourceDesc resource;
        cudaSurfaceObject_t s;
        memset(&resource, 0, sizeof resource);
        GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 4),
                               cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        GOOD(cudaCreateSurfaceObject(&s, &resource));
        write_solid<<<1, dim3(4, 4, 4)>>>(s, layered);
        read_solid<<<1, dim3(4, 4, 4)>>>(s, layered, out);
        tell(layered ? "layers" : "solid", out, 64);
    }
}

int main() {
    float *out;
    for (int i = 0; i < (int)(sizeof texels / sizeof *texels); i++) texels[i] = (float)(i * 37 % 1013) / 7;
    GOOD(cudaMalloc(&out, 4 * POINTS * sizeof *out));
    read_layers(out);
    read_cubes(out);
    use_plane<float>("words");
    use_plane<unsigned char>("bytes");
    use_plane<short>("shorts");
    use_solid(out);
    return 0;
}
