// Plans of transposes, carried out on this machine as 90_permute.cu, 92_ragged.cu and 95_swap.cu do it: thousands of
// random permutations, each element of which has to be loaded from inside of in, lie alone in shared memory, and be
// stored once where it belongs.
#include "op/transpose/transpose_launch.h"
#include "op/transpose/transpose_plan.h"
#include "op_test.h"

enum { MOST = 1 << 19, NONE = -1, SHARED_MOST = 48 << 10 };   // elements of an array; not written; bytes of a block

// ---- GPUs -----------------------------------------------------------------------------------------------------------

static const hw_device_properties h200 = {.cc = 90, .multiprocessors = 132, .shared_bytes = 227 << 10};
// A GTX 280. Of its shared memory a launch takes 16 bytes, and the kernel's parameters the rest of `taken`.
static const hw_device_properties gtx280 = {.cc = 13, .multiprocessors = 30, .shared_bytes = 16 << 10};

static hw_device_properties random_gpu(void) {
    static const uint32_t multiprocessors[] = {1, 1, 2, 20, 132};
    hw_device_properties gpu = below(3) ? h200 : gtx280;
    gpu.multiprocessors = multiprocessors[below(5)];
    return gpu;
}

// ---- Arrays ---------------------------------------------------------------------------------------------------------

// An element of in is known by its place; what is none of the array's is NONE.
typedef struct memory {
    int64_t low, span;             // of the array, from element (0, 0, ...)
    uintptr_t address;             // of element (0, 0, ...)
    int32_t *cells;
} memory;

static int32_t in_cells[MOST], out_cells[MOST], wanted_cells[MOST];
static memory in, out;
static const hw_permutation *now;
static hw_tile_plan plan;

static void complain(const char *what, long long number) __attribute__((noreturn));
static void complain(const char *what, long long number) {
    char shape[1024];
    fail_msg("%s (%lld): elements of %u bytes at %zu to %zu, %s; kind %d, %u axes, micro %u, vectors %u and %u, seed "
             "%llx", what, number, now->elem_bytes, (size_t)now->in % 256, (size_t)now->out % 256,
             hw_permutation_format(now, shape, sizeof shape), (int)plan.kind, plan.n_axes, plan.micro, plan.load_vector,
             plan.store_vector, (unsigned long long)seed);
    abort();
}

static memory lay(const hw_permutation *p, const int64_t *stride, const void *data, int32_t *cells) {
    memory m = {.span = 1, .address = (uintptr_t)data, .cells = cells};
    for (uint32_t i = 0; i < p->rank; i++) {
        int64_t reach = (int64_t)(p->n[i] - 1) * stride[i];
        if (reach < 0) m.low += reach;
        m.span += reach < 0 ? -reach : reach;
    }
    assert_true(m.span <= MOST);
    for (int64_t i = 0; i < m.span; i++) cells[i] = NONE;
    return m;
}

// Lets in hold its own places, and wanted what out is to hold.
static void prepare(const hw_permutation *p) {
    now = p;
    in = lay(p, p->in_stride, p->in, in_cells);
    memory wanted = lay(p, p->out_stride, p->out, wanted_cells);
    out = lay(p, p->out_stride, p->out, out_cells);
    uint64_t at[HW_MAX_RANK] = {0};
    int64_t from = -in.low, to = -out.low;
    for (uint64_t k = 0; k < p->elems; k++) {
        in_cells[from] = (int32_t)from;
        wanted.cells[to] = (int32_t)from;
        for (uint32_t a = 0; a < p->rank; a++) {
            from += p->in_stride[a];
            to += p->out_stride[a];
            if (++at[a] < p->n[a]) break;
            from -= (int64_t)p->n[a] * p->in_stride[a];
            to -= (int64_t)p->n[a] * p->out_stride[a];
            at[a] = 0;
        }
    }
}

static void compare(void) {
    for (int64_t i = 0; i < out.span; i++)
        if (out_cells[i] != wanted_cells[i]) complain("a wrong element of out", i);
}

