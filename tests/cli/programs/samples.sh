# tools/samples.py: a program passes only if it ends as on a GPU and says nothing that a failure says; folders that need
# a window or a closed library are left out, those that only name one are not.
. "$(dirname "$0")/../check.bash"
command -v python3 > /dev/null || exit 77
tool=$(cd "$(dirname "$0")/../../.." && pwd)/tools/samples.py
route=clang
command -v clang++ > /dev/null || route=nvcc
[ $route = clang ] || command -v nvcc > /dev/null || exit 77

group=$work/cuda-samples/Samples/0_Introduction
# prints NAME TEXT STATUS [LIBRARY]: the program is one that prints TEXT and ends with STATUS.
prints() {
    mkdir -p "$group/$1" "$work/cuda-samples/Common"
    printf '#include <cstdio>\nint main() { puts("%s"); return %d; }\n' "$2" "$3" > "$group/$1/$1.cpp"
    printf 'add_executable(%s %s.cpp)\ntarget_link_libraries(%s %s)\n' "$1" "$1" "$1" "${4:-}" \
        > "$group/$1/CMakeLists.txt"
}
prints right 'Test PASSED' 0 CUDA::cublas
prints wrong 'Test FAILED' 0
prints ended 'Test PASSED' 3
prints waived 'Waiving the sample' 2
prints window 'Test PASSED' 0 GLUT
prints closed 'cublasCreate(&handle)' 0 CUDA::cublas

expect 0 python3 "$tool" "$work/cuda-samples" --route $route --halfwarp "$halfwarp" --data "$work/data.json"
for line in 'right passes' 'wrong fails Test FAILED' 'ended fails' 'waived waives itself Waiving the sample'; do
    says out "$line"
done
expect 0 python3 "$tool" --data "$work/data.json" --table
says out 'Left out, a closed library: closed.'
says out 'Left out, opens a window: window.'
finish
