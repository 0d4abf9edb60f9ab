// Reading nvcc's command line.
#include "toolchain/nvcc/nvcc_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/cache/cache.h"
#include "toolchain/compilers/arguments.h"

typedef enum form { ALONE, VALUE } form;
typedef enum meaning {
    GOAL_PROGRAM, GOAL_RUN, GOAL_OBJECT, GOAL_RELOCATABLE, GOAL_DEVICE_LINK, GOAL_LIBRARY, GOAL_PREPROCESSED,
    GOAL_DEPENDENCIES, GOAL_USER_DEPENDENCIES, GOAL_PTX, GOAL_FATBIN, GOAL_CUBIN,
    OUTPUT, OUTPUT_FOLDER, LANGUAGE, DEPENDS, DEPENDS_FILE, DEPENDS_TARGET, DEPENDS_PHONY, ARCH, CODE, GENCODE,
    RELOCATABLE, RUNTIME, SHARED, HOST_COMPILER, ARCHIVER, ARCHIVER_OPTION, RUN_ARGUMENTS, WARNINGS, VERBOSE, DRY_RUN,
    FORWARD_COMPILER, FORWARD_LINKER, FORWARD_BOTH, COMPILER, QUIET, TOLD, REFUSED,
} meaning;

typedef struct row {
    const char *long_name, *short_name;
    form form;
    meaning meaning;
    const char *text;
} row;

static const row rows[] = {
#define HW_NVCC_OPTION(long_name, short_name, form, meaning, text) {long_name, short_name, form, meaning, text},
#include "toolchain/nvcc/nvcc.def"
#undef HW_NVCC_OPTION
};

// A command line being read.
typedef struct reader {
    hw_arena *arena;
    hw_nvcc_command *command;
    hw_args unknown;
    bool forwards_to_compiler, forwards_to_linker;
    hw_diag *diag;
} reader;

// ---- Words ----------------------------------------------------------------------------------------------------------

void hw_nvcc_add_text(hw_args *words, const char *text) {
    for (const char *at = text;;) {
        while (isspace((unsigned char)*at)) at++;
        if (!*at) return;
        char *word = hw_arena_take(words->arena, strlen(at) + 1), *to = word, quote = 0;
        for (; word && *at && (quote || !isspace((unsigned char)*at)); at++) {
            if (*at == quote) quote = 0;
            else if (!quote && (*at == '"' || *at == '\'')) quote = *at;
            else if (*at == '\\' && quote != '\'' && at[1]) *to++ = *++at;
            else *to++ = *at;
        }
        hw_args_add(words, word);
        if (!word) return;
    }
}

// The value of --options-file in any spelling; *taken words. NULL: another word.
static const char *options_file(const char *const *words, size_t left, size_t *taken) {
    static const char *const names[] = {"--options-file", "-options-file", "-optf", "--optf"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(words[0], names[i], length) != 0) continue;
        *taken = words[0][length] == '=' ? 1 : 2;
        if (words[0][length] == '=') return words[0] + length + 1;
        if (!words[0][length]) return left > 1 ? words[1] : "";
    }
    return NULL;
}

static hw_status expand_words(hw_args *expanded, const char *const *words, size_t count, int depth, hw_diag *diag) {
    enum { DEEPEST = 16 };
    if (depth > DEEPEST) return hw_diag_set(diag, HW_USAGE, "an --options-file names itself");
    hw_status status = HW_OK;
    for (size_t i = 0, taken = 1; !status && i < count; i += taken, taken = 1) {
        const char *files = options_file(words + i, count - i, &taken);
        if (!files) {
            hw_args_add(expanded, words[i]);
            continue;
        }
        hw_args names = {.arena = expanded->arena};
        hw_args_add_list(&names, files);
        if (!names.count) return hw_diag_set(diag, HW_USAGE, "the option %s takes a value", words[i]);
        for (size_t k = 0; !status && k < names.count; k++) {
            size_t length;
            hw_args inner = {.arena = expanded->arena};
            const char *text = hw_cache_read_file(names.items[k], expanded->arena, &length);
            if (!text) return hw_diag_set(diag, HW_IO, "cannot read %s: %s", names.items[k], strerror(errno));
            hw_nvcc_add_text(&inner, text);
            status = expand_words(expanded, inner.items, inner.count, depth + 1, diag);
        }
    }
    return status;
}

hw_status hw_nvcc_expand(hw_args *expanded, const char *const *words, size_t count, hw_diag *diag) {
    return expand_words(expanded, words, count, 0, diag);
}