static bool is_unaligned(const memory *m, int64_t offset, uint32_t elems) {
    return (m->address + (uint64_t)offset * now->elem_bytes) % (elems * now->elem_bytes) != 0;
}

// `elems` neighbours at `offset` elements from (0, 0, ...).
static void load(const memory *m, int64_t offset, uint32_t elems, int32_t *values) {
    if (is_unaligned(m, offset, elems)) complain("an unaligned load", offset);
    for (uint32_t i = 0; i < elems; i++) {
        int64_t at = offset + i - m->low;
        if (at < 0 || at >= m->span || m->cells[at] == NONE) complain("a load outside of in", at);
        values[i] = m->cells[at];
    }
}

static void store(memory *m, int64_t offset, uint32_t elems, const int32_t *values) {
    if (is_unaligned(m, offset, elems)) complain("an unaligned store", offset);
    for (uint32_t i = 0; i < elems; i++) {
        int64_t at = offset + i - m->low;
        if (at < 0 || at >= m->span || wanted_cells[at] == NONE) complain("a store outside of out", at);
        if (m->cells[at] != NONE) complain("a second store", at);
        m->cells[at] = values[i];
    }
}

// ---- Shared memory --------------------------------------------------------------------------------------------------

static int32_t shared[SHARED_MOST];
static uint32_t shared_elems;

static void clear_shared(uint32_t elems) {
    shared_elems = elems;
    const uint64_t bytes = (uint64_t)elems * now->elem_bytes;
    if (bytes > SHARED_MOST) complain("too much shared memory", (long long)bytes);
    for (uint32_t i = 0; i < elems; i++) shared[i] = NONE;
}

static void share(int64_t at, int32_t value) {
    if (at < 0 || at >= shared_elems) complain("a store outside of shared memory", at);
    if (shared[at] != NONE) complain("two elements in one place of shared memory", at);
    shared[at] = value;
}

static int32_t shared_at(int64_t at) {
    if (at < 0 || at >= shared_elems) complain("a load outside of shared memory", at);
    return shared[at];
}

// What a launch leaves for the kernel. Its parameters are pointers and a structure, the last value of the launch's
// plan. Tiles seldom come near it, so what they may take is looked at too.
static void check_shared(const hw_device_properties *gpu, const hw_plan *launched, uint32_t bytes) {
    const hw_plan_launch *launch = &launched->launches[0];
    const uint32_t last = launch->n_params - 1;
    const uint32_t params = 8 * last + launched->used - launch->params[last].offset;
    const uint32_t most = gpu->cc < 20 ? gpu->shared_bytes - 16 - params : SHARED_MOST;
    if (bytes > most) complain("more shared memory than a launch leaves", bytes);
    if (hw_tile_goals_for(now, gpu).shared_bytes > most) complain("plans may take more than a launch leaves", most);
}

// ---- The grid -------------------------------------------------------------------------------------------------------

// number_along_grid and step_along_grid of kernels/common/boxes.cuh, from grid axis `first` on.
static void find_block(uint32_t index, const hw_tile_grid *grid, uint32_t n_grid, uint32_t first, bool index64,
                       uint32_t *numbers, int64_t begin[2]) {
    begin[0] = begin[1] = 0;
    for (uint32_t g = 0; g < n_grid; g++) {
        uint32_t next = ((uint32_t)(((uint64_t)index * grid[g].multiplier) >> 32) + index) >> grid[g].shift;
        if (g + 1 == n_grid) next = 0;
        numbers[g] = index - next * grid[g].count;
        index = next;
        if (g < first) continue;
        int64_t steps[2] = {now->in_stride[grid[g].axis] * grid[g].box, now->out_stride[grid[g].axis] * grid[g].box};
        for (int k = 0; k < 2; k++) {
            begin[k] += numbers[g] * steps[k];
            if (!index64 && (steps[k] != (int32_t)steps[k] || begin[k] != (int32_t)begin[k]))
                complain("more than 32 bits", begin[k]);
        }
    }
}

// ---- 90_permute.cu --------------------------------------------------------------------------------------------------

