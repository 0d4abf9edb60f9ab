#!/usr/bin/env bash
# Counts the instructions that this machine executes for a simulation, before and after a change: for programs of
# bench/kernels, run and profiled, on one host thread, those of the program's process under callgrind. Prints CSV.
#
#     bash bench/instructions.sh BUILD_BEFORE BUILD_AFTER ["PROGRAM ARGUMENTS"...] > FILE
#
# Each launch is executed, unless HALFWARP_REUSE is 1: then what looking for repeated launches costs is counted too.
# Both builds have all instruction-set levels (-DHW_LEVELS=all): callgrind has no AVX-512, so what is measured is AVX2.
# Needs valgrind and nvcc.
set -euo pipefail

export HALFWARP_REUSE=${HALFWARP_REUSE:-0}
[ $# -ge 2 ] || { echo "usage: $0 BUILD_BEFORE BUILD_AFTER [PROGRAMS]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Program and arguments: as large as makes the launches most of it.
programs=("transpose_naive 512 4" "transpose_tile 512 4" "matmul_tiled 192 2" "ordered 16384 6")
[ $# -eq 2 ] || programs=("${@:3}")

count() {    # BUILD COMMAND PROGRAM ARGUMENTS...
    local build=$1 command=$2
    shift 2
    rm -f "$work"/callgrind.*
    valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file="$work/callgrind.%p" \
        "$build/halfwarp" "$command" --threads 1 "$work/$1" "${@:2}" > "$work/out" 2> "$work/err" ||
        { cat "$work/err" >&2; echo "$0: $command $* failed" >&2; exit 1; }
    grep -l "^cmd:.*$work/$1" "$work"/callgrind.* | xargs grep -h "^totals:" | sort -k2 -n | tail -1 | cut -d' ' -f2
}

echo "program,command,before,after,difference_pct"
for row in "${programs[@]}"; do
    read -r program arguments <<< "$row"
    nvcc -cudart shared -O3 -arch=compute_80 -o "$work/$program" "$here/kernels/$program.cu"
    for command in run profile; do
        # shellcheck disable=SC2086
        before=$(count "$1" $command "$program" $arguments)
        # shellcheck disable=SC2086
        after=$(count "$2" $command "$program" $arguments)
        awk -v p="$row" -v c=$command -v b="$before" -v a="$after" \
            'BEGIN { printf "%s,%s,%d,%d,%.3f\n", p, c, b, a, 100 * (a - b) / b }'
    done
done
