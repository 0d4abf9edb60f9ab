# profile --check: the counters of profile alone, and the findings of check alone, each in its place, in one run.
. "$(dirname "$0")/../check.bash"

cat > "$work/told.cu" << 'CUDA'
#include <cstdio>
__global__ void reverse(int *out, const int *in, int n) {
    __shared__ int tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
#ifdef MENDED
    __syncthreads();
#endif
    if (i < n) out[i] = tile[255 - threadIdx.x];
}
__global__ void count(int *counts, const int *in, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[in[i * 7 % n] % 32], 1);
}
__global__ void columns(float *out, const float *in) { out[threadIdx.x * 32 + blockIdx.x] = in[threadIdx.x * 33]; }
int main() {
    int *data;
    cudaMalloc(&data, 1 << 20);
    cudaMemset(data, 1, 1 << 20);
    for (int i = 0; i < 3; i++) reverse<<<8, 256>>>(data + 4096, data, 2000);
    count<<<4, 96>>>(data + 8192, data, 1000);
    columns<<<32, 64>>>((float *)data + 16384, (float *)data);
    cudaDeviceSynchronize();
    cudaFree(data);
    puts("its own output");
    return 7;
}
CUDA
"$halfwarp" run "$work/told.cu" > "$work/where" 2>&1
[ $? = 7 ] || exit 77
profile() { "$halfwarp" profile "$@"; }
# Rows without what depends on how they were executed.
columns() {
    sed 's/"[^"]*"/kernel/' "$1" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) is_left_out[i] = $i == "host_ms" || $i == "reused" }
        { for (i = 1; i <= NF; i++) if (!is_left_out[i]) printf "%s,", $i; print "" }'
}

# ---- both reports are those of a run each ---------------------------------------------------------------------------

for lines in "" --lines; do
    for program in "$work/told.cu" "examples/transpose.cu 64" "tests/cuda/shuffles.cu"; do
        profile --no-reuse $lines --format csv -o "$work/alone.csv" $program > "$work/alone" 2> "$work/where"
        status=$?
        profile --check="$work/found" $lines --format csv -o "$work/both.csv" $program > "$work/both" 2> "$work/where"
        checked=$?
        [ ! -s "$work/found" ] && [ $checked != $status ] && fail "$program: $checked, and alone $status"
        diff "$work/alone" "$work/both" > "$work/where" || fail "$program prints something else: $(cat "$work/where")"
        [ "$(wc -l < "$work/alone.csv")" -gt 1 ] || fail "$program: no counters"
        diff <(columns "$work/alone.csv") <(columns "$work/both.csv") > "$work/difference" ||
            fail "$program $lines: other counters: $(head -5 "$work/difference")"
    done
done
"$halfwarp" check -o "$work/alone" "$work/told.cu" > "$work/where"
expect 1 profile --check="$work/found" "$work/told.cu"
says out "its own output"
says out "reverse"
diff "$work/alone" "$work/found" > "$work/difference" || fail "other findings: $(cat "$work/difference")"
grep -qE "^[12] hazards? found" "$work/found" || fail "findings: $(cat "$work/found")"

# ---- places and formats ---------------------------------------------------------------------------------------------

expect 1 profile --check "$work/told.cu"
says out "race: threads of one block access the same bytes of shared memory"
sed -n '/^race:/,$p' "$work/out" | diff "$work/alone" - > "$work/where" ||
    fail "findings behind the table: $(cat "$work/where")"
expect 7 profile --check -DMENDED "$work/told.cu"
grep -q hazard "$work/out" && fail "hazards in a mended program: $(cat "$work/out")"
expect 7 profile "$work/told.cu"
grep -q hazard "$work/out" && fail "hazards without --check: $(cat "$work/out")"
expect 1 profile --check="$work/found.json" --format json -o "$work/report.json" "$work/told.cu"
expect 1 profile --check="$work/found.sarif" "$work/told.cu"
if command -v python3 > "$work/where"; then
    python3 - "$work/found.json" "$work/report.json" "$work/found.sarif" << 'PYTHON' || fail "formats"
import json, sys
found, report, sarif = [json.load(open(name)) for name in sys.argv[1:]]
assert found["findings"][0]["kind"] == "race"
assert len(report["launches"]) == 5
assert sarif["version"] == "2.1.0"
PYTHON
fi
echo 'race told.cu:*' > "$work/known"
expect 7 profile --check --suppress "$work/known" "$work/told.cu"
refuses_rows profile << 'ROWS'
--leaks "$work/told.cu"|--check
--suppress "$work/known" "$work/told.cu"|--check
--check --format csv "$work/told.cu"|both reports
--check --format json "$work/told.cu"|both reports
--check="$work/same" -o "$work/same" "$work/told.cu"|both reports
--check= "$work/told.cu"|file
--check --suppress "$work/missing" "$work/told.cu"|missing
ROWS
finish
