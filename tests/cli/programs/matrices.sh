# nvcuda::wmma in every shape, type and layout, sums of zeros, pipelines and barriers in shared memory: as on an H200.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../cuda/matrices.cu
command -v nvcc > /dev/null || exit 77
expect 0 "$halfwarp" run --compiler nvcc "$source"
silent err
diff "$work/out" "${source%.cu}.h200.txt" > "$work/diff" || fail "$(head -5 "$work/diff")"
finish
