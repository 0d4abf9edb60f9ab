# occupancy: launches by their numbers, kernels of a program, the formats, pictures, and what is refused.
. "$(dirname "$0")/../check.bash"
occupancy() { "$halfwarp" occupancy "$@"; }

columns=blocks,warps,occupancy_pct,limit_warps,limit_blocks,limit_regs,limit_smem,limiter
# Of each GPU: blocks, warps, percent, the four limits, the limiter.
while read -r gpu block regs smem wanted; do
    expect 0 occupancy --gpu "$gpu" --block "$block" --regs "$regs" --smem "$smem" --format csv
    silent err
    [ "$(head -1 "$work/out")" = "$columns" ] ||
        fail "columns: $(head -1 "$work/out")"
    [ "$(sed -n '2,$p' "$work/out")" = "$wanted" ] ||
        fail "$gpu $block $regs $smem: $(tail -1 "$work/out"), not $wanted"
done <<'ROWS'
8800gtx 64 8 256 8,16,66.67,12,8,16,32,blocks
fx5600 256 11 1024 2,16,66.67,3,8,2,16,regs
gtx280 96 17 2100 6,18,56.25,10,8,6,6,regs+smem
c1060 256 16 4124 3,24,75,4,8,4,3,smem
m2090 192 20 12288 4,24,50,8,8,8,4,smem
k40 256 32 8448 5,40,62.5,8,16,8,5,smem
p100 160 72 0 5,25,39.06,12,32,5,32,regs
v100 96 100 1000 5,15,23.44,21,32,5,96,regs
t4 256 48 16KiB 4,32,100,4,16,5,4,warps+smem
a100 128 40 20000 7,28,43.75,16,32,12,7,smem
rtx3090 32x8 40 16384 5,40,83.33,6,16,6,5,smem
rtx4090 8x8x1 40 0 24,48,100,24,24,24,100,warps+blocks+regs
h100 384 168 200KiB 1,12,18.75,5,32,1,1,regs+smem
H200 100 32 0 16,64,100,16,32,16,228,warps+regs
b200 1024 64 0 1,32,50,2,32,1,228,regs
ROWS

# What is not used does not limit.
expect 0 occupancy --gpu gtx280 --block 32 --format csv
[ "$(tail -1 "$work/out")" = "8,8,25,32,8,8,8,blocks" ] || fail "without registers: $(tail -1 "$work/out")"

# The table, and the block sizes that do better.
expect 0 occupancy --gpu 8800gtx --block 256 --regs 11 --smem 1024
says out "GeForce 8800 GTX (8800gtx), compute capability 1.0"
grep -Eq '^ +2 +16 +66.7% +3 +8 +2 +16 +regs *$' "$work/out" || fail "the row: $(cat "$work/out")"
grep -Eq '^ +83.3% +20 warps +128 320$' "$work/out" || fail "no better sizes: $(cat "$work/out")"
grep -Eq '^ +75.0% +18 warps +192 288$' "$work/out" || fail "no second sizes: $(cat "$work/out")"
! grep -q $'\033' "$work/out" || fail "colour where there is no terminal"
expect 0 occupancy --block 256 --regs 32
says out "NVIDIA H200"
says out "no block size holds more warps"

# No line of a table ends with blanks: heading, row, one kernel, several.
unblanked() { ! grep -q ' $' "$work/out" || fail "blanks at the end of a line: $(grep -n ' $' "$work/out" | head -2)"; }
unblanked
expect 0 occupancy --gpu 8800gtx --block 64 --regs 8 --smem 256
unblanked

# A launch that would be refused is an answer.
while read -r words; do
    IFS='|' read -r options why <<< "$words"
    # shellcheck disable=SC2086
    expect 0 occupancy $options
    says out "$why"
    grep -Eq '^ +0 +0 +0% ' "$work/out" || fail "$options: $(cat "$work/out")"
done <<'ROWS'
--gpu gtx280 --block 513|513 threads are more than the 512
--gpu m2090 --block 64 --regs 64|64 registers are more than the 63
--gpu h200 --block 64 --smem 228KiB|233472 bytes of shared memory are more than the 232448
--gpu h200 --block 1024 --regs 65|1024 threads of 65 registers
--gpu h200 --block 1x1x128|block dimension z is 128, not 1 to 64
--gpu gtx280 --block 2x1x65|block dimension z is 65, not 1 to 64
--gpu gtx280 --block 1x513|513 threads are more than the 512
ROWS

expect 0 occupancy --gpu 8800gtx --block 256 --regs 11 --smem 1024 --format json -o "$work/a.json"
silent out
if command -v python3 > "$work/where"; then
    python3 - "$work/a.json" << 'PYTHON' || fail "the JSON: $(cat "$work/a.json")"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["gpu"] == "8800gtx" and answer["blocks"] == 2 and answer["limiter"] == "regs", answer
