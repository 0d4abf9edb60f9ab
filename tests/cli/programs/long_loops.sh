# A kernel whose loop goes round more often than the host's stack has room for frames: what is compiled of it goes from
# one instruction to the next without one. The second run has the compiled parts from the start.
. "$(dirname "$0")/../check.bash"
command -v nvcc > /dev/null || command -v clang > /dev/null || exit 77
HALFWARP_CACHE=$work/cache
export HALFWARP_CACHE
cat > "$work/long.cu" <<'CUDA'
__global__ void sum(const float *in, float *out, int n) {
    float total = 0;
    for (int i = 0; i < n; i++) total += in[(i % 512) * 256 + threadIdx.x] * 0.5f;
    out[threadIdx.x] = total;
}
int main() {
    const int n = 300000;
    float *in, *out, back[256];
    cudaMalloc(&in, 512 * sizeof back);
    cudaMalloc(&out, sizeof back);
    cudaMemset(in, 0, 512 * sizeof back);
    for (int launch = 0; launch < 3; launch++) sum<<<4, 256>>>(in, out, n + launch);
    return cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) || back[7] != 0;
}
CUDA
for run in first second; do expect 0 "$halfwarp" run "$work/long.cu"; done
finish
