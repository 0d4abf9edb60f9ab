# tools/run_samples.sh: a program passes only if it says what its own check says, and nothing that a failure says.
. "$(dirname "$0")/../check.bash"

samples=$work/cuda-samples/Samples/2_Concepts_and_Techniques
# prints PROGRAM TEXT STATUS: the program is one that prints TEXT and ends with STATUS.
prints() {
    mkdir -p "$samples/$1" "$work/cuda-samples/Common"
    printf '#include <cstdio>\nint main() { puts("%s"); return %d; }\n' "$2" "$3" > "$samples/$1/$1.cu"
}
# By clang alone where that is possible: it takes a third of the time.
whole=$PATH without_nvcc=
IFS=: read -ra folders <<< "$PATH"
for folder in "${folders[@]}"; do
    [ -e "$folder/nvcc" ] || without_nvcc=$without_nvcc${without_nvcc:+:}$folder
done
PATH=$without_nvcc
hash -r
command -v clang++ g++ find timeout > "$work/where" || PATH=$whole
samples() { expect "$1" tools/run_samples.sh -b "$halfwarp" "$work/cuda-samples" shfl_scan; }
verdict() { grep -q "^| shfl_scan |.* $1 |" "$work/out" || fail "not '$1': $(cat "$work/out" "$work/err")"; }

right='CheckSum: 2073600, (expect 1920x1080=2073600)'
prints shfl_scan "$right" 0
samples 0
verdict passes
for text in "${right/2073600/2073599}" "$right ***corrupted!!!***"; do
    prints shfl_scan "$text" 0
    samples 1
    verdict 'own check fails'
done
prints shfl_scan "$right" 3
samples 1
verdict 'exit 3'

# No program of the list takes whatever is printed.
! sed -n "/^list='/,/^'/p" tools/run_samples.sh | grep -E '^[^|]*\|[^|]*\|[^|]*\|(|\.|\.\*)(\||$)' ||
    fail "a program of tools/run_samples.sh passes with any output"
finish
