// Chooses tiles for a product on CUDA cores: whichever a model of the time says is the fastest.
//
// The model has three terms. Multiplying: each multiprocessor gets its share of the blocks, rounded up, and works at
// a rate that depends on how many it holds at a time; these rates are measured. Memory: strips from L2, arrays from
// DRAM. And what each launch costs. Few tiles leave multiprocessors idle, and a last tile of few rows or columns is
// made for nothing: so k may be cut, in all tiles or in those of the last, incomplete round; and the rows and columns
// that are left over may become pieces of their own, of narrower tiles.
#include "op/matmul/product_plan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/text.h"
#include "op/tune/tune.h"

enum { SCRATCH_MOST = 64 << 20 };

static const hw_tune_tile *tile_at(const hw_tune *tune, bool is_f64, size_t index) {
    const hw_tune_tile *tiles = is_f64 ? tune->product.f64 : tune->product.f32;
    return index < HW_TUNE_TILES && tiles[index].tile.rows ? &tiles[index] : NULL;
}

const hw_product_tile *hw_product_tile_at(const hw_device_properties *device, bool is_f64, size_t index) {
    const hw_tune_tile *row = tile_at(hw_tune_for(device), is_f64, index);
    return row ? &row->tile : NULL;
}

static uint32_t elem_bytes_of(const hw_product *p) { return p->precision == HW_PRECISION_FP64 ? 8 : 4; }

static uint64_t count_batches(const hw_product *p) {
    uint64_t batches = 1;
    for (uint32_t i = 0; i < p->n_batch_axes; i++) batches *= p->batch[i];
    return batches;
}

// ---- Vectors and shared memory -------------------------------------------------------------------------------------

// Elements that can be moved at a time along the axis of extent n that is contiguous.
static uint32_t vector_of(const hw_matrix *matrix, uint64_t n, uint64_t start, uint32_t elem_bytes) {
    uint32_t vector = 16 / elem_bytes;
    while (vector > 1 && (n % vector || start % vector || matrix->align_bytes % (vector * elem_bytes))) vector /= 2;
    return vector;
}

// Is any place of a tile more than 2^31 elements from its corner?
static bool needs_index64(const hw_matrix *matrix, uint32_t length, uint32_t depth) {
    const uint64_t most = length > depth ? length : depth;
    return hw_magnitude(matrix->ld) > (INT32_MAX - most) / most;
}

// As PITCH in kernels/matmul/pipeline.cuh.
static uint32_t shared_bytes(const hw_product *p, const hw_product_tile *tile, uint32_t stages) {
    const uint32_t elem_bytes = elem_bytes_of(p), chunk = 16 / elem_bytes;
    const uint32_t a_pitch = tile->rows + (p->a.transposed ? 0 : chunk);
    const uint32_t b_pitch = tile->cols + (p->b.transposed ? chunk : 0);
    return (a_pitch + b_pitch) * tile->depth * elem_bytes * stages;
}

static bool fits_device(const hw_product *p, const hw_device_properties *device, hw_product_tile *tile) {
    const uint32_t most = hw_plan_shared_most(device, HW_PRODUCT_PARAM_BYTES);
    if (tile->threads > device->threads_per_multiprocessor) return false;
    while (tile->stages > 2 && shared_bytes(p, tile, tile->stages) > most) tile->stages--;
    return shared_bytes(p, tile, tile->stages) <= most;
}

// A sum of k products in a row is off by about sqrt(k) eps; sums of this many, added up, by less.
static uint32_t section_of(uint64_t depths, uint32_t depth) {
    enum { STEPS = 1376 };
    const uint64_t sections = hw_divide_up(depths * depth, STEPS);
    return (uint32_t)hw_divide_up(depths, sections ? sections : 1);
}

// ---- One piece ------------------------------------------------------------------------------------------------------

