// What stands below a ladder's tables: what their columns say, the best blocks, and notes on single rungs.
#include <inttypes.h>
#include <string.h>

#include "ladders/ladder_report.h"
#include "report/grid.h"

// What the tables' rows have, that the legend explains.
typedef struct contents {
    bool has_best, has_estimates, has_shares, has_passes, has_floor, has_steps, has_errors, has_partitions,
        has_texels;
} contents;

static contents look_through(const hw_ladder *ladder) {
    contents has = {0};
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        has.has_shares |= row->share > 0;
        has.has_passes |= row->counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL] > 0;
        has.has_best |= row->is_best_block;
        has.has_floor |= row->is_at_floor;
        has.has_steps |= row->base != NULL;
        has.has_partitions |= row->partition_pct[0] > 0 || row->partition_pct[1] > 0;
        has.has_texels |= row->texel_sectors > 0;
        has.has_errors |= !row->status && row->verdict.has_error;
        has.has_estimates |= row->regs_estimated;
    }
    return has;
}

// "  name                  text".
static void write_item(int width, const char *name, const char *text, FILE *out) {
    enum { NAME = 20, INDENT = 2 + NAME + 2 };
    fprintf(out, "  %-*s  ", NAME, name);
    hw_grid_write_wrapped(text, width, INDENT, INDENT, out);
}

static void write_counter_legend(const hw_ladder *ladder, const contents *has, int width, FILE *out) {
    const hw_gpu *gpu = ladder->counted_on;
    if (gpu)
        write_item(width, "sectors/load, /store", "32-byte sectors that a warp's access touches / would touch if its "
                   "lanes lay side by side", out);
    if (has->has_passes)
        write_item(width, "bank passes", "passes through the banks of shared memory for each without conflicts", out);
    if (gpu && gpu->arch->cc < 70)
        write_item(width, "transactions, bytes", "into which a load or store is split, and that these move, wanted or "
                   "not", out);
    if (has->has_texels)
        write_item(width, "texels", "32-byte sectors that fetches of warps touch, and those that the texture "
                   "cache (from 7.0 on the first-level cache) has not, by a sample of the blocks", out);
    if (has->has_partitions)
        write_item(width, "partitions", "of the memory that blocks which run at a time use: others stand idle", out);
    if (has->has_estimates) write_item(width, "~", "of estimated registers: ptxas was not there to say", out);
}

static void write_legend(const hw_ladder *ladder, const contents *has, int width, FILE *out) {
    const bool is_timed = hw_cli_ladder_is_timed(ladder);
    char text[256];
    fputs("\n", out);
    if (is_timed && has->has_shares)
        write_item(width, "of copy", "share of the fastest copy's bandwidth in this run", out);
    if (!is_timed) write_item(width, "est. us", "estimate of the GPU's time (docs/accuracy.md)", out);
    if (has->has_steps)
        write_item(width, "step", "times as fast as the rung that it builds on, which is named", out);
    if (has->has_floor) {
        int used = snprintf(text, sizeof text, "launching takes half of the time or more: too small a size to tell "
                            "such rungs apart");
        if (ladder->launch_ns > 0)
            snprintf(text + used, sizeof text - (size_t)used, " (a kernel that does nothing: %.2f us)",
                     ladder->launch_ns / 1e3);
        write_item(width, "bound: launch", text, out);
    }
    write_counter_legend(ladder, has, width, out);
    if (has->has_errors)
        write_item(width, "relative error", "of all elements: root of the squares of their differences over that of "
                   "their own", out);
    if (ladder->ptx_by[0]) {
        snprintf(text, sizeof text, "  PTX by %s%s%s", ladder->ptx_by,
                 ladder->counted_ptx_by[0] ? "; what was counted, by " : "", ladder->counted_ptx_by);
        hw_grid_write_wrapped(text, width, 0, 2, out);
    }
    if (has->has_best)
        write_item(width, "*", is_timed ? "the rung's best block, of the shapes tried: the least time"
                                    : "the rung's best block, of the shapes tried: the least estimated time", out);
}

// "best blocks: tile 32x8, ...".
static void write_best_blocks(const hw_ladder *ladder, int width, FILE *out) {
    static const char beginning[] = "\nbest blocks:";
    int used = (int)strlen(beginning) - 1;
    bool is_first = true;
    fputs(beginning, out);
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        char item[96];
        if (!row->is_best_block) continue;
        int length = snprintf(item, sizeof item, "%s %ux%u", row->rung->name, row->block[0], row->block[1]);
        bool fits = used + length + 3 <= width;   // a comma before it and one behind it
        fprintf(out, "%s%s%s", is_first ? "" : ",", fits ? " " : "\n  ", item);
        used = fits ? used + length + 2 : length + 2;
        is_first = false;
    }
    fputc('\n', out);
}

// What a word in the table cannot say.
static void write_notes(const hw_ladder *ladder, int width, FILE *out) {
    bool is_first = true;
    for (size_t i = 0; i < ladder->n_rows; i++) {
        const hw_ladder_row *row = &ladder->rows[i];
        const char *text = row->status ? row->text : row->verdict.text;
        char name[96];
        if (hw_cli_ladder_is_right(row) && !text[0]) continue;
        int used = snprintf(name, sizeof name, row->block[0] ? "  %s, block %ux%u: " : "  %s: ", row->rung->name,
                            row->block[0], row->block[1]);
        fprintf(out, "%s%s", is_first ? "\n" : "", name);
        char line[HW_GRID_CELL];
        snprintf(line, sizeof line, "%s", text);
        if (!row->status && row->verdict.n_wrong)
            snprintf(line, sizeof line, "%s; %" PRIu64 " are wrong", text, row->verdict.n_wrong);
        hw_grid_write_wrapped(line, width, used, 4, out);
        is_first = false;
    }
}

void hw_cli_ladder_write_legend(const hw_ladder *ladder, int width, FILE *out) {
    const contents has = look_through(ladder);
    write_legend(ladder, &has, width, out);
    if (has.has_best) write_best_blocks(ladder, width, out);
    write_notes(ladder, width, out);
}
