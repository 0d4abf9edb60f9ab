// The choice of tiles for matrix products: for every shape a grid that covers C once and keeps to the device's
// limits; and the kernels it leads to, on a simulated H200, against a loop in double. On a machine with a GPU,
// HW_TEST_DEVICE=cuda:0 runs the same on it.
#include <math.h>

#include "group_device.h"
#include "op/matmul/product_plan.h"

// ---- Examples -------------------------------------------------------------------------------------------------------

typedef struct example {
    uint32_t m, n, k, batches[HW_PRODUCT_BATCH_AXES];   // 0: no such axis
    bool a_transposed, b_transposed, is_f64, broadcast_b;
    uint32_t a_pad, b_pad, c_pad;            // elements between rows
    uint32_t a_offset, b_offset, c_offset;   // of element (0, 0) from a multiple of 256 bytes, in elements
    double alpha, beta;
    const hw_product_tile *tile;   // NULL: hw_product_choose
    uint32_t whole, parts;
} example;

static hw_matrix matrix_of(bool transposed, uint32_t rows, uint32_t cols, uint32_t pad, uint32_t offset,
                           uint32_t elem_bytes) {
    hw_matrix matrix = {.transposed = transposed, .ld = (transposed ? rows : cols) + pad, .align_bytes = 16};
    while ((matrix.ld * elem_bytes) % matrix.align_bytes || (offset * elem_bytes) % matrix.align_bytes)
        matrix.align_bytes /= 2;
    return matrix;
}

// Elements from the first to the last of all batches; sets the batches' strides, the last axis' the least.
static uint64_t lay(hw_matrix *matrix, uint32_t rows, uint32_t cols, const hw_product *p) {
    uint64_t elems = (uint64_t)matrix->ld * (matrix->transposed ? cols : rows);
    for (uint32_t i = p->n_batch_axes; i-- > 0;) {
        matrix->batch_stride[i] = (int64_t)elems;
        elems *= p->batch[i];
    }
    return elems;
}

static hw_product product_of(const example *e, uint64_t elems[3]) {
    const uint32_t bytes = e->is_f64 ? 8 : 4;
    const DLDataType type = {kDLFloat, (uint8_t)(8 * bytes), 1};
    hw_product p = {.m = e->m,
                    .n = e->n,
                    .k = e->k,
                    .input = type,
                    .output = type,
                    .precision = e->is_f64 ? HW_PRECISION_FP64 : HW_PRECISION_FP32,
                    .alpha = e->alpha,
                    .beta = e->beta};
    while (p.n_batch_axes < HW_PRODUCT_BATCH_AXES && e->batches[p.n_batch_axes]) {
        p.batch[p.n_batch_axes] = e->batches[p.n_batch_axes];
        p.n_batch_axes++;
    }
    p.a = matrix_of(e->a_transposed, e->m, e->k, e->a_pad, e->a_offset, bytes);
    p.b = matrix_of(e->b_transposed, e->k, e->n, e->b_pad, e->b_offset, bytes);
    p.c = matrix_of(false, e->m, e->n, e->c_pad, e->c_offset, bytes);
    elems[0] = lay(&p.a, e->m, e->k, &p);
    elems[2] = lay(&p.c, e->m, e->n, &p);
    if (e->broadcast_b) {
        hw_product none = {.n_batch_axes = 0};
        elems[1] = lay(&p.b, e->k, e->n, &none);
    } else {
        elems[1] = lay(&p.b, e->k, e->n, &p);
    }
    return p;
}

static void complain(const example *e, const hw_product *p, const hw_product_choice *choice, const char *what) {
    char text[4096];
    fail_msg("%s: %ux%ux%u %s, A%s +%u @%u, B%s +%u @%u, C +%u @%u, alpha %g, beta %g, batches %u %u %u %u\n%s", what,
             e->m, e->n, e->k, e->is_f64 ? "f64" : "f32", e->a_transposed ? "'" : "", e->a_pad, e->a_offset,
             e->b_transposed ? "'" : "", e->b_pad, e->b_offset, e->c_pad, e->c_offset, e->alpha, e->beta, e->batches[0],
             e->batches[1], e->batches[2], e->batches[3], hw_product_choice_explain(p, choice, text, sizeof text));
}

