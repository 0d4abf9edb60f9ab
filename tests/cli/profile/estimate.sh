# profile's estimates of time: what the documents that began the project say of the GTX 280, and which bound an H200
# has.
. "$(dirname "$0")/../check.bash"
here=$(cd "$(dirname "$0")" && pwd)

# column NAME of row N (from 1) of $work/out.csv; kernels' names hold commas, in quotes.
column() {
    sed 's/"[^"]*"/kernel/g' "$work/out.csv" | awk -F, -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }'
}
is_true() { [ "$(awk "BEGIN { print ($1) ? 1 : 0 }")" = 1 ] || fail "$2: not $1"; }
transposes() {
    expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$@" "$here/../../cuda/transpose_times.cu"
}
# Case 27: GB/s of NVIDIA's Optimizing Matrix Transpose in CUDA, 2048 x 2048, and how far the estimate may be from them:
# what memory alone bounds is near; shared memory and diagonal order take time there that they do not take here.
COPY=1 SHARED_COPY=2 NAIVE=3 COALESCED=4 NO_CONFLICTS=5 FINE=6 COARSE=7 DIAGONAL=8
near() {   # ROW MEASURED FACTOR
    is_true "$(column est_gbs "$1") < $2 * $3 && $(column est_gbs "$1") > $2 / $3" "row $1, measured $2 GB/s"
}
transposes --gpu gtx280
[ "$(head -1 "$work/out.csv" | grep -o 'est_us,est_gbs,est_bound,spill_bytes,ptx_by,est_us_memory')" ] ||
    fail "columns: $(head -1 "$work/out.csv")"
# The README begins with what is printed, by nvcc; clang's kernels have other registers.
if command -v nvcc > "$work/where"; then
    root=$here/../../..
    COLUMNS=140 expect 0 "$halfwarp" profile --compiler nvcc "$root/examples/transpose.cu"
    grep -E '^ +[0-9]  transpose_' "$work/out" | sed 's/^/    /' > "$work/rows"
    grep -E '^ +[0-9]  transpose_' "$root/README.md" | diff - "$work/rows" > "$work/differ" ||
        fail "README.md: $(cat "$work/differ")"
fi
# est_us is the launch, and the root of the squares of the latency and of the largest of the other bounds.
bounds_make_it() {
    awk -v m="$(column est_us_memory "$1")" -v s="$(column est_us_shared "$1")" -v i="$(column est_us_issue "$1")" \
        -v l="$(column est_us_latency "$1")" -v o="$(column est_us_launch "$1")" -v us="$(column est_us "$1")" 'BEGIN {
            busy = m > s ? m : s
            if (i > busy) busy = i
            off = o + sqrt(busy * busy + l * l) - us
            exit !(o > 0 && busy > 0 && off < 0.01 && off > -0.01) }' || fail "row $1: bounds do not make est_us"
}
bounds_make_it $COPY; bounds_make_it $NO_CONFLICTS; bounds_make_it $DIAGONAL
near $COPY 96.9 1.15; near $NAIVE 2.2 1.15; near $COALESCED 16.5 1.15; near $NO_CONFLICTS 16.6 1.15
near $COARSE 16.7 1.15; near $SHARED_COPY 80.9 1.4; near $FINE 80.4 1.4; near $DIAGONAL 69.5 1.6
[ "$(column est_bound $NAIVE)" = memory ] || fail "bound: $(column est_bound $NAIVE)"
# An eighth, but for the waves of blocks that reach into the next 64.
is_true "$(column gst_partition_pct $COARSE) >= 12.5 && $(column gst_partition_pct $COARSE) < 16" "tiled, partitions"
is_true "$(column gst_partition_pct $DIAGONAL) > 90" "diagonal, partitions"
is_true "$(column est_us $NAIVE) >= 30 * $(column est_us $DIAGONAL)" "naive against diagonal"
# Without partition camping naive stores move 16 times as many bytes, and loads as many: 8.5 times.
transposes --gpu gtx280 -DWIDTH=2080
# clang 14 gives the naive kernel a few instructions less, and 7.9; NVIDIA measured 7.5.
least=8
[[ $(column ptx_by $NAIVE) == clang* ]] && least=7.5
is_true "$(column est_us $NAIVE) >= $least * $(column est_us $NO_CONFLICTS)" "naive against tiled"
is_true "$(column est_us $COALESCED) < 1.1 * $(column est_us $DIAGONAL)" "diagonal order without partition camping"
transposes --gpu m2090
near $COPY 125.2 1.15; near $SHARED_COPY 110.6 1.15; near $NAIVE 61.5 1.75; near $COALESCED 92.8 1.3
near $NO_CONFLICTS 103.2 1.3; near $FINE 105.8 1.3; near $COARSE 107.2 1.3; near $DIAGONAL 81.4 1.5

# Case 4: of the blocks of seed 000 that give a thread two elements, 16x16 is the fastest on a K40.
expect 0 "$halfwarp" profile --gpu k40 --format csv -o "$work/out.csv" "$here/../../cuda/unrolled_blocks.cu"
for row in 1 2 4; do
    is_true "$(column est_us 3) < $(column est_us $row)" "two tiles a thread, blocks of row $row"
done

# What a launch does not touch is none of its business: 1 GB more is allocated, and the estimate is the same. Of what it
# does touch the size counts: what is read lies in 1 GB, and is taken to come from all of it.
cat > "$work/walk.cu" <<'CUDA'
enum { N = 1 << 16 };
__global__ void walk(float *out, const float4 *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 64; k++) {
        float4 v = in[(i + k * 4096) % N];
        sum += v.x + v.y + v.z + v.w;
    }
    out[i] = sum;
}
int main(int argc, char **) {
    float4 *in;
    float *out, *more;
    cudaMalloc(&in, argc > 2 ? 1 << 30 : N * sizeof(float4)), cudaMalloc(&out, 4 * N);
    if (argc > 1) cudaMalloc(&more, 1 << 30);
    walk<<<N / 256, 256>>>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$work/walk.cu"
little=$(column est_us 1)
expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$work/walk.cu" more
is_true "$little == $(column est_us 1)" "with more memory allocated"
expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$work/walk.cu" more touched
is_true "$little < 0.8 * $(column est_us 1)" "within more memory"

expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$here/../../../examples/transpose.cu"
# Which of the last one's two is more depends on how many instructions the compiler makes of it.
for row in "1:memory" "2:shared" "3:latency issue"; do
    [[ " ${row#*:} " = *" $(column est_bound ${row%:*}) "* ]] || fail "H200, $row: $(column est_bound ${row%:*})"
    us=$(column est_us ${row%:*})
    is_true "$us * $(column est_gbs ${row%:*}) > 8388 * 0.99 && $us < 30" "H200, $row"
done
expect 0 "$halfwarp" profile --format json -o "$work/out.json" "$here/../../../examples/transpose.cu"
estimates=$(grep -c '"est_us": [0-9.]*, "est_gbs": [0-9.]*, "est_bound": "' "$work/out.json")
[ "$estimates" = 3 ] || fail "$estimates estimates in JSON: $(tail -2 "$work/out.json")"
finish
