# The list of GPUs, how --gpu finds one in it, GPUs of files, and what a program is told of the GPU it runs on.
. "$(dirname "$0")/../check.bash"

# ---- The list ----
expect 0 "$halfwarp" gpus
silent err
says out "h200"
grep -Eq '^  h200 +9\.0 +132 ' "$work/out" || fail "h200's row: $(grep h200 "$work/out")"
[ "$(grep -cE '^  [a-z0-9-]+ +[0-9]+\.[0-9] ' "$work/out")" -ge 500 ] || fail "$(wc -l < "$work/out") lines"
sed '1d' "$work/out" | grep -E '^[A-Z][a-z]+$' | tr '\n' ' ' > "$work/generations"
[ "$(cat "$work/generations")" = "Tesla Fermi Kepler Maxwell Pascal Volta Turing Ampere Ada Hopper Blackwell " ] ||
    fail "generations: $(cat "$work/generations")"
[ "$(awk 'length > 132' "$work/out" | wc -l)" = 0 ] || fail "rows are too wide: $(awk 'length > 132' "$work/out")"

# What is listed is what the words say.
while IFS='|' read -r words here not_here; do
    eval "expect 0 \"\$halfwarp\" gpus $words"
    for gpu in $here; do grep -q "^  $gpu " "$work/out" || fail "gpus $words: no $gpu"; done
    for gpu in $not_here; do ! grep -q "^  $gpu " "$work/out" || fail "gpus $words: has $gpu"; done
done <<'ROWS'
rtx 30|rtx3050 rtx3090 rtx3080ti|rtx4090 gtx280
"rtx 30"|rtx3050 rtx3090|rtx4090
--cc 3.7|k80|k40
titan --cc=5.2|titanx|titan titanxp gtx980
hopper|h100 h200 gh200|b200 a100
ga102|rtx3090 a40|rtx3070
h200|h200|h200-nvl gh200
GeForce RTX 4090|rtx4090|rtx4090d rtx4090-laptop
3090|rtx3090 rtx3090ti|rtx3080
ROWS

expect 0 "$halfwarp" gpus --format csv -o "$work/gpus.csv"
expect 0 "$halfwarp" gpus --format json -o "$work/gpus.json"
expect 0 "$halfwarp" gpus h200 --format json
cp "$work/out" "$work/h200.json"
python3 - "$work" <<'PYTHON' || fail "csv and json"
import csv, json, sys
gpus = json.load(open(sys.argv[1] + "/gpus.json"))
rows = list(csv.DictReader(open(sys.argv[1] + "/gpus.csv")))
assert len(gpus) == len(rows) >= 500
for gpu, row in zip(gpus, rows):
    for key, value in row.items():
        given = gpu.get(key, "")
        same = abs(float(value) - given) <= 1e-6 * abs(given) if isinstance(given, (int, float)) else value == given
        assert same, (gpu["id"], key, value, given)
    assert gpu["source"] and 1.0 <= float(gpu["compute_capability"]) <= 12.1
one = json.load(open(sys.argv[1] + "/h200.json"))
assert len(one) == 1 and one[0]["id"] == "h200" and one[0]["multiprocessors"] == 132, one
PYTHON

# ---- Names ----
while IFS='|' read -r name id; do
    expect 0 "$halfwarp" occupancy --gpu "$name" --block 64
    says out "($id)"
done <<'ROWS'
RTX3090|rtx3090
GeForce RTX 3090|rtx3090
NVIDIA GeForce RTX 3090|rtx3090
rtx-3090|rtx3090
Tesla V100-SXM2-16GB|v100
Quadro K4000|k4000
Orin Nano|jetson-orin-nano
ROWS
refuses_rows "$halfwarp" <<'ROWS'
run --gpu 'rtx 30' x.cu|'rtx 30' could be rtx3090, rtx3050,
run --gpu 'rtx 6000' x.cu|'rtx 6000' could be quadrortx6000, a6000, rtx6000ada
run --gpu a100-sxm4 x.cu|'a100-sxm4' could be a100 or a100-40gb;
run --gpu h201 x.cu|there is no GPU 'h201'; did you mean 'h200'?
gpus nonsense|there is no GPU 'nonsense'
gpus --cc 9.1|--cc is a compute capability, like 8.6
gpus --cc 3.7 titan|no GPU of compute capability 3.7 has 'titan'
gpus --cc 3.7 k40|no GPU of compute capability 3.7 has 'k40'
gpus --format xml|table, csv or json
gpus --plot a.svg|there is no option --plot
gpus a b c d e f g h i|one word too many
ROWS