// The rectangle by this tile, uncut. False: not on this device.
static bool make_piece(const hw_product *p, const hw_device_properties *device, const hw_product_tile *tile,
                       const hw_product_piece *rectangle, hw_product_piece *piece) {
    const uint32_t elem_bytes = elem_bytes_of(p);
    *piece = *rectangle;
    piece->tile = *tile;
    if (!fits_device(p, device, &piece->tile)) return false;
    piece->a_vector = p->a.transposed ? vector_of(&p->a, piece->m, piece->row, elem_bytes) : 0;
    piece->b_vector = p->b.transposed ? 0 : vector_of(&p->b, piece->n, piece->col, elem_bytes);
    piece->c_vector = vector_of(&p->c, piece->n, piece->col, elem_bytes);
    piece->tiles_m = hw_divide_up(piece->m, tile->rows);
    piece->tiles_n = hw_divide_up(piece->n, tile->cols);
    piece->whole_tiles = piece->tiles_m * piece->tiles_n;
    piece->parts = 1;
    piece->depths_per_part = hw_divide_up(p->k, tile->depth);
    piece->section = section_of(piece->depths_per_part, tile->depth);
    piece->group_rows = hw_tune_for(device)->product.rows_together / tile->rows;
    piece->index64 = needs_index64(&p->a, tile->rows, tile->depth) || needs_index64(&p->b, tile->cols, tile->depth);
    piece->shared_bytes = shared_bytes(p, &piece->tile, piece->tile.stages);
    return piece->whole_tiles <= INT32_MAX;
}

// Cuts k into about `parts` in all but the first whole_tiles tiles. False: that is no cut.
static bool cut_piece(const hw_product *p, uint64_t whole_tiles, uint64_t parts, hw_product_piece *piece) {
    const uint64_t tiles = piece->tiles_m * piece->tiles_n, depths = hw_divide_up(p->k, piece->tile.depth);
    if (parts < 2 || whole_tiles >= tiles || depths < 2) return false;
    piece->depths_per_part = hw_divide_up(depths, parts);
    piece->parts = (uint32_t)hw_divide_up(depths, piece->depths_per_part);
    piece->whole_tiles = whole_tiles;
    if (whole_tiles == 0) piece->section = section_of(piece->depths_per_part, piece->tile.depth);
    return piece->parts > 1 && (tiles - whole_tiles) * piece->parts + whole_tiles <= INT32_MAX;
}

static double scratch_elems(const hw_product_piece *piece, uint64_t batches) {
    const double tiles = (double)(piece->tiles_m * piece->tiles_n - piece->whole_tiles);
    return (double)batches * tiles * piece->parts * piece->tile.rows * piece->tile.cols;
}

// ---- The model ------------------------------------------------------------------------------------------------------

// What the times rest on, for one product on one device.
typedef struct rates {
    const hw_tune_product *tune;
    double gpu_multiprocessors;   // of the GPU whose rates these are
    double multiply;              // how much faster a multiprocessor of the device is than one of that GPU
    double dram, l2, scratch;     // bytes a microsecond
} rates;

static rates rates_for(const hw_product *p, const hw_device_properties *device) {
    const hw_tune *tune = hw_tune_for(device);
    const hw_tune_scale scale = hw_tune_scale_for(tune, device, p->precision == HW_PRECISION_FP64);
    return (rates){.tune = &tune->product, .gpu_multiprocessors = scale.multiprocessors, .multiply = scale.multiply,
                   .dram = tune->product.dram * scale.memory, .l2 = tune->product.l2 * scale.memory,
                   .scratch = tune->product.scratch * scale.memory};
}

// TFLOP/s of the measured GPU with this many blocks for each multiprocessor.
static double rate_of(const hw_tune_tile *row, uint64_t blocks) {
    if (blocks >= row->tile.resident) return row->rate[2];
    if (blocks == 1) return row->rate[0];
    const double share = (double)(blocks - 2) / (row->tile.resident - 2);
    return row->rate[1] + share * (row->rate[2] - row->rate[1]);
}

// Microseconds of `blocks` blocks that take `depth` steps of k each.
static double multiply_us(const rates *r, const hw_tune_tile *row, double blocks, double depth,
                          uint32_t multiprocessors) {
    const uint64_t down = (uint64_t)(blocks / multiprocessors);
    const uint64_t each = down + (blocks > (double)down * multiprocessors);
    const double flop = 2.0 * row->tile.rows * row->tile.cols * depth * r->gpu_multiprocessors * 1e-6;
    const uint64_t rest = each % row->tile.resident;
    double us = (double)(each - rest) * flop / row->rate[2];
    if (rest) us += (double)rest * flop / rate_of(row, rest);
    return us / r->multiply;
}

