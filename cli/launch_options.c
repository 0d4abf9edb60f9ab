// The options of run and profile, as tables. What a user of nvcc puts before the file's name is passed on to the
// compiler; everything behind PROG belongs to the program.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gpu.h"
#include "launch.h"

enum { MAX_THREADS = 1024, MAX_GPUS = 256 };

static bool set_gpu(hw_cli_launch *launch, const char *value) {
    const hw_gpu *gpu = hw_gpu_find(value), *known;
    if (gpu) {
        launch->gpu = gpu->id;
        return true;
    }
    const char *names[MAX_GPUS];
    size_t count = 0;
    while (count < MAX_GPUS && (known = hw_gpu_at(count))) names[count++] = known->id;
    const char *near = hw_cli_nearest(value, names, count);
    if (near) hw_cli_complain("there is no GPU '%s'; did you mean '%s'? `halfwarp gpus` lists them", value, near);
    else hw_cli_complain("there is no GPU '%s'; `halfwarp gpus` lists them", value);
    return false;
}

static bool is_number(const char *text, unsigned long long least, unsigned long long most) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)text[0])) return false;
    unsigned long long value = strtoull(text, &end, 0);
    return !errno && !*end && value >= least && value <= most;
}

static bool set_threads(hw_cli_launch *launch, const char *value) {
    launch->threads = value;
    if (is_number(value, 1, MAX_THREADS)) return true;
    hw_cli_complain("--threads takes a number from 1 to %d, and got '%s'", MAX_THREADS, value);
    return false;
}

static bool set_seed(hw_cli_launch *launch, const char *value) {
    launch->seed = value;
    if (is_number(value, 0, ULLONG_MAX)) return true;
    hw_cli_complain("--seed takes a number, and got '%s'", value);
    return false;
}

static bool set_compiler(hw_cli_launch *launch, const char *value) {
    launch->compiler = value;
    if (!strcmp(value, "nvcc") || !strcmp(value, "clang")) return true;
    hw_cli_complain("--compiler is nvcc or clang, and not '%s'", value);
    return false;
}

static bool set_format(hw_cli_launch *launch, const char *value) {
    launch->format = value;
    if (!strcmp(value, "table") || !strcmp(value, "csv") || !strcmp(value, "json")) return true;
    hw_cli_complain("--format is table, csv or json, and not '%s'", value);
    return false;
}

static bool set_output(hw_cli_launch *launch, const char *value) {
    launch->output = value;
    if (*value) return true;
    hw_cli_complain("-o takes a file's name");
    return false;
}

static bool set_lines(hw_cli_launch *launch, const char *value) {
    (void)value;
    launch->lines = true;
    return true;
}

typedef struct option_row {
    const char *name;
    bool takes_value, profile_only;
    bool (*set)(hw_cli_launch *launch, const char *value);
} option_row;

