// Occupancy as a table for people, CSV and JSON for programs.
#include <string.h>

#include "occupancy/occupancy.h"
#include "output/json_output.h"
#include "report/fields.h"
#include "report/sheet.h"

// ---- Columns --------------------------------------------------------------------------------------------------------

// A reader that takes nothing of its column.
#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_occupancy_list *list = ((const hw_row *)subject)->of;                                                \
        const hw_occupancy_row *row = &list->rows[((const hw_row *)subject)->index];                                  \
        (void)column, (void)row;                                                                                      \
        return value;                                                                                                 \
    }

// Of registers that ptxas may have told or not.
static hw_value registers(const hw_occupancy_row *row, uint32_t number) {
    hw_value value = hw_value_integer(number);
    value.is_estimate = row->regs_estimated;
    return value;
}

// Most kernels have none, and tables leave the cell empty.
static hw_value spills(const hw_occupancy_row *row) {
    hw_value value = registers(row, row->spill_bytes);
    value.is_absent = !row->spill_bytes;
    value.remark = "";
    return value;
}

static hw_value local_arrays(const hw_occupancy_row *row) {
    hw_value value = hw_value_integer(row->local_bytes);
    value.is_absent = !row->local_bytes;
    value.remark = "";
    return value;
}

static hw_value shared_bytes(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    hw_value value = hw_value_integer(row->smem_static + row->smem_dynamic);
    value.is_assumed = hw_occupancy_lacks_smem(list, row);
    return value;
}

static hw_value limit(const hw_occupancy_row *row, unsigned bit, uint32_t blocks) {
    return hw_value_judged(hw_value_integer(blocks), row->limiters & bit ? HW_JUDGED_PLAIN : HW_JUDGED_IDLE);
}

static hw_value read_name(const hw_column *column, const void *subject) {
    const hw_row *row = subject;
    (void)column;
    return hw_value_text(hw_occupancy_name(&((const hw_occupancy_list *)row->of)->rows[row->index], row->room));
}
_Static_assert((int)HW_OCCUPANCY_NAME <= (int)HW_GRID_CELL, "a name fits a cell");

READER(read_kernel, hw_value_text(row->kernel))
READER(read_block, hw_value_integer(row->block))
READER(read_regs, registers(row, row->regs))
READER(read_regs_estimated, hw_value_flag(row->regs_estimated))
READER(read_spills, spills(row))
READER(read_local, local_arrays(row))
READER(read_shared_bytes, shared_bytes(list, row))
READER(read_smem_static, hw_value_integer(row->smem_static))
READER(read_smem_dynamic, hw_value_integer(row->smem_dynamic))
READER(read_smem_assumed, hw_value_flag(hw_occupancy_lacks_smem(list, row)))
READER(read_blocks, hw_value_integer(row->held.blocks))
READER(read_warps, hw_value_integer(row->held.warps))
READER(read_occupancy, hw_value_judged(hw_value_real(row->held.occupancy_pct),
                                       hw_judge_occupancy(row->held.occupancy_pct)))
READER(read_limit_warps, limit(row, HW_LIMITED_BY_WARPS, row->held.limit_warps))
READER(read_limit_blocks, limit(row, HW_LIMITED_BY_BLOCKS, row->held.limit_blocks))
READER(read_limit_regs, limit(row, HW_LIMITED_BY_REGS, row->held.limit_regs))
READER(read_limit_smem, limit(row, HW_LIMITED_BY_SMEM, row->held.limit_smem))
READER(read_limiter, hw_value_text(row->limiter))
READER(read_ptx_by, hw_value_text(list->ptx_by))

enum {
    RIGHT = 0, LEFT = HW_GRID_LEFT, NAME = HW_GRID_LEFT | HW_GRID_KEY | HW_GRID_SHORTENED, ZERO = HW_LOOK_ZERO,
    EXACT = HW_LOOK_EXACT, HEADED = HW_LOOK_HEADED | HW_LOOK_ZERO, TIDY = HW_LOOK_TIDY,
};

enum {
    KERNEL, KERNEL_NAME, BLOCK, REGS, REGS_ESTIMATED, SPILLS, LOCAL, SHARED_BYTES, SMEM_STATIC, SMEM_DYNAMIC, SMEM,
    SMEM_ASSUMED, BLOCKS, WARPS, OCCUPANCY, LIMIT_WARPS, LIMIT_BLOCKS, LIMIT_REGS, LIMIT_SMEM, LIMITER, PTX_BY
};

