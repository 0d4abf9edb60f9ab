# Places in messages: launches that are refused and memory that is missed are named by the user's own line, however the
# compiler inlined what lies between.
. "$(dirname "$0")/../check.bash"

cat > "$work/refuse.cu" <<'CUDA'
#include <cuda_runtime.h>
__global__ void narrow(int *p) { p[threadIdx.x] = 1; }
template <typename T> __global__ void wide(T *p, int n) { p[threadIdx.x] = n; }
static void from_a_function(int *p) {
    wide<<<0, 32>>>((float *)p, 3);            // in from_a_function
}
int main() {
    int *p;
    cudaMalloc(&p, 4096);
    narrow<<<1, 2048>>>(p);                    // in main
    from_a_function(p);
    void *args[] = {&p};
    cudaLaunchKernel((void *)narrow, dim3(1), dim3(1, 1, 65), args, 0, 0);   // called
    return 0;
}
CUDA
cat > "$work/where.cu" <<'CUDA'
#include <cuda_runtime.h>
#include <cstring>
__global__ void store(int *p) { p[threadIdx.x + 1000] = 1; }
template <typename T> static T *take(size_t n) {
    T *p;
    cudaMalloc(&p, n * sizeof *p);             // plain
    return p;
}
int main(int, char **argv) {
    int *p = nullptr;
    if (!strcmp(argv[1], "plain")) p = take<int>(1000);
    if (!strcmp(argv[1], "managed")) cudaMallocManaged(&p, 4000);   // managed
    if (!strcmp(argv[1], "host")) cudaMallocHost(&p, 4000);         // host
    if (!strcmp(argv[1], "freed")) {
        p = take<int>(2000);
        cudaFree(p);                           // freed
    }
    store<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    return 0;
}
CUDA

line() { grep -n "// $2\$" "$work/$1" | cut -d: -f1; }

refused() {
    silent out
    for place in "in from_a_function" "in main" called; do
        says err "refuse.cu:$(line refuse.cu "$place"): launch refused"
    done
}

routes=0
for compiler in nvcc clang; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    for level in -O0 -O3; do
        expect 0 "$halfwarp" run --compiler $compiler $level "$work/refuse.cu"
        refused
        for kind in plain managed host; do
            expect 5 "$halfwarp" run --compiler $compiler $level "$work/where.cu" $kind
            says err "where.cu:3: kernel store"
            says err "that allocation was made at $work/where.cu:$(line where.cu $kind)"
            ! grep -q "freed" "$work/err" || fail "$kind is not freed: $(cat "$work/err")"
        done
        expect 5 "$halfwarp" run --compiler $compiler $level "$work/where.cu" freed
        says err "that allocation was made at $work/where.cu:$(line where.cu plain)"
        says err "and freed at $work/where.cu:$(line where.cu freed)"
    done
done
[ $routes -gt 0 ] || exit 77

# Executables built elsewhere: by line with -g, else by function.
if command -v nvcc > "$work/where"; then
    nvcc -g -O3 -o "$work/lines" -cudart shared -gencode arch=compute_75,code=compute_75 "$work/refuse.cu"
    nvcc -O3 -o "$work/bare" -cudart shared -gencode arch=compute_75,code=compute_75 "$work/refuse.cu"
    expect 0 "$halfwarp" run "$work/lines"
    refused
    expect 0 "$halfwarp" run "$work/bare"
    says err "main in bare: launch refused: block dimension x is 2048"
fi
finish
