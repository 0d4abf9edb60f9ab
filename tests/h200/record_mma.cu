// Runs every case of tests/unit/matrix_cases.h on the GPU's tensor cores and prints tests/data/h200_mma.txt.
//     nvcc -std=c++17 -arch=sm_90 -I tests/unit -o record_mma tests/h200/record_mma.cu && ./record_mma > h200_mma.txt
#include <cstdio>

#include "matrix_cases.h"

#define HALF_PAIR(p, i, j) ((uint32_t)(p)[i] | (uint32_t)(p)[j] << 16)

__device__ uint32_t four_bytes(const uint64_t *p, int i, int step) {
    return (uint32_t)p[i] | (uint32_t)p[i + step] << 8 | (uint32_t)p[i + 2 * step] << 16 |
           (uint32_t)p[i + 3 * step] << 24;
}

// Registers of one lane, as the tables of PTX ISA 9.7.14.5 say. 16-bit results: two in a register.
struct registers {
    uint32_t d[4], a[4], b[2];
};

__device__ void load(registers *r, const matrix_config *c, int lane, const uint64_t *a, const uint64_t *b,
                     const uint64_t *d) {
    int g = lane >> 2, t = lane & 3, n = c->n, k = c->k;
    if (c->result_bits == 16) {
        for (int i = 0; i < 2; i++) r->d[i] = HALF_PAIR(d, (g + 8 * i) * n + 2 * t, (g + 8 * i) * n + 2 * t + 1);
    } else {
        for (int i = 0; i < c->m / 4; i++) r->d[i] = (uint32_t)d[(g + 8 * (i / 2)) * n + 2 * t + i % 2];
    }
    for (int i = 0; i < 4; i++) {
        int row = c->m == 16 ? g + 8 * (i % 2) : g, part = c->m == 16 ? i / 2 : i;
        const uint64_t *p = a + row * k;
        if (c->type == CASE_INT8 && 16 * part < k) r->a[i] = four_bytes(p, 4 * t + 16 * part, 1);
        if (c->type < CASE_TF32 && 8 * part < k) r->a[i] = HALF_PAIR(p, 2 * t + 8 * part, 2 * t + 8 * part + 1);
        if (c->type == CASE_TF32 && 4 * part < k) r->a[i] = (uint32_t)p[t + 4 * part];
    }
    for (int i = 0; i < 2; i++) {
        if (c->type == CASE_INT8 && 16 * i < k) r->b[i] = four_bytes(b, (4 * t + 16 * i) * n + g, n);
        if (c->type < CASE_TF32 && 8 * i < k)
            r->b[i] = HALF_PAIR(b, (2 * t + 8 * i) * n + g, (2 * t + 8 * i + 1) * n + g);
        if (c->type == CASE_TF32 && 4 * i < k) r->b[i] = (uint32_t)b[(t + 4 * i) * n + g];
    }
}

__device__ void store(const registers *r, const matrix_config *c, int lane, uint64_t *d) {
    int g = lane >> 2, t = lane & 3, n = c->n;
    for (int i = 0; i < c->m / 4; i++) {
        uint64_t *to = d + (g + 8 * (i / 2)) * n + 2 * t + i % 2;
        *to = c->result_bits == 16 ? r->d[i / 2] >> 16 * (i % 2) & 0xffff : r->d[i];
    }
}

#define D4 "+r"(r.d[0]), "+r"(r.d[1]), "+r"(r.d[2]), "+r"(r.d[3])
#define D2 "+r"(r.d[0]), "+r"(r.d[1])
#define F4 "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define A4 "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3])
#define A2 "r"(r.a[0]), "r"(r.a[1])
#define B2 "r"(r.b[0]), "r"(r.b[1])
#define B1 "r"(r.b[0])
#define LONG " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define SHORT " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
#define FLOATS(number, name, shape, a, b) \
    case number: \
        asm volatile("mma.sync.aligned." name shape : F4 : a, b); \
        break;