assert answer["occupancy_pct"] == 66.67 and answer["limit_smem"] == 16 and "refused" not in answer
assert [better["block"] for better in answer["better"]] == [128, 320, 192, 288], answer
PYTHON
fi

# ---- Programs -------------------------------------------------------------------------------------------------------

cat > "$work/kernels.cu" << 'CUDA'
#include <cstdio>
namespace {
template <typename T> __global__ void fill(T *out, T value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
}
__global__ void __launch_bounds__(192) bounded(float *out) {
    __shared__ float tile[SIZE];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[191 - threadIdx.x];
}
int main() {
    fill<<<1, 32>>>((double *)nullptr, 1.0);
    bounded<<<1, 192>>>((float *)nullptr);
    puts("this program was run");
}
CUDA
expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --format csv
grep -q "was run" "$work/out" && fail "it was run"
[ "$(grep -c . "$work/out")" = 3 ] || fail "two kernels: $(cat "$work/out")"
fill='^"void \(anonymous namespace\)::fill<double>\(double ?\*, double\)"'
grep -Eq "$fill,1024,[0-9]+,[01],0,0,2,64,100,2,32," "$work/out" || fail "fill: $(cat "$work/out")"
bounded='^"bounded\(float ?\*\)"'
grep -Eq "$bounded,128,[0-9]+,[01],4096,0,16,64,100,16,32," "$work/out" || fail "bounded: $(cat "$work/out")"
expect 0 occupancy -D SIZE=1024 "$work/kernels.cu" --block 256 --smem 1000
grep -Eq '^ +bounded +256 +~?[0-9]+ +5096 +0 +0 +0%' "$work/out" || fail "more than its bounds: $(cat "$work/out")"
grep -Eq '^ +\(anonymous namespace\)::fill<double> +256 ' "$work/out" || fail "fill: $(cat "$work/out")"
says out "bounded cannot be launched so: 256 threads are more than the 192"
says out "100.0%   64 warps   64 128  bounded"
expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --block 64x3 --format csv
grep -Eq "$bounded,192,[0-9]+,[01],4096,0,10,60,93.75,10,32," "$work/out" || fail "bounded: $(cat "$work/out")"
# Without ptxas registers are estimated, and said to be.
HALFWARP_HIDE_NVCC=1 expect 0 occupancy --gpu gtx280 -DSIZE=1024 "$work/kernels.cu"
says out "~"
says out "estimated registers"
expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --format json
if command -v python3 > "$work/where"; then
    python3 - "$work/out" << 'PYTHON' || fail "the JSON: $(cat "$work/out")"
import json, sys
kernels = {kernel["kernel"].split("(float")[0]: kernel for kernel in json.load(open(sys.argv[1]))["kernels"]}
assert kernels["bounded"]["smem_static"] == 4096 and kernels["bounded"]["better"] == [], kernels
assert len(kernels) == 2 and kernels["bounded"]["regs"] > 0
PYTHON
fi

expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --block 1x1x65
says out "bounded cannot be launched so: block dimension z is 65, not 1 to 64"
expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --block 1x1x64 --format csv
[ "$(grep -Ec '",64,[0-9]+,[01],[0-9]+,0,32,64,100,' "$work/out")" = 2 ] || fail "64 along z: $(cat "$work/out")"
expect 0 occupancy -DSIZE=1024 "$work/kernels.cu"
unblanked

# Before 2.0 a launch's arguments, here 8 bytes, and 16 of configuration take shared memory: with a tile of 4096 bytes
# three blocks of 128 threads are left of four, and 16384 bytes are too many. run refuses them, and profile counts them.
cat > "$work/tile.cu" << 'CUDA'
#include <cstdio>
__global__ void tiled(float *out) {
    __shared__ float tile[SIZE];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
int main() {
    float *out;
    cudaFuncAttributes a;
    cudaMalloc(&out, 1024);
    tiled<<<1, 256>>>(out);
    cudaFuncGetAttributes(&a, tiled);
    printf("%s, %d bytes\n", cudaGetErrorName(cudaDeviceSynchronize()), (int)a.sharedSizeBytes);
}
CUDA
for gpu in 8800gtx:4120:3:12 gtx280:4120:3:12 m2090:4096:8:32; do
    IFS=: read -r gpu smem blocks warps <<< "$gpu"
    expect 0 occupancy --gpu "$gpu" -DSIZE=1024 "$work/tile.cu" --block 128 --format csv
    grep -Eq "^\"tiled\(float ?\*\)\",128,[0-9]+,[01],$smem,0,$blocks,$warps," "$work/out" ||
        fail "$gpu: $(cat "$work/out")"
    expect 0 "$halfwarp" profile --gpu "$gpu" --format csv -o "$work/p.csv" -DSIZE=1024 "$work/tile.cu"
    says out "cudaSuccess, $smem bytes"
    grep -Eq "tiled.*,\(256 1 1\),[0-9]+,$smem,0," "$work/p.csv" || fail "$gpu: $(cat "$work/p.csv")"
done
for size in 4090 4091; do
    expect 0 occupancy --gpu gtx280 -DSIZE=$size "$work/tile.cu" --block 256
    refused=$(grep -c "cannot be launched so: 16388 bytes of shared memory are more than the 16384" "$work/out")
    [ "$refused" = $((size - 4090)) ] || fail "$size words: $(cat "$work/out")"
done
says out "its arguments are among them"
expect 0 "$halfwarp" run --gpu gtx280 -DSIZE=4090 "$work/tile.cu"
says out "cudaSuccess, 16384 bytes"
silent err
expect 0 "$halfwarp" run --gpu gtx280 -DSIZE=4096 "$work/tile.cu"
says err "16408 bytes of shared memory, and a block may have 16384; 24 of them hold its arguments"
expect 0 "$halfwarp" run --gpu m2090 -DSIZE=4096 "$work/tile.cu"
says out "cudaSuccess, 16384 bytes"

# Registers and launch bounds are told apart.
cat > "$work/wide.cu" << 'CUDA'
__global__ void wide(float *out, int n) {
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; i++) v[i] = out[i * 1024 + threadIdx.x];
    for (int round = 0; round < n; round++) {
#pragma unroll
        for (int i = 0; i < 96; i++) v[i] = v[i] * v[(i + 31) % 96] + out[round];
    }
#pragma unroll
    for (int i = 0; i < 96; i++) out[i * 1024 + threadIdx.x] = v[i];
}
int main() { wide<<<1, 32>>>(nullptr, 9); }
CUDA
expect 0 occupancy "$work/wide.cu" --block 1024
says out "wide cannot be launched so: 1024 threads of"
expect 0 occupancy "$work/wide.cu" --format csv
grep -Eq '^"wide[^"]*",[0-9]+,[0-9]+,[01],0,0,[1-9]' "$work/out" || fail "wide: $(cat "$work/out")"

# ---- Pictures -------------------------------------------------------------------------------------------------------

expect 0 occupancy --gpu k40 --block 256 --regs 40 --smem 9000 --plot "$work/a.svg"
for word in "<svg" "threads per block" "registers per thread" "shared memory per block, KiB" "Tesla K40m" \
            "256: 40 warps" "9000 bytes: 40 warps" "100%" "<title>Occupancy of Tesla K40m"; do
    grep -q "$word" "$work/a.svg" || fail "no '$word' in the picture"
done
for gpu in 8800gtx gtx280 m2090 t4 b200; do
    expect 0 occupancy --gpu $gpu --block 5000 --regs 9999 --smem 1GiB --plot "$work/a.svg"
    expect 0 occupancy --gpu $gpu --block 1 --plot "$work/a.svg"
done
expect 2 occupancy --block 64 --plot "$work/nowhere/a.svg"
if command -v rsvg-convert > "$work/where"; then
    expect 0 occupancy -DSIZE=1024 "$work/kernels.cu" --plot "$work/a.png"
    [ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ] || fail "no PNG"
    [ "$(ls "$work" | tr '\n' ' ')" = "a.json a.png a.svg err kernels.cu out p.csv tile.cu where wide.cu " ] ||
        fail "left behind: $(ls "$work")"
fi
expect 2 occupancy --block 64 --plot "$work/a.gif"
says err ".svg"

# ---- Refused --------------------------------------------------------------------------------------------------------

expect 2 occupancy
says err "how many threads"
for block in 0 -1 x 32x 32x8x 32x8x1x1 0x8 256k 70000 4294967552 99999999999999999999 300x300; do
    expect 2 occupancy --block "$block"
    says err "--block"
done
for regs in -1 x 1.5 4294967312 32x; do
    expect 2 occupancy --block 64 --regs "$regs"
    says err "--regs"
done
for smem in -1 x 1.5KiB 2GiB 4294967296 48kib; do
    expect 2 occupancy --block 64 --smem "$smem"
    says err "--smem"
done
expect 2 occupancy --block 64 --gpu gtx2800
says err "did you mean 'gtx280'"
expect 2 occupancy --block 64 --format xml
expect 2 occupancy --block 64 --compiler gcc
expect 2 occupancy --block 64 --bloc 64
says err "did you mean --block"
expect 2 occupancy --block
expect 2 occupancy --block 64 -I
expect 2 occupancy --block 64 -I.
says err "is for the compiler of a .cu file"
expect 2 occupancy "$work/kernels.cu" --regs 32
says err "come from its compiler"
expect 2 occupancy "$work/nowhere.cu"
says err "nowhere.cu"
expect 2 occupancy /bin/sh
says err "no device code"
expect 3 occupancy "$work/kernels.cu"    # SIZE is missing
echo 'int main() {}' > "$work/none.cu"
expect 2 occupancy "$work/none.cu"
says err "none.cu has no"
finish