// ---- What a choice must be ------------------------------------------------------------------------------------------

// Every element of C belongs to one piece, and each piece's tiles cover it; nothing is beyond a limit.
static void check_choice(const example *e, const hw_product *p, const hw_device_properties *gpu,
                         const hw_product_choice *choice) {
    uint64_t area = 0, scratch = 0;
    for (uint32_t i = 0; i < choice->n_pieces; i++) {
        const hw_product_piece *piece = &choice->pieces[i];
        const hw_product_tile *tile = &piece->tile;
        area += piece->m * piece->n;
        if (piece->row + piece->m > p->m || piece->col + piece->n > p->n) complain(e, p, choice, "a piece sticks out");
        for (uint32_t j = 0; j < i; j++) {
            const hw_product_piece *other = &choice->pieces[j];
            if (piece->row < other->row + other->m && other->row < piece->row + piece->m &&
                piece->col < other->col + other->n && other->col < piece->col + piece->n)
                complain(e, p, choice, "two pieces meet");
        }
        if (piece->tiles_m * tile->rows < piece->m || piece->tiles_n * tile->cols < piece->n)
            complain(e, p, choice, "tiles do not cover the piece");
        if (piece->tiles_m * tile->rows >= piece->m + tile->rows ||
            piece->tiles_n * tile->cols >= piece->n + tile->cols)
            complain(e, p, choice, "more tiles than needed");
        if (choice->only_scales) continue;
        const uint64_t tiles = piece->tiles_m * piece->tiles_n, depths = (p->k + tile->depth - 1) / tile->depth;
        if (piece->parts < 1 || piece->whole_tiles > tiles) complain(e, p, choice, "more tiles than there are");
        if (piece->whole_tiles < tiles) {
            if ((piece->parts - 1) * piece->depths_per_part >= depths || piece->parts * piece->depths_per_part < depths)
                complain(e, p, choice, "parts do not cover k");
            if (piece->scratch_start != scratch) complain(e, p, choice, "scratch memory of two pieces");
            scratch += choice->batches * (tiles - piece->whole_tiles) * piece->parts * tile->rows * tile->cols;
        }
        if (piece->whole_tiles + (tiles - piece->whole_tiles) * piece->parts > INT32_MAX)
            complain(e, p, choice, "too many blocks");
        const uint32_t taken = gpu->cc < 20 ? 16 + HW_PRODUCT_PARAM_BYTES : 0;   // by the launch
        if (piece->shared_bytes + taken > gpu->shared_bytes || tile->stages < 2)
            complain(e, p, choice, "too much shared memory");
        if (tile->threads > gpu->threads_per_multiprocessor || tile->threads > 1024)
            complain(e, p, choice, "too many threads");
    }
    if (area != (choice->batches ? p->m * p->n : 0)) complain(e, p, choice, "pieces do not cover C");
    if (choice->scratch_bytes != scratch * (e->is_f64 ? 8 : 4)) complain(e, p, choice, "scratch memory");
    if (choice->scratch_bytes > 64 << 20) complain(e, p, choice, "too much scratch memory");
}

// ---- One product against a loop -------------------------------------------------------------------------------------

enum { GUARD = 256 };   // bytes before and behind each array; its offset comes on top

static double get(const example *e, const void *array, uint64_t i) {
    return e->is_f64 ? ((const double *)array)[i] : ((const float *)array)[i];
}

static void put(const example *e, void *array, uint64_t i, double value) {
    if (e->is_f64) ((double *)array)[i] = value;
    else ((float *)array)[i] = (float)value;
}

// A quarter of small integers: sums are exact in any order as long as alpha and beta are.
static void fill(const example *e, unsigned char *bytes, uint64_t begin, uint64_t elems) {
    for (uint64_t i = 0; i < elems; i++) put(e, bytes + begin, i, ((int)below(33) - 16) / 4.0);
}