# ---- Files ----
cat > "$work/mine.json" <<'JSON'
{"based_on": "gtx280", "name": "Half a GTX 280", "multiprocessors": 15,
 "memory_bus_bits": 256}
JSON
expect 0 "$halfwarp" gpus "$work/mine.json"
says out "Half a GTX 280"
grep -Eq '^  mine +1\.3 +15 +1296 +70\.85 ' "$work/out" || fail "mine: $(cat "$work/out")"
expect 0 "$halfwarp" occupancy --gpu "$work/mine.json" --block 256 --regs 16
says out "Half a GTX 280 (mine), compute capability 1.3"
expect 0 "$halfwarp" bandwidth --device "sim:$work/mine.json" --max 16KiB
says out "Half a GTX 280"
expect 0 "$halfwarp" ladder access --gpu "$work/mine.json,gtx280" --format csv
says out "mine"
expect 0 "$halfwarp" ladder reduce --gpu "$work/mine.json" --size 1000 --rung copy
says out "Half a GTX 280"
# What is written of a GPU is one again; edited it is another.
expect 0 "$halfwarp" occupancy --gpu "$work/h200.json" --block 256
says out "NVIDIA H200 (h200)"
sed -i 's/"multiprocessors": 132/"multiprocessors": 66/; /gflops/d' "$work/h200.json"
expect 0 "$halfwarp" gpus "$work/h200.json"
grep -Eq '^  h200 +9\.0 +66 ' "$work/out" || fail "an edited H200: $(cat "$work/out")"

halfwarp=$(cd "$(dirname "$halfwarp")" && pwd)/$(basename "$halfwarp")
cd "$work" || exit 2
echo '{"based_on": "h200", "sms": 3}' > bad.json
echo '{"based_on": "h200",' > cut.json
printf '{"based_on": "h200",\n "memory_gbs": 99, "memory_bus_bits": 6016, "memory_clock_mhz": 3201}' > wrong.json
mkdir folder.json
refuses_rows "$halfwarp" <<'ROWS'
run --gpu bad.json x.cu|bad.json:1: there is no key "sms"
run --gpu cut.json x.cu|cut.json:2: it is no JSON
profile --gpu wrong.json x.cu|wrong.json:2: "memory_gbs" is 99, and two transfers a clock at 3201 MHz
occupancy --gpu none.json --block 32|cannot read the GPU of none.json: No such file
ladder access --gpu h200,bad.json|bad.json:1: there is no key
bandwidth --device sim:bad.json|bad.json:1: there is no key
run --gpu folder.json x.cu|folder.json: it is no regular file
gpus ./h200|cannot read the GPU of ./h200
bandwidth --device sim:jetson-nano|nothing is known of a link
ROWS

# ---- What a program is told ----
cat > asks.cu <<'CUDA'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void turn(int *p) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    cudaDeviceProp p;
    int khz, memory_khz, *x, first;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
    printf("%s|%d.%d|%d|%d|%d|%d|%d|%zu|", p.name, p.major, p.minor, p.multiProcessorCount, khz / 1000,
           memory_khz / 1000, p.memoryBusWidth, p.l2CacheSize / 1024, (size_t)p.totalGlobalMem);
    printf("%d %dx%d %d|", p.maxTexture1D, p.maxTexture2D[0], p.maxTexture2D[1], p.maxTexture3D[2]);
    printf("engines %d map %d integrated %d kernels %d ecc %d unified %d managed %d|", p.asyncEngineCount,
           p.canMapHostMemory, p.integrated, p.concurrentKernels, p.ECCEnabled, p.unifiedAddressing, p.managedMemory);
    cudaMalloc(&x, 256);
    turn<<<1, 64>>>(x);
    cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", first);
    return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
