# What `halfwarp check` says of whole programs: those of docs/check.md print what stands there, and nothing when they
# are mended; and orders that programs of others rely on are seen.
. "$(dirname "$0")/../check.bash"

# ---- the manual's programs -------------------------------------------------------------------------------------------

# Each block of CUDA begins with a comment, its name; the block behind it has the command and what that prints.
awk -v to="$work" '
    /^```cuda$/ { getline; name = $2; out = to "/" name; print > out; inside = 1; next }
    /^```$/ && inside == 1 { inside = 2; next }
    /^```$/ && inside == 2 { getline; print > (to "/" name ".command"); inside = 3; out = to "/" name ".expected"
        next }
    /^```$/ && inside == 3 { inside = 0; next }
    inside == 1 || inside == 3 { print > out }' docs/check.md
n=0
for program in "$work"/*.cu; do
    options=$(awk '{ $1 = $2 = $3 = $NF = ""; print }' "$program.command")
    case $options in *nvcc*) command -v nvcc > "$work/where" || continue ;; esac
    case $(head -1 "$program.expected") in deadlock*) status=5 ;; step*) status=0 ;; *) status=1 ;; esac
    expect $status \
        "$halfwarp" check --compiler clang $options "$program"
    sed -i "s|$work/||g" "$work/out"
    sed -i '${/^$/d}' "$work/out"
    diff "$program.expected" "$work/out" > "$work/difference" || fail "$program: $(cat "$work/difference")"
    expect 0 "$halfwarp" check --compiler clang -DMENDED $options "$program"
    silent out
    n=$((n + 1))
done
[ "$n" -ge 13 ] || fail "programs in docs/check.md: $n"

# ---- others ----------------------------------------------------------------------------------------------------------

# Two threads of the host, each with a stream and memory of its own: what one asks for while a launch of the other runs
# puts nothing of that launch out of order.
cat > "$work/threads.cu" << 'EOT'
#include <thread>
__global__ void add(int *data) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 10; k++) data[i] += k;
}
static void work() {
    const int n = 1 << 14;
    int *device, *host = new int[n]();
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&device, n * sizeof(int));
    for (int k = 0; k < 20; k++) {
        cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice, stream);
        add<<<n / 256, 256, 0, stream>>>(device);
        cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
    }
    cudaFree(device);
    delete[] host;
}
int main() {
    std::thread one(work), other(work);
    one.join();
    other.join();
}
EOT
expect 0 "$halfwarp" check --compiler clang "$work/threads.cu"
silent out

# Two threads of the host, each with a default stream of its own: that one ends before the other begins is no order for
# what they have asked for, nor that one comes first. What a thread has waited for is one for both.
cat > "$work/default.cu" << 'EOT'
#include <cstring>
#include <thread>
__global__ void add(int *data) { data[threadIdx.x] += 1; }
static int *data;
static cudaEvent_t added;
static const char *by;
static bool is(const char *what) { return strcmp(by, what) == 0; }
static void first() {
    add<<<1, 64, 0, is("legacy") ? cudaStreamLegacy : cudaStreamPerThread>>>(data);
    if (is("stream")) cudaStreamSynchronize(cudaStreamPerThread);
    if (is("event")) cudaEventRecord(added);
}
static void second() {
    if (is("event")) cudaStreamWaitEvent(cudaStreamPerThread, added, 0);
    add<<<1, 64, 0, cudaStreamPerThread>>>(data);
}
int main(int, char **argv) {
    by = argv[1];
    cudaEventCreate(&added);
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    cudaDeviceSynchronize();
    std::thread one(first);
    if (!is("both")) one.join();
    std::thread other(second);
    other.join();
    if (is("both")) one.join();
    cudaDeviceSynchronize();
    int n;
    cudaMemcpy(&n, data, sizeof n, cudaMemcpyDeviceToHost);
    return n != 2;
}
EOT
default_streams() { expect "$1" "$halfwarp" check --compiler clang "$work/default.cu" "$2"; }
for order in none both; do
    default_streams 1 $order
    says out "race: work in two streams accesses the same bytes"
    says out "1 hazard found"
done
for order in stream event legacy; do
    default_streams 0 $order
    silent out
done

# A call that the compiler has copied is one place still.
cat > "$work/copied.cu" << 'EOT'
int main() {
    void *memory;
    #pragma GCC unroll 3
    for (int i = 0; i < 3; i++) cudaMalloc(&memory, 1000);
}
EOT
expect 1 "$halfwarp" check --compiler clang --leaks "$work/copied.cu"
says out "leak: 3000 bytes of device memory are still allocated at the end (3 times)"
says out "1 hazard found"

finish
