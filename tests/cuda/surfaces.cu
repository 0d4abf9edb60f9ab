// Surfaces, layers and cubes against what the CUDA programming guide says of them: what is written where, what becomes
// of places outside, which layer and which face is read. Prints what is not so. With an argument: a write outside.
#include <cstdio>
#include <cstring>

#include "../shim/expect.h"

enum { WIDTH = 8, HEIGHT = 6, AROUND = 1 };

static cudaResourceDesc describe(cudaArray_t array) {
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

template <class T> __global__ void write_plane(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x - AROUND, y = (int)threadIdx.y - AROUND;
    surf2Dwrite((T)(10 * y + x), s, (int)sizeof(T) * x, y, cudaBoundaryModeZero);
}
template <class T> __global__ void read_plane(cudaSurfaceObject_t s, T *zero, T *clamped) {
    int x = (int)threadIdx.x - AROUND, y = (int)threadIdx.y - AROUND, i = threadIdx.y * blockDim.x + threadIdx.x;
    zero[i] = surf2Dread<T>(s, (int)sizeof(T) * x, y, cudaBoundaryModeZero);
    clamped[i] = surf2Dread<T>(s, (int)sizeof(T) * x, y, cudaBoundaryModeClamp);
}
static int within(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

template <class T> static void use_plane() {
    enum { COLUMNS = WIDTH + 2 * AROUND, ROWS = HEIGHT + 2 * AROUND };
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaSurfaceObject_t s;
    T *out;
    GOOD(cudaMallocManaged(&out, 2 * COLUMNS * ROWS * sizeof(T)));
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = describe(array);
    GOOD(cudaCreateSurfaceObject(&s, &resource));
    write_plane<T><<<1, dim3(COLUMNS, ROWS)>>>(s);
    read_plane<<<1, dim3(COLUMNS, ROWS)>>>(s, out, out + COLUMNS * ROWS);
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        int x = i % COLUMNS - AROUND, y = i / COLUMNS - AROUND, near_x = within(x, WIDTH), near_y = within(y, HEIGHT);
        CHECK(out[i] == (x == near_x && y == near_y ? (T)(10 * y + x) : (T)0));
        CHECK(out[COLUMNS * ROWS + i] == (T)(10 * near_y + near_x));
    }
    T back[HEIGHT * WIDTH];
    const size_t row = WIDTH * sizeof(T);
    GOOD(cudaMemcpy2DFromArray(back, row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
    CHECK(back[WIDTH + 3] == (T)13);
    GOOD(cudaDestroySurfaceObject(s));
    GOOD(cudaFreeArray(array));
}

// A kernel writes the layers of an array by a surface, and another reads them by a texture.
__global__ void write_layers(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y, layer = threadIdx.z;
    surf2DLayeredwrite(make_float4(x, y, layer, 0.5f), s, (int)sizeof(float4) * x, y, layer);
}
__global__ void read_layers(cudaTextureObject_t t, float4 *out) {
    int x = threadIdx.x, y = threadIdx.y, layer = threadIdx.z;
    out[(layer * 4 + y) * 4 + x] = tex2DLayered<float4>(t, x + 0.5f, y + 0.5f, layer);
}
// One thread for each direction of an axis, there and back.
__global__ void read_faces(cudaTextureObject_t t, float *out) {
    int axis = threadIdx.x / 2;
    float towards = threadIdx.x % 2 ? -1 : 1;
    out[threadIdx.x] = texCubemap<float>(t, axis == 0 ? towards : 0.1f, axis == 1 ? towards : 0.1f,
                                         axis == 2 ? towards : 0.1f);
}

static cudaTextureObject_t make_texture(cudaArray_t array) {
    cudaResourceDesc resource = describe(array);
    cudaTextureDesc desc;
    cudaTextureObject_t t = 0;
    memset(&desc, 0, sizeof desc);
    GOOD(cudaCreateTextureObject(&t, &resource, &desc, NULL));
    return t;
}

static void use_layers() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaSurfaceObject_t s;
    float4 *out;
    GOOD(cudaMallocManaged(&out, 64 * sizeof *out));
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 4), cudaArrayLayered | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = describe(array);
    GOOD(cudaCreateSurfaceObject(&s, &resource));
    write_layers<<<1, dim3(4, 4, 4)>>>(s);
    read_layers<<<1, dim3(4, 4, 4)>>>(make_texture(array), out);
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(out[i].x == i % 4 && out[i].y == i / 4 % 4 && out[i].z == i / 16 && out[i].w == 0.5f);
}

static void use_cube() {
    enum { SIDE = 4, FACES = 6 };
    float texels[FACES * SIDE * SIDE], *out;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int i = 0; i < FACES * SIDE * SIDE; i++) texels[i] = (float)(i / (SIDE * SIDE));
    GOOD(cudaMallocManaged(&out, FACES * sizeof *out));
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(SIDE, SIDE, FACES), cudaArrayCubemap));
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(texels, SIDE * sizeof *texels, SIDE, SIDE);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(SIDE, SIDE, FACES);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    read_faces<<<1, FACES>>>(make_texture(array), out);
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < FACES; i++) CHECK(out[i] == i);
}

__global__ void write_far(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 4 * WIDTH); }

static void write_outside() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaSurfaceObject_t s;
    GOOD(cudaMallocArray(&array, &format, WIDTH, 0, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = describe(array);
    GOOD(cudaCreateSurfaceObject(&s, &resource));
    write_far<<<1, 1>>>(s);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

__global__ void read_one(cudaTextureObject_t t, float *out) { *out = tex1D<float>(t, 0.5f); }

// An object of one kind where the other is wanted.
static void mix_up(bool reads) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaSurfaceObject_t s;
    float *out;
    GOOD(cudaMalloc(&out, sizeof *out));
    GOOD(cudaMallocArray(&array, &format, WIDTH, 0, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = describe(array);
    GOOD(cudaCreateSurfaceObject(&s, &resource));
    cudaTextureObject_t t = make_texture(array);
    read_one<<<1, 1>>>(t, out);
    if (reads) read_one<<<1, 1>>>(s, out);
    else write_far<<<1, 1>>>(t);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        if (!strcmp(argv[1], "far")) write_outside();
        else mix_up(!strcmp(argv[1], "reads"));
        return failures;
    }
    use_plane<float>();
    use_plane<unsigned char>();
    use_plane<short>();
    use_layers();
    use_cube();
    return failures;
}