typedef struct place {
    int64_t in, out, cell;
    bool is_inside;
} place;

static uint32_t load_step(uint32_t a) {
    return a == 0 ? plan.load_vector * plan.micro : a == plan.out_order[0] ? plan.micro : 1;
}
static uint32_t store_step(uint32_t a) { return a == plan.out_order[0] ? plan.store_vector * plan.micro : 1; }

static place find(bool loading, uint32_t item, const uint32_t *room) {
    place at = {0, 0, 0, true};
    for (uint32_t i = 0; i < plan.n_axes; i++) {
        uint32_t a = loading ? i : plan.out_order[i], step = loading ? load_step(a) : store_step(a);
        uint32_t items = plan.box[a] / step;
        uint32_t first = item % items * step;
        item /= items;
        at.in += first * now->in_stride[plan.axis[a]];
        at.out += first * now->out_stride[plan.axis[a]];
        at.cell += (int64_t)(first / (a == plan.out_order[0] ? plan.micro : 1)) * plan.shared_stride[a];
        at.is_inside &= first < room[a];
    }
    return at;
}

static uint32_t count_items(bool loading) {
    uint32_t items = 1;
    for (uint32_t a = 0; a < plan.n_axes; a++) {
        uint32_t step = loading ? load_step(a) : store_step(a);
        if (plan.box[a] % step) complain("a box that its vectors do not divide", a);
        items *= plan.box[a] / step;
    }
    return items;
}

static void load_item(const place *at, const int64_t begin[2]) {
    const uint32_t micro = plan.micro, along = plan.load_vector * micro;
    int32_t rows[4][16];
    for (uint32_t r = 0; r < micro; r++)
        load(&in, begin[0] + at->in + r * now->in_stride[plan.axis[plan.out_order[0]]], along, rows[r]);
    if (plan.kind == HW_TILE_DIRECT) {
        store(&out, begin[1] + at->out, along, rows[0]);
        return;
    }
    for (uint32_t k = 0; k < along; k++)
        for (uint32_t r = 0; r < micro; r++)
            share((at->cell + (int64_t)k * plan.shared_stride[0]) * micro + r, rows[r][k]);
}

static void store_item(const place *at, const int64_t begin[2]) {
    int32_t values[16];
    for (uint32_t v = 0; v < plan.store_vector; v++)
        for (uint32_t r = 0; r < plan.micro; r++)
            values[v * plan.micro + r] =
                shared_at((at->cell + (int64_t)v * plan.shared_stride[plan.out_order[0]]) * plan.micro + r);
    store(&out, begin[1] + at->out, plan.store_vector * plan.micro, values);
}

static void run_permute(void) {
    const uint32_t loads = count_items(true), stores = count_items(false);
    for (uint32_t block = 0; block < plan.blocks; block++) {
        uint32_t numbers[HW_MAX_RANK], room[HW_BOX_AXES];
        int64_t begin[2];
        find_block(block, plan.grid, plan.n_grid, 0, plan.index64, numbers, begin);
        for (uint32_t a = 0; a < plan.n_axes; a++) {
            const hw_tile_grid *cut = plan.cut[a] < 0 ? NULL : &plan.grid[plan.cut[a]];
            room[a] = cut ? (uint32_t)now->n[cut->axis] - numbers[plan.cut[a]] * cut->box : UINT32_MAX;
        }
        clear_shared(plan.shared_cells * plan.micro);
        for (uint32_t item = 0; item < loads; item++) {
            place at = find(true, item, room);
            if (at.is_inside) load_item(&at, begin);
        }
        for (uint32_t item = 0; item < stores && plan.kind == HW_TILE_SHARED; item++) {
            place at = find(false, item, room);
            if (at.is_inside) store_item(&at, begin);
        }
    }
}

// ---- 92_ragged.cu ---------------------------------------------------------------------------------------------------

static uint32_t misaligned(const memory *m, int64_t offset, uint32_t unit) {
    return (uint32_t)(m->address / now->elem_bytes + (uint64_t)offset) % unit;
}

