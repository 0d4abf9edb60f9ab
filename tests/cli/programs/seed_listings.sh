# The seeds' listings of products and transposes: what is right as printed, what is wrong, and what is mended.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" run --gpu gtx280 examples/seeds/transposes.cu
silent err
while read -r kernel square oblong; do
    for text in "$kernel +256 x +256: $square" "$kernel +256 x +128: $oblong"; do
        grep -qE "^$text wrong" "$work/out" || fail "not $text: $(cat "$work/out")"
    done
done << 'ROWS'
transpose_naive 0 0
transpose 0 0
transposeDiagonal<false> 0 [1-9][0-9]*
transposeDiagonal<true> 0 0
transposeSmem<false> [1-9][0-9]* [1-9][0-9]*
transposeSmem<true> 0 0
transposeSmemUnrollPad<false> [1-9][0-9]* [1-9][0-9]*
transposeSmemUnrollPad<true> 0 0
ROWS
expect 0 "$halfwarp" run --gpu 8800gtx examples/seeds/products.cu
says out "0 elements are wrong"
finish
