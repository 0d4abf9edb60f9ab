# profile's estimates of time: what the documents that began the project say of the GTX 280, and which bound an H200
# has.
. "$(dirname "$0")/check.bash"
here=$(cd "$(dirname "$0")" && pwd)

# column NAME of row N (from 1) of $work/out.csv; kernels' names hold commas, in quotes.
column() {
    sed 's/"[^"]*"/kernel/g' "$work/out.csv" | awk -F, -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }'
}
is_true() { [ "$(awk "BEGIN { print ($1) ? 1 : 0 }")" = 1 ] || fail "$2: not $1"; }
# NVIDIA's Optimizing Matrix Transpose in CUDA, GB/s of 2048 x 2048: naive 2.2, tiled 16.6, diagonal 69.5.
expect 0 "$halfwarp" profile --gpu gtx280 --format csv -o "$work/out.csv" "$here/../cuda/transpose_times.cu"
[ "$(head -1 "$work/out.csv" | grep -o 'est_us,est_gbs,est_bound$')" ] || fail "columns: $(head -1 "$work/out.csv")"
is_true "$(column est_us 1) >= 10 * $(column est_us 2)" "naive against tiled"
is_true "$(column est_us 1) >= 30 * $(column est_us 3)" "naive against diagonal"
is_true "$(column est_gbs 1) > 1.7 && $(column est_gbs 1) < 2.8" "naive, GB/s"
is_true "$(column est_gbs 3) > 60 && $(column est_gbs 3) < 120" "diagonal, GB/s"
# An eighth, but for the waves of blocks that reach into the next 64.
is_true "$(column gst_partition_pct 2) >= 12.5 && $(column gst_partition_pct 2) < 16" "tiled, partitions"
is_true "$(column gst_partition_pct 3) > 90" "diagonal, partitions"
[ "$(column est_bound 1)" = memory ] || fail "bound: $(column est_bound 1)"

expect 0 "$halfwarp" profile --format csv -o "$work/out.csv" "$here/../../examples/transpose.cu"
for row in 1:memory 2:shared 3:latency; do
    [ "$(column est_bound ${row%:*})" = ${row#*:} ] || fail "H200, $row: $(column est_bound ${row%:*})"
    is_true "$(column est_us ${row%:*}) * $(column est_gbs ${row%:*}) > 8388 * 0.99 && $(column est_us ${row%:*}) < 30" "H200, $row"
done
expect 0 "$halfwarp" profile --format json -o "$work/out.json" "$here/../../examples/transpose.cu"
[ "$(grep -c '"est_us": [0-9.]*, "est_gbs": [0-9.]*, "est_bound": "' "$work/out.json")" = 3 ] || fail "$(tail -2 "$work/out.json")"
finish
