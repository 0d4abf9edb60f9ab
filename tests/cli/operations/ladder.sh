# ladder: the table, CSV and JSON of the transposes on a simulated H200, blocks, pictures, and what is refused.
. "$(dirname "$0")/../check.bash"
rungs="copy copy_shared read_rows read_cols tile any_block pad swizzle two_tiles more_rows diagonal best"
ladder() { "$halfwarp" ladder transpose --device sim:h200 "$@"; }
well_formed() {
    command -v python3 > "$work/where" || return
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$1" 2> "$work/xml" ||
        fail "$1 is no XML: $(cat "$work/xml")"
}

expect 0 ladder --size 100x70
for rung in $rungs; do
    grep -Eq "^ +[0-9]+  $rung .* right " "$work/out" || fail "no right $rung: $(cat "$work/out")"
done
says out "transpose, f32 100x70"
says out "NVIDIA H200 (simulated)"
! grep -q $'\033' "$work/out" || fail "colour where there is no terminal"
! grep -q "GB/s" "$work/out" || fail "a simulation has no GB/s"
says out "PTX by "
silent err

# column NAME of rung R in $work/out.csv
column() {
    awk -v name="$1" -v rung="$2" 'BEGIN { FS = "," }
        { gsub(/"[^"]*"/, "quoted") }
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) at = i; if ($i == "rung") r = i } }
        $r == rung { print $at }' "$work/out.csv"
}
# The ideas in counters, of 256x256 floats: 2048 warps' accesses in each direction.
expect 0 ladder --size 256x256 --format csv -o "$work/out.csv"
silent out
while read -r rung loads stores passes; do
    got="$(column gld_sectors $rung) $(column gst_sectors $rung) $(column smem_wavefronts $rung)"
    [ "$got" = "$loads $stores $passes" ] || fail "$rung: $got, not $loads $stores $passes"
done <<'ROWS'
copy 8192 8192 0
copy_shared 8192 8192 4096
read_rows 8192 65536 0
read_cols 65536 8192 0
tile 8192 8192 67584
any_block 8192 8192 34816
pad 8192 8192 4096
swizzle 8192 8192 4096
two_tiles 8192 8192 4096
more_rows 8192 8192 4096
diagonal 8192 8192 4096
ROWS
[ "$(ls "$work")" = $'err\nout\nout.csv' ] || fail "left behind: $(ls "$work")"

expect 0 ladder --size 33x65 --dtype c128 --format json
if command -v python3 > "$work/where"; then
    python3 - "$work/out" << 'PYTHON' || fail "the JSON: $(head -c 300 "$work/out")"
import json, sys
ladder = json.load(open(sys.argv[1]))
assert ladder["size"] == {"rows": 33, "cols": 65} and ladder["dtype"] == "c128", ladder
assert ladder["bytes_moved"] == 2 * 33 * 65 * 16
assert all(rung["result"] == "right" for rung in ladder["rungs"]), ladder
assert ladder["rungs"][2]["counters"]["gld_requests"] > 0
PYTHON
fi

# Who made the kernels, and which version.
made="$(column ptx_by pad)"
[[ $made =~ ^(nvcc|clang)\ [0-9]+\.[0-9.]+$ ]] || fail "PTX by '$made'"
says out '"ptx_by": "'"$made"'"'
expect 0 "$halfwarp" ladder transpose --device cpu --size 30x30 --seconds 0 --format json
says out '"ptx_by": null'

