// Occupancy as a table for people, CSV and JSON for programs.
#include <jansson.h>
#include <string.h>

#include "base/text.h"
#include "output/json_output.h"
#include "occupancy/occupancy.h"
#include "report/grid.h"
#include "output/text_output.h"

hw_occupancy hw_occupancy_ask(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t block) {
    const hw_arch *arch = list->gpu->arch;
    hw_occupancy o = hw_model_occupancy(arch, block, row->regs, row->smem_static + row->smem_dynamic);
    if (row->most_threads && block > row->most_threads) o = (hw_occupancy){.limit_blocks = arch->blocks_per_sm};
    // What is not used does not limit: profile's reports say it the same way.
    if (o.limit_regs == HW_OCCUPANCY_UNLIMITED) o.limit_regs = o.limit_blocks;
    if (o.limit_smem == HW_OCCUPANCY_UNLIMITED) o.limit_smem = o.limit_blocks;
    return o;
}

// The axis along which a block of that shape is too long; -1: none.
static int long_axis(const hw_arch *arch, const hw_occupancy_row *row) {
    for (int axis = 0; axis < 3; axis++)
        if (row->shape[axis] > arch->max_block[axis]) return axis;
    return -1;
}

void hw_occupancy_hold(const hw_occupancy_list *list, hw_occupancy_row *row) {
    const hw_arch *arch = list->gpu->arch;
    row->held = hw_occupancy_ask(list, row, row->block);
    if (long_axis(arch, row) >= 0) row->held = (hw_occupancy){.limit_blocks = arch->blocks_per_sm};
}

// Registers or memory that are not used, and so are no limiter though they stand at the number of blocks.
static unsigned limiters_of(const hw_occupancy_row *row) {
    unsigned limiters = hw_model_occupancy_limiters(&row->held);
    if (!row->regs) limiters &= ~(unsigned)HW_LIMITED_BY_REGS;
    if (!row->smem_static && !row->smem_dynamic) limiters &= ~(unsigned)HW_LIMITED_BY_SMEM;
    return limiters;
}

const char *hw_occupancy_limiter(const hw_occupancy_row *row, char *text, size_t text_bytes) {
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{HW_LIMITED_BY_WARPS, "warps"}, {HW_LIMITED_BY_BLOCKS, "blocks"}, {HW_LIMITED_BY_REGS, "regs"},
                 {HW_LIMITED_BY_SMEM, "smem"}};
    unsigned limiters = limiters_of(row);
    hw_text list = hw_text_in(text, text_bytes);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (limiters & names[i].bit) hw_text_put(&list, "%s%s", list.used ? "+" : "", names[i].name);
    return text;
}

const char *hw_occupancy_name(const hw_occupancy_row *row, char text[HW_OCCUPANCY_NAME]) {
    enum { WIDTH = 40 };
    char name[2048];
    return hw_report_shorten(hw_report_short_name(row->kernel, name, sizeof name), WIDTH, false, text,
                             HW_OCCUPANCY_NAME);
}

bool hw_occupancy_lacks_smem(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    return row->wants_smem && !list->has_smem;
}

bool hw_occupancy_refusal(const hw_occupancy_list *list, const hw_occupancy_row *row, char *text, size_t text_bytes) {
    const hw_arch *arch = list->gpu->arch;
    uint32_t most = arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes;
    int axis = long_axis(arch, row);
    if (row->held.blocks) return false;
    if (row->block > arch->max_threads_per_block)
        snprintf(text, text_bytes, "%u threads are more than the %u that a block can have", row->block,
                 arch->max_threads_per_block);
    else if (row->most_threads && row->block > row->most_threads)
        snprintf(text, text_bytes, "%u threads are more than the %u that it was compiled for", row->block,
                 row->most_threads);
    else if (axis >= 0)
        snprintf(text, text_bytes, "block dimension %c is %u, not 1 to %u", "xyz"[axis], row->shape[axis],
                 arch->max_block[axis]);
    else if (row->regs > arch->max_regs_per_thread)
        snprintf(text, text_bytes, "%u registers are more than the %u that a thread can have", row->regs,
                 arch->max_regs_per_thread);
    else if (row->smem_static + row->smem_dynamic > most)
        snprintf(text, text_bytes, "%u bytes of shared memory are more than the %u that a block can have%s",
                 row->smem_static + row->smem_dynamic, most,
                 row->kernel && hw_model_launch_smem_bytes(arch, 0) ? "; its arguments are among them" : "");
    else
        snprintf(text, text_bytes, "%u threads of %u registers need more than the %u registers that a block can have",
                 row->block, row->regs, arch->regs_per_block);
    return true;
}

