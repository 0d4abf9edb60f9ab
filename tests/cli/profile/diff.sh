# diff: what has changed between two profiles, with its exit status.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" profile --lines --format json -o "$work/old.json" examples/transpose.cu 64
expect 0 "$halfwarp" diff "$work/old.json" "$work/old.json"
says out "nothing has changed by 1% or more"
# The same program with a line more, in another folder, whose tile is padded everywhere.
sed '26s/PAD/1/; 20i // another line' examples/transpose.cu > "$work/transpose.cu"
expect 0 "$halfwarp" profile --lines --format json -o "$work/new.json" "$work/transpose.cu" 64
expect 0 "$halfwarp" diff "$work/old.json" "$work/new.json"
says out "transpose_tiled(float*"
says out "transpose.cu:37 > 38"
grep -qE 'bank_passes +16\.5x +1\.0x +-94%' "$work/out" || fail "no bank passes: $(cat "$work/out")"
grep -q transpose_naive "$work/out" && fail "what has not changed: $(cat "$work/out")"
expect 0 "$halfwarp" diff --kernels "$work/old.json" "$work/new.json"
grep -q ':37' "$work/out" && fail "lines: $(cat "$work/out")"
expect 1 "$halfwarp" diff --format markdown -o "$work/change.md" "$work/new.json" "$work/old.json"
silent out
grep -qE '^\| `transpose_tiled` \|  \| bank_passes \| 1\.0x \| 16\.5x \| 16\.5x \| worse \|$' "$work/change.md" ||
    fail "$(cat "$work/change.md")"
expect 1 "$halfwarp" diff --format json "$work/new.json" "$work/old.json"
python3 - "$work/out" <<'PYTHON' || fail "JSON of changes"
import json, sys
diff = json.load(open(sys.argv[1]))
rows = [c for c in diff["changes"] if c["what"] == "smem_wavefronts" and c.get("old_line") == 38]
assert len(rows) == 1 and rows[0]["new_line"] == 37 and rows[0]["verdict"] == "worse", rows
assert diff["new"]["est_us"] > diff["old"]["est_us"] and diff["worse"] > 0
PYTHON
# Two programs; what they print is no part of the comparison.
expect 0 "$halfwarp" diff --gpu t4 --kernels examples/transpose.cu "$work/transpose.cu" -- 64
says out "Tesla T4"
says err "64 x 64 transposed"
grep -q 'transposed three ways' "$work/out" && fail "the programs' output: $(cat "$work/out")"
echo 'int main( {' > "$work/broken.cu"
expect 3 "$halfwarp" diff "$work/old.json" "$work/broken.cu"
head -c 99 "$work/old.json" > "$work/cut.json"
refuses_rows "$halfwarp" diff <<'ROWS'
"$work/old.json"|diff takes two profiles or programs
"$work/old.json" "$work/none.json"|cannot read
"$work/old.json" "$work/cut.json"|is no JSON
"$work/old.json" "$work/old.json" 64|is one word too many
--format xml a b|--format is table, markdown or json
--least x a b|--least takes a number of percent
ROWS
finish