# What there is not stays empty, and is no 0: counters of other GPUs, times of a simulation, a block that none was.
got="$(column gld_requests pad)|$(column warp_serialize pad)|$(column gld_32b pad)|$(column gld_sectors_ideal pad)"
[ "$got" = "2048|||8192" ] || fail "counters of 7.0 and up: $got"
got="$(column ns_median pad)$(column gbs pad)$(column share pad)$(column step pad)"
[ "$got" = "" ] || fail "times of a simulation: $got"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 64x64 --rung pad --format csv -o "$work/out.csv"
got="$(column warp_serialize pad)|$(column gld_64b pad)|$(column gld_transactions pad)"
[ "$got" = "0|256|" ] || fail "counters of 1.3: $got"
expect 0 "$halfwarp" ladder reduce --device cpu --size 1000 --seconds 0 --format csv -o "$work/out.csv"
got="$(column block loop)|$(column gops loop)|$(column share loop)|$(column step loop)|$(column inst loop)"
[ "$got" = "||||" ] || fail "the plain loop has: $got"
[ -n "$(column gbs loop)" ] && [ -n "$(column step best)" ] || fail "no rate, no step: $(cat "$work/out.csv")"
expect 0 "$halfwarp" ladder reduce --device cpu --size 1000 --seconds 0 --format json
for word in '"block": null' '"gops": null' '"share": null' '"step": null' '"commit": "' '"compiler": "' '"processors": '
do
    says out "$word"
done
# On a simulated GPU times are estimates, and so are the steps: a tile on the GTX 280 gains 8 times.
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 512x512 --format csv -o "$work/out.csv"
awk "BEGIN { exit !($(column est_us read_cols) > 8 * $(column est_us any_block)) }" ||
    fail "no gain: $(cat "$work/out.csv")"
awk "BEGIN { exit !($(column est_step any_block) > 8) }" || fail "no step: $(cat "$work/out.csv")"
[ -z "$(column est_step read_rows)$(column ns_median any_block)" ] || fail "steps, times: $(cat "$work/out.csv")"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 64x64
says out "est. us"

# Why a diagonal pays there: a column of tiles lies in one partition of eight.
says out "partitions"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 2048x2048 --format csv -o "$work/out.csv"
is_share() {
    local share="$(column gst_partition_pct $1)"
    awk "BEGIN { exit !($share $2) }" || fail "partitions of $1: $share"
}
is_share more_rows "< 40"
is_share diagonal "> 80"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 512x512 --format csv -o "$work/out.csv"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 64x64

# A step is over the rung that it builds on, or where that was refused over the next below; the table names it.
got="$(column builds_on read_rows)|$(column step_over read_rows)|$(column builds_on any_block)"
got="$got|$(column step_over any_block)"
[ "$got" = "||tile|read_rows" ] || fail "builds on: $got"
says out "on read_rows"
expect 0 ladder --size 64x64 --format json
says out '"builds_on": "tile"'
says out '"step_over": "tile"'
# What launching alone takes is marked, and said; of a larger matrix nothing is.
says out '"bound": "launch"'
says out '"at_launch_floor": true'
expect 0 ladder --size 64x64
says out "bound: launch"
expect 0 ladder --size 2048x2048 --rung read_rows --format csv -o "$work/out.csv"
got="$(column bound read_rows) $(column at_launch_floor read_rows)"
[ "$got" = "memory 0" ] || fail "read_rows of 2048x2048: $got"
awk "BEGIN { exit !($(column est_us_memory read_rows) > $(column est_us_latency read_rows) &&
    $(column est_us_launch read_rows) > 0.5 && $(column est_us_shared read_rows) == 0) }" ||
    fail "bounds of read_rows: $(cat "$work/out.csv")"
expect 0 ladder --size 64x64 --format json
says out '"est_us_latency": '
expect 0 ladder --size 4096x4096 --rung read_rows
! grep -q "bound: launch" "$work/out" || fail "a note on launches: $(cat "$work/out")"
expect 0 "$halfwarp" ladder transpose --device cpu --size 64x64 --seconds 0
! grep -q "est\." "$work/out" || fail "estimates of a processor: $(cat "$work/out")"
expect 0 ladder --size 64x64 --rung pad --format json
says out '"est_us": '
says out '"warp_serialize": null'
says out '"occupancy_pct": 100.0'

