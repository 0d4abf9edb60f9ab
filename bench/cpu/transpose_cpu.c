// The processor's permutations against memcpy of the same bytes by the same threads: copy and permutation in turns,
// verified before they are timed; medians, and the median share of pairs. usage: bench_transpose_cpu [REPETITIONS]
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "op/transpose/cpu/transpose.h"
#include "op/transpose/cpu/transpose_rungs.h"

enum { MOST_REPETITIONS = 99 };

// A permutation to measure. wanted_pct: the share of the copy that issue 3 or the design asks for, 0: none.
typedef struct permutation_case {
    const char *name;
    uint32_t elem;
    int rank;
    int64_t shape[6];
    int axes[6];
    bool in_place;
    int wanted_pct;
} permutation_case;

static const permutation_case jobs[] = {
    {"f32 8192x8192", 4, 2, {8192, 8192}, {1, 0}, false, 60},
    {"u8 8192x8192", 1, 2, {8192, 8192}, {1, 0}, false, 50},
    {"f16 8192x8192", 2, 2, {8192, 8192}, {1, 0}, false, 0},
    {"f64 8192x8192", 8, 2, {8192, 8192}, {1, 0}, false, 50},
    {"c128 4096x4096", 16, 2, {4096, 4096}, {1, 0}, false, 0},
    {"f32 10007x9973", 4, 2, {10007, 9973}, {1, 0}, false, 0},
    {"f32 1000000x3", 4, 2, {1000000, 3}, {1, 0}, false, 0},
    {"f32 3x1000000", 4, 2, {3, 1000000}, {1, 0}, false, 0},
    {"f32 1000000x64", 4, 2, {1000000, 64}, {1, 0}, false, 0},
    {"f32 1024x1024", 4, 2, {1024, 1024}, {1, 0}, false, 0},
    {"(512,512,512) 2,1,0", 4, 3, {512, 512, 512}, {2, 1, 0}, false, 40},
    {"(512,512,512) 0,2,1", 4, 3, {512, 512, 512}, {0, 2, 1}, false, 40},
    {"(512,512,512) 1,0,2", 4, 3, {512, 512, 512}, {1, 0, 2}, false, 40},
    {"(64,100,120,80) 3,2,1,0", 4, 4, {64, 100, 120, 80}, {3, 2, 1, 0}, false, 40},
    {"(8,24,16,32,20,18) 5,3,1,4,2,0", 4, 6, {8, 24, 16, 32, 20, 18}, {5, 3, 1, 4, 2, 0}, false, 40},
    {"f32 8192x8192 in place", 4, 2, {8192, 8192}, {1, 0}, true, 0},
    {"f32 8192x6000 in place", 4, 2, {8192, 6000}, {1, 0}, true, 0},
    {"f32 10007x9973 in place", 4, 2, {10007, 9973}, {1, 0}, true, 0},
};

typedef struct arrays {
    char *in, *out, *copy;   // copy: what in was, for permutations in place
    size_t bytes;
} arrays;

typedef struct setting {
    hw_pool *pool;
    uint32_t threads;
    int repetitions;
} setting;

static double now_s(void) { return 1e-9 * (double)hw_now_ns(); }

static int ascending_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, ascending_values);
    return values[n / 2];
}

// Copies the same bytes, as a matrix of one row, by the ladder's copying rung.
static double time_copy(const setting *s, arrays *a, char *to) {
    const hw_problem problem = {.size = {1, a->bytes}, .dtype = {kDLUInt, 8, 1}};
    double start = now_s();
    hw_cpu_transpose_rungs[0].native(&problem, (void *[]){a->in, to}, s->pool, s->threads, NULL);
    return now_s() - start;
}

static bool allocate_arrays(arrays *a, size_t bytes) {
    *a = (arrays){aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), aligned_alloc(4096, (bytes + 4095) / 4096 * 4096),
                  aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), bytes};
    if (!a->in || !a->out || !a->copy) return false;
    uint64_t state = 1;
    for (size_t i = 0; i < bytes; i++) {
        if (i % 8 == 0) state = state * 6364136223846793005u + 1442695040888963407u;
        a->in[i] = (char)(state >> (i % 8 * 8));
    }
    memcpy(a->copy, a->in, bytes);
    memset(a->out, 0, bytes);
    return true;
}

static void release_arrays(arrays *a) {
    free(a->in);
    free(a->out);
    free(a->copy);
}

static bool is_permuted(const permutation_case *j, const char *in, const char *out) {
    int64_t in_stride[6], n[6], elems = 1;
    for (int k = j->rank; k-- > 0; elems *= j->shape[k]) in_stride[k] = elems;
    for (int k = 0; k < j->rank; k++) n[k] = j->shape[j->axes[k]];
    for (int64_t i = 0; i < elems; i++) {
        int64_t rest = i, from = 0;
        for (int k = j->rank; k-- > 0; rest /= n[k]) from += rest % n[k] * in_stride[j->axes[k]];
        if (memcmp(out + i * j->elem, in + from * j->elem, j->elem)) return false;
    }
    return true;
}

