# check --nan and --integers find what tests/check/arithmetic.cu has of it, with its lines, and nothing in the right
# twins; without these options nothing.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/arithmetic.cu

# As in check_hazards.sh.
cat > "$work/floats" << 'ROWS'
over_zero|arithmetic||
zero_over_zero|arithmetic||
root|arithmetic||
overflow|arithmetic||
sum|arithmetic||
half_conversion|arithmetic||
half_product|arithmetic||
half_pair|arithmetic||
bfloat|arithmetic||
narrower|arithmetic||
ROWS
cat > "$work/integers" << 'ROWS'
quotient|arithmetic||
rest|arithmetic||
quotient_64|arithmetic||
shift_left|arithmetic||
shift_right|arithmetic||
index_product|arithmetic||
index_sum|arithmetic||
ROWS
cat "$work/floats" "$work/integers" > "$work/both"

routes=0
for compiler in clang nvcc; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    for options in $(levels_of $compiler); do
        check() { "$halfwarp" check --compiler $compiler $options "$@"; }
        expect 0 check --nan --integers "$source" clean
        [ "$(cat "$work/out")" = done ] || fail "$compiler $options, clean: $(head -c 3000 "$work/out")"
        expect 1 check --nan --integers --format json -o "$work/found.json" "$source" racy
        python3 "$here/check_hazards.py" "$work/both" "$work/found.json" "$here/../../check" ||
            fail "$compiler $options: hazards"
    done
    expect 0 check "$source" racy
    for kind in nan:floats integers:integers; do
        expect 1 check --${kind%:*} --format json -o "$work/found.json" "$source" racy
        python3 "$here/check_hazards.py" "$work/${kind#*:}" "$work/found.json" "$here/../../check" ||
            fail "$compiler --${kind%:*}"
    done
done
[ $routes -gt 0 ] || exit 77
expect 1 "$halfwarp" check --nan --integers "$source" racy
says out "arithmetic: a result is infinite, and no operand is"
says out "arithmetic: a result is NaN, and no operand is NaN or infinite"
says out "arithmetic: an integer is divided by zero"
says out "arithmetic: an integer is shifted by as many bits as it has, or more"
says out "computes: thread (0,0,0) of block (0,0,0) in void over_zero<false>(float*, float const*), launch 1"
says out "arithmetic: an int that goes into an address has no room for its value"
says out "17 hazards found"

# Counters are those of a run that does not look.
profile() { "$halfwarp" profile --format csv "$@" "$source" racy > "$work/where"; }
columns() { sed 's/"[^"]*"/kernel/' "$1" | cut -d, -f1-25; }
profile --no-reuse -o "$work/alone.csv"
profile --check="$work/found" --nan --integers -o "$work/both.csv"
diff <(columns "$work/alone.csv") <(columns "$work/both.csv") > "$work/difference" ||
    fail "other counters: $(head -5 "$work/difference")"
finish
