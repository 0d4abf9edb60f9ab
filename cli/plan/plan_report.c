#include "plan/plan_report.h"

#include <math.h>

#include "report/sheet.h"
#include "report/text.h"

// ---- Columns --------------------------------------------------------------------------------------------------------

static const hw_plan *plan_of(const hw_row *row) { return row->of; }
static const hw_plan_kernel *kernel_of(const hw_row *row) { return &plan_of(row)->kernels[row->index]; }

static double share_pct(const hw_plan_program *p, size_t part) {
    return p->total_us > 0 ? 100 * p->part_us[part] / p->total_us : 0;
}

static hw_value speed_value(const hw_plan_program *p, size_t part) {
    const double bound = hw_plan_bound(p, (hw_plan_part)part);
    return hw_value_where(isfinite(bound), hw_value_real(isfinite(bound) ? bound : 0));
}

// Reached of what its roof allows; where it computes with integers of what all schedulers issue.
static double roof_pct(const hw_plan_kernel *k) {
    const double roof = hw_plan_roof(k);
    if (roof > 0) return 100 * k->gflops / roof;
    return k->peak_inst_per_ns > 0 ? 100 * k->inst_per_ns / k->peak_inst_per_ns : 0;
}

static const char *bound_text(const hw_plan_kernel *k, char *room) {
    char times[HW_REPORT_NUMBER];
    const double next_us = k->bound_us[k->next];
    if (!room) return hw_bound_name(k->bound);
    if (k->bound == HW_BOUND_LAUNCH || !(next_us > 0)) {
        snprintf(room, HW_GRID_CELL, "%s", hw_bound_name(k->bound));
        return room;
    }
    hw_report_fixed(k->bound_us[k->bound] / next_us, 1, times, sizeof times);
    snprintf(room, HW_GRID_CELL, "%s, %sx %s", hw_bound_name(k->bound), times, hw_bound_name(k->next));
    return room;
}

static hw_value without(const hw_plan_kernel *k, hw_plan_change change) {
    enum { MUCH = 90 };
    const hw_value value = hw_value_real(k->without_us[change]);
    return k->without_us[change] < MUCH / 100.0 * k->us ? hw_value_judged(value, HW_JUDGED_BAD) : value;
}

#define READER(reader, type, variable, of, value)                                                                     \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_row *row = subject;                                                                                  \
        const type *variable = of;                                                                                    \
        (void)column, (void)variable;                                                                                 \
        return value;                                                                                                 \
    }
#define PART_READER(reader, value) READER(reader, hw_plan_program, p, &plan_of(row)->program, value)
#define KERNEL_READER(reader, value) READER(reader, hw_plan_kernel, k, kernel_of(row), value)

PART_READER(read_part, hw_value_text(hw_plan_part_name((hw_plan_part)row->index)))
PART_READER(read_part_us, hw_value_real(p->part_us[row->index]))
PART_READER(read_part_share, hw_value_real(share_pct(p, row->index)))
PART_READER(read_part_bound, speed_value(p, row->index))
KERNEL_READER(read_kernel, hw_value_text(hw_report_short_name(k->launch->kernel, row->room, HW_GRID_CELL)))
KERNEL_READER(read_launches, hw_value_integer(k->n_launches))
KERNEL_READER(read_us, hw_value_real(k->us))
KERNEL_READER(read_share, hw_value_real(k->share_pct))
KERNEL_READER(read_intensity, hw_value_where(k->operations > 0, hw_value_real(hw_plan_intensity(k))))
KERNEL_READER(read_gflops, hw_value_positive(k->gflops))
KERNEL_READER(read_roof, hw_value_positive(hw_plan_roof(k)))
KERNEL_READER(read_inst, hw_value_positive(k->inst_per_ns))
KERNEL_READER(read_roof_pct, hw_value_positive(roof_pct(k)))
KERNEL_READER(read_gbs, hw_value_positive(k->gbs))
KERNEL_READER(read_gbs_pct, hw_value_positive(k->peak_gbs > 0 ? 100 * k->gbs / k->peak_gbs : 0))
KERNEL_READER(read_bound, hw_value_text(bound_text(k, row->room)))
KERNEL_READER(read_banks, without(k, HW_PLAN_WITHOUT_BANKS))
KERNEL_READER(read_sectors, without(k, HW_PLAN_WITHOUT_SECTORS))
KERNEL_READER(read_occupancy, without(k, HW_PLAN_WITHOUT_OCCUPANCY))
KERNEL_READER(read_divergence, without(k, HW_PLAN_WITHOUT_DIVERGENCE))
KERNEL_READER(read_all, without(k, HW_PLAN_WITHOUT_ALL))

