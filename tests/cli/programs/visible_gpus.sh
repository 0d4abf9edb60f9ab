# CUDA_VISIBLE_DEVICES with --gpus: which GPUs a program sees, in which order, by the runtime and by the driver.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

# "2: 01 00", the number of GPUs and the place of each; of none the error of calls that want one.
cat >"$work/runtime.c" <<'PROGRAM'
#include <stdio.h>
#include <cuda_runtime_api.h>
int main(void) {
    int n = -1, current, value;
    void *p;
    struct cudaDeviceProp is;
    cudaError_t error = cudaGetDeviceCount(&n);
    printf("%d:", n);
    for (int i = 0; i < n; i++) {
        char id[16];
        if (cudaDeviceGetPCIBusId(id, sizeof id, i) || cudaDeviceGetByPCIBusId(&current, id) || current != i) return 1;
        if (cudaGetDeviceProperties(&is, i) || cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, i)) return 1;
        if (is.uuid.bytes[15] != value || is.pciBusID != value || cudaSetDevice(i) || cudaMalloc(&p, 4)) return 1;
        printf(" %.2s", id + 5);
    }
    if (!n)
        printf(" %d %d %d %d %d %d", error, cudaMalloc(&p, 4), cudaSetDevice(0), cudaGetDevice(&current),
               cudaGetDeviceProperties(&is, 0), cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, 0));
    return puts("") < 0;
}
PROGRAM
cat >"$work/driver.c" <<'PROGRAM'
#include <stdio.h>
#include <cuda.h>
int main(void) {
    int n = 0, value;
    CUuuid uuid;
    CUcontext context;
    CUresult error = cuInit(0);
    if (!error && cuDeviceGetCount(&n)) return 1;
    printf("%d:", n);
    for (int i = 0; i < n; i++) {
        char id[16];
        if (cuDeviceGetPCIBusId(id, sizeof id, i) || cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i) ||
            cuDeviceGetUuid(&uuid, i) || uuid.bytes[15] != value || cuCtxCreate(&context, NULL, 0, i)) return 1;
        printf(" %.2s", id + 5);
    }
    if (!n) printf(" %d %d", error, cuDeviceGetCount(&n));
    return puts("") < 0;
}
PROGRAM
for door in runtime driver; do
    "$cc" -I "$tests/../include/cuda" -o "$work/$door" "$work/$door.c" "$lib/libcudart.so.13" \
        "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
done

uuid=GPU-73696d2d-6832-3030-0000-00000000000
sees() {
    expect 0 env CUDA_VISIBLE_DEVICES="$1" "$halfwarp" run --gpus 3 "$work/runtime"
    [ "$(cat "$work/out")" = "$2" ] || fail "the runtime sees '$(cat "$work/out")' by '$1', not '$2'"
    expect 0 env CUDA_VISIBLE_DEVICES="$1" "$halfwarp" run --gpus 3 "$work/driver"
    [ "$(cat "$work/out")" = "${3:-$2}" ] || fail "the driver sees '$(cat "$work/out")' by '$1', not '${3:-$2}'"
}
no_device='0: 100 100 100 100 100 100'
sees 2,0 '2: 02 00'
sees ' 1gpu, 2 ' '2: 01 02'
sees 1,3,0 '1: 01'
sees "${uuid}1,${uuid}0" '2: 01 00'
sees "${uuid}2,GPU-7" '1: 02'                      # which all of them begin with
for none in '' -1 3; do
    expect 0 env CUDA_VISIBLE_DEVICES="$none" "$halfwarp" run --gpus 3 "$work/runtime"
    [ "$(grep -c 'sees no GPU, for CUDA_VISIBLE_DEVICES=3 names none of the 3' "$work/err")" = $((none == 3)) ] ||
        fail "with '$none': $(cat "$work/err")"
done
for none in '' -1 3 0,0 GPU-7 "${uuid}1,${uuid}1" MIG-0; do sees "$none" "$no_device" '0: 100 3'; done
expect 0 env -u CUDA_VISIBLE_DEVICES "$halfwarp" run --gpus 3 "$work/runtime"
says out '3: 00 01 02'
expect 0 env CUDA_VISIBLE_DEVICES=0 "$halfwarp" run "$work/runtime"
says out '1: 00'
finish
