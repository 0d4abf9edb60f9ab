#!/usr/bin/env bash
# Runs on a machine with a GPU what CI cannot. Usage: record.sh BUILD OUT PART..., where BUILD holds halfwarp, tests/;
# OUT receives what these parts write, two to four minutes for each:
#   tests       the unit tests of the operations on cuda:0: TEST.log
#   right       how many rungs are right, for each family, size and type: ladder_right.csv
#               (tests/data/h200_ladder_right.csv)
#   counters    of NVIDIA's profiler, a row for every launch of a rung's first run: ladder_counters.csv
#               (tests/data/h200_ladder_counters.csv); and ladder_simulated.csv, the simulator's of the same, with PTX
#               by this machine's compiler
#   sanitizer   compute-sanitizer's memcheck and racecheck of the ladders, said on standard output
set -u
build=$1 out=$2
shift 2
failed=0
say() { printf '== %s\n' "$*"; }

run_tests() {
    local test
    for test in test_device test_device_kernels test_transpose test_transpose_strides test_transpose_host test_matmul \
        test_matmul_integers test_matmul_ladder test_product_plan test_reduce test_reduce_exact test_reduce_plan \
        test_nearest test_nearest_ladder test_access; do
        HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 "$build/tests/$test" > "$out/$test.log" 2>&1 || failed=1
        tail -3 "$out/$test.log"
    done
}

ladder() { "$build/halfwarp" ladder "$@" --device cuda:0 --seconds 0; }

# Usage: right FAMILY "DTYPE..." SIZE...
right() {
    local family=$1 dtype size
    for dtype in $2; do
        for size in "${@:3}"; do
            ladder "$family" --size "$size" --dtype "$dtype" --format csv -o "$out/one.csv" || failed=1
            python3 -c 'if 1:
                import csv, sys
                results = [row["result"] for row in csv.DictReader(sys.stdin)]
                counts = [results.count("right"), results.count("refused")]
                print(*sys.argv[1:], *counts, len(results) - sum(counts), sep=",")' \
                "$family" "$size" "$dtype" < "$out/one.csv" >> "$out/ladder_right.csv"
        done
    done
    rm -f "$out/one.csv"
}
run_right() {
    echo 'family,size,dtype,right,refused,wrong' > "$out/ladder_right.csv"
    right transpose "f32 u8 f16 f64 c128" 0x0 0x7 1x1 1x131 131x1 31x31 32x32 33x33 16x63 64x65 97x53 127x129 \
        1009x1013 2048x3072
    right matmul f32 0x5x7 1x1x1 15x16x17 32x32x32 33x31x65 127x129x131 256x512x128
    right reduce "f32 f64 i32" 0 1 31 512 513 1023 100003 1048576
    right nearest "f32 f64" 1x3x1 2x3x1 129x3x1 1000x2x4 4099x3x8
    awk -F, 'NR > 1 {right[$1] += $4; wrong[$1] += $6}
             END {for (f in right) print f ": " right[f] " right, " wrong[f] " wrong"}' "$out/ladder_right.csv"
}

# Of each rung's first run every launch; the copies that run before any rung are left out by their names.
# Usage: counters FAMILY SIZE
counters() {
    local rung names metrics
    metrics=$(python3 "$(dirname "$0")/launches.py" --metrics)
    "$build/halfwarp" ladder "$1" --device sim:h200 --size "$2" --format csv > "$out/one.csv" || failed=1
    cat "$out/one.csv" >> "$out/ladder_simulated.csv"
    for rung in $(python3 -c 'if 1:
        import csv, sys
        print(*(row["rung"] for row in csv.DictReader(sys.stdin) if row["result"] == "right"))' < "$out/one.csv"); do
        case $1/$rung in
        */copy*) names="^(reduce_)?$rung\$" ;;
        transpose/*) names='^[^c]' ;;
        *) names='^(matmul|product|nearest|reduce)_([^c]|c[^o]|co[^p])' ;;
        esac
        ncu --clock-control none --csv --kernel-name "regex:$names" --launch-count 12 --metrics "$metrics" \
            "$build/halfwarp" ladder "$1" --rung "$rung" --device cuda:0 --size "$2" --seconds 0 \
            > "$out/ncu.csv" 2> "$out/ncu.log" || { failed=1; tail -3 "$out/ncu.csv" "$out/ncu.log"; }
        python3 "$(dirname "$0")/launches.py" "$1,$2,$rung" < "$out/ncu.csv" >> "$out/ladder_counters.csv"
    done
    rm -f "$out/one.csv" "$out/ncu.csv" "$out/ncu.log"
}
run_counters() {
    python3 "$(dirname "$0")/launches.py" > "$out/ladder_counters.csv"
    : > "$out/ladder_simulated.csv"
    counters transpose 1024x1024
    counters matmul 512x512x512
    counters matmul 130x139x70
    counters reduce 1048576
    counters reduce 100003
    counters nearest 10000x3x1
    counters nearest 4099x3x8
    cat "$out/ladder_counters.csv"
}

# Usage: sanitize NAME COMMAND...
sanitize() {
    local tool
    for tool in memcheck racecheck; do
        compute-sanitizer --tool $tool "${@:2}" < /dev/null > "$out/one.log" 2>&1
        echo "$1, $tool: $(tail -1 "$out/one.log")"
    done
    rm -f "$out/one.log"
}
run_sanitizer() {
    local family size test
    while read -r family size; do
        sanitize "$family" "$build/halfwarp" ladder "$family" --device cuda:0 --size "$size" --seconds 0
    done <<'END'
transpose 129x257
matmul 65x66x67
reduce 100003
nearest 1000x3x1
END
    for test in test_transpose_strides test_transpose_host; do
        HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 sanitize $test "$build/tests/$test"
    done
}

for part; do
    say "$part"
    case $part in
    tests | right | counters | sanitizer) "run_$part" ;;
    *) echo "no part $part" && failed=1 ;;
    esac
done
exit $failed