# A family that counts operations and has something to say of its rungs.
expect 0 "$halfwarp" ladder matmul --device sim:h200 --size 48x32x16 --rung tile16
says out "flop per"
says out "TFLOP/s"
expect 0 "$halfwarp" ladder matmul --device sim:h200 --size 48x32x16 --rung tile16 --format csv -o "$work/out.csv"
got="$(column flop_per_byte tile16) $(column blocks_per_multiprocessor tile16)"
[ "$got" = "4 8" ] || fail "facts: $got"
expect 0 "$halfwarp" ladder matmul --device sim:h200 --size 48x32x16 --rung tile16 --format json
for word in '"operation": "flop"' '"flop_per_byte": 4.0' '"blocks_per_multiprocessor": 8' '"operations": 49152.0'; do
    says out "$word"
done
# What is rounded has an error, which compensated sums keep small.
expect 0 "$halfwarp" ladder matmul --device sim:h200 --size 32x32x1024 --format csv -o "$work/out.csv"
awk "BEGIN { exit !($(column error naive) > 3 * $(column error kahan) && $(column error kahan) > 0) }" ||
    fail "errors: naive $(column error naive), kahan $(column error kahan)"
expect 0 "$halfwarp" ladder matmul --device cpu --size 32x32x64 --rung rows --seconds 0
says out "relative error"
expect 2 "$halfwarp" ladder matmul --device sim:h200 --size 48x33
says err "--size is m x n x k, like"

# Blocks: one for all that have a choice, or every shape of one version.
expect 0 ladder --size 96x96 --block 16x16 --format csv -o "$work/out.csv"
got="$(column block pad) $(column block copy)"
[ "$got" = "16x16 256x1" ] || fail "blocks: $got"
expect 0 ladder --size 96x96 --block all --rung 40
[ "$(grep -c '^ *40  pad .* right' "$work/out")" = 11 ] || fail "shapes of pad: $(cat "$work/out")"
best="$(sed -n 's/.*best blocks: pad //p' "$work/out")"
expect 0 ladder --size 96x96 --block all --rung 40 --format csv -o "$work/out.csv"
least="$(paste <(column est_us pad) <(column block pad) <(column best_block pad) | sort -n | head -1 | cut -f 2,3)"
[ "$least" = "$best	1" ] || fail "best block $best, least estimated time $least"
[ "$(column best_block pad | grep -c 1)" = 1 ] || fail "not one block is the best: $(column best_block pad)"
expect 0 ladder --size 0x5 --rung tile
says out " right"

# A GPU whose blocks have 512 threads at most: refused is no failure, and said.
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 40x40 --rung tile
says out "refused"
says out "1024 threads"

# Pictures: of a simulation estimated times, and what each bar is for who points at it.
expect 0 ladder --size 512x512 --plot "$work/a.svg"
for word in "<svg" "read rows" "two tiles" "estimated time, us" "sectors" "passes" "NVIDIA H200" \
            "<title>transpose, f32 512x512: " "<title>swizzle: [0-9.]* · [0-9.]*x on tile, "; do
    grep -q "$word" "$work/a.svg" || fail "no '$word' in the picture"
done
bars=$(grep -c '<rect [^>]*><title>[^<]*(estimated time, us)</title></rect>' "$work/a.svg")
[ "$bars" = 12 ] || fail "$bars bars of estimated time"
well_formed "$work/a.svg"
expect 2 ladder --size 64x64 --plot "$work/nowhere/a.svg"
says err "cannot write"
expect 0 "$halfwarp" ladder transpose --gpu gtx280 --size 40x40 --plot "$work/a.svg"
grep -q ">refused</text>" "$work/a.svg" || fail "what was refused is not said in the picture"
if command -v rsvg-convert > "$work/where"; then
    expect 0 ladder --size 64x64 --plot "$work/a.png"
    [ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ] || fail "no PNG"
fi
mkdir "$work/empty"
PATH=$work/empty expect 2 ladder --plot "$work/b.png"
refuses "rsvg-convert"

