# Graphs and captured streams, by the driver's calls and by the runtime's: results, launches that are counted, and
# branches that nothing orders.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
headers=$tests/../include/cuda

"$cc" -g -I "$headers" -o "$work/graphs" "$tests/shim/driver_graphs.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
expect 0 "$halfwarp" profile --launches --format csv -o "$work/rows" "$work/graphs"
says out '0 failures'
# Of captured launches those of the graph's own are counted, and a node that is off is none.
[ "$(grep -c ',add,' "$work/rows") $(grep -c ',count,' "$work/rows")" = "10 9" ] || fail "launches: $(cat "$work/rows")"

# The runtime's: two branches add to one word without an order, then with one.
cat >"$work/branches.cu" <<'CUDA'
#include <cstdio>
__global__ void add(unsigned *p, unsigned n) { *p += n; }
int main(int argc, char **) {
    unsigned *p, got = 0;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    if (argc > 1) add<<<1, 1, 0, a>>>(p, 1);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    if (argc == 1) add<<<1, 1, 0, a>>>(p, 1);
    add<<<1, 1, 0, b>>>(p, 10);
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaMemcpyAsync(&got, p, 4, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    printf("%u, %s\n", got, cudaGetErrorName(cudaGetLastError()));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
CUDA
command -v nvcc >/dev/null || command -v clang >/dev/null || finish
expect 1 "$halfwarp" check "$work/branches.cu"
says out '11, cudaSuccess'
says out 'add'
expect 0 "$halfwarp" check "$work/branches.cu" ordered
says out '11, cudaSuccess'
finish