#define COLUMN(top, bottom, looks, unit, read) {"", {top, bottom, looks}, 0, 0, HW_UNIT_##unit, read, {{0}}, ""}
enum { NAME = HW_GRID_LEFT | HW_GRID_KEY, FINE = HW_LOOK_FINE };
static const hw_column part_columns[] = {
    COLUMN("", "part", NAME, NONE, read_part),
    COLUMN("", "us", 0, US, read_part_us),
    COLUMN("", "share", 0, PERCENT, read_part_share),
    COLUMN("without it", "at most", HW_LOOK_FIXED(2), TIMES, read_part_bound)};
static const hw_column roof_columns[] = {
    COLUMN("", "kernel", NAME | HW_GRID_SHORTENED, NONE, read_kernel),
    COLUMN("", "launches", 0, COUNT, read_launches),
    COLUMN("", "us", 0, US, read_us),
    COLUMN("of the", "program", 0, PERCENT, read_share),
    COLUMN("flop a", "byte", FINE, NONE, read_intensity),
    COLUMN("", "GFLOP/s", FINE, NONE, read_gflops),
    COLUMN("", "its roof", FINE, NONE, read_roof),
    COLUMN("inst", "a ns", FINE, NONE, read_inst),
    COLUMN("of its", "roof", 0, PERCENT, read_roof_pct),
    COLUMN("", "GB/s", FINE, NONE, read_gbs),
    COLUMN("of a", "stream", 0, PERCENT, read_gbs_pct),
    COLUMN("", "bound by", HW_GRID_LEFT, NONE, read_bound)};
static const hw_column change_columns[] = {
    COLUMN("", "kernel", NAME | HW_GRID_SHORTENED, NONE, read_kernel),
    COLUMN("", "us", 0, US, read_us),
    COLUMN("no bank", "conflicts", 0, US, read_banks),
    COLUMN("ideal", "sectors", 0, US, read_sectors),
    COLUMN("full", "occupancy", 0, US, read_occupancy),
    COLUMN("no", "divergence", 0, US, read_divergence),
    COLUMN("all", "of them", 0, US, read_all)};

static void write_sheet(const hw_plan *plan, const hw_column *columns, int n, size_t rows,
                        const hw_cli_plan_look *look, FILE *out) {
    const hw_column *list[HW_GRID_COLUMNS];
    for (int i = 0; i < n; i++) list[i] = &columns[i];
    hw_sheet_write(&(hw_sheet){.columns = list, .n_columns = n, .width = look->width, .n_rows = rows, .of = plan},
                   look->colour, out);
}
#define WRITE_SHEET(plan, columns, rows, look, out)                                                                   \
    write_sheet(plan, columns, (int)(sizeof(columns) / sizeof(columns)[0]), rows, look, out)

// ---- Sentences ------------------------------------------------------------------------------------------------------

static void write_sentence(const char *text, const hw_cli_plan_look *look, FILE *out) {
    fputc('\n', out);
    hw_grid_write_wrapped(text, look->width, 0, 0, out);
}

static const char *us_text(double us, char *room) { return hw_report_fixed(us, 1, room, HW_REPORT_NUMBER); }

static void write_link(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out) {
    const hw_plan_program *p = &plan->program;
    char text[640], to[HW_REPORT_NUMBER], from[HW_REPORT_NUMBER], us[4][HW_REPORT_NUMBER], each[HW_REPORT_NUMBER];
    const double bytes = (double)(p->to_device_bytes + p->from_device_bytes);
    if (!(bytes > 0)) return;
    hw_report_bytes(p->to_device_bytes, to, sizeof to);
    hw_report_bytes(p->from_device_bytes, from, sizeof from);
    hw_report_fixed(p->operations / bytes, 1, each, sizeof each);
    snprintf(text, sizeof text, "The link to the host: %s go to the GPU and %s come back in %s us; from pinned memory "
             "in %s, and in %u streams kernels and copies together in %s. Each of these bytes is used for %s "
             "operations.", to, from, us_text(p->link_us, us[0]), us_text(p->pinned_us, us[1]), p->streams,
             us_text(p->streamed_us, us[2]), each);
    write_sentence(text, look, out);
}

