# --poison: what nobody has set holds the byte, in every kind of memory; variables do not, and without it nothing does.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/unset.cu

# holds WORD: each kind of memory; variables are zero
holds() {
    local kind
    for kind in device large pinned managed shared dynamic heap local; do
        [ $kind-$1 = local-00000000 ] || grep -qx "$kind $1" "$work/out" ||
            fail "$compiler: $kind memory is not $1: $(cat "$work/out")"
    done
    says out 'variable 00000000'
}

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 0 "$halfwarp" run --compiler $compiler "$source"
    holds 00000000
    expect 0 "$halfwarp" run --compiler $compiler --poison "$source"
    holds ffffffff
    expect 0 "$halfwarp" run --compiler $compiler --poison=0XCD --threads 2 --seed 3 "$source"
    holds cdcdcdcd
    expect 0 "$halfwarp" profile --compiler $compiler --poison=205 -o "$work/report" "$source"
    holds cdcdcdcd
    # An outer halfwarp's choice is not this one's.
    HALFWARP_POISON=7 expect 0 "$halfwarp" run --compiler $compiler "$source"
    holds 00000000
done
[ $routes -gt 0 ] || exit 77
refuses_rows "$halfwarp" run << 'ROWS'
--poison=256 prog.cu|--poison= takes a byte, 0 to 255 or 0x00 to 0xff, and got '256'
--poison= prog.cu|takes a byte
--poison=0x prog.cu|takes a byte
--poison=0xfff prog.cu|takes a byte
--poison=-1 prog.cu|takes a byte
--poisin prog.cu|did you mean --poison?
ROWS
finish