// ---- Block sizes that do better -------------------------------------------------------------------------------------

// The next size above `after` that holds exactly so many warps; 0: none.
static uint32_t next_block(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t warps, uint32_t after) {
    for (uint32_t block = after / 32 * 32 + 32; block <= list->gpu->arch->max_threads_per_block; block += 32)
        if (hw_occupancy_ask(list, row, block).warps == warps) return block;
    return 0;
}

// The most warps below `below` that some size holds, if they are more than the row's; else 0.
static uint32_t next_better(const hw_occupancy_list *list, const hw_occupancy_row *row, uint32_t below) {
    uint32_t best = 0;
    for (uint32_t block = 32; block <= list->gpu->arch->max_threads_per_block; block += 32) {
        uint32_t warps = hw_occupancy_ask(list, row, block).warps;
        if (warps < below && warps > row->held.warps && warps > best) best = warps;
    }
    return best;
}

static double pct_of(const hw_occupancy_list *list, uint32_t warps) {
    return 100.0 * warps / list->gpu->arch->warps_per_sm;
}

// A line for each number of warps, the best first.
static void write_better(const hw_occupancy_list *list, const hw_occupancy_row *row, int most_lines, FILE *out) {
    char name[HW_OCCUPANCY_NAME];
    uint32_t warps = next_better(list, row, UINT32_MAX);
    for (int line = 0; warps && line < most_lines; line++, warps = next_better(list, row, warps)) {
        fprintf(out, "  %5.1f%% %4u warps  ", pct_of(list, warps), warps);
        for (uint32_t block = 0; (block = next_block(list, row, warps, block));) fprintf(out, " %u", block);
        if (row->kernel) fprintf(out, "  %s", hw_occupancy_name(row, name));
        fputc('\n', out);
    }
}

// ---- Table ----------------------------------------------------------------------------------------------------------

// Spills are registers that ptxas puts away: bytes per thread.
enum { C_KERNEL, C_BLOCK, C_REGS, C_SPILLS, C_SMEM, C_BLOCKS, C_WARPS, C_OCCUPANCY, C_BY_WARPS, C_BY_BLOCKS, C_BY_REGS,
       C_BY_SMEM, C_LIMITER, C_COLUMNS };