static int64_t batch_offset(const hw_product *p, const hw_matrix *matrix, uint64_t batch) {
    int64_t offset = 0;
    for (uint32_t i = p->n_batch_axes; i-- > 0; batch /= p->batch[i])
        offset += (int64_t)(batch % p->batch[i]) * matrix->batch_stride[i];
    return offset;
}

static void reference(const example *e, const hw_product *p, uint64_t batches, const void *a, const void *b, void *c) {
    for (uint64_t batch = 0; batch < batches; batch++) {
        const int64_t a_at = batch_offset(p, &p->a, batch), b_at = batch_offset(p, &p->b, batch),
                      c_at = batch_offset(p, &p->c, batch);
        for (int64_t i = 0; i < (int64_t)p->m; i++)
            for (int64_t j = 0; j < (int64_t)p->n; j++) {
                double sum = 0;
                for (int64_t k = 0; k < (int64_t)p->k; k++)
                    sum += get(e, a, (uint64_t)(a_at + (p->a.transposed ? i + k * p->a.ld : i * p->a.ld + k))) *
                           get(e, b, (uint64_t)(b_at + (p->b.transposed ? k + j * p->b.ld : k * p->b.ld + j)));
                const uint64_t at = (uint64_t)(c_at + i * p->c.ld + j);
                put(e, c, at, p->alpha * sum + (p->beta != 0 ? p->beta * get(e, c, at) : 0));
            }
    }
}

// Zeros of either sign are alike; what lies beside the elements of C must be as it was.
static void forgive_zeros(const example *e, uint64_t elems, const unsigned char *wanted, unsigned char *got) {
    for (uint64_t i = 0; i < elems; i++)
        if (get(e, got, i) == 0 && get(e, wanted, i) == 0) put(e, got, i, get(e, wanted, i));
}

static void check(const example *e) {
    uint64_t elems[3];
    const hw_product p = product_of(e, elems);
    hw_product_choice choice;
    if (!e->tile) hw_product_choose(&p, properties, &choice);
    else if (!hw_product_choose_tile(&p, properties, e->tile, e->whole, e->parts, &choice)) {
        assert_true(properties->shared_bytes < 64 << 10);   // of HW_TEST_DEVICE: it has no room for the tile
        return;
    }
    check_choice(e, &p, properties, &choice);
    if (is_left_out()) return;

    const uint64_t seed_of_next = seed;
    const uint32_t elem_bytes = e->is_f64 ? 8 : 4, offsets[3] = {e->a_offset, e->b_offset, e->c_offset};
    hw_stream *stream = hw_device_stream(device);
    hw_diag diag = {0};
    unsigned char *host[3], *got;
    void *memory[3] = {NULL}, *arrays[HW_PRODUCT_ARRAYS] = {NULL}, *scratch = NULL;
    uint64_t begin[3], all[3];
    hw_status status = HW_OK;
    for (int i = 0; i < 3; i++) {
        begin[i] = GUARD + (uint64_t)offsets[i] * elem_bytes;
        all[i] = begin[i] + elems[i] * elem_bytes + GUARD;
        host[i] = malloc(all[i]);
        memset(host[i], 0xFF, all[i]);   // NaN: what lies beyond the arrays, and C where beta is 0
        if (i != HW_PRODUCT_C || e->beta != 0) fill(e, host[i], begin[i], elems[i]);
        if (!status) status = hw_device_alloc(device, all[i], &memory[i], &diag);
        if (!status) status = hw_copy(stream, memory[i], host[i], all[i], &diag);
        arrays[i] = (char *)memory[i] + begin[i];
    }
    got = malloc(all[HW_PRODUCT_C]);
    if (!status && choice.scratch_bytes) status = hw_device_alloc(device, choice.scratch_bytes, &scratch, &diag);
    if (!status && choice.scratch_bytes) status = hw_fill(stream, scratch, 0xFF, choice.scratch_bytes, &diag);
    arrays[HW_PRODUCT_SCRATCH] = scratch;

    static hw_plan plan;
    hw_product_plan_launch(&p, &choice, &plan);
    if (!status) status = hw_plan_run(stream, &plan, arrays, &diag);
    if (!status) status = hw_copy(stream, got, memory[HW_PRODUCT_C], all[HW_PRODUCT_C], &diag);
    if (!status) status = hw_stream_synchronize(stream, &diag);
    if (status) complain(e, &p, &choice, diag.text);
    reference(e, &p, choice.batches, host[0] + begin[0], host[1] + begin[1], host[2] + begin[2]);
    forgive_zeros(e, elems[2], host[2] + begin[2], got + begin[2]);
    if (memcmp(got, host[2], all[2])) {
        uint64_t at = 0;
        while (got[at] == host[2][at]) at++;
        const uint64_t i = at < begin[2] ? 0 : (at - begin[2]) / elem_bytes;
        char what[256];
        snprintf(what, sizeof what, "byte %lld: element %llu is %g, not %g", (long long)at - (long long)begin[2],
                 (unsigned long long)i, get(e, got + begin[2], i), get(e, host[2] + begin[2], i));
        complain(e, &p, &choice, what);
    }
    for (int i = 0; i < 3; i++) {
        hw_device_free(device, memory[i]);
        free(host[i]);
    }
    hw_device_free(device, scratch);
    free(got);
    seed = seed_of_next;
}

