// Source lines: which row each instruction of a launch counts in.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "prof/internal.h"

// Strings of prof->files, so that equal names are equal pointers.
static const char *file_named(hw_prof *prof, const char *name) {
    for (size_t i = 0; i < prof->n_files; i++)
        if (!strcmp(prof->files[i], name)) return prof->files[i];
    if (!hw_grow((void **)&prof->files, prof->n_files, &prof->files_capacity, sizeof *prof->files)) return NULL;
    const char *copy = hw_arena_string(prof->arena, name, strlen(name));
    if (copy) prof->files[prof->n_files++] = copy;
    return copy;
}

static int compare_lines(const void *left, const void *right) {
    const hw_report_line *a = left, *b = right;
    int order = a->file == b->file ? 0 : strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

// The names of the launch's files, then "" for instructions without a file.
static const char **name_files(hw_prof *prof, const hw_launch_info *info) {
    const char **names = hw_calloc((size_t)info->n_files + 1, sizeof *names);
    for (uint32_t i = 0; names && i <= info->n_files; i++) {
        names[i] = file_named(prof, i < info->n_files && info->files[i] ? info->files[i] : "");
        if (!names[i]) {
            hw_free(names);
            return NULL;
        }
    }
    return names;
}

static hw_report_line line_place_of(const hw_launch_info *info, const char **names, const hw_note *note) {
    bool known = note->line && note->file < info->n_files;
    return (hw_report_line){.file = names[known ? note->file : info->n_files], .line = known ? note->line : 0};
}

// Sorts, and drops all but the first of equal rows; those with counts come first among equals.
static size_t sort_and_unite(hw_report_line *rows, size_t n) {
    size_t kept = 0;
    qsort(rows, n, sizeof *rows, compare_lines);
    for (size_t i = 0; i < n; i++) {
        if (kept && !compare_lines(&rows[kept - 1], &rows[i])) {
            if (!rows[kept - 1].counts[HW_COUNT_INST]) rows[kept - 1] = rows[i];
            continue;
        }
        rows[kept++] = rows[i];
    }
    return kept;
}

// Merges the kernel's rows and the rows of this launch's instructions into one new array.
static bool merge_lines(hw_report_kernel *kernel, const hw_launch_info *info, const char **names) {
    hw_report_line *rows = hw_calloc(kernel->n_lines + (size_t)info->n_notes, sizeof *rows);
    if (!rows) return false;
    size_t n = kernel->n_lines;
    if (n) memcpy(rows, kernel->lines, n * sizeof *rows);
    for (uint32_t i = 0; i < info->n_notes; i++) {
        hw_report_line row = line_place_of(info, names, &info->notes[i]);
        bool repeats = n > kernel->n_lines && !compare_lines(&rows[n - 1], &row);
        if (!repeats) rows[n++] = row;
    }
    kernel->n_lines = sort_and_unite(rows, n);
    hw_free((void *)kernel->lines);
    kernel->lines = rows;
    return true;
}

hw_status hw_prof_prepare_lines(hw_prof *prof, const hw_launch_info *info, hw_diag *diag) {
    hw_report_kernel *kernel = &prof->kernels[prof->kernel];
    const char **names = name_files(prof, info);
    if (!names || !merge_lines(kernel, info, names)) {
        hw_free(names);
        return hw_diag_no_memory(diag);
    }
    for (uint32_t i = 0; i < info->n_notes; i++) {
        hw_report_line row = line_place_of(info, names, &info->notes[i]);
        const hw_report_line *found = bsearch(&row, kernel->lines, kernel->n_lines, sizeof row, compare_lines);
        prof->line_of[i] = (uint32_t)(found - kernel->lines);
    }
    hw_free(names);
    return HW_OK;
}

void hw_prof_drop_unused_lines(hw_report_kernel *kernel) {
    hw_report_line *lines = (hw_report_line *)kernel->lines;
    size_t kept = 0;
    for (size_t i = 0; i < kernel->n_lines; i++)
        if (lines[i].counts[HW_COUNT_INST]) lines[kept++] = lines[i];
    kernel->n_lines = kept;
}

void hw_prof_add_lines(hw_report_kernel *kernel, const hw_report_line *lines, size_t n_lines) {
    for (size_t i = 0; i < n_lines; i++) {
        hw_report_line *to = bsearch(&lines[i], kernel->lines, kernel->n_lines, sizeof *to, compare_lines);
        for (int k = 0; to && k < HW_COUNTERS; k++) to->counts[k] += lines[i].counts[k];
    }
}
