# check finds races between kernels that kernels launch and what has launched them, and between such launches, with both
# lines, and nothing where they are in order. clang has no launches within kernels.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" && command -v nvcc > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/children.cu

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
after_launch|race|launch|child_take
no_meeting|race|launch|child_take
other_lane|race|launch|child_clear
other_block|race|launch|child_take
read_after|race|launch|child_clear
grandchild|race|launch|child_clear
other_stream|race|siblings|
fire_and_forget|race|siblings|
blocks_streams|race|siblings|
cousins|race|siblings|
event|race|siblings|
streams_threads|race|siblings|
later_block|race|siblings|
ROWS

for compiler in nvcc; do
    for options in $(levels_of $compiler); do
        expect 0 $compiler $options -rdc=true -lineinfo -arch=sm_75 -o "$work/children" "$source"
        expect 0 "$halfwarp" check "$work/children"
        [ "$(cat "$work/out")" = done ] || fail "clean: $(head -c 3000 "$work/out")"
        expect 1 "$halfwarp" check --format json -o "$work/found.json" "$work/children" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" || fail launches
    done
done

# Without cudadevrt: two threads launch into the default stream of their block, or each into its own.
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cat > "$work/load.c" << 'C'
#include <cuda.h>
int main(int argc, char **argv) {
    CUcontext context;
    CUmodule module;
    CUfunction launches;
    CUdeviceptr out;
    void *arguments[] = {&out};
    if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 2;
    if (cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&launches, module, "launches")) return 3;
    if (cuMemAlloc(&out, 256) || cuLaunchKernel(launches, 1, 1, 1, 2, 1, 1, 0, 0, arguments, 0)) return 4;
    return cuCtxSynchronize() ? 5 : 0;
}
C
cat > "$work/launches.cu" << 'CUDA'
__global__ void put(int *out, int value) { *out = value; }
extern "C" __global__ void launches(int *out) { put<<<1, 1>>>(out, threadIdx.x); }
CUDA
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
expect 0 "$cc" -I "$here/../../../include/cuda" -o "$work/load" "$work/load.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib"
for streams in legacy:0 per-thread:1; do
    expect 0 nvcc -default-stream ${streams%:*} -rdc=true -arch=compute_90 -ptx -o "$work/launches.ptx" \
        "$work/launches.cu"
    expect ${streams#*:} "$halfwarp" check "$work/load" "$work/launches.ptx"
done
says out '1 hazard found'
finish
