# Self-checking device programs, by each compiler that is here.
. "$(dirname "$0")/check.bash"

compilers=clang
command -v nvcc > "$work/where" && compilers="clang nvcc"
for compiler in $compilers; do
    for program in intrinsics half_and_groups grid_sync; do
        expect 0 "$halfwarp" run --compiler $compiler tests/cuda/$program.cu
        says out "ok"
    done
done
finish
