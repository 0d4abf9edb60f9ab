// Sorting the user's compiler arguments.
#include "toolchain/compilers/arguments.h"

#include <string.h>

typedef enum form { ALONE, JOINED, VALUE, LIST } form;
typedef enum pass { NONE = 0, DEVICE = 1, HOST = 2, BOTH = 3, LINK = 4 } pass;

typedef struct row {
    const char *name;
    form form;
    pass pass;
    const char *clang, *nvcc;
} row;

static const row rows[] = {
#define HW_ARGUMENT(name, form, pass, clang, nvcc) {name, form, pass, clang, nvcc},
#include "toolchain/compilers/arguments.def"
#undef HW_ARGUMENT
};

static bool takes_value(const row *row) { return row->form == VALUE || row->form == LIST; }

// -std=c++17 fits the VALUE row "-std"; -stdlib=libc++ does not. A one-letter name takes what follows as its value.
static bool fits(const row *row, const char *argument) {
    size_t length = strlen(row->name);
    if (strncmp(argument, row->name, length) != 0) return false;
    const char *rest = argument + length;
    if (!*rest || row->form == JOINED) return true;
    return takes_value(row) && (length == 2 || *rest == '=' || row->name[length - 1] == '=');
}

static const row *find_argument(const char *argument) {
    const row *best = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (fits(&rows[i], argument) && (!best || strlen(rows[i].name) > strlen(best->name))) best = &rows[i];
    return best;
}

static void add_words(hw_args *to, const char *words, const char *value) {
    if (!strcmp(words, "@")) hw_args_add_words(to, value, ' ');
    else hw_args_add_filled(to, words, value);
}

static void add_to_passes(hw_arguments *sorted, pass pass, const char *words, const char *value) {
    if (pass & DEVICE) add_words(&sorted->device, words, value);
    if (pass & HOST) add_words(&sorted->host, words, value);
    if (pass & LINK) add_words(&sorted->link, words, value);
}

// nvcc takes its lists apart itself.
static void add_row(hw_arguments *sorted, const row *row, const char *value) {
    hw_args list = {.arena = sorted->nvcc.arena};
    add_words(&sorted->nvcc, row->nvcc, value);
    if (row->form == LIST) hw_args_add_list(&list, value);
    else hw_args_add(&list, value);
    if (list.failed) sorted->nvcc.failed = true;
    for (size_t i = 0; i < list.count; i++) add_to_passes(sorted, row->pass, row->clang, list.items[i]);
}

static void note_row(hw_arguments *sorted, const row *row) {
    if (!strncmp(row->clang, "-O%", 3) || !strcmp(row->name, "-O")) sorted->has_level = true;
    if (!strcmp(row->nvcc, "-std=%")) sorted->has_standard = true;
    if (!strcmp(row->nvcc, "-G")) sorted->has_device_debug = true;
}

size_t hw_arguments_words(const char *argument) {
    const row *row = find_argument(argument);
    return !row ? 0 : takes_value(row) && !argument[strlen(row->name)] ? 2 : 1;
}

hw_status hw_arguments_sort(const char *const *arguments, size_t count, hw_arena *arena, hw_arguments *sorted,
                            hw_diag *diag) {
    *sorted = (hw_arguments){.device.arena = arena, .host.arena = arena, .link.arena = arena, .nvcc.arena = arena};
    for (size_t i = 0; i < count; i++) {
        const char *argument = arguments[i], *value = argument;
        const row *row = find_argument(argument);
        if (!row) {
            // Files to link with (.o, .a, .so) have no dash.
            add_to_passes(sorted, argument[0] == '-' ? BOTH : LINK, "%", argument);
            hw_args_add(&sorted->nvcc, argument);
            continue;
        }
        if (takes_value(row)) {
            value = argument + strlen(row->name);
            if (*value == '=') value++;
            else if (!*value && i + 1 < count) value = arguments[++i];
            else if (!*value) return hw_diag_set(diag, HW_USAGE, "the compiler option %s takes a value", argument);
        }
        note_row(sorted, row);
        add_row(sorted, row, value);
    }
    bool failed = sorted->device.failed || sorted->host.failed || sorted->link.failed || sorted->nvcc.failed;
    return failed ? hw_diag_no_memory(diag) : HW_OK;
}
