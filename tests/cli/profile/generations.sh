# profile on GPUs before 7.0: what their profilers counted, for the copies, shared-memory accesses and transposes that
# the documents which started the project work out (docs/seeds.md).
. "$(dirname "$0")/../check.bash"

cat > "$work/generations.cu" <<'CUDA'
#include <cstdio>
__global__ void offset_copy(float *out, const float *in, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}
__global__ void stride_copy(float *out, const float *in, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}
template <typename T> __global__ void read_shared(T *out, int stride) {
    extern __shared__ int words[];
    volatile T *shared = (volatile T *)words;
    out[threadIdx.x] = shared[threadIdx.x * stride];
}
__global__ void copy_past_l1(float *out, const float *in, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    float value;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(in + i));
    out[i] = value;
}
__constant__ float table[64];
__global__ void read_constant(float *out, int period) { out[threadIdx.x] = table[threadIdx.x % period]; }
__global__ void transpose_naive(float *out, const float *in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[x * n + y + i] = in[(y + i) * n + x];
}
template <int pad, bool diagonal> __global__ void transpose_tile(float *out, const float *in, int n) {
    __shared__ float tile[32][32 + pad];
    int row = diagonal ? blockIdx.x : blockIdx.y, col = diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
    int x = col * 32 + threadIdx.x, y = row * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = row * 32 + threadIdx.x, y = col * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
int main() {
    const int n = 2048;
    float *out, *in;
    cudaMalloc(&out, 4 * n * n), cudaMalloc(&in, 4 * n * n);
    for (int offset = 0; offset <= 32; offset++) offset_copy<<<2, 256>>>(out, in, offset);
    for (int stride = 1; stride <= 32; stride++) stride_copy<<<2, 256>>>(out, in, stride);
    read_shared<char><<<1, 32, 4096>>>((char *)out, 1);      // 65
    read_shared<char><<<1, 32, 4096>>>((char *)out, 4);      // 66
    read_shared<double><<<1, 32, 4096>>>((double *)out, 1);  // 67
    read_shared<float><<<1, 32, 4096>>>(out, 3);             // 68: a struct of three floats
    read_shared<float><<<1, 32, 4096>>>(out, 2);             // 69: of two
    read_shared<float><<<1, 32, 4096>>>(out, 0);             // 70: one word for all
    read_constant<<<1, 32>>>(out, 1);                        // 71
    read_constant<<<1, 32>>>(out, 8);                        // 72
    transpose_naive<<<dim3(64, 64), dim3(32, 8)>>>(out, in, n);           // 73
    transpose_tile<0, false><<<dim3(64, 64), dim3(32, 8)>>>(out, in, n);  // 74
    transpose_tile<1, false><<<dim3(64, 64), dim3(32, 8)>>>(out, in, n);  // 75
    transpose_tile<1, true><<<dim3(64, 64), dim3(32, 8)>>>(out, in, n);   // 76
    copy_past_l1<<<2, 256>>>(out, in, 1);                                 // 77
    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    cudaSharedMemConfig config;
    if (cudaDeviceGetSharedMemConfig(&config)) return 2;
    read_shared<double><<<1, 32, 4096>>>((double *)out, 1);               // 78
    read_shared<float><<<1, 32, 4096>>>(out, 2);                          // 79
    read_shared<float><<<1, 32, 8192>>>(out, 33);                         // 80
    cudaFuncSetSharedMemConfig(read_shared<float>, cudaSharedMemBankSizeFourByte);
    read_shared<float><<<1, 32, 8192>>>(out, 33);                         // 81
    printf("banks of %d bytes\n", config == cudaSharedMemBankSizeEightByte ? 8 : 4);
    if (cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)3) != cudaErrorInvalidValue) return 2;
    return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA

# Compiled once where there is an nvcc, and not for each GPU again.
program=$work/generations.cu
if command -v nvcc > "$work/where"; then
    program=$work/generations
    nvcc -w -o "$program" -cudart shared -gencode arch=compute_75,code=compute_75 "$work/generations.cu"
fi
for gpu in fx5600 gtx280 m2090 k40 p100; do
    [ "$gpu" = k40 ] && bytes=8 || bytes=4
    expect 0 "$halfwarp" profile --gpu "$gpu" --format csv -o "$work/$gpu.csv" "$program"
    says out "banks of $bytes bytes"
done

