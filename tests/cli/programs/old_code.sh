# Code of 1.x as its compilers made it: addresses of 32 bits, so that matrixMul of NVIDIA's SDK has 14 registers, as on
# a G80 (and sgemmNN 26 as the book has it; Volkov's own, with alpha and beta, had 30); and what a compute capability
# has not is told.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

rows() {
    expect 0 "$halfwarp" profile --gpu "$1" --format csv -o "$work/r.csv" examples/seeds/products.cu
    says out "0 elements are wrong"
    HALFWARP_HIDE_NVCC= python3 - "$work/r.csv" "${@:2}" <<'PYTHON' || fail "$1: $(cut -d, -f1-20 "$work/r.csv")"
import csv, sys
rows = {r["kernel"].split("(")[0]: r for r in csv.DictReader(open(sys.argv[1]))}
for kernel, regs, occupancy in zip(*[iter(sys.argv[2:])] * 3):
    row = rows[kernel]
    got = row["regs"], round(float(row["occupancy_pct"]))
    assert got == (regs, int(occupancy)), got
PYTHON
}
if command -v nvcc > "$work/where"; then    # clang puts other values beside each other
    rows 8800gtx matrixMul 14 67 sgemmNN 26 33
    rows gtx280 matrixMul 14 100 sgemmNN 26 50
fi

cat > "$work/lacks.cu" <<'CUDA'
__global__ void twice(double *d) { d[threadIdx.x] = 2 * d[threadIdx.x] + 1; }
__global__ void moves(double *to, const double *from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void meet(int *n, float *f) {
    n[threadIdx.x] = __shfl_xor_sync(~0u, n[threadIdx.x], 1) + __any_sync(~0u, n[threadIdx.x] > 3);
    atomicAdd(f, 1.0f);
}
int main(int argc, char **) {
    double *d;
    cudaMalloc(&d, 4096);
    moves<<<1, 32>>>(d, d + 32);
    if (argc > 1) twice<<<1, 32>>>(d);
    if (argc > 1) twice<<<1, 32>>>(d);
    if (argc > 1) meet<<<1, 32>>>((int *)d, (float *)d + 256);
    return cudaDeviceSynchronize();
}
CUDA
expect 0 "$halfwarp" run --gpu 8800gtx "$work/lacks.cu"
silent err
expect 0 "$halfwarp" run --gpu 8800gtx "$work/lacks.cu" all
for lack in "1.0 has no double precision (1.3 has them), which twice(double*) uses" "no shuffles (3.0" "no votes (1.2" \
    "no atomic additions of float (2.0"; do
    says err "$lack"
done
[ "$(grep -c "double precision" "$work/err")" = 1 ] || fail "told more than once: $(cat "$work/err")"
expect 0 "$halfwarp" run --gpu k40 "$work/lacks.cu" all
silent err
finish
