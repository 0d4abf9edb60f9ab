// Reading NVRTC's options.
#include "toolchain/rtc/rtc_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/nvcc/nvcc_options.h"

typedef enum form { ALONE, VALUE, SWITCH, OPPOSITE } form;
typedef enum meaning {
    WORDS, DEFINE, UNDEFINE, PRE_INCLUDE, ARCH, DEBUG, OPTIMIZED, NO_SOURCE_FOLDER, DEFAULT_DEVICE, QUIET, REFUSED
} meaning;

typedef struct row {
    const char *long_name, *short_name;
    form form;
    meaning meaning;
    const char *text;
} row;

static const row rows[] = {
#define HW_RTC_OPTION(long_name, short_name, form, meaning, text) {long_name, short_name, form, meaning, text},
#include "toolchain/rtc/rtc_options.def"
#undef HW_RTC_OPTION
};

static const row *find_name(const char *name, size_t length) {
    for (size_t i = 0; length && i < sizeof rows / sizeof rows[0]; i++)
        if ((strlen(rows[i].long_name) == length && !strncmp(rows[i].long_name, name, length)) ||
            (strlen(rows[i].short_name) == length && !strncmp(rows[i].short_name, name, length)))
            return &rows[i];
    return NULL;
}

// -Dname and -Ifolder: names of one letter take what follows, if they take anything.
static const row *find_row(const char *option, const char **value) {
    if (option[0] != '-') return NULL;
    const char *name = option + 1 + (option[1] == '-');
    const size_t length = strcspn(name, "= ");
    const row *found = find_name(name, length);
    *value = name + length;
    if (!found && option[1] && option[1] != '-') {
        found = find_name(name, 1);
        if (!found || found->form == ALONE) return NULL;
        *value = name + 1;
    } else if (**value) ++*value;
    else *value = NULL;
    while (*value && isspace((unsigned char)**value)) ++*value;
    return found && found->form == ALONE && *value ? NULL : found;
}

// Without the blanks around it. NULL: no memory.
static const char *trimmed(const char *text, hw_arena *arena) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) length--;
    return hw_arena_string(arena, text, length);
}

// "NAME", "NAME=2" or "NAME(x)=x", up to the end of a line, instead of what has the name so far.
static const char *define(const char *before, const char *macro, hw_arena *arena) {
    const char *line = hw_arena_string(arena, macro, strcspn(macro, "\n"));
    if (!before || !line) return NULL;
    const int head = (int)strcspn(line, "="), name = (int)strcspn(line, "=(");
    return hw_arena_printf(arena, "%s#undef %.*s\n#define %.*s %s\n", before, name, line, head, line,
                           line[head] ? line + head + 1 : "1");
}

// Looked for in the current folder first, which is not the one that the source is written to.
static const char *include(const char *before, const char *name, hw_arena *arena) {
    char path[PATH_MAX];
    return before ? hw_arena_printf(arena, "%s#include \"%s\"\n", before, realpath(name, path) ? path : name) : NULL;
}

static hw_status take(const row *row, const char *option, const char *value, hw_rtc_options *out, hw_diag *diag) {
    if (row->form == SWITCH || row->form == OPPOSITE) {
        const bool is_true = !strcmp(value, "true");
        if (!is_true && strcmp(value, "false"))
            return hw_diag_set(diag, HW_USAGE, "the option --%s takes true or false, and got '%s'", row->long_name,
                               value);
        if (is_true == (row->form == OPPOSITE)) return HW_OK;
    }
    switch (row->meaning) {
    case WORDS: hw_args_add_filled(&out->words, row->text, value); break;
    case DEFINE: out->macros = define(out->macros, value, out->words.arena); break;
    case UNDEFINE:
        if (out->macros) out->macros = hw_arena_printf(out->words.arena, "%s#undef %s\n", out->macros, value);
        break;
    case PRE_INCLUDE: out->includes = include(out->includes, value, out->words.arena); break;
    case ARCH:
        if (!(out->cc = hw_nvcc_read_arch(value)))
            return hw_diag_set(diag, HW_USAGE, "there is no architecture '%s'; one is spelled sm_80 or compute_80",
                               value);
        break;
    case DEBUG: out->has_debug = true; break;
    case OPTIMIZED: out->has_optimization = true; break;
    case NO_SOURCE_FOLDER: out->no_source_folder = true; break;
    case DEFAULT_DEVICE: out->is_default_device = true; break;
    case QUIET: break;
    case REFUSED:
        return hw_diag_set(diag, HW_UNSUPPORTED, "the option %s is not supported without NVIDIA's NVRTC: %s", option,
                           row->text);
    }
    return HW_OK;
}

hw_status hw_rtc_options_read(const char *const *options, size_t count, hw_arena *arena, hw_rtc_options *out,
                              hw_diag *diag) {
    *out = (hw_rtc_options){.words.arena = arena, .macros = "", .includes = "", .cc = 75};
    for (size_t i = 0; i < count; i++) {
        const char *option = trimmed(options[i] ? options[i] : "", arena), *value = NULL;
        if (!option) return hw_diag_no_memory(diag);
        if (!*option) continue;
        const row *row = find_row(option, &value);
        if (!row) return hw_diag_set(diag, HW_USAGE, "there is no option '%s'", option);
        const char *next = i + 1 < count ? options[i + 1] : NULL;
        // A switch without a value is one that is on.
        if (row->form == SWITCH && !value && (!next || *next == '-')) value = "true";
        if (row->form != ALONE && !value && next) {
            i++;
            if (!(value = trimmed(next, arena))) return hw_diag_no_memory(diag);
        }
        if (row->form != ALONE && !value)
            return hw_diag_set(diag, HW_USAGE, "the option '%s' takes a value", option);
        hw_status status = take(row, option, value, out, diag);
        if (status) return status;
    }
    if (out->has_debug && !out->has_optimization) hw_args_add(&out->words, "-O0");
    return out->words.failed || !out->macros || !out->includes ? hw_diag_no_memory(diag) : HW_OK;
}