program=asks.cu
if command -v nvcc > where; then
    program=./asks
    nvcc -w -o asks -cudart shared -gencode arch=compute_75,code=compute_75 asks.cu || fail "nvcc"
fi
asked() {   # GPU ROW
    expect 0 "$halfwarp" run --gpu "$1" "$program"
    grep -qxF -- "$2" out || fail "$1: $(cat out)"
}
asked 8800gtx "GeForce 8800 GTX|1.0|16|1350|900|384|0|805306368|8192 65536x32768 2048|\
engines 0 map 0 integrated 0 kernels 0 ecc 0 unified 0 managed 0|63"
asked gtx280 "GeForce GTX 280|1.3|30|1296|1107|512|0|1073741824|8192 65536x32768 2048|\
engines 1 map 1 integrated 0 kernels 0 ecc 0 unified 0 managed 0|63"
asked c2050 "Tesla C2050|2.0|14|1147|1500|384|768|3221225472|65536 65536x65535 2048|\
engines 2 map 1 integrated 0 kernels 1 ecc 1 unified 1 managed 0|63"
asked jetson-orin-nx "Orin|8.7|8|918|3200|128|2048|17179869184|131072 131072x65536 16384|\
engines 2 map 1 integrated 1 kernels 1 ecc 0 unified 1 managed 1|63"
asked h200 "NVIDIA H200|9.0|132|1980|3201|6016|61440|150109880320|131072 131072x65536 16384|\
engines 3 map 1 integrated 0 kernels 1 ecc 1 unified 1 managed 1|63"
# A relative path is the same file wherever the program goes.
asked mine.json "Half a GTX 280|1.3|15|1296|1107|256|0|1073741824|8192 65536x32768 2048|\
engines 1 map 1 integrated 0 kernels 0 ecc 0 unified 0 managed 0|63"

# Without the command the runtime reads the name or the file itself.
if [ "$program" != asks.cu ]; then
    library=$(dirname "$halfwarp")/lib
    HALFWARP_GPU=mine.json LD_LIBRARY_PATH=$library expect 0 "$program"
    says out "Half a GTX 280|"
    HALFWARP_GPU="Tesla K80" LD_LIBRARY_PATH=$library expect 0 "$program"
    says out "Tesla K80|3.7|13|"
    HALFWARP_GPU=bad.json LD_LIBRARY_PATH=$library expect 2 "$program"
    refuses 'halfwarp: bad.json:1: there is no key "sms"'
    HALFWARP_GPU=nonsense LD_LIBRARY_PATH=$library expect 2 "$program"
    refuses 'halfwarp: no GPU model is called "nonsense"'
fi

# Profiled on one GPU of every compute capability; compiled once, or for a few where that takes a compiler each time.
awk -F, 'NR > 1 && !seen[$4]++ {gsub(/"/, "", $1); print $1}' gpus.csv > each
[ "$(wc -l < each)" -ge 29 ] || fail "capabilities: $(cat each)"
[ "$program" = asks.cu ] && printf '%s\n' jetson-tk1 jetson-thor gb10 > each
while read -r gpu; do
    expect 0 "$halfwarp" profile --gpu "$gpu" --format json -o "$gpu.json" "$program"
    python3 - "$gpu" <<'PYTHON' || fail "profile on $gpu"
import json, sys
report = json.load(open(sys.argv[1] + ".json"))
launch, = report["launches"]
assert report["gpu"]["id"] == sys.argv[1] and launch["completed"], report
assert launch["inst"] > 0 and launch["occupancy_pct"] > 0 and launch["est_us"] > 0, launch
assert launch["gst_requests"] == 2 and launch["barriers"] == 2, launch
PYTHON
done < each
finish