// Copies of single elements take a good part of the instructions; of pairs less.
static double copy_factor(const hw_tune_product *tune, const hw_product_piece *piece, uint32_t elem_bytes) {
    const uint32_t widest = 16 / elem_bytes;
    double factor = 1;
    if (piece->b_vector && piece->b_vector < widest)
        factor += piece->b_vector == 1 ? tune->single_elements : tune->pairs;
    if (piece->a_vector && piece->a_vector < widest)
        factor += piece->a_vector == 1 ? tune->single_elements : tune->pairs;
    if (piece->b_vector == 0) factor += tune->transposed_b;
    return factor;
}

static double model_us(const rates *r, const hw_product *p, const hw_tune_tile *row, const hw_product_piece *piece,
                       uint32_t multiprocessors, uint64_t batches) {
    const double e = elem_bytes_of(p), k = (double)p->k, each = (double)batches;
    const double m = (double)piece->m, n = (double)piece->n;
    const double tiles = (double)(piece->tiles_m * piece->tiles_n) * each, whole = (double)piece->whole_tiles * each;
    const double per_part = (double)piece->depths_per_part * piece->tile.depth;
    const double rounds = tiles / multiprocessors / row->tile.resident;
    double us = multiply_us(r, row, whole, k, multiprocessors);
    us += multiply_us(r, row, (tiles - whole) * piece->parts, per_part, multiprocessors);
    us *= copy_factor(r->tune, piece, elem_bytes_of(p));
    const double strips = tiles * (piece->tile.rows + piece->tile.cols) * k * e / r->l2;
    const double arrays = (m * k + k * n + m * n) * each * e / r->dram;
    if (us < strips) us = strips;
    if (us < arrays) us = arrays;
    us += r->tune->launch_us + m * n * each * e / r->dram / (rounds > 1 ? rounds : 1);
    if (whole < tiles) us += r->tune->launch_us + 2 * scratch_elems(piece, batches) * e / r->scratch;
    return us;
}

// ---- The choice -----------------------------------------------------------------------------------------------------

typedef struct tile_search {
    const hw_product *p;
    const hw_device_properties *device;
    uint64_t batches;
    rates rates;
    double scratch_elems;   // that are left
} tile_search;

static void consider_tile(const tile_search *s, const hw_tune_tile *row, const hw_product_piece *piece, double *best_us,
                          hw_product_piece *best) {
    const bool split = piece->whole_tiles < piece->tiles_m * piece->tiles_n;
    if (split && scratch_elems(piece, s->batches) > s->scratch_elems) return;
    const double us = model_us(&s->rates, s->p, row, piece, s->device->multiprocessors, s->batches);
    if (us >= *best_us) return;
    *best_us = us;
    *best = *piece;
}

// The best way for a rectangle of C; its time.
static double choose_tile_of_piece(const tile_search *s, const hw_product_piece *rectangle, hw_product_piece *best) {
    double best_us = 1e300;
    const hw_tune_tile *row;
    const uint32_t elem_bytes = elem_bytes_of(s->p);
    const uint32_t multiprocessors = s->device->multiprocessors ? s->device->multiprocessors : 1;
    for (size_t i = 0; (row = tile_at(hw_tune_for(s->device), elem_bytes == 8, i)) != NULL; i++) {
        hw_product_piece piece, cut;
        if (!make_piece(s->p, s->device, &row->tile, rectangle, &piece)) continue;
        const bool lean = piece.b_vector == 16 / elem_bytes;
        if (row->use != HW_TILE_ANY && (row->use == HW_TILE_LEAN) != lean) continue;
        consider_tile(s, row, &piece, &best_us, best);
        const uint64_t tiles = piece.tiles_m * piece.tiles_n, all = tiles * s->batches;
        // Tries parts that give each multiprocessor 1, 2, 3, ... blocks, up to three times as many as it holds at a
        // time.
        for (uint64_t blocks = 1; blocks <= 3 * row->tile.resident; blocks++) {
            cut = piece;
            if (cut_piece(s->p, 0, blocks * multiprocessors / all, &cut)) consider_tile(s, row, &cut, &best_us, best);
        }
        if (s->batches > 1) continue;
        const uint64_t whole = tiles / multiprocessors * multiprocessors, rest = tiles - whole;
        for (uint64_t blocks = 1; whole && rest && blocks <= row->tile.resident; blocks++) {
            cut = piece;
            if (cut_piece(s->p, whole, blocks * multiprocessors / rest, &cut))
                consider_tile(s, row, &cut, &best_us, best);
        }
    }
    return best_us;
}

