// A kernel that reads through a texture object which is not there, or whose memory is not: each case faults.
#include <cstdio>
#include <cstring>

enum { ELEMS = 256 };

__global__ void read(int *out, cudaTextureObject_t texture) {
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);    // read
}

__global__ void read_array(int *out, cudaTextureObject_t texture) {
    out[threadIdx.x] = tex1D<int>(texture, threadIdx.x);    // read_array
}

static cudaTextureObject_t make_texture(int *memory) {
    cudaTextureObject_t made;
    cudaResourceDesc resource = {cudaResourceTypeLinear};
    cudaTextureDesc reading = {{cudaAddressModeClamp}};
    resource.res.linear.devPtr = memory;
    resource.res.linear.sizeInBytes = ELEMS * sizeof(int);
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    cudaCreateTextureObject(&made, &resource, &reading, NULL);
    return made;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *out, *memory;
    cudaMalloc(&out, ELEMS * sizeof(int));
    cudaMalloc(&memory, ELEMS * sizeof(int));
    cudaMemset(memory, 0, ELEMS * sizeof(int));
    cudaTextureObject_t texture = make_texture(memory);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, ELEMS);
    if (!strcmp(what, "destroyed")) {
        cudaDestroyTextureObject(texture);    // destroyed
        make_texture(memory);
    }
    if (!strcmp(what, "freed")) cudaFree(memory);    // freed
    if (!strcmp(what, "unmade")) texture = 77;
    if (!strncmp(what, "array", 5)) {
        cudaResourceDesc resource = {cudaResourceTypeArray};
        cudaTextureDesc reading = {{cudaAddressModeClamp}};
        resource.res.array.array = array;
        cudaCreateTextureObject(&texture, &resource, &reading, NULL);
    }
    if (!strcmp(what, "array")) cudaFreeArray(array);    // array
    if (!strncmp(what, "array", 5)) read_array<<<1, 32>>>(out, texture);
    else read<<<1, 32>>>(out, texture);
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error ? cudaGetErrorString(error) : "done");
    cudaDestroyTextureObject(texture);
}
