# --gpus: programs that see several GPUs, by both compilers and with nvcc's static runtime; what is wrong between them.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../cuda/several_gpus.cu

cat > "$work/expected" <<'TEXT'
gpu 0 adds its own: 1
gpu 1 adds its own: 1
one managed variable: 1
names: 1 1 1
no such gpu: cudaErrorInvalidDevice
peers: 1, of itself: 0
memory of gpu 1
copied to the other: 1
once more: cudaErrorPeerAccessAlreadyEnabled
written by the other: 1
once more: cudaErrorPeerAccessNotEnabled
across: 1 1
event of another: cudaErrorInvalidResourceHandle
stream of another: cudaErrorInvalidResourceHandle
beside each other: 1, behind each other: 1
times of two gpus: cudaErrorInvalidResourceHandle
pool: 1 1
accounts: 1024 512 0 0, then 0 0
its own: 0 0 0
not joined: cudaErrorStreamCaptureUnjoined
graph of two gpus: 6 303, 5
streams of 20 launches: 0
another's event: cudaSuccess
by hand: 110 105
freed by graphs: 3 nodes, cudaSuccess, cudaErrorInvalidValue
a thread for each: 1
of the others: 1, of the one that was reset: cudaErrorInvalidValue
of the other's pool: 2048, cudaSuccess, then 0
managed memory of the others: 1
and goes on: 1
graph before a reset: cudaSuccess, behind it: cudaSuccess
TEXT
is_expected() { diff "$work/expected" "$work/out" >&2 || fail "$1 differs"; }

cat > "$work/stray.cu" <<'PROGRAM'
#include <cstdio>
__global__ void set(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *p, n = 0;
    cudaGetDeviceCount(&n);
    if (n < 2) return puts("one");
    cudaSetDevice(1);
    cudaMalloc(&p, 128);                           // allocated here
    cudaSetDevice(0);
    set<<<1, 32>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaSetDevice(1);
    set<<<1, 32>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
PROGRAM

# Each launch does what its GPU's last one did.
cat > "$work/repeats.cu" <<'PROGRAM'
__global__ void few(int *p) { p[threadIdx.x] = 1; }
__global__ void many(const int *p, int *q) {
    int sum = 0;
    for (int i = 0; i < 50; i++) sum += p[threadIdx.x + 32 * i];
    q[threadIdx.x] = sum;
}
int main() {
    int *a, *b, *c;
    cudaMalloc(&a, 4096);
    cudaSetDevice(1);
    cudaMalloc(&b, 32768);
    cudaMalloc(&c, 4096);
    cudaMemset(b, 0, 32768);
    for (int i = 0; i < 3; i++) {
        cudaSetDevice(0);
        few<<<1, 32>>>(a);
        cudaSetDevice(1);
        many<<<1, 32>>>(b, c);
    }
    return cudaDeviceSynchronize();
}
PROGRAM
# Each GPU's kernel waits for the other's: launches are executed one after the other.
cat > "$work/meet.cu" <<'PROGRAM'
#include <cstdio>
__global__ void meet(volatile int *own, volatile int *other) {
    *own = 1;
    while (!*other) ;                              // waits here
}
int main() {
    int *flags, *at[2];
    cudaHostAlloc((void **)&flags, 8, cudaHostAllocPortable);
    flags[0] = flags[1] = 0;
    cudaHostGetDevicePointer((void **)&at[0], flags, 0);
    at[1] = at[0] + 1;
    for (int g = 0; g < 2; g++) {
        cudaSetDevice(g);
        meet<<<1, 1>>>(at[g], at[1 - g]);
    }
    cudaSetDevice(0);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
PROGRAM
column() { python3 -c 'import csv, sys
print(*[row[sys.argv[2]] for row in csv.DictReader(open(sys.argv[1]))])' "$work/rows" "$1"; }

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 0 "$halfwarp" run --gpus 2 --compiler $compiler "$source"
    is_expected "$compiler"
    silent err
    # The default streams of two GPUs are two streams, and so are their copy engines; what is told of launches that are
    # not executed again is that of their own GPU's.
    expect 0 "$halfwarp" profile --gpus 2 --launches --format csv --trace "$work/trace" -o "$work/rows" \
        --compiler $compiler "$work/repeats.cu"
    [ "$(column stream)" = "0 1 0 1 0 1" ] || fail "streams $(column stream)"
    [ "$(column device)" = "0 1 0 1 0 1" ] || fail "GPUs $(column device)"
    [ "$(column reused)" = "0 0 1 1 1 1" ] || fail "reused $(column reused)"
    [ "$(column gld_requests)" = "0 50 0 50 0 50" ] || fail "loads $(column gld_requests)"
    expect 0 "$halfwarp" profile --gpus 2 --copies --format csv --trace "$work/trace" -o "$work/rows" \
        --compiler $compiler "$source"
    [ "$(column device | tr " " "\n" | sort -u | tr -d "\n")" = 01 ] || fail "copies of GPUs $(column device)"
    # The table says which GPU, by launch, by kernel and by stream.
    expect 0 "$halfwarp" profile --gpus 2 --launches --compiler $compiler "$work/repeats.cu"
    says out '  #  GPU  kernel'
    [ "$(grep -c '^  [0-5]    [01]  \(few\|many\)' "$work/out")" -ge 6 ] || fail "the table: $(cat "$work/out")"
    expect 0 "$halfwarp" profile --gpus 2 --summary --compiler $compiler "$work/repeats.cu"
    [ "$(grep -c '^    0  few  ' "$work/out")" -ge 1 ] || fail "the summary: $(cat "$work/out")"
    [ "$(grep -c '^    1  many  ' "$work/out")" -ge 1 ] || fail "the summary: $(cat "$work/out")"
    expect 0 "$halfwarp" profile --gpus 2 --copies --compiler $compiler "$work/repeats.cu"
    says out 'GPU  stream'
    grep -q '"copy engine 2"' "$work/trace" || fail "GPUs have one copy engine between them"
    expect 5 "$halfwarp" run --gpus 2 --compiler $compiler "$work/stray.cu"
    says out "cudaErrorIllegalAddress
cudaSuccess"
    says err "which is GPU 1's: GPU 0 has not been let reach it (cudaDeviceEnablePeerAccess)"
    says err "stray.cu:$(grep -n 'allocated here' "$work/stray.cu" | cut -d: -f1)"
    [ $routes = 1 ] && expect 5 "$halfwarp" run --gpus 2 --compiler $compiler "$work/meet.cu" &&
        says err "meet.cu:$(grep -n 'waits here' "$work/meet.cu" | cut -d: -f1)" &&
        says err "kernels of several GPUs, which may be meant to, are executed one after the other"
    expect 1 "$halfwarp" check --gpus 2 --compiler $compiler "$work/stray.cu"
    says out "memory of another GPU is accessed without peer access"
done
[ $routes -gt 0 ] || exit 77

if command -v nvcc >/dev/null; then
    nvcc -gencode arch=compute_75,code=compute_75 -o "$work/static" "$source" || exit 1
    expect 0 "$halfwarp" run --gpus 2 "$work/static"
    is_expected "the static runtime"
    silent err
    expect 0 "$halfwarp" profile --gpus 2 --summary -o "$work/report" "$work/static"
    is_expected "profiled"
fi

# One unless it is asked for; a number, of as many as there can be.
expect 4 "$halfwarp" run "$work/stray.cu"
says out one
for wrong in 0 17 h100 -1; do
    expect 2 "$halfwarp" run --gpus=$wrong "$work/stray.cu"
    refuses "--gpus takes a number from 1 to 16, and got '$wrong'"
done
finish
