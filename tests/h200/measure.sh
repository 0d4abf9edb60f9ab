#!/usr/bin/env bash
# Takes the figures of bench/results and docs/ on a machine with a GPU. Usage: measure.sh BIN OUT PART..., where BIN is
# the halfwarp of a clean commit and OUT receives what these parts keep in bench/results, a minute or two for each:
#   transpose matmul reduce nearest   PART_h200.json
#   host                              transpose_host_h200.json, arrays larger than the device's memory
#   ladders                           ladder_FAMILY_h200_SIZE.json of four families
#   access                            access_h200.csv, offsets and strides
#   bandwidth                         bandwidth_h200.csv, transfers and their overlap with kernels
# HW_MEASURE_SECONDS: how long each case is measured, 0.06 unless given. HW_MEASURE_BUDGET: seconds after which no
# further part is begun. Files are written while their parts go on, so what a time limit cuts off is lost and nothing
# else. tools/figures.py makes the documents' tables of them.
set -u
halfwarp=$1 out=$2
shift 2
seconds=${HW_MEASURE_SECONDS:-0.06}
failed=0
run() {
    local start=$SECONDS
    echo "== $*"
    "$halfwarp" "$@" || failed=1
    echo "== $((SECONDS - start)) s"
}
bench() { run bench "$1" --device cuda:0 --seconds "$seconds" -o "$out/$2.json" "${@:3}"; }
ladder() { run ladder "$1" --device cuda:0 --size "$2" --seconds 0.2 --format json -o "$out/ladder_$1_h200_$2.json"; }

for part; do
    if [ $SECONDS -ge "${HW_MEASURE_BUDGET:-86400}" ]; then
        echo "== $part: not begun after $SECONDS s"
        failed=1
        continue
    fi
    case $part in
    transpose)
        grep -v '^gpu-host' "$(dirname "$halfwarp")/../share/halfwarp/bench/cases/transpose.txt" > "$out/cases.txt"
        bench transpose transpose_h200 --cases "$out/cases.txt"
        rm "$out/cases.txt"
        ;;
    matmul | reduce | nearest) bench $part ${part}_h200 ;;
    host) bench transpose transpose_host_h200 --only gpu-host --no-peers ;;
    ladders)
        ladder transpose 8192x8192
        ladder transpose 10007x9973
        ladder matmul 4096x4096x4096
        ladder reduce 268435456
        ladder nearest 100000x3x1
        ;;
    access)
        run ladder access --device cuda:0 --gpu fx5600,gtx280,h200 --seconds 0.02 --format csv -o "$out/access_h200.csv"
        ;;
    bandwidth) run bandwidth --device cuda:0 --format csv -o "$out/bandwidth_h200.csv" ;;
    *) echo "no part $part" && failed=1 ;;
    esac
done
exit $failed