__global__ void multiply(int number, matrix_config c, const uint64_t *a, const uint64_t *b, const uint64_t *in,
                         uint64_t *out) {
    registers r = {};
    a += (size_t)blockIdx.x * c.m * c.k, b += (size_t)blockIdx.x * c.k * c.n;
    in += (size_t)blockIdx.x * c.m * c.n, out += (size_t)blockIdx.x * c.m * c.n;
    load(&r, &c, threadIdx.x, a, b, in);
    float f[4];
    for (int i = 0; i < 4; i++) f[i] = __uint_as_float(r.d[i]);
    switch (number) {
        FLOATS(0, "m16n8k16.row.col.f32.f16.f16.f32", LONG, A4, B2)
        FLOATS(1, "m16n8k8.row.col.f32.f16.f16.f32", SHORT, A2, B1)
        FLOATS(4, "m16n8k16.row.col.f32.bf16.bf16.f32", LONG, A4, B2)
        FLOATS(5, "m16n8k8.row.col.f32.bf16.bf16.f32", SHORT, A2, B1)
        FLOATS(6, "m16n8k8.row.col.f32.tf32.tf32.f32", LONG, A4, B2)
        FLOATS(7, "m16n8k4.row.col.f32.tf32.tf32.f32", SHORT, A2, B1)
    case 2:
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                     : D2 : A4, B2);
        break;
    case 3:
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : D2 : A2, B1);
        break;
    case 12: asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32" SHORT : D4 : A2, B1); break;
    case 13: asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" LONG : D4 : A4, B2); break;
    case 14: asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32" LONG : D4 : A4, B2); break;
    case 15: asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32" LONG : D4 : A4, B2); break;
    case 16:
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : D2 : "r"(r.a[0]), B1);
        break;
    }
    if (c.type != CASE_INT8 && c.result_bits == 32)
        for (int i = 0; i < 4; i++) r.d[i] = __float_as_uint(f[i]);
    store(&r, &c, threadIdx.x, out);
}

#define C4 "+d"(z[0]), "+d"(z[1]), "+d"(z[2]), "+d"(z[3])
__global__ void multiply_doubles(matrix_config c, const double *a, const double *b, const double *in, double *out) {
    int g = threadIdx.x >> 2, t = threadIdx.x & 3;
    double x[8] = {}, y[4] = {}, z[4] = {};
    a += (size_t)blockIdx.x * c.m * c.k, b += (size_t)blockIdx.x * c.k * c.n;
    in += (size_t)blockIdx.x * c.m * c.n, out += (size_t)blockIdx.x * c.m * c.n;
    int tall = c.m == 16;
    for (int i = 0; i < c.m * c.k / 32; i++) x[i] = a[(tall ? g + 8 * (i % 2) : g) * c.k + t + 4 * (tall ? i / 2 : i)];
    for (int i = 0; i < c.k / 4; i++) y[i] = b[(t + 4 * i) * c.n + g];
    for (int i = 0; i < c.m / 4; i++) z[i] = in[(g + 8 * (i / 2)) * c.n + 2 * t + i % 2];
    if (!tall) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(z[0]), "+d"(z[1]) : "d"(x[0]), "d"(y[0]));
    } else if (c.k == 4) {
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : C4 : "d"(x[0]), "d"(x[1]), "d"(y[0]));
    } else if (c.k == 8) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9},"
                     " {%0,%1,%2,%3};" : C4 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
    } else {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11},"
                     " {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                     : C4 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]),
                     "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));
    }
    for (int i = 0; i < c.m / 4; i++) out[(g + 8 * (i / 2)) * c.n + 2 * t + i % 2] = z[i];
}

int main() {
    for (int number = 0; number < MATRIX_CONFIGS; number++) {
        const matrix_config *c = &matrix_configs[number];
        size_t cells[] = {(size_t)c->m * c->k, (size_t)c->k * c->n, (size_t)c->m * c->n, (size_t)c->m * c->n};
        uint64_t *m[4];
        for (int i = 0; i < 4; i++)
            if (cudaMallocHost(&m[i], cells[i] * 8 * c->cases)) return 1;
        for (int i = 0; i < c->cases; i++)
            make_matrix_case(c, i, m[0] + cells[0] * i, m[1] + cells[1] * i, m[2] + cells[2] * i);
        if (c->type == CASE_F64)
            multiply_doubles<<<c->cases, 32>>>(*c, (double *)m[0], (double *)m[1], (double *)m[2], (double *)m[3]);
        else multiply<<<c->cases, 32>>>(number, *c, m[0], m[1], m[2], m[3]);
        if (cudaDeviceSynchronize()) return 1;
        printf("%s", c->name);
        for (int i = 0; i < c->cases; i++)
            printf("%s%08x", i % 12 ? " " : "\n", hash_results(m[3] + cells[3] * i, (int)cells[3]));
        printf("\n");
    }
}
