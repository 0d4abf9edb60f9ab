# bandwidth: the model of simulated GPUs in every format, and what is refused.
. "$(dirname "$0")/check.bash"
bandwidth() { "$halfwarp" bandwidth "$@"; }

expect 0 bandwidth --device sim:gtx280
silent err
grep -q "GeForce GTX 280.*a model, nothing was measured" "$work/out" || fail "not said to be a model: $(head -1 "$work/out")"
grep -Eq "^ +256 MiB +4\.21 +7\.26 +7\.26 +7\.26 +4\.21" "$work/out" || fail "256 MiB: $(grep '256 MiB' "$work/out")"
! grep -q ' $' "$work/out" || fail "blanks at the end of a line"
[ "$(awk 'length > 120' "$work/out" | wc -l)" = 0 ] || fail "a line is too long"

columns=device,model,memory,direction,bytes,us,gbs,streams,execution_us,transfer_us,formula_us
expect 0 bandwidth --device sim:h200 --format csv -o "$work/b.csv" --max 1MiB
silent out
[ "$(head -1 "$work/b.csv")" = "$columns" ] || fail "columns: $(head -1 "$work/b.csv")"
[ "$(wc -l < "$work/b.csv")" = 45 ] || fail "rows: $(wc -l < "$work/b.csv")"   # 4 kinds, 2 directions, 5 sizes, 4 overlaps
# execution + transfer / streams
awk -F, '$3 == "overlap" && ($6 - $9 - $10 / $8) ^ 2 > 0.0001 { bad = 1 } END { exit bad }' "$work/b.csv" ||
    fail "no formula: $(tail -4 "$work/b.csv")"

expect 0 bandwidth --device sim:k40 --format json
if command -v python3 > "$work/where"; then
    python3 -m json.tool < "$work/out" > "$work/where" 2>&1 || fail "no JSON: $(cat "$work/where")"
fi
if command -v gnuplot > "$work/where"; then
    expect 0 bandwidth --device sim:k40 --plot "$work/b.svg" -o "$work/b.txt"
    grep -q '</svg>' "$work/b.svg" || fail "no picture"
fi

expect 2 bandwidth --device cpu
[ "$(wc -l < "$work/err")" = 1 ] || fail "cpu: $(cat "$work/err")"
expect 2 bandwidth --device sim:nothing
expect 2 bandwidth --device sim:h200 --max 1
expect 2 bandwidth --device sim:h200 --max 2GiB
expect 2 bandwidth --device sim:h200 --format xml
expect 2 bandwidth --device sim:h200 -o ''
expect 2 bandwidth --device sim:h200 word
expect 2 bandwidth --device sim:h200 -o "$work/no/such/folder"
expect 2 bandwidth --device cuda:99
[ "$(wc -l < "$work/err")" = 1 ] || fail "cuda:99: $(cat "$work/err")"
finish