// A word's elements that are in [0, count) of a row, all at once where all are.
static void move_word(memory *m, int64_t row, int64_t first, int64_t count, uint32_t word, int32_t *values,
                      bool loading) {
    if (first >= 0 && first + word <= count) {
        if (loading) load(m, row + first, word, values);
        else store(m, row + first, word, values);
        return;
    }
    for (uint32_t i = 0; i < word; i++) {
        if (first + i < 0 || first + i >= count) continue;
        if (loading) load(m, row + first + i, 1, &values[i]);
        else store(m, row + first + i, 1, &values[i]);
    }
}

static void run_ragged(void) {
    const uint32_t e = now->elem_bytes, word = 16 / e, sector = 32 / e, box_cols = plan.box[0], box_rows = plan.box[1];
    const uint32_t tile_rows = box_rows + sector, words = box_cols / word + 1, unit = e > 4 ? 1 : 4 / e;
    const bool shifted = unit > 1;
    const uint32_t pitch = ((shifted ? words * word : box_cols + 2 * word) / unit + 7) / 8 * 8;
    const int64_t rows = (int64_t)now->n[plan.axis[1]], cols = (int64_t)now->n[plan.axis[0]];
    const int64_t in_pitch = now->in_stride[plan.axis[1]], out_pitch = now->out_stride[plan.axis[0]];
    if (box_cols % word || box_rows % sector) complain("a box of no whole words", box_cols);
    for (uint32_t block = 0; block < plan.blocks; block++) {
        uint32_t numbers[HW_MAX_RANK];
        int64_t begin[2];
        find_block(block, plan.grid, plan.n_grid, 2, plan.index64, numbers, begin);
        const int64_t row0 = (int64_t)numbers[0] * box_rows, col0 = (int64_t)numbers[1] * box_cols, top = row0 - sector;
        clear_shared((tile_rows * pitch + tile_rows / word) * unit);
        for (uint32_t item = 0; item < tile_rows * words; item++) {
            const int64_t row = top + item / words, from = begin[0] + row * in_pitch;
            const uint32_t behind = misaligned(&in, from + col0, word);
            const int64_t first = col0 - behind + item % words * word;
            const int64_t line = ((int64_t)(item / words) * pitch + item / words / word) * unit;
            int32_t values[16];
            for (uint32_t i = 0; i < word; i++) values[i] = NONE - 1;
            if (row >= 0 && row < rows && first < cols && first < col0 + box_cols)
                move_word(&in, from, first, cols, word, values, true);
            for (uint32_t i = 0; i < word; i++)
                share(line + item % words * word + (shifted ? 0 : word - behind) + i, values[i]);
        }
        for (uint32_t item = 0; item < box_cols * (box_rows / word); item++) {
            const int64_t col = col0 + item / (box_rows / word), to = begin[1] + col * out_pitch;
            if (col >= cols) continue;
            const int64_t first = row0 - misaligned(&out, to + row0, sector) + item % (box_rows / word) * word;
            int32_t gathered[16];
            for (uint32_t j = 0; j < word; j++) {
                const int64_t line = ((first - top + j) * pitch + (first - top + j) / word) * unit;
                const int64_t from = begin[0] + (first + j) * in_pitch + col0;
                const uint32_t behind = shifted ? misaligned(&in, from, word) : word;
                gathered[j] = shared_at(line + col - col0 + behind);
            }
            if (first < rows) move_word(&out, to, first, rows, word, gathered, false);
        }
    }
}

// ---- Random permutations --------------------------------------------------------------------------------------------