_Static_assert((int)C_COLUMNS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

static const hw_grid_column columns[C_COLUMNS] = {
    [C_KERNEL] = {"", "kernel", HW_GRID_LEFT | HW_GRID_KEY | HW_GRID_SHORTENED},
    [C_BLOCK] = {"", "block", false},
    [C_REGS] = {"", "regs", false},
    [C_SPILLS] = {"", "spills", false},
    [C_SMEM] = {"shared", "bytes", false},
    [C_BLOCKS] = {"", "blocks", false},
    [C_WARPS] = {"", "warps", false},
    [C_OCCUPANCY] = {"occu-", "pancy", false},
    [C_BY_WARPS] = {"limit:", "warps", false},
    [C_BY_BLOCKS] = {"", "blocks", false},
    [C_BY_REGS] = {"", "regs", false},
    [C_BY_SMEM] = {"", "smem", false},
    [C_LIMITER] = {"", "limiter", true},
};

_Static_assert((int)HW_OCCUPANCY_NAME <= (int)HW_GRID_CELL, "a name fits a cell");

#define PRINT(cell, ...) snprintf((cell).text, HW_GRID_CELL, __VA_ARGS__)

static void table_row(const void *context, size_t index, hw_grid_cell *cells) {
    const hw_occupancy_list *list = context;
    const hw_occupancy_row *row = &list->rows[index];
    const hw_occupancy *o = &row->held;
    unsigned limiters = limiters_of(row);
    char limiter[64];
    if (list->program) {
        hw_occupancy_name(row, cells[C_KERNEL].text);
        PRINT(cells[C_BLOCK], "%u", row->block);
        PRINT(cells[C_REGS], "%s%u", row->regs_estimated ? "~" : "", row->regs);
        if (row->spill_bytes) PRINT(cells[C_SPILLS], "%s%u B", row->regs_estimated ? "~" : "", row->spill_bytes);
        PRINT(cells[C_SMEM], "%u%s", row->smem_static + row->smem_dynamic,
              hw_occupancy_lacks_smem(list, row) ? "?" : "");
    }
    PRINT(cells[C_BLOCKS], "%u", o->blocks);
    PRINT(cells[C_WARPS], "%u", o->warps);
    PRINT(cells[C_OCCUPANCY], "%.*f%%", o->occupancy_pct == (int)o->occupancy_pct ? 0 : 1, o->occupancy_pct);
    cells[C_OCCUPANCY].colour = o->occupancy_pct >= 50 ? HW_GRID_GOOD : o->occupancy_pct < 25 ? HW_GRID_BAD
                                                                                              : HW_GRID_PLAIN;
    PRINT(cells[C_BY_WARPS], "%u", o->limit_warps);
    PRINT(cells[C_BY_BLOCKS], "%u", o->limit_blocks);
    PRINT(cells[C_BY_REGS], "%u", o->limit_regs);
    PRINT(cells[C_BY_SMEM], "%u", o->limit_smem);
    for (int c = C_BY_WARPS; c <= C_BY_SMEM; c++)
        cells[c].colour = limiters >> (c - C_BY_WARPS) & 1 ? HW_GRID_PLAIN : HW_GRID_FAINT;
    PRINT(cells[C_LIMITER], "%s", hw_occupancy_limiter(row, limiter, sizeof limiter));
}
_Static_assert(HW_LIMITED_BY_WARPS == 1 && HW_LIMITED_BY_SMEM == 1 << ((int)C_BY_SMEM - (int)C_BY_WARPS),
               "limiters and columns are in one order");

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

static void write_advice(const hw_occupancy_list *list, FILE *out) {
    enum { MOST_LINES = 6, MOST_LINES_OF_KERNEL = 1 };
    bool is_first = true, any = false;
    for (size_t i = 0; i < list->n_rows; i++) any |= list->rows[i].held.blocks > 0;
    for (size_t i = 0; i < list->n_rows; i++) {
        const hw_occupancy_row *row = &list->rows[i];
        if (!next_better(list, row, UINT32_MAX)) continue;
        if (is_first) fputs("\nblock sizes that hold more warps, with the same registers and shared memory:\n", out);
        write_better(list, row, list->program ? MOST_LINES_OF_KERNEL : MOST_LINES, out);
        is_first = false;
    }
    if (is_first && any && !list->block_is_best) fputs("\nno block size holds more warps\n", out);
}

static void write_table(const hw_occupancy_list *list, bool colour, FILE *out) {
    write_heading(list, out);
    hw_grid_write(&(hw_grid){.columns = columns, .n_columns = C_COLUMNS, .width = list->width,
                             .n_rows = list->n_rows, .row = table_row, .context = list}, colour, out);
    write_notes(list, out);
    write_advice(list, out);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

// With two decimals at most, as profile writes them.
static const char *short_pct(double pct, char text[32]) {
    int length = snprintf(text, 32, "%.2f", pct);
    while (text[length - 1] == '0') text[--length] = '\0';
    if (text[length - 1] == '.') text[--length] = '\0';
    return text;
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_csv(const hw_occupancy_list *list, FILE *out) {
    if (list->program) fputs("kernel,block,regs,regs_estimated,smem_static,smem_dynamic,", out);
    fputs("blocks,warps,occupancy_pct,limit_warps,limit_blocks,limit_regs,limit_smem,limiter", out);
    fputs(list->program ? ",spill_bytes,smem_assumed,ptx_by\n" : "\n", out);
    for (size_t i = 0; i < list->n_rows; i++) {
        const hw_occupancy_row *row = &list->rows[i];
        const hw_occupancy *o = &row->held;
        char limiter[64], pct[32];
        if (list->program) {
            hw_cli_write_quoted(row->kernel, out);
            fprintf(out, ",%u,%u,%d,%u,%u,", row->block, row->regs, row->regs_estimated, row->smem_static,
                    row->smem_dynamic);
        }
        fprintf(out, "%u,%u,%s,%u,%u,%u,%u,%s", o->blocks, o->warps, short_pct(o->occupancy_pct, pct), o->limit_warps,
                o->limit_blocks, o->limit_regs, o->limit_smem, hw_occupancy_limiter(row, limiter, sizeof limiter));
        if (list->program)
            fprintf(out, ",%u,%d,%s", row->spill_bytes, hw_occupancy_lacks_smem(list, row), list->ptx_by);
        fputc('\n', out);
    }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static double rounded(double pct) { return (double)(long long)(pct * 100 + 0.5) / 100; }

// Each returns 0, or -1 when out of memory, and takes its value in both cases.
static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }

static json_t *better_array(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    json_t *better = json_array();
    int failed = 0;
    for (uint32_t warps = next_better(list, row, UINT32_MAX); warps; warps = next_better(list, row, warps))
        for (uint32_t block = 0; (block = next_block(list, row, warps, block));)
            failed |= json_array_append_new(
                better, json_pack("{s:i, s:i, s:f}", "block", (int)block, "warps", (int)warps, "occupancy_pct",
                                  rounded(pct_of(list, warps))));
    if (!failed) return better;
    json_decref(better);
    return NULL;
}

static int put_row(json_t *object, const hw_occupancy_list *list, const hw_occupancy_row *row) {
    const hw_occupancy *o = &row->held;
    char limiter[64], why[160];
    int failed = 0;
    if (row->kernel) {
        json_t *name = json_string(row->kernel);
        failed |= put(object, "kernel", name ? name : json_string("(not UTF-8)"));
    }
    failed |= put(object, "block", json_integer(row->block)) | put(object, "regs", json_integer(row->regs));
    if (row->kernel) failed |= put(object, "regs_estimated", json_boolean(row->regs_estimated));
    if (row->kernel) failed |= put(object, "smem_static", json_integer(row->smem_static));
    failed |= put(object, row->kernel ? "smem_dynamic" : "smem", json_integer(row->smem_dynamic));
    if (row->kernel) failed |= put(object, "spill_bytes", json_integer(row->spill_bytes));
    if (row->kernel) failed |= put(object, "smem_assumed", json_boolean(hw_occupancy_lacks_smem(list, row)));
    failed |= put(object, "blocks", json_integer(o->blocks)) | put(object, "warps", json_integer(o->warps));
    failed |= put(object, "occupancy_pct", json_real(rounded(o->occupancy_pct)));
    failed |= put(object, "limit_warps", json_integer(o->limit_warps));
    failed |= put(object, "limit_blocks", json_integer(o->limit_blocks));
    failed |= put(object, "limit_regs", json_integer(o->limit_regs));
    failed |= put(object, "limit_smem", json_integer(o->limit_smem));
    failed |= put(object, "limiter", json_string(hw_occupancy_limiter(row, limiter, sizeof limiter)));
    if (hw_occupancy_refusal(list, row, why, sizeof why)) failed |= put(object, "refused", json_string(why));
    return failed | put(object, "better", better_array(list, row));
}

static bool write_json(const hw_occupancy_list *list, FILE *out) {
    json_t *object = json_object();
    int failed = put(object, "gpu", json_string(list->gpu->id));
    if (list->program) {
        json_t *kernels = json_array();
        failed |= put(object, "ptx_by", json_string(list->ptx_by));
        for (size_t i = 0; i < list->n_rows; i++) {
            json_t *kernel = json_object();
            failed |= put_row(kernel, list, &list->rows[i]);
            failed |= json_array_append_new(kernels, kernel);
        }
        failed |= put(object, "kernels", kernels);
    } else {
        failed |= put_row(object, list, &list->rows[0]);
    }
    return hw_cli_finish_json(object, !failed, 6, out);
}

bool hw_occupancy_write(const hw_occupancy_list *list, hw_report_format format, bool colour, FILE *out) {
    switch (format) {
    case HW_REPORT_CSV: write_csv(list, out); return true;
    case HW_REPORT_JSON: return write_json(list, out);
    default: write_table(list, colour, out); return true;
    }
}