// ---- Tests ----------------------------------------------------------------------------------------------------------

// Every tile of the tables, at sizes around its own: all layouts in turn, and rows that begin at no multiple of 16
// bytes.
static void every_tile(void **state) {
    (void)state;
    for (int is_f64 = 0; is_f64 < 2; is_f64++) {
        const hw_product_tile *tile;
        for (uint32_t t = 0; (tile = hw_product_tile_at(properties, is_f64, t)) != NULL; t++) {
            const bool aligned = t % 3;
            example e = {.m = tile->rows + (aligned ? 4 : 3),
                         .n = tile->cols + (aligned ? 8 : 1),
                         .k = 2 * tile->depth + t % 4,
                         .a_transposed = t & 1,
                         .b_transposed = t & 2,
                         .is_f64 = is_f64,
                         .alpha = 1,
                         .beta = 0,
                         .tile = tile,
                         .parts = 1};
            if (!aligned) e.a_pad = e.c_pad = 1, e.b_offset = 1;
            check(&e);
        }
    }
}

// k cut in parts, in all tiles and in the last of them; and long enough that the sums go to memory in between.
static void parts_and_sections(void **state) {
    (void)state;
    for (int is_f64 = 0; is_f64 < 2; is_f64++) {
        const hw_product_tile *tile = NULL, *next;
        for (size_t t = 0; (next = hw_product_tile_at(properties, is_f64, t)) != NULL; t++)
            if (!tile || next->rows * next->cols < tile->rows * tile->cols) tile = next;
        example e = {.m = 2 * tile->rows + 1,
                     .n = tile->cols + 2,
                     .k = 100,
                     .is_f64 = is_f64,
                     .alpha = 0.5,
                     .beta = -2,
                     .tile = tile};
        for (uint32_t parts = 1; parts <= 20; parts += parts < 4 ? 1 : 14)
            for (uint32_t whole = 0; whole <= 6; whole += 3) {
                e.parts = parts;
                e.whole = whole;
                check(&e);
            }
        e.m = e.n = 5;
        e.k = 3001;
        e.whole = 0;
        for (e.parts = 1; e.parts < 3; e.parts++) check(&e);
        e.beta = 0;
        check(&e);
    }
}

static void nothing_and_scaling(void **state) {
    (void)state;
    for (int i = 0; i < 32; i += i < 24 ? 1 : 2) {
        example e = {.m = i & 1 ? 7 : 0,
                     .n = i & 2 ? 140 : 0,
                     .k = i & 4 ? 9 : 0,
                     .alpha = i & 8 ? 1 : 0,
                     .beta = i & 16 ? 3 : 0,
                     .c_pad = 3};
        check(&e);
        e.is_f64 = i % 8 == 3;
        if (e.is_f64) check(&e);
    }
    example e = {.m = 3, .n = 4, .k = 5, .batches = {2, 0}, .alpha = 1, .beta = 1};
    e.batches[0] = 1;
    check(&e);
}