// HW_COLUMN(id, key, top, bottom, looks, unit, read): as in ladders/ladder_columns.def
#define HW_COLUMN(id, key, top, bottom, looks, unit, read)                                                            \
    [id] = {key, {top, bottom, looks}, 0, 0, HW_UNIT_##unit, read, {{0}}, ""},
static const hw_column occupancy_columns[] = {
    HW_COLUMN(KERNEL, "kernel", "", "", RIGHT, NONE, read_kernel)
    HW_COLUMN(KERNEL_NAME, "", "", "kernel", NAME, NONE, read_name)
    HW_COLUMN(BLOCK, "block", "", "block", ZERO, COUNT, read_block)
    HW_COLUMN(REGS, "regs", "", "regs", ZERO, COUNT, read_regs)
    HW_COLUMN(REGS_ESTIMATED, "regs_estimated", "", "", RIGHT, NONE, read_regs_estimated)
    HW_COLUMN(SPILLS, "spill_bytes", "", "spills", EXACT, BYTES, read_spills)
    HW_COLUMN(LOCAL, "local_bytes", "local", "arrays", EXACT, BYTES, read_local)
    HW_COLUMN(SHARED_BYTES, "", "shared", "bytes", HEADED, BYTES, read_shared_bytes)
    HW_COLUMN(SMEM_STATIC, "smem_static", "", "", RIGHT, BYTES, read_smem_static)
    HW_COLUMN(SMEM_DYNAMIC, "smem_dynamic", "", "", RIGHT, BYTES, read_smem_dynamic)
    HW_COLUMN(SMEM, "smem", "", "", RIGHT, BYTES, read_smem_dynamic)
    HW_COLUMN(SMEM_ASSUMED, "smem_assumed", "", "", RIGHT, NONE, read_smem_assumed)
    HW_COLUMN(BLOCKS, "blocks", "", "blocks", ZERO, COUNT, read_blocks)
    HW_COLUMN(WARPS, "warps", "", "warps", ZERO, COUNT, read_warps)
    HW_COLUMN(OCCUPANCY, "occupancy_pct", "occu-", "pancy", TIDY, PERCENT, read_occupancy)
    HW_COLUMN(LIMIT_WARPS, "limit_warps", "limit:", "warps", ZERO, COUNT, read_limit_warps)
    HW_COLUMN(LIMIT_BLOCKS, "limit_blocks", "", "blocks", ZERO, COUNT, read_limit_blocks)
    HW_COLUMN(LIMIT_REGS, "limit_regs", "", "regs", ZERO, COUNT, read_limit_regs)
    HW_COLUMN(LIMIT_SMEM, "limit_smem", "", "smem", ZERO, COUNT, read_limit_smem)
    HW_COLUMN(LIMITER, "limiter", "", "limiter", LEFT, NONE, read_limiter)
    HW_COLUMN(PTX_BY, "ptx_by", "", "", RIGHT, NONE, read_ptx_by)
};
#undef HW_COLUMN

// ---- Table ----------------------------------------------------------------------------------------------------------

#define C(id) &occupancy_columns[id]
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

// Of a launch by its numbers, what was asked stands above the table.
static void write_rows(const hw_occupancy_list *list, bool colour, FILE *out) {
    enum { N_OF_KERNEL = 6 };
    static const hw_column *const columns[] = {
        C(KERNEL_NAME), C(BLOCK), C(REGS), C(SPILLS), C(LOCAL), C(SHARED_BYTES), C(BLOCKS), C(WARPS), C(OCCUPANCY),
        C(LIMIT_WARPS), C(LIMIT_BLOCKS), C(LIMIT_REGS), C(LIMIT_SMEM), C(LIMITER)};
    const int first = list->program ? 0 : N_OF_KERNEL;
    hw_sheet_write(&(hw_sheet){.columns = columns + first, .n_columns = (int)N_OF(columns) - first,
                               .width = list->width, .n_rows = list->n_rows, .of = list},
                   colour, out);
}

static void write_heading(const hw_occupancy_list *list, FILE *out) {
    const hw_gpu *gpu = list->gpu;
    const hw_arch *arch = gpu->arch;
    fprintf(out, "%s (%s), compute capability %d.%d\n", gpu->name, gpu->id, arch->cc / 10, arch->cc % 10);
    char room[160];
    snprintf(room, sizeof room,
             "a multiprocessor has room for %u warps, %u blocks, %u registers, %u bytes of shared memory",
             arch->warps_per_sm, arch->blocks_per_sm, arch->regs_per_sm, arch->smem_per_sm_bytes);
    hw_grid_write_wrapped(room, list->width, 0, 0, out);
    if (!list->program) {
        const hw_occupancy_row *row = &list->rows[0];
        fprintf(out, "blocks of %u threads", row->block);
        if (row->regs) fprintf(out, ", %u registers per thread", row->regs);
        fprintf(out, ", %u bytes of shared memory\n", row->smem_dynamic);
    } else if (list->block_is_best) {
        hw_grid_write_wrapped("each kernel with the block size that holds the most warps; --block asks about another",
                              list->width, 0, 0, out);
    }
    fputc('\n', out);
}

static void write_notes(const hw_occupancy_list *list, FILE *out) {
    bool has_estimates = false, lacks_smem = false;
    for (size_t i = 0; i < list->n_rows; i++) {
        char why[160], name[HW_OCCUPANCY_NAME];
        has_estimates |= list->rows[i].regs_estimated;
        lacks_smem |= hw_occupancy_lacks_smem(list, &list->rows[i]);
        if (!hw_occupancy_refusal(list, &list->rows[i], why, sizeof why)) continue;
        if (list->program) fprintf(out, "\n  %s cannot be launched so: %s\n",
                                   hw_occupancy_name(&list->rows[i], name), why);
        else fprintf(out, "\n  such a launch is refused: %s\n", why);
    }
    if (has_estimates) fputs("\n  ~  estimated registers: ptxas was not there to say, or does not know the GPU\n", out);
    if (lacks_smem) fputs("\n  ?  dynamic shared memory not given, 0 assumed: --smem N\n", out);
    if (*list->ptx_by) fprintf(out, "\n  PTX by %s\n", list->ptx_by);
}

static double pct_of(const hw_occupancy_list *list, uint32_t warps) {
    return 100.0 * warps / list->gpu->arch->warps_per_sm;
}

// A line for each number of warps, the best first.
static void write_better(const hw_occupancy_list *list, const hw_occupancy_row *row, int most_lines, FILE *out) {
    char name[HW_OCCUPANCY_NAME];
    uint32_t warps = UINT32_MAX;
    for (int line = 0; line < most_lines && (warps = hw_occupancy_next_better(list, row, warps)); line++) {
        fprintf(out, "  %5.1f%% %4u warps  ", pct_of(list, warps), warps);
        for (uint32_t block = 0; (block = hw_occupancy_next_block(list, row, warps, block));)
            fprintf(out, " %u", block);
        if (row->kernel) fprintf(out, "  %s", hw_occupancy_name(row, name));
        fputc('\n', out);
    }
}

static void write_advice(const hw_occupancy_list *list, FILE *out) {
    enum { MOST_LINES = 6, MOST_LINES_OF_KERNEL = 1 };
    bool is_first = true, any = false;
    for (size_t i = 0; i < list->n_rows; i++) any |= list->rows[i].held.blocks > 0;
    for (size_t i = 0; i < list->n_rows; i++) {
        const hw_occupancy_row *row = &list->rows[i];
        if (!hw_occupancy_next_better(list, row, UINT32_MAX)) continue;
        if (is_first) fputs("\nblock sizes that hold more warps, with the same registers and shared memory:\n", out);
        write_better(list, row, list->program ? MOST_LINES_OF_KERNEL : MOST_LINES, out);
        is_first = false;
    }
    if (is_first && any && !list->block_is_best) fputs("\nno block size holds more warps\n", out);
}

static void write_table(const hw_occupancy_list *list, bool colour, FILE *out) {
    write_heading(list, out);
    write_rows(list, colour, out);
    write_notes(list, out);
    write_advice(list, out);
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

#define F(id, ...) {C(id), __VA_ARGS__}
enum { ALWAYS = HW_FIELD_ALWAYS, QUOTED = HW_FIELD_QUOTED };
#define HELD                                                                                                          \
    F(BLOCKS, 0, 0), F(WARPS, 0, 0), F(OCCUPANCY, 2, 0), F(LIMIT_WARPS, 0, 0), F(LIMIT_BLOCKS, 0, 0),                 \
        F(LIMIT_REGS, 0, 0), F(LIMIT_SMEM, 0, 0), F(LIMITER, 0, 0)

static void write_csv(const hw_occupancy_list *list, FILE *out) {
    static const hw_field of_launch[] = {HELD};
    static const hw_field of_kernel[] = {
        F(KERNEL, 0, QUOTED), F(BLOCK, 0, 0), F(REGS, 0, 0), F(REGS_ESTIMATED, 0, 0), F(SMEM_STATIC, 0, 0),
        F(SMEM_DYNAMIC, 0, 0), HELD, F(SPILLS, 0, ALWAYS), F(SMEM_ASSUMED, 0, 0), F(PTX_BY, 0, 0),
        F(LOCAL, 0, ALWAYS)};
    const hw_field *fields = list->program ? of_kernel : of_launch;
    const size_t n_fields = list->program ? N_OF(of_kernel) : N_OF(of_launch);
    hw_csv_write_keys(fields, n_fields, out);
    for (size_t i = 0; i < list->n_rows; i++) hw_csv_write_row(fields, n_fields, &(hw_row){list, i, NULL}, out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put_member(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value);
}

// What a block of another size would hold.
static json_t *better_object(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t block) {
    static const hw_field fields[] = {F(BLOCK, 0, 0), F(WARPS, 0, 0), F(OCCUPANCY, 2, 0)};
    hw_occupancy_row other = *row;
    hw_occupancy_list one = *list;
    json_t *object = json_object();
    other.block = block;
    other.held = hw_occupancy_ask(list, row, block);
    one.rows = &other;
    if (!hw_json_put_row(object, fields, N_OF(fields), &(hw_row){&one, 0, NULL})) return object;
    json_decref(object);
    return NULL;
}

static json_t *better_array(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    json_t *better = json_array();
    int failed = 0;
    for (uint32_t warps = UINT32_MAX; (warps = hw_occupancy_next_better(list, row, warps));)
        for (uint32_t block = 0; (block = hw_occupancy_next_block(list, row, warps, block));)
            failed |= json_array_append_new(better, better_object(list, row, block));
    if (!failed) return better;
    json_decref(better);
    return NULL;
}

static int put_row(json_t *object, const hw_occupancy_list *list, size_t index) {
    static const hw_field of_launch[] = {F(BLOCK, 0, 0), F(REGS, 0, 0), F(SMEM, 0, 0), HELD};
    static const hw_field of_kernel[] = {
        F(KERNEL, 0, 0), F(BLOCK, 0, 0), F(REGS, 0, 0), F(REGS_ESTIMATED, 0, 0), F(SMEM_STATIC, 0, 0),
        F(SMEM_DYNAMIC, 0, 0), F(SPILLS, 0, ALWAYS), F(SMEM_ASSUMED, 0, 0), HELD,
        F(LOCAL, 0, ALWAYS)};
    const hw_occupancy_row *row = &list->rows[index];
    const hw_row subject = {list, index, NULL};
    char why[160];
    int failed = row->kernel ? hw_json_put_row(object, of_kernel, N_OF(of_kernel), &subject)
                             : hw_json_put_row(object, of_launch, N_OF(of_launch), &subject);
    if (hw_occupancy_refusal(list, row, why, sizeof why)) failed |= put_member(object, "refused", json_string(why));
    return failed | put_member(object, "better", better_array(list, row));
}

static bool write_json(const hw_occupancy_list *list, FILE *out) {
    enum { DIGITS = 6 };
    json_t *object = json_object();
    int failed = put_member(object, "gpu", json_string(list->gpu->id));
    if (list->program) {
        json_t *kernels = json_array();
        failed |= put_member(object, "ptx_by", json_string(list->ptx_by));
        for (size_t i = 0; i < list->n_rows; i++) {
            json_t *kernel = json_object();
            failed |= put_row(kernel, list, i);
            failed |= json_array_append_new(kernels, kernel);
        }
        failed |= put_member(object, "kernels", kernels);
    } else {
        failed |= put_row(object, list, 0);
    }
    return hw_cli_finish_json(object, !failed, DIGITS, out);
}

bool hw_occupancy_write(const hw_occupancy_list *list, hw_report_format format, bool colour, FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: write_csv(list, out); return true;
    case HW_REPORT_JSON: return write_json(list, out);
    default: write_table(list, colour, out); return true;
    }
}
