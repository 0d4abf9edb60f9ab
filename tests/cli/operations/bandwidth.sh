# bandwidth: the model of simulated GPUs in every format, and what is refused.
. "$(dirname "$0")/../check.bash"
bandwidth() { "$halfwarp" bandwidth "$@"; }

expect 0 bandwidth --device sim:gtx280
silent err
grep -q "GeForce GTX 280.*a model, nothing was measured" "$work/out" ||
    fail "not said to be a model: $(head -1 "$work/out")"
grep -Eq "^ +256 MiB +4\.77 +6\.98 +6\.98 +6\.98 +4\.77" "$work/out" || fail "256 MiB: $(grep '256 MiB' "$work/out")"
! grep -q ' $' "$work/out" || fail "blanks at the end of a line"
[ "$(awk 'length > 120' "$work/out" | wc -l)" = 0 ] || fail "a line is too long"

columns=device,model,memory,direction,bytes,us,gbs,streams,execution_us,transfer_us,formula_us
expect 0 bandwidth --device sim:h200 --format csv -o "$work/b.csv" --max 1MiB
silent out
[ "$(head -1 "$work/b.csv")" = "$columns" ] || fail "columns: $(head -1 "$work/b.csv")"
# 4 kinds, 2 directions, 5 sizes, 4 overlaps
[ "$(wc -l < "$work/b.csv")" = 45 ] || fail "rows: $(wc -l < "$work/b.csv")"
# The formula is execution + transfer / streams. The schedule beside it pays 3 us for each copy: the same for one
# stream, later by 8 - 8 / 2 for two, which still hide their copies, and ever later for more of this size.
awk -F, '$3 == "overlap" && ($11 - $9 - $10 / $8) ^ 2 > 0.0001 { bad = 1 } END { exit bad }' "$work/b.csv" ||
    fail "no formula: $(tail -4 "$work/b.csv")"
awk -F, '$3 == "overlap" { late[$8] = $6 - $11 } END { exit !(late[1] == 0 && (late[2] - 1.5) ^ 2 < 0.0001 &&
    late[4] > 2 && late[8] > 11) }' "$work/b.csv" || fail "no schedule: $(tail -4 "$work/b.csv")"
# A GPU of 1.0 copies or computes: eight copies, each with 3 us more, and no overlap.
expect 0 bandwidth --device sim:8800gtx --format csv --max 1MiB
awk -F, '$3 == "overlap" && ($6 - $9 - $10 - 3 * ($8 - 1)) ^ 2 > 0.0001 { bad = 1 } END { exit bad }' "$work/out" ||
    fail "overlap on 1.0: $(tail -4 "$work/out")"

# JSON says what CSV does.
expect 0 bandwidth --device sim:k40 --format csv -o "$work/k.csv" --max 1MiB
expect 0 bandwidth --device sim:k40 --format json --max 1MiB
if command -v python3 > "$work/where"; then
    python3 - "$work/out" "$work/k.csv" << 'PYTHON' || fail "the JSON: $(head -c 600 "$work/out")"
import csv, json, sys
answer = json.load(open(sys.argv[1]))
assert list(answer) == ["device", "model", "transfers", "overlap"]
assert answer["device"] == "sim:k40" and answer["model"] is True
rows = list(csv.DictReader(open(sys.argv[2])))
found = answer["transfers"] + [dict(row, memory="overlap", direction="to") for row in answer["overlap"]]
assert len(found) == len(rows) == 44
for wanted, row in zip(rows, found):
    for key, value in row.items():
        assert wanted[key] == value if isinstance(value, str) else float(wanted[key]) == value, (wanted, row)
PYTHON
    # No more decimals than CSV.
    ! grep -E '[0-9]\.[0-9]{4}' "$work/out" > "$work/decimals" || fail "made-up decimals: $(head -1 "$work/decimals")"
fi
expect 0 bandwidth --device sim:k40 --plot "$work/b.svg" -o "$work/b.txt"
grep -q '</svg>' "$work/b.svg" || fail "no picture"
for label in pageable pinned combined mapped; do
    grep -q ">$label, to</text>" "$work/b.svg" || fail "no label at the end of $label: $(grep '<text' "$work/b.svg")"
done

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