// ---- Architectures --------------------------------------------------------------------------------------------------

int hw_nvcc_read_arch(const char *text) {
    const char *digits = strchr(text, '_');
    if (!digits || (strncmp(text, "sm_", 3) && strncmp(text, "compute_", 8) && strncmp(text, "lto_", 4))) return 0;
    char *end;
    long cc = isdigit((unsigned char)digits[1]) ? strtol(digits + 1, &end, 10) : 0;
    if (cc < 10 || cc > 999) return 0;
    return !*end || ((*end == 'a' || *end == 'f') && !end[1]) ? (int)cc : 0;
}

static hw_status add_arch(reader *r, int cc) {
    hw_nvcc_command *command = r->command;
    for (size_t i = 0; i < command->n_archs; i++)
        if (command->archs[i] == cc) return HW_OK;
    if (command->n_archs == HW_NVCC_MAX_ARCHS)
        return hw_diag_set(r->diag, HW_USAGE, "more than %d architectures are asked for", HW_NVCC_MAX_ARCHS);
    command->archs[command->n_archs++] = cc;
    return HW_OK;
}

// For a word that stands for several: those that programs ask for by name, from the oldest that nvcc 13 compiles for.
static hw_status add_named_archs(reader *r, const char *value) {
    static const int all[] = {75, 80, 86, 89, 90}, major[] = {75, 80, 90}, native[] = {90};
    const int *archs = !strcmp(value, "all") ? all : !strcmp(value, "all-major") ? major : native;
    size_t count = archs == all ? sizeof all / sizeof all[0] : archs == major ? sizeof major / sizeof major[0] : 1;
    hw_status status = HW_OK;
    for (size_t i = 0; !status && i < count; i++) status = add_arch(r, archs[i]);
    return status;
}

static hw_status take_arch(reader *r, const char *value) {
    int cc = hw_nvcc_read_arch(value);
    if (cc) return add_arch(r, cc);
    if (!strcmp(value, "native") || !strcmp(value, "all") || !strcmp(value, "all-major"))
        return add_named_archs(r, value);
    return hw_diag_set(r->diag, HW_USAGE, "there is no architecture '%s'; one is spelled sm_80 or compute_80", value);
}

// arch=compute_80,code=[compute_80,sm_80]
static hw_status take_gencode(reader *r, const char *value) {
    const char *arch = strstr(value, "arch=");
    const char *name = arch ? arch + strlen("arch=") : "";
    if (*name == '"') name++;
    name = hw_arena_string(r->arena, name, strcspn(name, ",\""));
    if (!name) return hw_diag_no_memory(r->diag);
    if (!hw_nvcc_read_arch(name))
        return hw_diag_set(r->diag, HW_USAGE, "-gencode takes a value like arch=compute_80,code=sm_80, and got '%s'",
                           value);
    return take_arch(r, name);
}

// ---- Options --------------------------------------------------------------------------------------------------------

static const row *find_row(const char *word, size_t *name_length) {
    const char *name = word + 1 + (word[1] == '-');
    size_t length = strcspn(name, "=");
    *name_length = (size_t)(name - word) + length;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((strlen(rows[i].long_name) == length && !strncmp(rows[i].long_name, name, length)) ||
            (strlen(rows[i].short_name) == length && !strncmp(rows[i].short_name, name, length)))
            return &rows[i];
    // -ofile, -xcu
    if (word[1] != 'o' && word[1] != 'x') return NULL;
    *name_length = 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].short_name[0] == word[1] && !rows[i].short_name[1]) return &rows[i];
    return NULL;
}

static hw_status refuse_value(reader *r, const row *row, const char *value, const char *wanted) {
    return hw_diag_set(r->diag, HW_USAGE, "-%s takes %s, and got '%s'", row->short_name, wanted, value);
}

// Kinds that clang has no warning for cannot become errors, and are none.
static hw_status take_warnings(reader *r, const row *row, const char *value) {
    static const char *const kinds[] = {"all-warnings",          "reorder",                "deprecated-declarations",
                                        "cross-execution-space-call", "default-stream-launch", "missing-launch-bounds",
                                        "ext-lambda-captures-this"};
    static const char *const words[] = {"-Werror", "-Werror=reorder", "-Werror=deprecated-declarations"};
    hw_args list = {.arena = r->arena};
    hw_args_add_list(&list, value);
    for (size_t i = 0; i < list.count; i++) {
        size_t kind = 0;
        while (kind < sizeof kinds / sizeof kinds[0] && strcmp(kinds[kind], list.items[i]) != 0) kind++;
        if (kind == sizeof kinds / sizeof kinds[0])
            return refuse_value(r, row, list.items[i], "kinds of warnings, like all-warnings");
        if (kind < sizeof words / sizeof words[0]) hw_args_add(&r->command->passed, words[kind]);
    }
    return list.failed ? hw_diag_no_memory(r->diag) : HW_OK;
}

