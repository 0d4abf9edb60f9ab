# The seeds' listings: what is right as printed, what is wrong, what is mended, and what the text says of their passes
# through banks and of their times. By each compiler: nvcc has to find the headers of that time.
about_nvcc=1
. "$(dirname "$0")/../check.bash"

seeds=examples/seeds

# run GPU PROGRAM [WORD...]
run() {
    expect 0 "$halfwarp" run --compiler $compiler --gpu "$1" "$seeds/$2.cu" "${@:3}"
    silent err
}

# Rows "NAME TEXT" of stdin: a line of the program begins with NAME, then blanks and TEXT (regular expressions).
told() {
    while read -r name text; do
        grep -qE "^$name +$text" "$work/out" || fail "$compiler, $1: not $name $text: $(cat "$work/out")"
    done
}

# Numbers of `column` of each launch of a program on a GPU.
column() {
    expect 0 "$halfwarp" profile --compiler $compiler --gpu "$1" --format csv -o "$work/rows.csv" "$seeds/$2.cu"
    python3 -c 'import csv, sys
print(*(row[sys.argv[2]] for row in csv.DictReader(open(sys.argv[1]))))' "$work/rows.csv" "$3"
}

check_transposes() {
    run gtx280 transposes
    while read -r kernel square oblong; do
        told transposes <<< "$kernel 256 x +256: $square wrong
$kernel 256 x +128: $oblong wrong"
    done << 'ROWS'
naiveGmem 0 0
transpose_naive 0 0
transpose 0 0
transposeDiagonal<false> 0 [1-9][0-9]*
transposeDiagonal<true> 0 0
transposeSmem<false> [1-9][0-9]* [1-9][0-9]*
transposeSmem<true> 0 0
transposeSmemUnrollPad<false> [1-9][0-9]* [1-9][0-9]*
transposeSmemUnrollPad<true> 0 0
ROWS
    # On Fermi, as in the text: 16 ways for setRowReadCol's 8 loads; 32 for 1024 of a square tile, none by exclusive or.
    read -r -a loads <<< "$(column m2090 transposes lds_wavefronts)"
    [ "${loads[0]}" = 128 ] || fail "$compiler, setRowReadCol: ${loads[*]}"
    [ "${loads[10]} ${loads[11]}" = "65536 2048" ] || fail "$compiler, transpose_v1: ${loads[*]}"
}

check_products() {
    run 8800gtx products
    says out "0 elements are wrong"
    run h200 tiles
    told tiles << 'ROWS'
MatrixMulKernel 128: 0 wrong
TiledKernel 128: 0 wrong
BoundedKernel<false> 128: 0 wrong
BoundedKernel<true> 128: 0 wrong
MatrixMulKernel 100: 0 wrong
BoundedKernel<false> 100: [1-9][0-9]* wrong
BoundedKernel<true> 100: 0 wrong
ROWS
    # A GTX 280 counts the warps that come, and waits for ever.
    expect 5 "$halfwarp" run --compiler $compiler --gpu gtx280 "$seeds/tiles.cu"
    grep -qE "tiles.cu:[0-9]+: kernel void BoundedKernel<false>.*wait for each other for ever" "$work/err" ||
        fail "$compiler, tiles: $(cat "$work/err")"
    expect 1 "$halfwarp" check --compiler $compiler "$seeds/tiles.cu"
    says out "barrier: threads of one block wait for each other at two barriers of the source"
}

check_sums() {
    run gtx280 reductions
    told reductions << 'ROWS'
reduce0 16384: 0 of
reduce1 16384: 0 of
reduce2 16384: 0 of
reduce3 32768: 0 of
reduce4<true> 32768: 0 of
reduce5<true> 32768: 0 of
reduce6<true> 32768: 0 of
reduce6<true> 16484: 0 of
reduce4<false> 32768: [1-9][0-9]* of
reduce5<false> 32768: [1-9][0-9]* of
reduce6<false> 32768: [1-9][0-9]* of
ROWS
    run h200 neighbours 1000
    says out "0 neighbours are wrong"
    # As printed one point's neighbour is not stored, where -1 is what the others begin with.
    expect 1 "$halfwarp" run --compiler $compiler "$seeds/neighbours.cu" 1
    says out "1 points, 1 neighbours are wrong"
}

# Two passes a request of 1.x where there is no conflict: conflicts of 1, 2, 1, 16; chars 4, 1; doubles two requests of
# 2, in halves of 1; structs three of 1, two of 2.
check_banks() {
    local passes
    passes=$(column gtx280 banks lds_wavefronts)
    [ "$passes" = "2 4 2 32 8 2 8 4 6 8 8" ] || fail "$compiler, banks: $passes"
}

# The book's curve on the G80: the same until every multiprocessor has a block, 1.49 times for two each, 3.22 for four.
# Clang's code for two blocks differs from version to version (cli.time).
check_times() {
    local times=()
    for blocks in 1 8 16 32 64; do
        run 8800gtx timing -blocks=$blocks
        says out "Test PASSED"
        [ $compiler = clang ] || times+=("$(sed -n 's/time = //p' "$work/out")")
    done
    [ $compiler = clang ] || python3 - "${times[@]}" << 'PYTHON' || fail "$compiler, clocks: ${times[*]}"
import sys
times = [int(t) for t in sys.argv[1:]]
for time, book in zip(times, (1, 1.04, 1.09, 1.49, 3.22)):
    assert abs(time / times[0] / book - 1) < 0.1
PYTHON
    # Within 5% of the book's formula where copies overlap, and nothing gained where there is no engine for them.
    run gtx280 streams
    cp "$work/out" "$work/gtx280"
    run 8800gtx streams
    python3 - "$work/gtx280" "$work/out" << 'PYTHON' || fail "$compiler, streams: $(cat "$work/gtx280" "$work/out")"
import re, sys
overlapped, in_turn = ([(float(t), float(b), right) for t, b, right in re.findall(
    r"streams: ([\d.]+) ms, by the book ([\d.]+), (\w+)", open(name).read())] for name in sys.argv[1:])
assert len(overlapped) == len(in_turn) == 5
assert all(right == "right" for _, _, right in overlapped + in_turn)
assert all(abs(time / book - 1) < 0.05 for time, book, _ in overlapped)
assert all(time >= in_turn[0][0] for time, _, _ in in_turn)
PYTHON
}

for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    check_transposes
    check_products
    check_sums
    check_banks
    check_times
done
finish
