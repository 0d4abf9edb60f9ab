// Sines of numbers that need the slow path of the argument's reduction, and of those that do not.
__global__ void sines(float *a, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = sinf(by * (1 + threadIdx.x % 32));
}

int main() {
    float *a;
    cudaMalloc(&a, (64 * 256) * sizeof *a);
    sines<<<64, 256>>>(a, 1);
    sines<<<64, 256>>>(a, 48038.0f / 32);
    sines<<<64, 256>>>(a, 110000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
