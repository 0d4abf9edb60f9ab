# Seed 004, 4.5.1.4: sinf's slow path needs 28 bytes of local memory, and takes an order of magnitude longer. Where it
# begins is the library's: at 48039 there, and at 105615 today.
# clang has no such library of its own.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v nvcc > "$work/where" || finish
program="$(cd "$(dirname "$0")" && pwd)/../../cuda/slow_sines.cu"

column() {   # NAME ROW, from 1; kernels' names hold commas, in quotes
    sed 's/"[^"]*"/kernel/g' "$work/out.csv" | awk -F, -v name="$1" -v row="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == row + 1 { print $at }'
}
expect 0 "$halfwarp" profile --gpu gtx280 --format csv -o "$work/out.csv" "$program"
[ "$(column lst_requests 1) $(column lst_requests 2)" = "0 0" ] || fail "the fast path stores to local memory"
[ "$(column est_us 1)" = "$(column est_us 2)" ] || fail "up to 48038: $(column est_us 1) and $(column est_us 2) us"
awk "BEGIN { exit !($(column est_us_memory 3) > 10 * $(column est_us_issue 1)) }" ||
    fail "the slow path's memory: $(column est_us_memory 3) us, $(column est_us_issue 1) for all of the fast one"
expect 0 "$halfwarp" occupancy --gpu gtx280 --block 256 --format csv -o "$work/out.csv" "$program"
[ "$(column local_bytes 1)" = 28 ] || fail "local memory: $(cat "$work/out.csv")"
expect 0 "$halfwarp" occupancy --gpu gtx280 --block 256 "$program"
says out "28 B"
finish
