# wmma.load and wmma.store are counted as the accesses that ptxas makes of them: 32 bits, 64 where two
# registers are neighbours in memory, and halves that lie across as the transposed matrix, 32 bits at a time.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v nvcc > /dev/null || exit 77

cat > "$work/fragments.cu" <<'CUDA'
#include <mma.h>
using namespace nvcuda::wmma;
// Named by what is moved and how it lies; g: in global memory, s: in shared memory, at a stride of LD elements.
#define FACTOR(name, type, which, layout)                                                                              \
    extern "C" __global__ void g_##name(type *m) {                                                                     \
        fragment<which, 16, 16, 16, type, layout> f;                                                                   \
        load_matrix_sync(f, m, 16);                                                                                    \
        if (m[300] == (type)1) m[threadIdx.x] = f.x[0];                                                                \
    }
#define SUM(name, type, layout, LD)                                                                                    \
    extern "C" __global__ void s_##name(type *m) {                                                                     \
        extern __shared__ __align__(128) char room[];                                                                  \
        fragment<accumulator, 16, 16, 16, type> f;                                                                     \
        load_matrix_sync(f, m, 16, layout);                                                                            \
        store_matrix_sync((type *)room, f, LD, layout);                                                                \
        load_matrix_sync(f, (type *)room, LD, layout);                                                                 \
        store_matrix_sync(m, f, 16, layout);                                                                           \
    }
FACTOR(half_along, half, matrix_a, row_major)
FACTOR(half_across, half, matrix_b, row_major)
FACTOR(char_along, signed char, matrix_b, col_major)
FACTOR(char_across, signed char, matrix_b, row_major)
SUM(float_along, float, mem_row_major, 128)
SUM(float_across, float, mem_col_major, 128)
SUM(half_along, half, mem_row_major, 16)
SUM(half_across, half, mem_col_major, 16)
int main() {
    void *m;
    cudaMalloc(&m, 1024);
    cudaMemset(m, 0, 1024);
    g_half_along<<<1, 32>>>((half *)m);
    g_half_across<<<1, 32>>>((half *)m);
    g_char_along<<<1, 32>>>((signed char *)m);
    g_char_across<<<1, 32>>>((signed char *)m);
    s_float_along<<<1, 32, 8192>>>((float *)m);
    s_float_across<<<1, 32, 8192>>>((float *)m);
    s_half_along<<<1, 32, 8192>>>((half *)m);
    s_half_across<<<1, 32, 8192>>>((half *)m);
    return cudaDeviceSynchronize();
}
CUDA
expect 0 "$halfwarp" profile --compiler nvcc --gpu h200 --format csv -o "$work/out.csv" "$work/fragments.cu"
silent err
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         { print $at["kernel"], $at["gld_requests"], $at["gst_requests"], $at["lds_wavefronts"],
                 $at["sts_wavefronts"] }' "$work/out.csv" > "$work/counts"
# Of factors one load more: m[300]. Sums of floats along rows pass the banks 32 times on an H200, in cudaTensorCoreGemm.
cat > "$work/wanted" <<'COUNTS'
g_half_along 5 0 0 0
g_half_across 5 0 0 0
g_char_along 3 0 0 0
g_char_across 9 0 0 0
s_float_along 4 4 32 32
s_float_across 8 8 32 32
s_half_along 4 4 8 8
s_half_across 4 4 8 8
COUNTS
diff "$work/wanted" "$work/counts" > "$work/diff" || fail "$(cat "$work/diff")"
finish