static hw_status take_choice(reader *r, const row *row, const char *value) {
    hw_nvcc_command *command = r->command;
    switch (row->meaning) {
    case LANGUAGE:
        if (strcmp(value, "cu") && strcmp(value, "c++") && strcmp(value, "c"))
            return refuse_value(r, row, value, "cu, c++ or c");
        command->language = value;
        return HW_OK;
    case RUNTIME:
        if (strcmp(value, "none") && strcmp(value, "shared") && strcmp(value, "static"))
            return refuse_value(r, row, value, "none, shared or static");
        command->has_runtime = strcmp(value, "none") != 0;
        return HW_OK;
    case RELOCATABLE:
        if (strcmp(value, "true") && strcmp(value, "false")) return refuse_value(r, row, value, "true or false");
        command->relocatable = !strcmp(value, "true");
        return HW_OK;
    default:
        if (strcmp(value, "nvcc") && strcmp(value, "clang")) return refuse_value(r, row, value, "nvcc or clang");
        command->compiler = !strcmp(value, "nvcc") ? HW_COMPILER_NVCC : HW_COMPILER_CLANG;
        return HW_OK;
    }
}

static void tell_ignored(reader *r, const row *row) {
    hw_args *told = &r->command->told;
    const char *line = hw_arena_printf(r->arena, "-%s is ignored: %s", row->short_name, row->text);
    for (size_t i = 0; line && i < told->count; i++)
        if (!strcmp(told->items[i], line)) return;
    hw_args_add(told, line);
}

static void add_dependency_word(hw_nvcc_command *command, const char *option, const char *value) {
    hw_args_add(&command->depends_words, option);
    if (value) hw_args_add(&command->depends_words, value);
}

static hw_status take_option(reader *r, const row *row, const char *value) {
    // In the order of the meanings.
    static const hw_nvcc_goal goals[] = {
        HW_NVCC_PROGRAM,      HW_NVCC_RUN,          HW_NVCC_OBJECT,            HW_NVCC_OBJECT, HW_NVCC_DEVICE_LINK,
        HW_NVCC_LIBRARY,      HW_NVCC_PREPROCESSED, HW_NVCC_DEPENDENCIES,      HW_NVCC_USER_DEPENDENCIES,
        HW_NVCC_PTX,          HW_NVCC_FATBIN,       HW_NVCC_CUBIN,
    };
    hw_nvcc_command *command = r->command;
    if (row->meaning <= GOAL_CUBIN) command->goal = goals[row->meaning];
    switch (row->meaning) {
    case GOAL_RELOCATABLE: command->relocatable = true; break;
    case OUTPUT: command->output = value; break;
    case OUTPUT_FOLDER: command->output_dir = value; break;
    case DEPENDS: command->depends = row->text; break;
    case DEPENDS_FILE: command->depends_file = value; break;
    case DEPENDS_TARGET: add_dependency_word(command, "-MT", value); break;
    case DEPENDS_PHONY: add_dependency_word(command, "-MP", NULL); break;
    case ARCH: return take_arch(r, value);
    case GENCODE: return take_gencode(r, value);
    case SHARED: command->shared = true; break;
    case HOST_COMPILER: command->host_compiler = value; break;
    case ARCHIVER: command->archiver = value; break;
    case ARCHIVER_OPTION: hw_args_add_list(&command->archiver_options, value); break;
    case RUN_ARGUMENTS: hw_args_add_list(&command->run_arguments, value); break;
    case VERBOSE: command->verbose = true; break;
    case DRY_RUN: command->dry_run = true; break;
    case FORWARD_COMPILER: r->forwards_to_compiler = true; break;
    case FORWARD_LINKER: r->forwards_to_linker = true; break;
    case FORWARD_BOTH: r->forwards_to_compiler = r->forwards_to_linker = true; break;
    case WARNINGS: return take_warnings(r, row, value);
    case LANGUAGE: case RUNTIME: case RELOCATABLE: case COMPILER: return take_choice(r, row, value);
    case TOLD: tell_ignored(r, row); break;
    case REFUSED:
        return hw_diag_set(r->diag, HW_USAGE, "-%s is not supported without NVIDIA's nvcc: %s", row->short_name,
                           row->text);
    default: break;
    }
    return HW_OK;
}

