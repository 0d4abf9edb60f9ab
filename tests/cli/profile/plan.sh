# Plans: of a program with copies, kernels and work of its own.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" plan --own-ms 1 --cpu-ms 2 examples/transpose.cu
says out "1024 x 1024 transposed"
says out "own work is as given"
says out "4.2 MB go to the GPU and 12.6 MB come back"
says out "transpose_tiled"
grep -Eq "shared, [1-9][0-9.]*x (latency|issue)" "$work/out" || fail "what bounds it: $(cat "$work/out")"
says out "1024 blocks for 1056 places"
expect 0 "$halfwarp" plan --format json -o "$work/plan.json" examples/transpose.cu
says out "1024 x 1024 transposed"
python3 - "$work/plan.json" <<'PYTHON' || fail "plan"
import json, sys
plan = json.load(open(sys.argv[1]))
program = plan["program"]
parts = {p["part"]: p["us"] for p in program["parts"]}
assert abs(sum(parts.values()) - program["us"]) < 0.01 and parts["own work"] > 0, parts
assert program["own_work_is_measured"] and program["link_us"] > program["pinned_us"] > 0
kernels = {k["kernel"].split("(")[0]: k for k in plan["kernels"]}
tiled, padded, naive = (kernels["transpose_" + name] for name in ("tiled", "padded", "naive"))
# The model without conflicts says what the padded kernel takes, which has none.
assert abs(tiled["without_us"]["bank-conflicts"] - padded["est_us"]) < 0.02 * padded["est_us"], tiled
assert naive["without_us"]["spare-sectors"] < 0.5 * naive["est_us"] and naive["bound"] == "memory"
assert tiled["numbers"] is None and tiled["flop"] == 0 and tiled["inst_per_ns"] > 0
PYTHON
# A multiply-add for each of two arrays' bytes: 2 operations for the 12 bytes of an element.
cat > "$work/saxpy.cu" <<'CUDA'
__global__ void saxpy(float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 1 << 22);
    cudaMalloc(&y, 1 << 22);
    saxpy<<<4096, 256>>>(2, x, y);
    return cudaDeviceSynchronize();
}
CUDA
expect 0 "$halfwarp" plan --format json -o "$work/plan.json" "$work/saxpy.cu"
python3 -c '
import json, sys
k = json.load(open(sys.argv[1]))["kernels"][0]
assert k["flop"] == 2 << 20 and k["numbers"] == "single" and k["bytes"] == 12 << 20, k
' "$work/plan.json" || fail "flops"
refuses_rows "$halfwarp" plan <<'ROWS'
--format csv x.cu|--format is text or json
--cpu-ms soon x.cu|--cpu-ms takes a number of milliseconds
--own-ms -1 x.cu|--own-ms takes a number of milliseconds
--lines x.cu|--lines is an option of `halfwarp profile`, not of plan
ROWS
expect 2 "$halfwarp" plan
refuses "halfwarp plan [OPTIONS] PROG"
finish
