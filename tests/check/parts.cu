// Accesses that leave a member of a struct, or one of a function's variables, as nvcc tells with -G; and what looks
// like it and is none. As hazards.cu.
#include <cstddef>

#include "cases.cuh"

struct row {
    int pad, v[4], w[4];
};
struct arrays {
    int first[16], a, b, c, d, second[16];
    int n, matrix[4][4];
    row rows[3];
    int last[8];
};
struct pair {
    int a[16], b[16];
};
struct particle {
    float x, y, z, vx, vy, vz;
};
struct quads {
    int n[4];
    float x, y, z, w, more[4];
};
struct words {
    int head, length, a[4], b[4];
};
struct open {
    int n, values[1];                               // as many as there is memory for
};
struct base {
    int x[8];
};
struct other_base {
    int y[8];
};
struct derived : base, other_base {
    int z[8], w[8];
};
union views {
    int all[16];
    struct {
        int low[8], high[8];
    } half;
};
struct with_views {
    int n;
    views view;
    int n_behind, behind[8];
};

__device__ arrays global_arrays, several[4];
__constant__ arrays constants = {};

// ---- hazards: of one block of one thread, so that t is 0 -----------------------------------------------------------

template <bool Ordered> __global__ void before_member(int *out) {
    __shared__ arrays s;
    const int t = threadIdx.x;
    s.second[t - (Ordered ? 0 : 1)] = 1;            // before_member
    out[t] = s.second[t];
}

template <bool Ordered> __global__ void behind_member(int *out) {
    __shared__ arrays s;
    const int t = threadIdx.x;
    s.second[t + (Ordered ? 15 : 16)] = 1;          // behind_member
    out[t] = s.second[15];
}

template <bool Ordered> __global__ void of_global(int *out) {
    const long t = threadIdx.x;
    global_arrays.second[t - (Ordered ? 0 : 1)] = 1;    // of_global
}

template <bool Ordered> __global__ void of_constant(int *out) {
    const int t = threadIdx.x;
    out[t] = constants.second[t + (Ordered ? 15 : 16)];    // of_constant
}

template <bool Ordered> __global__ void of_pointer(arrays *p) {
    const int t = threadIdx.x;
    p->second[t + (Ordered ? 15 : 16)] = 1;         // of_pointer
}

template <bool Ordered> __global__ void of_element(arrays *__restrict__ p) {
    const int t = threadIdx.x;
    p[t + 1].second[t - (Ordered ? 0 : 1)] = 1;     // of_element
}

// Out of all memory, where there is no part any more.
template <bool Ordered> __global__ void of_no_element(arrays *p) {
    const int t = threadIdx.x;
    p[t + (Ordered ? 3 : DATA_BYTES / (int)sizeof *p + 1)].second[t + 3] = 1;    // of_no_element
}

template <bool Ordered> __global__ void of_array(int *out) {
    const int t = threadIdx.x;
    several[t].second[t + (Ordered ? 15 : 16)] = 1;    // of_array
}

template <bool Ordered> __global__ void of_inner_array(int *out) {
    __shared__ arrays s;
    const int t = threadIdx.x;
    s.rows[t + 1].v[t + (Ordered ? 3 : 4)] = 1;     // of_inner_array
}

template <bool Ordered> __global__ void of_matrix(int *out) {
    __shared__ arrays s;
    const int t = threadIdx.x;
    s.matrix[t + (Ordered ? 3 : 4)][t] = 1;         // of_matrix
}

template <bool Ordered> __global__ void of_derived(int *out) {
    __shared__ derived s;
    const int t = threadIdx.x;
    s.z[t + (Ordered ? 7 : 8)] = 1;                 // of_derived
}

template <bool Ordered> __global__ void behind_union(int *out) {
    __shared__ with_views s;
    const int t = threadIdx.x;
    s.behind[t - (Ordered ? 0 : 1)] = 1;            // behind_union
}

template <bool Ordered> __global__ void local_neighbour(int *out) {
    int one[16], two[16];
    const int t = threadIdx.x;
    one[15] = two[0] = 0;
    two[t - (Ordered ? 0 : 1)] = 1;                 // local_neighbour
    out[t] = one[15] + two[0];
}

template <bool Ordered> __global__ void local_member(int *out) {
    arrays s;
    const int t = threadIdx.x;
    s.first[15] = s.second[0] = 0;
    s.second[t - (Ordered ? 0 : 1)] = 1;            // local_member
    out[t] = s.first[15] + s.second[0];
}

// ---- no hazards ----------------------------------------------------------------------------------------------------

// All of a struct as words, copies of structs, and of more than a member.
__global__ void whole(arrays *p, int n) {
    __shared__ arrays s, copy;
    arrays local;
    for (int i = 0; i < (int)(sizeof s / sizeof(int)); i++) ((int *)&s)[i] = ((int *)p)[i];
    copy = s;
    local = copy;
    p[n] = local;
    memset(&s.second, 0, sizeof s - offsetof(arrays, second));
    memcpy(&s.second, &p->second, sizeof s - offsetof(arrays, second));
    for (int i = 0; i < 16; i++) ((int *)s.matrix)[i] = s.matrix[0][i];
    for (int i = 0; i < 4; i++) ((int4 *)s.second)[i] = make_int4(1, 2, 3, 4);
}

