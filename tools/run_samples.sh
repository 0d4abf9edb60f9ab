#!/usr/bin/env bash
# Runs programs of NVIDIA's cuda-samples under halfwarp, unmodified, as a user would, and prints the table of
# docs/compatibility.md. `halfwarp run` compiles a program of one file itself, by nvcc and by clang; one of several
# files is built by nvcc first. What halfwarp compiles runs twice: the second time, which counts, nothing is compiled.
#   git clone --depth 1 https://github.com/NVIDIA/cuda-samples && tools/run_samples.sh cuda-samples
# Exit status: 0 when every program passes on the routes that it has.
set -u

usage="usage: tools/run_samples.sh [-b HALFWARP] [-l LOG_FOLDER] [-t SECONDS] CUDA_SAMPLES [PROGRAM...]"
here=$(cd "$(dirname "$0")/.." && pwd)
halfwarp=$here/build/halfwarp
logs= limit=1800
while getopts b:l:t: option; do
    case $option in
    b) halfwarp=$OPTARG ;;
    l) logs=$OPTARG ;;
    t) limit=$OPTARG ;;
    *) echo "$usage" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] && [ -d "$1/Samples" ] || { echo "$usage" >&2; exit 2; }
samples=$(cd "$1" && pwd)
shift
[ -x "$halfwarp" ] || { echo "no $halfwarp: run make first, or say -b HALFWARP" >&2; exit 2; }
halfwarp=$(cd "$(dirname "$halfwarp")" && pwd)/$(basename "$halfwarp")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$logs" ]; then mkdir -p "$logs" && logs=$(cd "$logs" && pwd); else logs=$work; fi
HALFWARP_CACHE=$work/cache
export HALFWARP_CACHE

# name | files ("*" stands for all .cu and .cpp of its folder, else one .cu) | exit status | what it prints when it
# passes (grep -E) | options of the compiler. simpleAssert's own check is an assert that fails: halfwarp's 5, kernel
# faulted, wins over the program's 0.
list='
vectorAdd|vectorAdd.cu|0|^Test PASSED
matrixMul|matrixMul.cu|0|Result = PASS
template|*|0|Processing time
clock|clock.cu|0|Average clocks/block
asyncAPI|asyncAPI.cu|0|CPU executed [0-9]+ iterations
simpleTemplates|simpleTemplates.cu|0| 0 Failures
simpleAtomicIntrinsics|*|0|returned OK
simpleVoteIntrinsics|simpleVoteIntrinsics.cu|0|OK
simplePrintf|simplePrintf.cu|0|\[3, 7\]:
simpleAssert|simpleAssert.cu|5|returned OK
inlinePTX|inlinePTX.cu|0|Test Successful
scan|*|0|Results Match
scalarProd|*|0|Test passed
reduction|*|0|Test passed
histogram|*|0|Test passed
sortingNetworks|*|0|inspecting keys and values array: OK
shfl_scan|shfl_scan.cu|0|^CheckSum: 2073600, .expect 1920x1080=2073600
threadFenceReduction|threadFenceReduction.cu|0|GPU result
mergeSort|*|0|inspecting keys and values array: OK
dct8x8|*|0|Test passed
BlackScholes|*|0|Test passed
binomialOptions|*|0|Test passed
fastWalshTransform|*|0|Test passed
transpose|transpose.cu|0|Test passed
simpleCallback|*|0|Success
simpleStreams|simpleStreams.cu|0|4 streams
simpleMultiCopy|simpleMultiCopy.cu|0|Overlapped
simpleOccupancy|simpleOccupancy.cu|0|Test PASSED
simpleZeroCopy|simpleZeroCopy.cu|0|Checking the results
simpleCooperativeGroups|simpleCooperativeGroups.cu|0|Done
systemWideAtomics|systemWideAtomics.cu|0|returned OK
fp16ScalarProduct|fp16ScalarProduct.cu|0|PASSED
simpleMultiGPU|simpleMultiGPU.cu|0|Relative difference
simpleTexture|simpleTexture.cu|0|returned OK
convolutionSeparable|*|0|Test passed
deviceQuery|*|0|Result = PASS
'

# What a check of some of them prints when it fails.
failures_say='FAILED|Test failed|Result = FAIL|[*]{3}'

# attempt LOG COMMAND...: sets status and seconds, "by the clock / of the processors together".
attempt() {
    local log=$1 TIMEFORMAT='%2R %2U %2S'
    shift
    { time timeout "$limit" "$@" > "$log" 2>&1 < /dev/null; } 2> "$work/time"
    status=$?
    seconds=$(awk '{ printf "%.2f / %.2f", $1, $2 + $3 }' "$work/time")
}

# judge LOG: sets verdict, from status and what the program printed.
judge() {
    if [ "$status" = 124 ]; then verdict="over $limit s"
    elif [ "$status" != "$wanted" ]; then verdict="exit $status"
    elif ! grep -qE -- "$says" "$1" || grep -qE "$failures_say" "$1"; then verdict="own check fails"
    else verdict=passes
    fi
    [ "$verdict" = passes ] || failures=$((failures + 1))
}

# two_runs LOG COMMAND...: the second time is the one that is shown.
two_runs() {
    local log=$1
    attempt "$@"
    judge "$log"
    [ "$verdict" = passes ] || return
    attempt "$@"
    judge "$log"
}

try() {
    local name=$1 folder nvcc_cell=- clang_cell=- time_cell=- clang_time=-
    folder=$(find "$samples/Samples" -mindepth 2 -maxdepth 2 -type d -name "$name" | head -1)
    [ -n "$folder" ] || { echo "| $name | not in this checkout | | | |"; failures=$((failures + 1)); return; }
    cd "$folder" || exit 2
    if [ "$files" = '*' ]; then
        if command -v nvcc > /dev/null; then
            attempt "$logs/$name.build" nvcc -w -O3 -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 \
                -I"$samples/Common" -I./inc $options $(find . -name '*.cu' -o -name '*.cpp') -o "$work/$name"
            if [ "$status" = 0 ]; then
                attempt "$logs/$name.nvcc" "$halfwarp" run "$work/$name"
                judge "$logs/$name.nvcc"
            else verdict="nvcc: exit $status" failures=$((failures + 1))
            fi
            nvcc_cell=$verdict time_cell=$seconds
        fi
    else
        if command -v nvcc > /dev/null; then
            two_runs "$logs/$name.nvcc" "$halfwarp" run -w -I "$samples/Common" $options "$files"
            nvcc_cell=$verdict time_cell=$seconds
        fi
        two_runs "$logs/$name.clang" "$halfwarp" run --compiler clang -w -I "$samples/Common" $options "$files"
        clang_cell=$verdict clang_time=$seconds
    fi
    echo "| $name | $nvcc_cell | $clang_cell | $time_cell | $clang_time |"
}

failures=0
echo "| program | nvcc route | clang route | s (nvcc) | s (clang) |"
echo "|---|---|---|---|---|"
while IFS='|' read -r name files wanted says options <&3; do
    [ -n "$name" ] || continue
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    try "$name"
done 3<<< "$list"
[ "$failures" = 0 ]
