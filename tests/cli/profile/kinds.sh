# bench/kinds.py: kernels by Halfwarp, OpenCL and plain C have one result, and one that differs is found.
. "$(dirname "$0")/../check.bash"

command -v python3 gcc > "$work/where" || { echo "no python3 or gcc"; exit 77; }
echo 'int main(void) { cl_platform_id one; return clGetPlatformIDs(1, &one, 0) != CL_SUCCESS; }' |
    gcc -DCL_TARGET_OPENCL_VERSION=120 -include CL/cl.h -fopenmp -x c -o "$work/has_opencl" - -lOpenCL 2> "$work/err" &&
    "$work/has_opencl" || { echo "no OpenCL"; exit 77; }

build=$(cd "$(dirname "$halfwarp")" && pwd)
kernels=(sparse_rows)
expect 0 bench/kinds.py "$build" 1 "$work/kinds.csv" "${kernels[@]}"
for kernel in "${kernels[@]}"; do
    for who in profile run opencl loops; do
        grep -qE ",$kernel,$who,[1-9][0-9]*,[0-9.e+]+," "$work/kinds.csv" || fail "$kernel by $who is missing"
    done
done

# A copy whose C loops add another product.
cp -r bench "$work/bench"
sed -i 's/p->in\[p->columns\[k\]\];/p->in[p->columns[k] \/ 2];/' "$work/bench/peers/kinds/loops.c"
cmp -s bench/peers/kinds/loops.c "$work/bench/peers/kinds/loops.c" && fail "nothing was changed"
expect 1 "$work/bench/kinds.py" "$build" 1 "$work/kinds.csv" sparse_rows
says err "the result is"
expect 1 bench/kinds.py "$build" 1 "$work/kinds.csv" no_such_kernel
says err "no such kernel; there are transpose_naive,"
finish