// An option of nvcc.def at words[0]; *taken words.
static hw_status read_own(reader *r, const row *row, size_t name_length, const char *const *words, size_t left,
                          size_t *taken) {
    const char *value = words[0] + name_length;
    *taken = 1;
    if (row->form == ALONE)
        return *value ? hw_diag_set(r->diag, HW_USAGE, "the option -%s takes no value", row->short_name)
                      : take_option(r, row, NULL);
    if (*value == '=') value++;
    else if (!*value && left > 1) {
        value = words[1];
        *taken = 2;
    }
    if (!*value) return hw_diag_set(r->diag, HW_USAGE, "the option %s takes a value", words[0]);
    return take_option(r, row, value);
}

static hw_status read_word(reader *r, const char *const *words, size_t left, size_t *taken) {
    const char *word = words[0];
    size_t name_length;
    *taken = 1;
    if (word[0] != '-' || !word[1]) {
        hw_args_add(&r->command->inputs, word);
        return HW_OK;
    }
    const row *row = find_row(word, &name_length);
    if (row) return read_own(r, row, name_length, words, left, taken);
    // nvcc's -O has a value; g++'s is one word.
    if (!strcmp(word, "-O") && left > 1 && isdigit((unsigned char)words[1][0]) && !words[1][1]) {
        hw_args_addf(&r->command->passed, "-O%s", words[1]);
        *taken = 2;
        return HW_OK;
    }
    size_t count = hw_arguments_words(word);
    if (!count) hw_args_add(&r->unknown, word);
    if (count > left) return hw_diag_set(r->diag, HW_USAGE, "the option %s takes a value", word);
    for (size_t i = 0; i < count; i++) hw_args_add(&r->command->passed, words[i]);
    *taken = count ? count : 1;
    return HW_OK;
}

static hw_nvcc_command empty_command(hw_arena *arena) {
    return (hw_nvcc_command){.inputs.arena = arena, .passed.arena = arena, .forwarded.arena = arena,
                             .linked.arena = arena, .archiver_options.arena = arena, .run_arguments.arena = arena,
                             .depends_words.arena = arena, .told.arena = arena, .has_runtime = true};
}

hw_status hw_nvcc_read_names(const hw_args *words, hw_arena *arena, hw_nvcc_command *command, hw_diag *diag) {
    *command = empty_command(arena);
    reader r = {.arena = arena, .command = command, .unknown.arena = arena};
    for (size_t i = 0, taken = 1; i < words->count; i += taken)
        if (read_word(&r, words->items + i, words->count - i, &taken) == HW_NO_MEMORY) return hw_diag_no_memory(diag);
    return command->inputs.failed ? hw_diag_no_memory(diag) : HW_OK;
}

hw_status hw_nvcc_parse(const hw_args *words, hw_arena *arena, hw_nvcc_command *command, hw_diag *diag) {
    *command = empty_command(arena);
    reader r = {.arena = arena, .command = command, .unknown.arena = arena, .diag = diag};
    hw_status status = HW_OK;
    for (size_t i = 0, taken = 1; !status && i < words->count; i += taken)
        status = read_word(&r, words->items + i, words->count - i, &taken);
    if (status) return status;
    if (r.unknown.count && !r.forwards_to_compiler && !r.forwards_to_linker)
        return hw_diag_set(diag, HW_USAGE, "there is no option %s; -Xcompiler hands one to the C++ compiler",
                           r.unknown.items[0]);
    if (r.forwards_to_compiler) hw_args_add_all(&command->forwarded, &r.unknown);
    if (r.forwards_to_linker) hw_args_add_all(&command->linked, &r.unknown);
    if (command->inputs.failed || command->passed.failed || command->told.failed || command->depends_words.failed)
        return hw_diag_no_memory(diag);
    return HW_OK;
}

const char *hw_nvcc_output(const hw_nvcc_command *command, const char *input, const char *ending, hw_arena *arena) {
    if (command->output) return command->output;
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (command->output_dir)
        return hw_arena_printf(arena, "%s/%.*s%s", command->output_dir, length, name, ending);
    return hw_arena_printf(arena, "%.*s%s", length, name, ending);
}