static void write_worth(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out) {
    const hw_plan_program *p = &plan->program;
    const double own_us = p->part_us[HW_PLAN_OWN], gpu_us = p->total_us - own_us, cpu_us = look->cpu_us;
    char text[512], us[2][HW_REPORT_NUMBER], times[2][HW_REPORT_NUMBER];
    snprintf(text, sizeof text, "The GPU is worth it where a processor takes more than %s us for what its kernels do: "
             "kernels, copies and calls take as long.", us_text(gpu_us, us[0]));
    write_sentence(text, look, out);
    if (!(cpu_us > 0)) return;
    hw_report_fixed((cpu_us + own_us) / p->total_us, 2, times[0], HW_REPORT_NUMBER);
    hw_report_fixed(own_us > 0 ? (cpu_us + own_us) / own_us : 0, 2, times[1], HW_REPORT_NUMBER);
    const int n = snprintf(text, sizeof text, "A processor takes %s us for it: the program is %s times as fast with "
                           "the GPU", us_text(cpu_us, us[0]), times[0]);
    if (own_us > 0) snprintf(text + n, sizeof text - (size_t)n, ", and %s times at most, however fast the GPU were.",
                             times[1]);
    else snprintf(text + n, sizeof text - (size_t)n, ".");
    write_sentence(text, look, out);
}

static void write_rules_of(const hw_plan_kernel *k, const hw_cli_plan_look *look, FILE *out) {
    enum { INDENT = 4 };
    char text[512], name[HW_GRID_CELL];
    bool has_any = false;
    for (int i = 0; i < HW_PLAN_RULES; i++) {
        const hw_plan_verdict *v = &k->verdicts[i];
        if (!v->applies || v->is_kept) continue;
        if (!has_any) fprintf(out, "\n%s\n", hw_report_short_name(k->launch->kernel, name, sizeof name));
        has_any = true;
        snprintf(text, sizeof text, "%s; a rule: %s", v->finding, hw_plan_rule_sentence((hw_plan_rule)i));
        fputs("  - ", out);
        hw_grid_write_wrapped(text, look->width, INDENT, INDENT, out);
    }
}

static size_t n_broken(const hw_plan *plan) {
    size_t n = 0;
    for (size_t k = 0; k < plan->n_kernels; k++)
        for (int i = 0; i < HW_PLAN_RULES; i++)
            n += plan->kernels[k].verdicts[i].applies && !plan->kernels[k].verdicts[i].is_kept;
    return n;
}

// What the GPU allows whatever the kernel: its memory, and its pipes for each kind of numbers with the operations a
// byte from which on they are what bounds.
static void write_roofs(const hw_gpu *gpu, const hw_cli_plan_look *look, FILE *out) {
    static const char *const numbers[HW_FLOPS] = {"half", "single", "double"};
    const double gbs = hw_model_stream_gbs(gpu);
    char text[512], peak[HW_REPORT_NUMBER], ridge[HW_REPORT_NUMBER], rate[HW_REPORT_NUMBER];
    int n = snprintf(text, sizeof text, "The roofline. Memory streams %s GB/s",
                     hw_report_fixed(gbs, 0, rate, sizeof rate));
    for (int i = 0; i < HW_FLOP_TENSOR && gbs > 0; i++) {
        const double gflops = hw_peak_gflops(gpu, (hw_flop)i);
        if (!(gflops > 0)) continue;
        hw_report_fixed(gflops, 0, peak, sizeof peak);
        hw_report_fixed(gflops / gbs, 1, ridge, sizeof ridge);
        n += snprintf(text + n, sizeof text - (size_t)n, "; its pipes do %s GFLOP/s in %s precision (the bound from %s "
                      "flop a byte on)", peak, numbers[i], ridge);
    }
    snprintf(text + n, sizeof text - (size_t)n, ". Kernels that compute with integers are held against the "
             "instructions that can be issued.");
    write_sentence(text, look, out);
    fputc('\n', out);
}

static void write_kernels(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out) {
    write_roofs(plan->gpu, look, out);
    WRITE_SHEET(plan, roof_columns, plan->n_kernels, look, out);
    fputs("\nwhat each kernel would take, us: the model of time asked again\n\n", out);
    WRITE_SHEET(plan, change_columns, plan->n_kernels, look, out);
    fputs(n_broken(plan) ? "\ngrids and blocks\n" : "\ngrids and blocks keep all rules\n", out);
    for (size_t k = 0; k < plan->n_kernels; k++) write_rules_of(&plan->kernels[k], look, out);
}

void hw_cli_plan_write(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out) {
    char total[HW_REPORT_NUMBER];
    fprintf(out, "%s, simulated: times are estimates; %s\n\nthe whole program, %s us\n\n", plan->gpu->name,
            look->is_own_given ? "own work is as given" : "own work is measured on this machine",
            us_text(plan->program.total_us, total));
    WRITE_SHEET(plan, part_columns, HW_PLAN_PARTS, look, out);
    write_link(plan, look, out);
    write_worth(plan, look, out);
    if (plan->n_kernels) write_kernels(plan, look, out);
    else fputs("\nno kernel has been launched\n", out);
}