// Strides of axes that become slower in a random order.
static void random_strides(hw_permutation *p, int64_t *stride, uint32_t gaps, bool is_in) {
    uint32_t order[HW_MAX_RANK];
    for (uint32_t i = 0; i < p->rank; i++) {
        uint32_t at = below(i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    int64_t next = gaps && below(8) == 0 ? 1 + below(3) : 1;
    for (uint32_t i = 0; i < p->rank; i++) {
        const uint32_t axis = order[i];
        stride[axis] = is_in && gaps && below(8) == 0 ? 0 : next;
        if (stride[axis]) next = next * (int64_t)p->n[axis] + (gaps && below(4) == 0 ? below(6) : 0);
        if (is_in && gaps && below(6) == 0) stride[axis] = -stride[axis];
    }
}

static int64_t span_of(const hw_permutation *p, const int64_t *stride) {
    int64_t span = 1;
    for (uint32_t i = 0; i < p->rank; i++) span += (int64_t)(p->n[i] - 1) * (stride[i] < 0 ? -stride[i] : stride[i]);
    return span;
}

static hw_permutation random_permutation(void) {
    static const uint32_t nice[] = {2, 4, 8, 16, 32, 64, 128};
    for (;;) {
        hw_permutation p = {.rank = below(8) ? 1 + below(5) : 1 + below(14), .elem_bytes = 1u << below(5), .elems = 1};
        const uint32_t most = below(3) ? 30000 : 3000, extent = 2 + below(below(2) ? 12 : 300), gaps = below(2);
        bool is_nice = below(3) == 0;
        for (uint32_t i = 0; i < p.rank; i++) {
            p.n[i] = is_nice ? nice[below(7)] : 2 + below(below(2) ? extent : 8);
            if (p.elems * p.n[i] > most) p.n[i] = 1;
            p.elems *= p.n[i];
        }
        random_strides(&p, p.in_stride, gaps, true);
        random_strides(&p, p.out_stride, gaps, false);
        if (span_of(&p, p.in_stride) > MOST || span_of(&p, p.out_stride) > MOST) continue;
        p.in = (void *)(((uintptr_t)1 << 32) + (below(2) ? 0 : below(40) * p.elem_bytes));
        p.out = (void *)(((uintptr_t)1 << 33) + (below(2) ? 0 : below(40) * p.elem_bytes));
        hw_permutation_merge(&p);
        hw_permutation_widen(&p, 16);
        return p;
    }
}

static void check_threads(uint32_t threads) {
    if (threads == 0 || threads > 1024 || threads % 32) complain("a strange number of threads", threads);
}

static void test_plans(void **state) {
    (void)state;
    uint32_t kinds[HW_TILE_RAGGED + 1] = {0}, micro = 0, most_axes = 0;
    static hw_plan launch;
    seed = 0x2545f4914f6cdd1du;
    for (int i = 0; i < 3500; i++) {
        const hw_permutation p = random_permutation();
        const hw_device_properties gpu = random_gpu();
        const hw_tile_goals goals = hw_tile_goals_for(&p, &gpu);
        hw_tile_plan_make(&p, &goals, &plan);
        kinds[plan.kind]++;
        if (plan.kind == HW_TILE_COPY) continue;
        prepare(&p);
        check_threads(plan.threads);
        if (plan.kind == HW_TILE_RAGGED) run_ragged();
        else run_permute();
        compare();
        hw_tile_plan_launch(&p, &plan, 0, 1, &launch);
        check_shared(&gpu, &launch, shared_elems * p.elem_bytes);
        assert_int_equal(shared_elems * p.elem_bytes, hw_tile_plan_shared_bytes(&plan));
        micro += plan.micro > 1;
        if (plan.n_axes > most_axes) most_axes = plan.n_axes;
    }
    for (int kind = HW_TILE_COPY; kind <= HW_TILE_RAGGED; kind++) assert_true(kinds[kind] > 20);
    assert_true(micro > 50 && most_axes >= 7);
}

// ---- Large arrays, without their elements ---------------------------------------------------------------------------

// Up to 2^40 elements, with axes of every length.
static hw_permutation large_permutation(void) {
    hw_permutation p = {.rank = 2 + below(below(4) ? 5 : 31), .elem_bytes = 1u << below(5), .elems = 1};
    const uint64_t most = (uint64_t)1 << (16 + below(25));
    const uint32_t bits = 1 + below(below(2) ? 6 : 28);
    for (uint32_t i = 0; i < p.rank; i++) {
        p.n[i] = 2 + below(1u << (1 + below(bits)));
        if (below(8) == 0) p.n[i] = (uint64_t)1 << (1 + below(bits));
        if (p.elems > most / p.n[i]) p.n[i] = 1;
        p.elems *= p.n[i];
    }
    const uint32_t gaps = below(2);
    random_strides(&p, p.in_stride, gaps, true);
    random_strides(&p, p.out_stride, gaps, false);
    p.in = (void *)(((uintptr_t)1 << 32) + (below(2) ? 0 : below(40) * p.elem_bytes));
    p.out = (void *)(((uintptr_t)1 << 33) + (below(2) ? 0 : below(40) * p.elem_bytes));
    hw_permutation_merge(&p);
    hw_permutation_widen(&p, 16);
    return p;
}

static uint32_t ragged_bytes(void) {
    const uint32_t e = now->elem_bytes, word = 16 / e, unit = e > 4 ? 1 : 4 / e, rows = plan.box[1] + 32 / e;
    const uint32_t width = e > 2 ? plan.box[0] + 2 * word : (plan.box[0] / word + 1) * word;
    return (rows * ((width / unit + 7) / 8 * 8) + rows / word) * unit * e;
}

static void check_grid(const hw_permutation *p) {
    uint64_t blocks = 1;
    for (uint32_t g = 0; g < plan.n_grid; g++) {
        const hw_tile_grid *grid = &plan.grid[g];
        blocks *= grid->count;
        const int64_t steps[2] = {p->in_stride[grid->axis] * grid->box, p->out_stride[grid->axis] * grid->box};
        const bool is_stepped = grid->count > 1 && (plan.kind != HW_TILE_RAGGED || g >= 2);
        if (is_stepped && !plan.index64 && (steps[0] != (int32_t)steps[0] || steps[1] != (int32_t)steps[1]))
            complain("a step of more than 32 bits", g);
        if (plan.kind != HW_TILE_RAGGED && grid->count != (p->n[grid->axis] + grid->box - 1) / grid->box)
            complain("boxes that do not cover an axis", g);
    }
    if (blocks != plan.blocks) complain("a strange number of blocks", (long long)plan.blocks);
}

static void test_large_plans(void **state) {
    (void)state;
    uint32_t largest = 0, largest_old = 0, wide = 0;
    static hw_plan launch;
    seed = 0x853c49e6748fea9bu;
    for (int i = 0; i < 5000; i++) {
        const hw_permutation p = large_permutation();
        hw_device_properties gpu = below(3) ? h200 : gtx280;
        if (below(4) == 0) gpu.multiprocessors = 1;
        const hw_tile_goals goals = hw_tile_goals_for(&p, &gpu);
        uint64_t longest = 0;
        for (uint32_t k = 0; k < p.rank; k++) longest = p.n[k] > longest ? p.n[k] : longest;
        if (longest > HW_TILE_MOST) continue;
        now = &p;
        hw_tile_plan_make(&p, &goals, &plan);
        if (plan.kind == HW_TILE_COPY) continue;
        check_threads(plan.threads);
        check_grid(&p);
        uint32_t bytes = plan.kind == HW_TILE_RAGGED ? ragged_bytes() : plan.shared_cells * plan.micro * p.elem_bytes;
        uint32_t *most = gpu.cc < 20 ? &largest_old : &largest;
        if (bytes > *most) *most = bytes;
        uint32_t per_thread = 1;
        for (uint32_t a = 0; a < plan.n_axes; a++)
            per_thread *= plan.box[a] / (plan.kind == HW_TILE_RAGGED ? 1 : load_step(a));
        if (per_thread > 128 * plan.threads) complain("a box with too many items for each thread", per_thread);
        wide += plan.index64;
        hw_tile_plan_launch(&p, &plan, 0, 1, &launch);
        check_shared(&gpu, &launch, bytes);
    }
    assert_true(largest > 32 << 10 && largest_old > 12 << 10 && wide > 100);
}

// ---- 95_swap.cu -----------------------------------------------------------------------------------------------------

static void swap_tile(const hw_swap_plan *swap, int64_t begin, uint32_t row0, uint32_t col0) {
    const uint32_t n = (uint32_t)now->n[swap->row_axis], words = swap->box / swap->vector;
    const int64_t pitch = now->in_stride[swap->row_axis];
    for (uint32_t item = 0; item < swap->box * words; item++) {
        const uint32_t line = item / words, first = item % words * swap->vector;
        int32_t values[16];
        if (col0 + line >= n || row0 + first >= n) continue;
        for (uint32_t j = 0; j < swap->vector; j++)   // what the tile at (row0, col0) holds, turned
            load(&in, begin + (row0 + first + j) * pitch + col0 + line, 1, &values[j]);
        store(&out, begin + (col0 + line) * pitch + row0 + first, swap->vector, values);
    }
}

static void run_swap(const hw_swap_plan *swap) {
    const uint32_t bank = now->elem_bytes > 4 ? 1 : 4 / now->elem_bytes;
    const uint32_t unit = bank < swap->vector ? bank : swap->vector;
    clear_shared(2 * (swap->box * (swap->box / unit) + swap->box / swap->vector) * unit);
    for (uint32_t block = 0; block < swap->blocks; block++) {
        uint32_t numbers[HW_MAX_RANK], matrix, r = 0;
        int64_t begin[2];
        matrix = ((uint32_t)(((uint64_t)block * swap->multiplier) >> 32) + block) >> swap->shift;
        const uint32_t pair = block - matrix * swap->pairs;
        find_block(matrix, swap->grid, swap->n_grid, 0, swap->index64, numbers, begin);
        while ((r + 1) * (r + 2) / 2 <= pair) r++;
        const uint32_t row0 = r * swap->box, col0 = (pair - r * (r + 1) / 2) * swap->box;
        swap_tile(swap, begin[1], row0, col0);
        if (row0 != col0) swap_tile(swap, begin[1], col0, row0);
    }
}

// Square matrices among up to three axes that stay where they are.
static hw_permutation random_square(void) {
    const uint32_t n = 2 + below(below(2) ? 20 : 200), rank = 2 + below(4);
    hw_permutation p = {.rank = rank, .elem_bytes = 1u << below(5), .elems = 1, .in_place = true};
    const uint32_t a = below(rank), b = (a + 1 + below(rank - 1)) % rank;
    for (uint32_t i = 0; i < rank; i++) {
        p.n[i] = i == a || i == b ? n : p.elems * n * n < 60000 ? 2 + below(5) : 1;
        p.elems *= p.n[i];
    }
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0; stride *= (int64_t)p.n[i]) p.in_stride[i] = p.out_stride[i] = stride;
    p.in_stride[a] = p.out_stride[b];
    p.in_stride[b] = p.out_stride[a];
    p.in = p.out = (void *)(((uintptr_t)1 << 32) + (below(2) ? 0 : below(40) * p.elem_bytes));
    hw_permutation_merge(&p);
    hw_permutation_widen(&p, 16);
    return p;
}

// Pads behind axes of two elements: found at random, one in 400000.
static void test_short_axes(void **state) {
    (void)state;
    static const hw_permutation p = {
        .rank = 18, .elem_bytes = 2, .elems = 8957952, .n = {6, 2, 2, 3, 2, 3, 2, 2, 2, 2, 2, 3, 2, 2, 3, 3, 2, 3},
        .in_stride = {0, -64905, 150, 300, -129810, 21635, 75, 5408, 519240, 2, 901, 1038483, 259620, 1, 1802, 5,
                      -10816, 23},
        .out_stride = {1806696, 903348, 451674, 150558, 75279, 25093, 12544, 6272, 3136, 1568, 779, 258, 129, 63, 21, 7,
                       3, 1}};
    const hw_tile_goals goals = hw_tile_goals_for(&p, &h200);
    hw_tile_plan_make(&p, &goals, &plan);
    now = &p;
    if (plan.shared_cells * plan.micro * 2 > SHARED_MOST) complain("too much shared memory", plan.shared_cells * 2);
}

static void test_swaps(void **state) {
    (void)state;
    uint32_t swaps = 0;
    static hw_plan launch;
    seed = 0xda942042e4dd58b5u;
    for (int i = 0; i < 500; i++) {
        const hw_permutation p = random_square();
        hw_swap_plan swap;
        const hw_device_properties gpu = random_gpu();
        if (p.elems > MOST || !hw_swap_plan_make(&p, &gpu, &swap)) continue;
        swaps++;
        memset(&plan, 0, sizeof plan);
        prepare(&p);
        check_threads(swap.threads);
        run_swap(&swap);
        compare();
        hw_swap_plan_launch(&p, &swap, 0, &launch);
        check_shared(&gpu, &launch, shared_elems * p.elem_bytes);
        assert_int_equal(shared_elems * p.elem_bytes, hw_swap_plan_shared_bytes(&swap));
    }
    assert_true(swaps > 200);
}

// Large ones, without their elements: their tiles are larger too.
static void test_large_swaps(void **state) {
    (void)state;
    static hw_plan launch;
    for (uint64_t n = 1990; n < 2060; n++)
        for (uint32_t e = 1; e <= 16; e *= 2)
            for (int gpu = 0; gpu < 2; gpu++) {
                const hw_permutation p = {.rank = 2, .elem_bytes = e, .elems = n * n, .n = {n, n}, .in_place = true,
                                          .in_stride = {(int64_t)n, 1}, .out_stride = {1, (int64_t)n}};
                hw_swap_plan swap;
                now = &p;
                assert_true(hw_swap_plan_make(&p, gpu ? &gtx280 : &h200, &swap));
                hw_swap_plan_launch(&p, &swap, 0, &launch);
                check_shared(gpu ? &gtx280 : &h200, &launch, hw_swap_plan_shared_bytes(&swap));
                assert_true(swap.box % swap.vector == 0 && hw_swap_plan_shared_bytes(&swap) > 4096);
            }
}

// A grid of a GPU before 3.0 has 65535 blocks along an axis.
static void test_blocks_most(void **state) {
    (void)state;
    const hw_device_properties gtx480 = {.cc = 20, .multiprocessors = 15, .shared_bytes = 48 << 10};
    assert_int_equal(hw_tile_blocks_most(&h200), HW_TILE_MOST);
    assert_int_equal(hw_tile_blocks_most(&gtx480), 65535);
    for (int64_t n = 1 << 13; n <= 1 << 15; n *= 2) {
        const hw_permutation p = {.rank = 2, .elem_bytes = 8, .elems = (uint64_t)(n * n), .in_place = true,
                                  .n = {(uint64_t)n, (uint64_t)n}, .in_stride = {n, 1}, .out_stride = {1, n}};
        hw_swap_plan swap;   // of tiles of 32: 32896, 131328, 524800 pairs
        assert_true(hw_swap_plan_make(&p, &h200, &swap));
        assert_int_equal(hw_swap_plan_make(&p, &gtx480, &swap), n == 1 << 13);
    }
}

// More matrices than a grid counts.
static void test_swap_of_many(void **state) {
    (void)state;
    for (int bits = 28; bits <= 38; bits++) {
        const int64_t n = (int64_t)1 << bits;
        const hw_permutation p = {.rank = 3, .elem_bytes = 1, .elems = 4 * (uint64_t)n, .in_place = true,
                                  .n = {(uint64_t)n, 2, 2}, .in_stride = {4, 1, 2}, .out_stride = {4, 2, 1}};
        hw_swap_plan swap;
        assert_int_equal(hw_swap_plan_make(&p, &h200, &swap), n <= HW_TILE_MOST);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_large_plans),
        cmocka_unit_test(test_short_axes),
        cmocka_unit_test(test_swaps),
        cmocka_unit_test(test_large_swaps),
        cmocka_unit_test(test_blocks_most),
        cmocka_unit_test(test_swap_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