# What is refused, in one sentence each.
refuses_rows "$halfwarp" ladder <<'ROWS'
|which family?
transpos|did you mean 'transpose'?
transpose again|one word too many
transpose --gpu sim:h200 --rung nope|there is no GPU 'sim:h200'; did you mean 'h200'?
transpose --gpu h200 --rung nope|it has copy, copy_shared
transpose --gpu h200 --dtype f8|no type 'f8'
transpose --gpu h200 --size 3x|like 8192x8192
transpose --gpu h200 --size 3x4x5|like 8192x8192
transpose --gpu h200 --size 99999999999x99999999999|2^40
transpose --gpu h200 --block 64x64|up to 1024 threads
transpose --gpu h200 --block 0x64|up to 1024 threads
transpose --gpu h200 --format xml|table, csv or json
transpose --gpu h200 --seconds soon|--seconds is a number
transpose --gpu h200 --plot a.pdf|a .svg or a .png
transpose --gpu h200 --device sim:k40|name two GPUs
transpose --device tpu|tpu
transpose --gpu h200 --fromat csv|did you mean --format?
transpose --gpu h200 --size 8x8 -o /nowhere/a.csv|cannot write
ROWS
if [ -w /dev/full ]; then
    expect 2 ladder --size 8x8 -o /dev/full
    says err "/dev/full"
fi
# The processor's own versions: times, no counters.
expect 0 "$halfwarp" ladder transpose --device cpu --size 200x300 --seconds 0.001
says out "GB/s"
says out "step"
! grep -q "sectors" "$work/out" || fail "counters of a processor: $(cat "$work/out")"
! grep -Eq "wrong|failed" "$work/out" || fail "wrong: $(cat "$work/out")"
expect 0 "$halfwarp" ladder transpose --device cpu --size 64x64 --seconds 0 --plot "$work/c.svg"
grep -q "GB/s" "$work/c.svg" || fail "no GB/s in the picture"
! grep -q "estimated" "$work/c.svg" || fail "estimates of a processor in the picture"

# On a terminal the rung that runs is named, after the reference.
if command -v script > "$work/where"; then
    expect 0 script -qec "'$halfwarp' ladder reduce --device cpu --size 1000 --seconds 0 2>&1 > '$work/table'" /dev/null
    says out "the reference"
    says out "2 of 2: best"
fi
# The usual sizes of a GPU would take the plain loops of one processor minutes.
expect 0 "$halfwarp" ladder nearest --device cpu --rung search --seconds 0
says out "nearest, f32 10000x3x1"

expect 0 "$halfwarp" ladder matmul --device cpu --size 40x30x20 --rung rows --seconds 0
says out "GFLOP/s"
expect 0 "$halfwarp" ladder matmul --device cpu --size 40x30x20 --rung rows --seconds 0 --format json
says out '"gops":'

# Where rows have no whole number of tiles, a pitch makes loads of them whole.
for rung in zero_fill pitched; do
    expect 0 "$halfwarp" ladder matmul --gpu 8800gtx --size 100x101x100 --rung $rung --format csv -o "$work/$rung.csv"
    grep -q ",$rung,.*,right," "$work/$rung.csv" || fail "$rung: $(cat "$work/$rung.csv")"
done
cp "$work/zero_fill.csv" "$work/out.csv"
apart=$(column est_us zero_fill)
cp "$work/pitched.csv" "$work/out.csv"
awk "BEGIN { exit !($(column est_us pitched) < 0.95 * $apart) }" ||
    fail "pitched: $(column est_us pitched) us, $apart without"
expect 0 "$halfwarp" ladder matmul --gpu h200 --size 4096x16x4096 --rung pitched
says out "bytes of scratch memory"

# Without a GPU there is one that is simulated.
if [ ! -e /dev/nvidiactl ]; then
    expect 0 "$halfwarp" ladder transpose --size 16x16 --rung pad
    says out "NVIDIA H200 (simulated)"
fi
finish