# The values of a column, a line for each launch from the first to the last that is named. Kernels' names hold commas
# and are quoted.
column() {
    awk -v name="$2" -v first="$3" -v last="${4:-$3}" '
        { gsub(/"[^"]*"/, "kernel") } { n = split($0, cell, ",") }
        NR == 1 { for (i = 1; i <= n; i++) if (cell[i] == name) at = i }
        NR > 1 && at && cell[1] >= first && cell[1] <= last { print cell[at] }' "$work/$1.csv"
}
is() {   # GPU COLUMN LAUNCH VALUE
    local value; value=$(column "$1" "$2" "$3")
    [ "$value" = "$4" ] || fail "$1, launch $3: $2 is '$value', not $4"
}

# 16 warps, 32 half-warps. Offsets that are no multiple of 16 words are all or nothing on 1.0.
for offset in $(seq 0 32); do
    if [ $((offset % 16)) = 0 ]; then
        is fx5600 gld_coalesced "$offset" 32; is fx5600 gld_64b "$offset" 32; is fx5600 gld_bytes "$offset" 2048
        is gtx280 gld_bytes "$offset" 2048; is gtx280 gst_64b "$offset" 32
    else
        is fx5600 gld_uncoalesced "$offset" 32; is fx5600 gst_32b "$offset" 512; is fx5600 gst_bytes "$offset" 16384
        [ $((offset % 8)) = 0 ] && bytes=192 || bytes=224
        is gtx280 gld_bytes "$offset" $((16 * bytes)); is gtx280 gst_bytes "$offset" $((16 * bytes))
    fi
    [ $((offset % 32)) = 0 ] && lines=1 || lines=2
    is m2090 gld_transactions "$offset" $((16 * lines))
    [ $((offset % 8)) = 0 ] && sectors=4 || sectors=5
    for gpu in k40 p100; do is "$gpu" gld_transactions "$offset" $((16 * sectors)); done
    is m2090 gst_transactions "$offset" $((16 * sectors))
done

# Strides: transactions and bytes of a warp on the GTX 280; all but 1 are uncoalesced on 1.0.
while read -r stride count bytes; do
    launch=$((32 + stride))
    total=$(($(column gtx280 gld_32b $launch) + $(column gtx280 gld_64b $launch) + $(column gtx280 gld_128b $launch)))
    [ "$total" = $((16 * count)) ] || fail "stride $stride: $total transactions"
    is gtx280 gld_bytes $launch $((16 * bytes))
    [ "$stride" = 1 ] || is fx5600 gld_uncoalesced $launch 32
done <<'ROWS'
1 2 128
2 2 256
3 4 384
4 4 512
8 8 1024
16 16 2048
32 32 1024
ROWS

# Shared memory: passes of one warp on 16 banks (half-warps), 32 banks, and 3.x's banks of 8 bytes.
while read -r launch tesla serialized fermi kepler; do
    is gtx280 lds_wavefronts "$launch" "$tesla"; is fx5600 lds_wavefronts "$launch" "$tesla"
    is gtx280 warp_serialize "$launch" "$serialized"
    is m2090 lds_wavefronts "$launch" "$fermi"; is k40 lds_wavefronts "$launch" "$kepler"
done <<'ROWS'
65 8 1 1 1
66 2 0 1 1
67 8 1 2 1
68 2 0 1 1
69 4 1 2 1
70 2 0 1 1
ROWS
is gtx280 const_passes 71 2; is gtx280 const_passes 72 16; is gtx280 warp_serialize 72 1; is k40 const_passes 72 8

# Banks of 8 bytes, where the program asks for them and the GPU has them: words 2 t lie in 32 banks, and 33 t in 16. A
# function's own choice comes before the device's.
is k40 lds_wavefronts 78 1; is k40 lds_wavefronts 79 1; is k40 lds_wavefronts 80 1; is k40 lds_wavefronts 81 1
is m2090 lds_wavefronts 79 2; is m2090 lds_wavefronts 80 1

# Past the first-level cache of 2.x: one load by itself, or all of them.
is m2090 gld_transactions 77 80; is m2090 gld_transactions 1 32
for option in --no-l1 -Xptxas=-v,-dlcm=cg; do
    expect 0 "$halfwarp" profile --gpu m2090 "$option" --format csv -o "$work/past.csv" "$work/generations.cu"
    is past gld_transactions 0 64; is past gld_transactions 1 80
done
expect 2 "$halfwarp" run --no-l1 "$work/generations.cu"

# The transpose of 2048 columns. Naive stores of 1.0 are 16 transactions a half-warp; a tile's columns meet in one bank
# without the pad; on a GTX 280 the stores of 90 blocks at a time lie in two of the eight partitions, and in all of them
# in diagonal order.
is fx5600 gst_uncoalesced 73 262144; is fx5600 gst_32b 73 4194304; is fx5600 gld_coalesced 73 262144
is fx5600 gst_coalesced 75 262144; is fx5600 gst_bytes 75 16777216
is gtx280 gst_32b 73 4194304; is gtx280 gst_64b 75 262144
is gtx280 lds_wavefronts 74 $((131072 * 2 * 16)); is gtx280 lds_wavefronts 75 $((131072 * 2))
is m2090 lds_wavefronts 74 $((131072 * 32)); is k40 lds_wavefronts 74 $((131072 * 16)); is k40 lds_wavefronts 75 131072
plain=$(column gtx280 gst_partition_pct 75) diagonal=$(column gtx280 gst_partition_pct 76)
awk "BEGIN { exit !($plain < 20 && $diagonal > 85) }" || fail "partitions: $plain and $diagonal percent"
plain=$(column fx5600 gst_partition_pct 75)
awk "BEGIN { exit !($plain < 55) }" || fail "six partitions: $plain percent"

# Columns belong to their time.
head -1 "$work/gtx280.csv" | grep -q "gld_coalesced" && fail "gld_coalesced on 1.3"
head -1 "$work/fx5600.csv" | grep -q "gld_transactions" && fail "gld_transactions on 1.0"
head -1 "$work/m2090.csv" | grep -q "partition" && fail "partitions on 2.0"
expect 0 "$halfwarp" profile --gpu gtx280 --format json -o "$work/generations.json" "$work/generations.cu"
grep -q '"gst_partition_pct": 1' "$work/generations.json" || fail "no partitions in JSON"
finish