static const option_row options[] = {
    {"--gpu", true, false, set_gpu},           {"--threads", true, false, set_threads},
    {"--seed", true, false, set_seed},         {"--compiler", true, false, set_compiler},
    {"--format", true, true, set_format},      {"-o", true, true, set_output},
    {"--lines", false, true, set_lines},
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

// Compiler options. separate: the value may stand in the next argument; prefix: anything may follow the name.
typedef struct compile_row {
    const char *name;
    bool separate, prefix;
} compile_row;

static const compile_row compile_rows[] = {
    {"-I", true, true},         {"-D", true, true},          {"-U", true, true},
    {"-L", true, true},         {"-l", true, true},          {"-isystem", true, false},
    {"-include", true, false},  {"-std", true, false},       {"--std", true, false},
    {"-std=", false, true},     {"--std=", false, true},     {"-O", false, true},
    {"-G", false, false},       {"-g", false, false},        {"-lineinfo", false, false},
    {"-w", false, false},       {"-W", false, true},         {"-ffast-math", false, false},
    {"-use_fast_math", false, false},                        {"--use_fast_math", false, false},
    {"-maxrregcount", true, false},                          {"-maxrregcount=", false, true},
    {"-rdc=", false, true},     {"-Xcompiler", true, false}, {"-Xptxas", true, false},
    {"--expt-relaxed-constexpr", false, false},              {"--expt-extended-lambda", false, false},
    {"--extended-lambda", false, false},                     {"-ftz=", false, true},
    {"-prec-div=", false, true}, {"-prec-sqrt=", false, true}, {"-fmad=", false, true},
    {"--fmad=", false, true},
};
enum { N_COMPILE_ROWS = sizeof compile_rows / sizeof compile_rows[0] };

// The longest name that fits: -lineinfo is not -l with the value ineinfo.
static const compile_row *find_compile_row(const char *word) {
    const compile_row *best = NULL;
    for (int i = 0; i < N_COMPILE_ROWS; i++) {
        const compile_row *row = &compile_rows[i];
        size_t length = strlen(row->name);
        if (strncmp(word, row->name, length) != 0 || (word[length] && !row->prefix)) continue;
        if (!best || length > strlen(best->name)) best = row;
    }
    return best;
}

// How many arguments it was: 1, 2, or 0 after a complaint.
static int take_compile_option(hw_cli_launch *launch, const compile_row *row, char **argv) {
    launch->compile_options[launch->n_compile_options++] = argv[0];
    if (!row->separate || strlen(argv[0]) > strlen(row->name)) return 1;
    if (!argv[1]) {
        hw_cli_complain("%s takes a value", argv[0]);
        return 0;
    }
    launch->compile_options[launch->n_compile_options++] = argv[1];
    return 2;
}

static int take_option(hw_cli_launch *launch, const option_row *row, char **argv) {
    const char *equals = strchr(argv[0], '=');
    const char *value = equals ? equals + 1 : argv[1];
    if (!row->takes_value) {
        if (!equals) return row->set(launch, NULL);
        hw_cli_complain("%s takes no value", row->name);
        return 0;
    }
    if (!value) {
        hw_cli_complain("%s takes a value", row->name);
        return 0;
    }
    if (!row->set(launch, value)) return 0;
    return equals ? 1 : 2;
}

static const option_row *find_option(const char *word, bool is_profile) {
    for (int i = 0; i < N_OPTIONS; i++) {
        size_t length = strlen(options[i].name);
        if (options[i].profile_only && !is_profile) continue;
        if (strncmp(word, options[i].name, length) == 0 && (!word[length] || word[length] == '=')) return &options[i];
    }
    return NULL;
}

static void complain_unknown(const char *word, bool is_profile) {
    const char *names[N_OPTIONS];
    size_t count = 0;
    for (int i = 0; i < N_OPTIONS; i++)
        if (is_profile || !options[i].profile_only) names[count++] = options[i].name;
    const char *near = hw_cli_nearest(word, names, count), *command = is_profile ? "profile" : "run";
    if (!is_profile && find_option(word, true))
        hw_cli_complain("%s is an option of `halfwarp profile`, not of run", word);
    else if (near) hw_cli_complain("there is no option %s; did you mean %s?", word, near);
    else hw_cli_complain("there is no option %s; `halfwarp %s --help` lists them", word, command);
}

int hw_cli_launch_parse(hw_cli_launch *launch, bool is_profile, int argc, char **argv) {
    *launch = (hw_cli_launch){.gpu = "h200", .format = "table"};
    launch->compile_options = calloc((size_t)argc + 1, sizeof *launch->compile_options);
    if (!launch->compile_options) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    int i = 1;
    while (i < argc && argv[i][0] == '-' && argv[i][1]) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        const option_row *option = find_option(argv[i], is_profile);
        const compile_row *row = option ? NULL : find_compile_row(argv[i]);
        if (!option && !row) {
            complain_unknown(argv[i], is_profile);
            return HW_EXIT_USAGE;
        }
        int taken = option ? take_option(launch, option, argv + i) : take_compile_option(launch, row, argv + i);
        if (!taken) return HW_EXIT_USAGE;
        i += taken;
    }
    if (i >= argc) {
        hw_cli_complain("which program? Usage: halfwarp %s [OPTIONS] PROG [ARGS]", is_profile ? "profile" : "run");
        return HW_EXIT_USAGE;
    }
    launch->program = argv + i;
    return 0;
}

void hw_cli_launch_free(hw_cli_launch *launch) {
    free(launch->compile_options);
    launch->compile_options = NULL;
}