static void print_row(const char *name, double bytes, double *copy, double *times, double *shares, int n, int wanted) {
    double copied = median_of(copy, n), took = median_of(times, n), share = 100 * median_of(shares, n);
    printf("%-34s %7.2f %9.2f %6.2f..%-6.2f %6.1f%%", name, 2e-9 * bytes / copied, 2e-9 * bytes / took,
           2e-9 * bytes / times[n - 1], 2e-9 * bytes / times[0], share);
    if (wanted) printf("  %d%%: %s", wanted, share >= wanted ? "met" : "MISSED");
    printf("\n");
    fflush(stdout);
}

static bool measure_case(const permutation_case *j, const setting *s) {
    int64_t out_shape[6];
    size_t bytes = j->elem;
    for (int k = 0; k < j->rank; k++) {
        out_shape[k] = j->shape[j->axes[k]];
        bytes *= (size_t)j->shape[k];
    }
    arrays a;
    bool good = allocate_arrays(&a, bytes);
    DLDataType type = {kDLUInt, (uint8_t)(j->elem == 16 ? 64 : 8 * j->elem), (uint16_t)(j->elem == 16 ? 2 : 1)};
    DLTensor in = {.data = a.in, .ndim = j->rank, .shape = (int64_t *)j->shape, .dtype = type}, out = in;
    hw_permutation p;
    hw_diag diag = {0};
    hw_status (*permute)(const hw_permutation *, hw_pool *, uint32_t, hw_diag *) =
        j->in_place ? hw_cpu_transpose_in_place : hw_cpu_transpose;
    out.shape = out_shape;
    out.data = j->in_place ? a.in : a.out;
    good = good && !hw_permutation_make(&in, j->axes, &out, true, &p, &diag);
    if (good) hw_permutation_merge(&p);
    good = good && !permute(&p, s->pool, s->threads, &diag) && is_permuted(j, a.copy, out.data);
    double copy[MOST_REPETITIONS], times[MOST_REPETITIONS], shares[MOST_REPETITIONS];
    for (int i = 0; good && i < s->repetitions; i++) {
        copy[i] = time_copy(s, &a, j->in_place ? a.copy : a.out);
        double start = now_s();
        permute(&p, s->pool, s->threads, NULL);
        times[i] = now_s() - start;
        shares[i] = copy[i] / times[i];
    }
    if (good) print_row(j->name, (double)bytes, copy, times, shares, s->repetitions, j->wanted_pct);
    else printf("%-34s wrong, or out of memory: %s\n", j->name, diag.text);
    release_arrays(&a);
    return good;
}

static bool measure_rung(const hw_rung *rung, const permutation_case *j, const setting *s) {
    const hw_problem problem = {.size = {(uint64_t)j->shape[0], (uint64_t)j->shape[1]},
                                .dtype = {kDLUInt, (uint8_t)(8 * j->elem), 1}};
    arrays a;
    bool good = allocate_arrays(&a, (size_t)(j->shape[0] * j->shape[1]) * j->elem);
    void *both[] = {a.in, a.out};
    hw_diag diag = {0};
    good = good && !rung->native(&problem, both, s->pool, s->threads, &diag);
    good = good && (rung->is_copy ? !memcmp(a.in, a.out, a.bytes) : is_permuted(j, a.in, a.out));
    double copy[MOST_REPETITIONS], times[MOST_REPETITIONS], shares[MOST_REPETITIONS];
    for (int i = 0; good && i < s->repetitions; i++) {
        copy[i] = time_copy(s, &a, a.out);
        double start = now_s();
        rung->native(&problem, both, s->pool, s->threads, NULL);
        times[i] = now_s() - start;
        shares[i] = copy[i] / times[i];
    }
    char name[64];
    snprintf(name, sizeof name, "rung %02d %s", rung->number, rung->name);
    if (good) print_row(name, (double)a.bytes, copy, times, shares, s->repetitions, 0);
    else printf("%-34s wrong, or out of memory: %s\n", name, diag.text);
    release_arrays(&a);
    return good;
}

int main(int argc, char **argv) {
    setting s = {.repetitions = argc > 1 ? atoi(argv[1]) : 7, .threads = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    if (s.repetitions < 1 || s.repetitions > MOST_REPETITIONS) {
        fprintf(stderr, "usage: bench_transpose_cpu [REPETITIONS], 1 to %d\n", MOST_REPETITIONS);
        return 2;
    }
    s.pool = hw_pool_create(s.threads);
    if (!s.pool) return 1;
    bool good = true;
    printf("%-34s %7s %9s %14s %7s\n", "GB/s read and written", "memcpy", "permuted", "slow..fast", "share");
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) good &= measure_case(&jobs[i], &s);
    for (int i = 0; i < HW_CPU_TRANSPOSE_RUNGS; i++) good &= measure_rung(&hw_cpu_transpose_rungs[i], &jobs[0], &s);
    hw_pool_destroy(s.pool);
    return good ? 0 : 1;
}
