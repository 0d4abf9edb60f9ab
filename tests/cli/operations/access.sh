# ladder access: every pattern right, the costs of one access as they fit the GPU, and several GPUs side by side.
. "$(dirname "$0")/../check.bash"
access() { "$halfwarp" ladder access "$@"; }

for gpu in fx5600 gtx280 h200; do
    expect 0 access --gpu "$gpu" --size 4100x5
    [ "$(grep -c ' right ' "$work/out")" = 28 ] || fail "$gpu: $(cat "$work/out")"
    silent err
done
says out "passes/"
! grep -q "transactions" "$work/out" || fail "transactions of an H200"

# A row of the second table.
cells() {
    awk -v rung="$1" '/^Of each access/ { on = 1 } on && $2 == rung { $1 = $2 = ""; print }' "$work/out" | xargs
}
row() { [ "$(cells "$1")" = "$2" ] || fail "$1: $(cells "$1"), not $2"; }
# Transactions and bytes of a load and a store; passes of a shared load and store, of a constant load; parting branches.
expect 0 access --gpu fx5600 --size 8192x5
row copy "2 128 2 128 - - - -"
row offset "32 1024 32 1024 - - - -"
row permuted "32 1024 2 128 - - - -"
row words_1 "32 1024 32 1024 - - - -"
row words_16 "4 512 4 512 - - - -"
row bank_stride "2 128 2 128 2 2 - -"
row constant_lanes "2 128 2 128 - - 32 -"
row branch_lanes "2 128 2 128 - - - 33%"
says out "transactions, bytes"
grep -Eq "^  timed, block 256x1: 16 blocks took [0-9]+ to [0-9]+ clocks each$" "$work/out" || fail "no clocks"
expect 0 access --gpu gtx280 --size 8192x8
row offset "3 192 3 192 - - - -"
row stride "8 1024 8 1024 - - - -"
row bank_stride "2 128 2 128 16 2 - -"
row bank_char "2 128 2 128 8 2 - -"
row bank_halves "2 128 2 128 2 2 - -"
row constant "2 128 2 128 - - 2 -"
row branch_warps "2 128 2 128 - - - -"
expect 0 access --gpu k40 --size 8192x2 --rung bank_double
row bank_double "4 128 4 128 1 1"

# Several GPUs: figures 4-7 and 4-9 of seed 004. The cell of a step for each GPU and rung.
expect 0 access --gpu fx5600,gtx280,h200
at() { awk -v step="$1" '$1 == step { $1 = ""; print }' "$work/out" | xargs; }
for step in $(seq 0 32); do
    read -r fx gtx h200 rest <<< "$(at "$step")"
    case $step in
        0 | 16 | 32) wanted="59.9 120" ;;
        8 | 24) wanted="7.5 80.3" ;;
        *) wanted="7.5 68.8" ;;
    esac
    [ "$fx $gtx" = "$wanted" ] || fail "offset $step: $fx $gtx, not $wanted"
    awk "BEGIN { exit !($h200 > 4100) }" || fail "offset $step: $h200 on an H200"
done
[ "$(at 0 | cut -d ' ' -f 4-)" = "- - -" ] || fail "stride 0: $(at 0)"
[ "$(at 2 | cut -d ' ' -f 4-)" = "7.5 60.2 1472" ] || fail "stride 2: $(at 2)"
[ "$(at 16 | cut -d ' ' -f 4-)" = "7.5 7.5 184" ] || fail "stride 16: $(at 16)"
expect 0 access --gpu gtx280,m2090 --format csv
says out "family,rung,gpu,device,step,gbs,moved_per_useful_byte"
says out 'access,offset,gtx280,"GeForce GTX 280",1,68.83,1.7500'
says out 'access,stride,m2090,"Tesla M2090",32,'
[ "$(wc -l < "$work/out")" = $((1 + 2 * (33 + 32))) ] || fail "$(wc -l < "$work/out") lines"
expect 0 access --gpu fx5600,gtx280 --format json -o "$work/sweep.json"
if command -v python3 > "$work/where"; then
    python3 - "$work/sweep.json" << 'PYTHON' || fail "the JSON: $(head -c 300 "$work/sweep.json")"
import json, sys
sweep = json.load(open(sys.argv[1]))
names = [(curve["rung"], curve["gpu"]) for curve in sweep["curves"]]
assert names == [(r, g) for r in ("offset", "stride") for g in ("fx5600", "gtx280")], names
assert sweep["curves"][0]["points"][16] == {"step": 16, "gbs": 59.904, "moved_per_useful_byte": 1.0}
PYTHON
fi
# Curves that lie on each other: both have a label at their ends, at least a line apart, and one of them is dashed.
expect 0 access --gpu h100,fx5600,h200,fx5600 --plot "$work/a.svg"
for word in "Quadro FX 5600" "NVIDIA H200" "offset" "stride" "GB/s" "<title>access: " \
            "<title>NVIDIA H200, offset 16: 4416 GB/s</title>"; do
    grep -q "$word" "$work/a.svg" || fail "no '$word' in the picture"
done
labels=$(sed -n 's/^<text x="\([0-9.]*\)" y="\([0-9.]*\)".*>fx5600<.*/\1 \2/p' "$work/a.svg")
awk '{ if (NR % 2) { x = $1; y = $2 } else if ($1 != x || ($2 - y) ^ 2 < 13 ^ 2) bad = 1 }
     END { exit bad || NR != 4 }' <<< "$labels" || fail "labels of two equal curves: $labels"
[ "$(grep -c 'stroke-dasharray="9 7"' "$work/a.svg")" = 2 ] || fail "no dashes where curves hide each other"
if command -v rsvg-convert > "$work/where"; then
    expect 0 access --gpu gtx280 --size 256x1 --rung copy --plot "$work/b.png"
    [ "$(head -c 4 "$work/b.png" | tail -c 3)" = PNG ] || fail "no PNG"
fi

# What is refused, in one sentence each.
refuses_rows "$halfwarp" ladder <<'ROWS'
access --gpu fx5600,gtx281|there is no GPU 'gtx281'; did you mean 'gtx280'?
access --gpu fx5600,|there is no GPU ''
access --gpu fx5600,h200 --size 8x1|--gpu names several
access --gpu fx5600,h200 --rung copy|--gpu names several
access --gpu h200,h200,h200,h200,h200,h200,h200,h200|up to 7 GPUs
access --gpu fx5600,h200 --device cpu|no processor
access --device cpu|no rungs for cpu
access --gpu h200 --size 8x1025|up to 1024
access --gpu h200 --size 99999999999x1|2^36
access --gpu h200 --size 8|like 33554432x2
access --gpu h200 --dtype f64|it has u32
transpose --gpu fx5600,h200|one GPU at a time
ROWS
expect 0 access --gpu h200 --size 0x0
expect 0 access --gpu h200 --size 64x8 --block 32x1
finish