static void batches(void **state) {
    (void)state;
    static const uint32_t shapes[][4] = {{2}, {3, 2}, {2, 1, 3}, {1, 2, 2, 2}};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = i; j < 4; j += 3) {
            example e = {.m = 9,
                         .n = 33,
                         .k = 17,
                         .a_transposed = j & 1,
                         .b_transposed = j & 2,
                         .broadcast_b = i & 1,
                         .c_pad = i,
                         .is_f64 = j == 3,
                         .alpha = 2,
                         .beta = j & 1};
            memcpy(e.batches, shapes[i], sizeof shapes[i]);
            check(&e);
        }
}

// What hw_product_choose takes by itself.
static void random_products(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 65, 100, 127, 128, 129, 200, 257};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int i = 0; i < 8; i++) {
        example e = {.m = sizes[below(SIZES)],
                     .n = sizes[below(SIZES)],
                     .k = sizes[below(SIZES)],
                     .a_transposed = below(2),
                     .b_transposed = below(2),
                     .is_f64 = below(3) == 0,
                     .alpha = below(3) - 1.0,
                     .beta = below(2) * 0.5};
        if (below(2)) e.a_pad = below(5), e.b_pad = below(5), e.c_pad = below(5);
        if (below(2)) e.a_offset = below(5), e.b_offset = below(5), e.c_offset = below(5);
        if (e.m * e.n * e.k > 1 << 20) e.k = 1 + e.k % 20;
        check(&e);
    }
}

// The choice alone, for sizes that nothing could carry out here, and for GPUs with less of everything.
static void choices(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 5, 32, 64, 100, 1000, 1024, 4096, 4097, 8192, 65536, 1000003, 1u << 30};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int i = 0; i < 5000; i++) {
        hw_device_properties gpu = *properties;
        example e = {.m = sizes[below(SIZES)],
                     .n = sizes[below(SIZES)],
                     .k = sizes[below(SIZES)],
                     .a_transposed = below(2),
                     .b_transposed = below(2),
                     .is_f64 = below(2),
                     .alpha = 1,
                     .beta = below(2),
                     .c_pad = below(3),
                     .a_offset = below(5)};
        if (below(3) == 0) e.batches[0] = 1 + below(1000);
        if ((double)e.m * e.n * (e.batches[0] ? e.batches[0] : 1) > 4e10) continue;   // more than a GPU holds
        if (below(2)) {
            gpu.multiprocessors = 1 + below(200);
            gpu.shared_bytes = 16384 << below(3);
            gpu.threads_per_multiprocessor = 512 << below(3);
            gpu.cc = 10 + (int)below(80);
        }
        uint64_t elems[3];
        const hw_product p = product_of(&e, elems);
        hw_product_choice choice;
        hw_product_choose(&p, &gpu, &choice);
        check_choice(&e, &p, &gpu, &choice);
        static hw_plan plan;
        hw_product_plan_launch(&p, &choice, &plan);
        for (uint32_t l = 0; l < plan.n_launches; l++) {
            const hw_plan_launch *launch = &plan.launches[l];
            if (launch->grid[0] == 0 || launch->grid[0] > INT32_MAX || launch->grid[1] > 65535 ||
                launch->grid[2] > 65535 || (uint64_t)launch->grid[1] * launch->grid[2] < choice.batches ||
                launch->block[0] % 32 || launch->block[0] == 0)
                complain(&e, &p, &choice, "a grid");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices),
        cmocka_unit_test(every_tile),
        cmocka_unit_test(parts_and_sections),
        cmocka_unit_test(nothing_and_scaling),
        cmocka_unit_test(batches),
        cmocka_unit_test(random_products),
    };
    return cmocka_run_group_tests(tests, open_group_device, close_group_device);
}
