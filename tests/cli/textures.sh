# Texture objects of arrays, pitched and linear memory: the bits that an H200 read. Left out is what differs by one 256th
# or one 32767th now and then: filtering in three dimensions, and of signed bytes.
. "$(dirname "$0")/check.bash"
source=$(dirname "$0")/../cuda/textures.cu
recorded=$(dirname "$0")/../cuda/textures.h200.txt
compared() { grep -vE '^(3d [0-3] 1|fractions 1 1) ' "$1"; }

routes=0
for compiler in nvcc clang; do
    command -v $compiler > /dev/null || continue
    routes=$((routes + 1))
    expect 0 "$halfwarp" run --compiler $compiler "$source"
    silent err
    compared "$recorded" > "$work/recorded"
    compared "$work/out" | diff - "$work/recorded" > "$work/diff" || fail "$compiler: $(cut -c 1-100 "$work/diff")"
done

# A texture that is gone, or whose memory is, is a fault and no read.
cat > "$work/gone.cu" <<'CUDA'
#include <cstdio>
#include <cstring>
__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x); }
int main(int argc, char **argv) {
    float *p, *out;
    cudaTextureObject_t t;
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    cudaMalloc(&p, 128);
    cudaMalloc(&out, 128);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = p;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 128;
    if (cudaCreateTextureObject(&t, &resource, &desc, NULL)) return 7;
    if (argc > 1) cudaFree(p);
    else t = 12345;
    read<<<1, 32>>>(t, out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
CUDA
for argument in "" freed; do
    expect 5 "$halfwarp" run "$work/gone.cu" $argument
    says out cudaErrorIllegalAddress
    says err "read of 1 bytes"
done
[ $routes -gt 0 ] || exit 77
finish
