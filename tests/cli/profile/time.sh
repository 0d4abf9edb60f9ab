# The GPU's time: what events show is what profile estimates, whatever this machine takes, by how many threads.
. "$(dirname "$0")/../check.bash"
program="$(cd "$(dirname "$0")" && pwd)/../../cuda/streams_timed.cu"

# shown NAME: what the program has printed behind it.
shown() { awk -v name="$1" '$1 == name { print $2; exit }' "$work/out"; }
is_true() { [ "$(awk "BEGIN { print ($1) ? 1 : 0 }")" = 1 ] || fail "$2: not $1"; }

expect 0 "$halfwarp" profile --threads 1 --format csv -o "$work/out.csv" --trace "$work/trace.json" "$program"
cp "$work/out" "$work/profiled"
# Ranges that the program names by NVTX, where its headers are: 0 is how many are left open, below it nobody listens.
if ! grep -q '^ranges -1$' "$work/err"; then
    grep -q '^ranges 0$' "$work/err" || fail "NVTX: $(cat "$work/err")"
    grep -q '"name": "in four streams", "cat": "range"' "$work/trace.json" || fail "no range"
    [ "$(grep -c '"ph": "[be]", "name": "begins outside"' "$work/trace.json")" = 4 ] || fail "no range that overlaps"
    grep -q '"ph": "n", "name": "between"' "$work/trace.json" || fail "no mark"
fi
estimate=$(sed 's/"[^"]*"/kernel/g' "$work/out.csv" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "est_us") at = i }
    NR == 2 { print $at }')
# Between the two events lie the launch, 0.85 us in which the host records the first, and the gap before a launch.
is_true "$(shown kernel) - $estimate < 2 && $(shown kernel) >= $estimate" "kernel"
[ "$(grep ready "$work/out" | tr '\n' ' ')" = "ready 0 ready 1 " ] || fail "ready: $(cat "$work/out")"
# Copies to and from the device and kernels overlap on a GPU with an engine for each.
is_true "$(shown streams1) > 1.5 * $(shown streams4)" "streams of an H200"
# An H200 and its host took 698 and 447 us, medians of three runs that nobody watched (docs/accuracy.md).
is_true "$(shown streams1) > 0.9 * 698 && $(shown streams1) < 1.1 * 698" "one stream of an H200"
is_true "$(shown streams4) > 0.9 * 447 && $(shown streams4) < 1.1 * 447" "four streams of an H200"
expect 0 "$halfwarp" run --threads 2 --no-reuse "$program"
cmp -s "$work/out" "$work/profiled" || fail "run shows other times than profile: $(diff "$work/out" "$work/profiled")"
# Asked for in this order, one queue keeps each stream's copy back until the one before is done.
expect 0 "$halfwarp" run --gpu gtx280 "$program"
is_true "$(shown streams1) == $(shown streams4)" "streams of a GTX 280"
expect 0 "$halfwarp" run --time host "$program"
[ "$(grep ready "$work/out" | tr '\n' ' ')" = "ready 1 ready 1 " ] || fail "ready at once: $(cat "$work/out")"

# The trace has the same work as the table, and each of its tracks is in order.
expect 0 "$halfwarp" profile --copies --format csv -o "$work/work.csv" "$program"
python3 "$(dirname "$0")/check_trace.py" "$work/trace.json" "$work/work.csv" > "$work/out" ||
    fail "trace: $(cat "$work/out")"
expect 0 "$halfwarp" profile --summary --format csv --copies -o "$work/kinds.csv" "$program"
[ "$(cut -d, -f1-3 "$work/kinds.csv" | sort | tr '\n' ' ')" = \
    "copy from device,pinned,8 copy to device,pinned,8 set,,1 what,memory,calls " ] ||
    fail "kinds: $(cat "$work/kinds.csv")"
expect 0 "$halfwarp" profile --copies "$program"
grep -q '^  copy to device *pinned *1 .* 4.2 MB ' "$work/out" || fail "table: $(cat "$work/out")"
expect 2 "$halfwarp" profile --trace "$work/none/trace.json" "$program"
refuses "$work/none"

expect 2 "$halfwarp" run --time gpus "$program"
refuses "--time is gpu or host, and not 'gpus'"

# Clocks inside of kernels, on the GPU of the table that the founding document has: 3096, 3232, 3364, 4615, 9981 clocks
# for 1 to 64 blocks: one begins after the other, which takes 4 and 9% with 8 and 16.
clocks="$(dirname "$program")/block_clocks.cu"
expect 0 "$halfwarp" run --gpu 8800gtx --threads 1 "$clocks"
cp "$work/out" "$work/clocks"
is_true "$(shown blocks8) / $(shown blocks1) > 1.02 && $(shown blocks8) / $(shown blocks1) < 1.06" "8 blocks in turn"
is_true "$(shown blocks16) / $(shown blocks1) > 1.04 && $(shown blocks16) / $(shown blocks1) < 1.12" "16 blocks in turn"
# Two blocks of a multiprocessor share its instructions: how many there are is the compiler's. clang 19 has more.
most=1.6
command -v nvcc > "$work/where" || most=2.3
is_true "$(shown blocks32) / $(shown blocks1) > 1.4 && $(shown blocks32) / $(shown blocks1) < $most" "two blocks"
is_true "$(shown blocks64) / $(shown blocks32) > 1.9 && $(shown blocks64) / $(shown blocks32) < 2.3" "two waves"
is_true "$(shown between) > 4000 && $(shown between) < 7000" "%globaltimer from one launch to the next"
is_true "$(shown cycles) > 10 && $(shown cycles) < 200" "straight-line code"
expect 0 "$halfwarp" run --gpu 8800gtx --threads 2 "$clocks"
cmp -s "$work/out" "$work/clocks" || fail "clocks depend on threads: $(diff "$work/out" "$work/clocks")"
expect 0 "$halfwarp" run --gpu 8800gtx --time host "$clocks"
is_true "$(shown blocks64) == $(shown blocks1)" "instructions do not depend on other blocks"
finish