// C in one piece, or without the rows and columns that are left over from tiles of `rows` x `cols`, which follow as
// pieces of their own. The time.
static double choose_pieces(const tile_search *all, uint32_t rows, uint32_t cols, hw_product_choice *choice) {
    const hw_product *p = all->p;
    tile_search s = *all;
    const uint64_t m = rows ? p->m / rows * rows : p->m, n = cols ? p->n / cols * cols : p->n;
    const hw_product_piece rectangles[] = {
        {.m = m, .n = n}, {.row = m, .m = p->m - m, .n = n}, {.col = n, .m = p->m, .n = p->n - n}};
    double us = 0;
    choice->n_pieces = 0;
    for (int i = 0; i < 3; i++) {
        if (rectangles[i].m == 0 || rectangles[i].n == 0) continue;
        hw_product_piece *piece = &choice->pieces[choice->n_pieces++];
        us += choose_tile_of_piece(&s, &rectangles[i], piece);
        if (us > 1e200) return us;   // no tile fits
        if (piece->whole_tiles < piece->tiles_m * piece->tiles_n) s.scratch_elems -= scratch_elems(piece, s.batches);
    }
    return us;
}

// Pieces share scratch memory one after the other.
static void place_scratch(const hw_product *p, hw_product_choice *choice) {
    uint64_t elems = 0;
    for (uint32_t i = 0; i < choice->n_pieces; i++) {
        hw_product_piece *piece = &choice->pieces[i];
        const uint64_t split = piece->tiles_m * piece->tiles_n - piece->whole_tiles;
        piece->scratch_start = elems;
        if (!choice->only_scales) elems += choice->batches * split * piece->parts * piece->tile.rows * piece->tile.cols;
    }
    choice->scratch_bytes = elems * elem_bytes_of(p);
}

// What needs no search: nothing at all, or C = beta C by the kernel that adds up parts, of which there are none.
static bool choose_simple(const hw_product *p, const hw_device_properties *device, hw_product_choice *choice) {
    *choice = (hw_product_choice){.is_f64 = p->precision == HW_PRECISION_FP64, .batches = count_batches(p)};
    if (p->m == 0 || p->n == 0 || choice->batches == 0) return true;
    if (p->k > 0 && p->alpha != 0) return false;
    choice->only_scales = true;
    choice->n_pieces = 1;
    const hw_product_piece rectangle = {.m = p->m, .n = p->n};
    const hw_tune_tile *row;
    bool made = false;
    for (size_t i = 0; !made && (row = tile_at(hw_tune_for(device), choice->is_f64, i)) != NULL; i++)
        made = make_piece(p, device, &row->tile, &rectangle, &choice->pieces[0]);
    assert(made);
    choice->pieces[0].whole_tiles = 0;
    return true;
}

bool hw_product_choose_tile(const hw_product *p, const hw_device_properties *device, const hw_product_tile *tile,
                            uint64_t whole_tiles, uint32_t parts, hw_product_choice *choice) {
    if (choose_simple(p, device, choice)) return true;
    const hw_product_piece rectangle = {.m = p->m, .n = p->n};
    choice->n_pieces = 1;
    if (!make_piece(p, device, tile, &rectangle, &choice->pieces[0])) return false;
    hw_product_piece cut = choice->pieces[0];
    if (cut_piece(p, whole_tiles, parts, &cut)) choice->pieces[0] = cut;
    place_scratch(p, choice);
    return true;
}

