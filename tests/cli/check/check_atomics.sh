# check tells both lines of races with atomics, whatever a level calls and does not inline: at -O0, -O3 and -G, by every
# compiler in sight, in JSON, for people and in SARIF.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/atomics.cu

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
added|race|block|
largest|race|grid|
compared|race|grid|
exchanged|race|block|
floats|race|grid|
wide|race|grid|
counted|race|grid|
atomic_astray|bounds||
ROWS

routes=0
for compiler in clang nvcc; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    for options in $(levels_of $compiler); do
        check() { "$halfwarp" check --compiler $compiler $options "$@"; }
        expect 0 check "$source"
        silent out
        expect 1 check --format json -o "$work/found.json" "$source" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" ||
            fail "$compiler $options: atomics"
        expect 1 check "$source" racy
        says out "if (!Racy || blockIdx.x == 0) atomicMax(out + 1, 5);"
        expect 1 check --format sarif -o "$work/found.sarif" "$source" racy
        line=$(grep -n 'atomicMax(' "$source" | cut -d: -f1)
        grep -q "\"startLine\": *$line\b" "$work/found.sarif" || fail "$compiler $options: no line $line in SARIF"
    done
done
[ $routes -gt 0 ] || exit 77
finish
