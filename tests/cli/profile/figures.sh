# The tables of documents are what tools/figures.py makes of bench/results; it shows where not.
. "$(dirname "$0")/../check.bash"

command -v python3 > "$work/where" || { echo "no python3 to make the tables with"; exit 77; }
tools/figures.py --check > "$work/out" 2> "$work/err" ||
    fail "documents differ from bench/results; tools/figures.py fills them: $(head -c 2000 "$work/out" "$work/err")"

# On a copy: whatever is changed on one side alone is shown, and mended.
tree=$work/tree
mkdir -p "$tree/docs" "$tree/bench" "$tree/tools"
cp tools/figures.py "$tree/tools"
cp -r bench/results "$tree/bench"
renew() { cp docs/performance.md docs/check.md docs/advice.md docs/report.md "$tree/docs" && cp README.md "$tree"; }
check() { expect "$1" python3 "$tree/tools/figures.py" --check; }
change() { python3 -c '
import re, sys
path, old, new = sys.argv[1:]
text = open(path).read()
changed = re.sub(old, new, text, count=1)
assert changed != text, (path, old)
open(path, "w").write(changed)' "$tree/$1" "$2" "$3" || fail "$1 has no $2"; }

renew
check 0
silent out
change docs/performance.md '(\| f32 8192x8192 \| 1,0 \| )4' '\g<1>5'
check 1
says out '-| f32 8192x8192 | 1,0 | 5'
says out '+| f32 8192x8192 | 1,0 | 4'
expect 0 python3 "$tree/tools/figures.py"
cmp -s docs/performance.md "$tree/docs/performance.md" || fail "the table was not mended"

change README.md '(\| sum of 2\^28 f32 \| )[0-9]+' '\g<1>9999'
check 1
says out '-| sum of 2^28 f32 | 9999'
renew
change bench/results/nearest_h200.json '"median": [0-9.]+' '"median": 77.7'
check 1
says out '+| f32 uniform 20000x3 | 1 | every pair | 77.7'
cp bench/results/nearest_h200.json "$tree/bench/results"

# A table that no file stands behind, a kind and a file that are not there.
printf '| a | b |\n|---|---|\n| 1 | 2 |\n' >> "$tree/docs/performance.md"
check 1
says out 'docs/performance.md: a table has no file: | a | b |'
renew
change docs/performance.md 'table: reduce from' 'table: reduced from'
check 2
says err "there is no table 'reduced'"
renew
rm "$tree/bench/results/transpose_host_h200.json"
check 2
says err "cannot read bench/results/transpose_host_h200.json"
expect 2 python3 "$tree/tools/figures.py" --chekc
says err "usage:"
finish