void hw_product_choose(const hw_product *p, const hw_device_properties *device, hw_product_choice *choice) {
    if (choose_simple(p, device, choice)) return;
    const tile_search s = {
        .p = p, .device = device, .batches = choice->batches, .rates = rates_for(p, device),
        .scratch_elems = (double)SCRATCH_MOST / elem_bytes_of(p)};
    static const uint32_t leave[][2] = {{0, 0}, {64, 0}, {0, 128}, {64, 128}, {128, 0}, {0, 64}, {128, 64}};
    choice->predicted_us = 1e300;
    for (size_t i = 0; i < sizeof leave / sizeof leave[0]; i++) {
        const uint32_t rows = leave[i][0], cols = leave[i][1];
        // Only where something is left over of each, and little of it.
        if (rows && (p->m < 4 * rows || p->m % rows == 0 || p->m % rows > rows / 2)) continue;
        if (cols && (p->n < 4 * cols || p->n % cols == 0 || p->n % cols > cols / 2)) continue;
        hw_product_choice other = *choice;
        other.predicted_us = choose_pieces(&s, rows, cols, &other);
        if (other.predicted_us < choice->predicted_us) *choice = other;
    }
    assert(choice->n_pieces > 0);
    place_scratch(p, choice);
}

// ---- In words -------------------------------------------------------------------------------------------------------

static int explain_piece(const hw_product *p, const hw_product_piece *piece, char *text, size_t text_bytes) {
    const hw_product_tile *tile = &piece->tile;
    const uint64_t tiles = piece->tiles_m * piece->tiles_n, split = tiles - piece->whole_tiles;
    int used = snprintf(text, text_bytes,
                        "rows %" PRIu64 " to %" PRIu64 ", columns %" PRIu64 " to %" PRIu64 ": %" PRIu64 " x %" PRIu64
                        " tiles of %ux%u, %u steps of k at a time in %u stages (%u bytes of shared memory); %u threads "
                        "with %ux%u elements each, %u block%s for each multiprocessor; copies of A by %u, of B by %u, "
                        "stores by %u element%s",
                        piece->row, piece->row + piece->m, piece->col, piece->col + piece->n, piece->tiles_m,
                        piece->tiles_n, tile->rows, tile->cols, tile->depth, tile->stages, piece->shared_bytes,
                        tile->threads, tile->thread_rows, tile->thread_cols, tile->resident,
                        hw_text_plural(tile->resident), piece->a_vector ? piece->a_vector : 1,
                        piece->b_vector ? piece->b_vector : 1, piece->c_vector, hw_text_plural(piece->c_vector));
    if (split && used >= 0 && (size_t)used < text_bytes)
        used += snprintf(text + used, text_bytes - (size_t)used,
                         "; k of %" PRIu64 " tile%s in %u parts of %" PRIu64 ", added up by a second kernel", split,
                         hw_text_plural(split), piece->parts,
                         piece->depths_per_part * tile->depth < p->k ? piece->depths_per_part * tile->depth : p->k);
    if (piece->section < piece->depths_per_part && used >= 0 && (size_t)used < text_bytes)
        used += snprintf(text + used, text_bytes - (size_t)used, "; sums go to memory every %u steps of k",
                         piece->section * tile->depth);
    if (used >= 0 && (size_t)used < text_bytes) used += snprintf(text + used, text_bytes - (size_t)used, "\n");
    return used;
}

char *hw_product_choice_explain(const hw_product *p, const hw_product_choice *choice, char *text, size_t text_bytes) {
    size_t used = 0;
    if (text_bytes == 0) return text;
    text[0] = 0;
    if (choice->n_pieces == 0) snprintf(text, text_bytes, "C has no elements: nothing is launched\n");
    else if (choice->only_scales) snprintf(text, text_bytes, "nothing is multiplied: C = beta C\n");
    else {
        for (uint32_t i = 0; i < choice->n_pieces && used < text_bytes; i++) {
            const int more = explain_piece(p, &choice->pieces[i], text + used, text_bytes - used);
            if (more < 0) break;
            used += (size_t)more;
        }
        if (used < text_bytes)
            snprintf(text + used, text_bytes - used, "%" PRIu64 " bytes of scratch memory; by the model %.1f us\n",
                     choice->scratch_bytes, choice->predicted_us);
    }
    return text;
}
