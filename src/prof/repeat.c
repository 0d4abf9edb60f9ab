// Rows of launches that need not be executed, since they would do again what an earlier one did (hw_sink.repeats).
#include <string.h>

#include "base/alloc.h"
#include "prof/internal.h"

// Of lines that launches have added to, 500 bytes each: with more, the oldest launches are no longer repeated.
enum { MOST_KEPT_LINES = 1 << 15 };

hw_report_line *hw_prof_copy_lines(const hw_prof *prof, const hw_report_kernel *kernel) {
    if (!prof->wants_lines) return NULL;
    hw_report_line *copy = hw_calloc(kernel->n_lines + 1, sizeof *copy);
    if (copy) memcpy(copy, kernel->lines, kernel->n_lines * sizeof *copy);
    return copy;
}

// Turns the counts of before into what has been added since; false: nothing has.
static bool subtract_line(const hw_report_line *now, hw_report_line *before) {
    bool has_changed = false;
    for (int k = 0; k < HW_COUNTERS; k++) {
        before->counts[k] = now->counts[k] - before->counts[k];
        has_changed |= before->counts[k] != 0;
    }
    return has_changed;
}

static void drop_oldest_lines(hw_prof *prof) {
    hw_prof_kept *oldest = &prof->kept[prof->first_with_lines++];
    hw_free(oldest->lines);
    prof->kept_lines -= oldest->n_lines;
    *oldest = (hw_prof_kept){.number = oldest->number};
}

void hw_prof_keep(hw_prof *prof, uint64_t number, const hw_report_kernel *kernel, hw_report_line *before) {
    const size_t row = prof->n_launches;
    size_t n = 0;
    // Numbers go up within a context; the next one's begin anew.
    if (row > prof->first_kept && number <= prof->kept[row - 1].number) prof->first_kept = row;
    for (size_t i = 0; before && i < kernel->n_lines; i++)
        if (subtract_line(&kernel->lines[i], &before[i])) before[n++] = before[i];
    hw_report_line *fitting = before ? hw_realloc_array(before, n + 1, sizeof *fitting) : NULL;
    prof->kept[row] = (hw_prof_kept){.number = number, .lines = fitting ? fitting : before, .n_lines = n};
    prof->kept_lines += n;
    while (prof->kept_lines > MOST_KEPT_LINES && prof->first_with_lines < row) drop_oldest_lines(prof);
}

void hw_prof_forget_kept(hw_prof *prof) {
    while (prof->first_with_lines < prof->n_launches) drop_oldest_lines(prof);
    hw_free(prof->kept);
}

// The row of the launch of that number in this context; n_launches: there is none.
static size_t find_row(const hw_prof *prof, uint64_t number) {
    size_t low = prof->first_kept, high = prof->n_launches;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (prof->kept[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < prof->n_launches && prof->kept[low].number == number ? low : prof->n_launches;
}

bool hw_prof_keeps(hw_sink *sink, uint64_t number) {
    hw_prof *prof = (hw_prof *)sink;
    size_t row = find_row(prof, number);
    return row < prof->n_launches && (!prof->wants_lines || prof->kept[row].lines) && hw_prof_make_row(prof);
}

static hw_report_kernel *kernel_of(hw_prof *prof, const hw_report_launch *launch) {
    size_t k = 0;
    while (prof->kernels[k].mangled != launch->mangled) k++;
    return &prof->kernels[k];
}

// The new row keeps no lines: a launch that is repeated again is the one that was executed.
void hw_prof_repeat(hw_sink *sink, const hw_launch_info *info, uint64_t number, uint64_t host_ns) {
    hw_prof *prof = (hw_prof *)sink;
    const size_t of = find_row(prof, number), row = prof->n_launches;
    hw_report_launch *launch = &prof->launches[row];
    *launch = prof->launches[of];
    launch->ordinal = row + prof->n_uncounted;
    launch->host_ms = (double)host_ns / 1e6;
    launch->device = info->gpu;
    launch->is_reused = true;
    launch->blocks = NULL;
    hw_report_kernel *kernel = kernel_of(prof, launch);
    hw_prof_add_lines(kernel, prof->kept[of].lines, prof->kept[of].n_lines);
    kernel->launches++;
    prof->kept[row] = (hw_prof_kept){.number = info->number};
    prof->n_launches++;
    if (prof->finished) prof->finished(prof->context, hw_prof_report(prof));
    if (!prof->forgets) return;
    prof->n_launches--;
    prof->n_uncounted++;
}