// From where a member ends, which is where the next one begins.
__global__ void from_end(pair *p, words *w, int t, long at) {
    __shared__ pair s;
    int one[16], two[16];
    int *end = s.a + 16;
    end[-1 - t] = 1;
    *(s.a + 16 - (t + 1)) = 2;
    *(s.a + 16 - (at + 1)) = 2;
    for (int *q = s.a + 16; q-- > s.a;) *q = 3;
    for (int *q = s.b; q < s.b + 16; q++) *q = 3;
    const int k = -2 - t;
    (s.a + 16)[k] = (s.a + 16)[-1 - t] + (s.a + 16)[t - 1];
    (p->a + 16)[k] = (p->a + 16)[-1 - t] + (p->a + 16)[t - 1];
    (p[t].a + 16)[k] = (p[t].a + 16)[-1 - t] + (p[t].a + 16)[t - 1];
    (one + 16)[k] = (one + 16)[-1 - t] = (two + 16)[k] = (two + 16)[-1 - t] = 4;
    int *body = (int *)w + 2;
    for (int i = 0; i < 8; i++) body[i] = i;
    for (int i = 0; i < 8; i++) ((int *)w)[2 + i] += i;
    (p + 2)[-1].b[t] = s.a[15 - t];
}

// From one number on to what lies beside it.
__global__ void from_numbers(particle *p, float4 *v, quads *q, words *w, int n) {
    __shared__ float2 t[64];
    __shared__ words s[4];
    for (int i = 0; i < 3; i++) (&p->vx)[i] += (&p->x)[i];
    for (int i = 0; i < n; i++) ((float *)v + 1)[4 * i] = 1;
    for (int i = 0; i < 64; i++) ((float *)t + 1)[2 * i] = 1;
    for (int i = 0; i < 2; i++) ((float4 *)&q->x)[i] = v[i];
    for (int i = 0; i < 4; i++) ((int *)s + 2)[10 * i] = ((int *)w + 2)[10 * i] = 1;
}

__global__ void all_of_each(arrays *p, open *o, derived *d, int t) {
    __shared__ with_views u;
    __shared__ views v;
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 4; i++) p[1].rows[r].v[i] = several[r].rows[r].w[i] = p->matrix[i][r] = 1;
    for (int i = 0; i < 16; i++) v.all[i] = u.view.all[i] = p->first[i] = p->second[15 - i] = 1;
    for (int i = 0; i < 8; i++) v.half.low[i] = u.view.half.high[i] = u.behind[i] = p[t + 1].last[i] = 2;
    for (int i = 0; i < 8; i++) d->x[i] = d->y[i] = d->z[i] = d->w[i] = 3;
    for (int i = 0; i < 40; i++) o->values[i] = i;
    other_base *part = d;
    ((derived *)part)->w[t + 7] = part->y[t];
}

static void run_hazards() {
    RUN(before_member, 1, 1);
    RUN(behind_member, 1, 1);
    RUN(of_global, 1, 1);
    RUN(of_constant, 1, 1);
    RUN(of_array, 1, 1);
    RUN(of_inner_array, 1, 1);
    RUN(of_matrix, 1, 1);
    RUN(of_derived, 1, 1);
    RUN(behind_union, 1, 1);
    RUN(local_neighbour, 1, 1);
    RUN(local_member, 1, 1);
    is_ordered ? of_pointer<true><<<1, 1>>>((arrays *)data) : of_pointer<false><<<1, 1>>>((arrays *)data);
    is_ordered ? of_no_element<true><<<1, 1>>>((arrays *)data) : of_no_element<false><<<1, 1>>>((arrays *)data);
    is_ordered ? of_element<true><<<1, 1>>>((arrays *)data) : of_element<false><<<1, 1>>>((arrays *)data);
}

int main(int argc, char **argv) {
    is_ordered = argc < 2 || strcmp(argv[1], "racy") != 0;
    cudaMalloc(&data, DATA_BYTES);
    run_hazards();
    if (is_ordered) {
        words *w;
        cudaMalloc(&w, 4 * sizeof *w);
        cudaMemset(w, 0, 4 * sizeof *w);
        whole<<<1, 1>>>((arrays *)data, 1);
        from_end<<<1, 1>>>((pair *)data, w, 0, 0);
        from_numbers<<<1, 1>>>((particle *)data, (float4 *)(data + 4096), (quads *)(data + 8192), w, 8);
        all_of_each<<<1, 1>>>((arrays *)data, (open *)(data + 4096), (derived *)(data + 8192), 0);
    }
    puts(cudaDeviceSynchronize() ? "failed" : "done");
    return 0;
}
