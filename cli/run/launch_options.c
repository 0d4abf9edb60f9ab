// The options of run and profile, as tables. What a user of nvcc puts before the file's name is passed on to the
// compiler; everything behind PROG belongs to the program.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "base/suggest.h"
#include "device/sim.h"
#include "isa/gpu.h"
#include "html/html.h"
#include "run/budgets.h"
#include "run/launch.h"
#include "run/plan_options.h"
#include "output/text_output.h"
#include "output/whole_file.h"

enum { MAX_THREADS = 1024, MAX_SECONDS = 1000000000, MAX_ORDERS = 1000000 };

static bool set_gpu(hw_cli_launch *launch, const char *value) {
    const hw_gpu *gpu = hw_cli_find_gpu(value);
    if (gpu) launch->gpu = hw_cli_gpu_word(gpu);
    return gpu != NULL;
}

static bool is_number(const char *text, unsigned long long least, unsigned long long most) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)text[0])) return false;
    unsigned long long value = strtoull(text, &end, 10);
    return !errno && !*end && value >= least && value <= most;
}

static bool is_count(const char *option, const char *value, unsigned most) {
    if (is_number(value, 1, most)) return true;
    hw_cli_complain("%s takes a number from 1 to %u, and got '%s'", option, most, value);
    return false;
}

static bool set_gpus(hw_cli_launch *launch, const char *value) {
    launch->gpus = value;
    return is_count("--gpus", value, HW_MEM_GPUS);
}

static bool set_threads(hw_cli_launch *launch, const char *value) {
    launch->threads = value;
    return is_count("--threads", value, MAX_THREADS);
}

static bool set_seed(hw_cli_launch *launch, const char *value) {
    launch->seed = value;
    if (is_number(value, 0, ULLONG_MAX)) return true;
    hw_cli_complain("--seed takes a number, and got '%s'", value);
    return false;
}

static bool set_poison(hw_cli_launch *launch, const char *value) {
    launch->poison = value ? value : "0xff";
    char *end = NULL;
    bool is_hex = value && value[0] == '0' && (value[1] == 'x' || value[1] == 'X') && isxdigit((unsigned char)value[2]);
    unsigned long byte = is_hex ? strtoul(value, &end, 16) : 0;
    if (!value || (is_hex && !*end && byte <= 255) || is_number(value, 0, 255)) return true;
    hw_cli_complain("--poison= takes a byte, 0 to 255 or 0x00 to 0xff, and got '%s'", value);
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
    if (launch->checks) {
        if (!strcmp(value, "text") || !strcmp(value, "json") || !strcmp(value, "sarif")) return true;
        hw_cli_complain("--format is text, json or sarif, and not '%s'", value);
        return false;
    }
    if (launch->plans) return hw_cli_set_plan_format(value);
    return hw_cli_read_format(value) != HW_REPORT_FORMATS;
}

static bool set_output(hw_cli_launch *launch, const char *value) {
    launch->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_lines(hw_cli_launch *launch, const char *value) {
    static const char *const names[] = {[HW_LINES_OF_KERNEL] = "kernel", [HW_LINES_OF_GROUP] = "group",
                                        [HW_LINES_OF_LAUNCH] = "launch"};
    launch->lines = true;
    if (!value) return true;
    for (int i = HW_LINES_OF_KERNEL; i <= HW_LINES_OF_LAUNCH; i++) {
        if (strcmp(value, names[i]) != 0) continue;
        launch->lines_of = (hw_report_lines)i;
        return true;
    }
    hw_cli_complain("--lines adds up the launches of a kernel, of a group or a launch alone: --lines=kernel, =group or "
                    "=launch, and not '%s'", value);
    return false;
}

static bool set_summary(hw_cli_launch *launch, const char *value) {
    (void)value;
    launch->rows = HW_REPORT_ROWS_SUMMARY;
    return true;
}

// Options without a value: each sets what is true from then on.
#define SWITCH(set_member, member)                                     \
    static bool set_member(hw_cli_launch *launch, const char *value) { \
        (void)value;                                                   \
        return launch->member = true;                                  \
    }
SWITCH(set_copies, copies)
SWITCH(set_advice, advice)
SWITCH(set_no_reuse, no_reuse)
SWITCH(set_lenient, lenient)
SWITCH(set_no_l1, no_l1)
SWITCH(set_leaks, leaks)
SWITCH(set_nan, watches_floats)
SWITCH(set_integers, watches_integers)
#undef SWITCH

static bool set_trace(hw_cli_launch *launch, const char *value) {
    launch->trace = value;
    return hw_cli_is_file_name("--trace", value);
}

static bool set_launches(hw_cli_launch *launch, const char *value) {
    (void)value;
    launch->rows = HW_REPORT_ROWS_LAUNCHES;
    return true;
}

bool hw_cli_compile_kernel(const char *option, const char *value, regex_t *expression) {
    char why[128];
    int failure = *value ? regcomp(expression, value, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
    if (!failure) return true;
    if (*value) regerror(failure, NULL, why, sizeof why);
    hw_cli_complain("%s takes an extended regular expression, and '%s' is none: %s", option, value,
                    *value ? why : "it is empty");
    return false;
}

static bool is_expression(const char *option, const char *value) {
    regex_t expression;
    bool good = hw_cli_compile_kernel(option, value, &expression);
    if (good) regfree(&expression);
    return good;
}

static bool set_fail_if(hw_cli_launch *launch, const char *value) {
    hw_diag diag = {0};
    if (!hw_budgets_add(&launch->budgets, value, &diag)) return true;
    hw_cli_complain("--fail-if: %s", diag.text);
    return false;
}

static bool set_budgets(hw_cli_launch *launch, const char *value) {
    return hw_cli_budgets_read(value, &launch->budgets);
}

static bool set_page(hw_cli_launch *launch, const char *value) {
    launch->page = value;
    return hw_cli_html_check(value);
}

static bool set_junit(hw_cli_launch *launch, const char *value) {
    launch->junit = value;
    return hw_cli_is_file_name("--junit", value) && !hw_cli_try_file(value);
}

static bool set_sarif(hw_cli_launch *launch, const char *value) {
    launch->sarif = value;
    return hw_cli_is_file_name("--sarif", value) && !hw_cli_try_file(value);
}

static bool set_kernel(hw_cli_launch *launch, const char *value) {
    launch->kernel = value;
    return is_expression("--kernel", value);
}

static bool set_skip(hw_cli_launch *launch, const char *value) {
    launch->skip = value;
    if (is_number(value, 0, ULLONG_MAX)) return true;
    hw_cli_complain("--skip takes a number of launches, and got '%s'", value);
    return false;
}

static bool is_positive(const char *option, const char *value) {
    if (is_number(value, 1, ULLONG_MAX - 1)) return true;
    hw_cli_complain("%s takes a number of launches from 1 on, and got '%s'", option, value);
    return false;
}

static bool set_count(hw_cli_launch *launch, const char *value) {
    launch->count = value;
    return is_positive("--count", value);
}

static bool set_timeout(hw_cli_launch *launch, const char *value) {
    launch->timeout = value;
    const double seconds = strspn(value, "0123456789.") == strlen(value) ? strtod(value, NULL) : 0;
    if (seconds > 0 && seconds <= MAX_SECONDS) return true;
    hw_cli_complain("--timeout takes a number of seconds above 0, and got '%s'", value);
    return false;
}

static bool set_max_launches(hw_cli_launch *launch, const char *value) {
    launch->max_launches = value;
    return is_positive("--max-launches", value);
}

// Given twice, both have to hold.
static bool set_only(hw_cli_launch *launch, const char *value) {
    static const char kernel[] = "kernel=", one_of[] = "launch=";
    hw_cli_shard share;
    if (strncmp(value, kernel, strlen(kernel)) == 0) {
        launch->only_kernel = value + strlen(kernel);
        return is_expression("--only kernel=", launch->only_kernel);
    }
    if (strncmp(value, one_of, strlen(one_of)) == 0 && hw_cli_shard_parse(value + strlen(one_of), &share)) {
        launch->only_launch = value + strlen(one_of);
        return true;
    }
    hw_cli_complain("--only takes kernel=REGEX or launch=K/N, K from 1 to N, and got '%s'", value);
    return false;
}

static bool set_shards(hw_cli_launch *launch, const char *value) { return hw_cli_shard_read(value, &launch->shard); }

static bool set_time(hw_cli_launch *launch, const char *value) {
    launch->time = value;
    if (!strcmp(value, "gpu") || !strcmp(value, "host")) return true;
    hw_cli_complain("--time is gpu or host, and not '%s'", value);
    return false;
}

static bool set_check(hw_cli_launch *launch, const char *value) {
    launch->checks_too = true;
    launch->check_output = value;
    return !value || hw_cli_is_file_name("--check=", value);
}

static bool set_schedule(hw_cli_launch *launch, const char *value) {
    launch->schedule = value;
    return is_count("--schedule", value, MAX_ORDERS);
}

static bool set_max_findings(hw_cli_launch *launch, const char *value) {
    launch->max_findings = value;
    if (is_number(value, 0, ULLONG_MAX)) return true;
    hw_cli_complain("--max-findings takes a number of findings of a kind, and got '%s'", value);
    return false;
}

static bool set_suppressions(hw_cli_launch *launch, const char *value) {
    launch->suppressions = value;
    return true;
}

typedef enum option_value { NO_VALUE, A_VALUE, MAYBE_A_VALUE /* behind an '=' only */ } option_value;

typedef struct option_row {
    const char *name;
    option_value value;
    unsigned commands;         // HW_CLI_RUN, ...: those that have it
    bool (*set)(hw_cli_launch *launch, const char *value);
} option_row;

// Which commands have an option.
enum {
    RUNS = HW_CLI_RUN | HW_CLI_PROFILE | HW_CLI_CHECK | HW_CLI_PLAN,
    EXECUTES = HW_CLI_RUN | HW_CLI_PROFILE | HW_CLI_PLAN,   // at full speed: by all threads, what is new
    PROFILES = HW_CLI_PROFILE,
    WRITES = HW_CLI_PROFILE | HW_CLI_CHECK | HW_CLI_PLAN,
    REPORTS = HW_CLI_PROFILE | HW_CLI_CHECK
};

static const option_row launch_option_rows[] = {
    {"--gpu", A_VALUE, RUNS, set_gpu},
    {"--gpus", A_VALUE, RUNS, set_gpus},
    {"--threads", A_VALUE, EXECUTES, set_threads},
    {"--seed", A_VALUE, RUNS, set_seed},
    {"--compiler", A_VALUE, RUNS, set_compiler},
    {"--poison", MAYBE_A_VALUE, RUNS, set_poison},
    {"--timeout", A_VALUE, RUNS, set_timeout},
    {"--max-launches", A_VALUE, RUNS, set_max_launches},
    {"--only", A_VALUE, RUNS, set_only},
    {"--shards", A_VALUE, RUNS, set_shards},
    {"--no-reuse", NO_VALUE, EXECUTES, set_no_reuse},
    {"--lenient", NO_VALUE, EXECUTES, set_lenient},
    {"--time", A_VALUE, HW_CLI_RUN | HW_CLI_PROFILE, set_time},
    {"--format", A_VALUE, WRITES, set_format},
    {"-o", A_VALUE, WRITES, set_output},
    {"--cpu-ms", A_VALUE, HW_CLI_PLAN, hw_cli_set_cpu_ms},
    {"--own-ms", A_VALUE, HW_CLI_PLAN, hw_cli_set_own_ms},
    {"--leaks", NO_VALUE, REPORTS, set_leaks},
    {"--schedule", A_VALUE, HW_CLI_CHECK, set_schedule},
    {"--suppress", A_VALUE, REPORTS, set_suppressions},
    {"--nan", NO_VALUE, REPORTS, set_nan},
    {"--integers", NO_VALUE, REPORTS, set_integers},
    {"--max-findings", A_VALUE, REPORTS, set_max_findings},
    {"--check", MAYBE_A_VALUE, PROFILES, set_check},
    {"--lines", MAYBE_A_VALUE, PROFILES, set_lines},
    {"--no-l1", NO_VALUE, PROFILES, set_no_l1},
    {"--kernel", A_VALUE, PROFILES, set_kernel},
    {"--report", A_VALUE, REPORTS, set_page},
    {"--advice", NO_VALUE, PROFILES, set_advice},
    {"--fail-if", A_VALUE, PROFILES, set_fail_if},
    {"--budgets", A_VALUE, PROFILES, set_budgets},
    {"--junit", A_VALUE, PROFILES, set_junit},
    {"--sarif", A_VALUE, PROFILES, set_sarif},
    {"--skip", A_VALUE, PROFILES, set_skip},
    {"--count", A_VALUE, PROFILES, set_count},
    {"--summary", NO_VALUE, PROFILES, set_summary},
    {"--launches", NO_VALUE, PROFILES, set_launches},
    {"--copies", NO_VALUE, PROFILES, set_copies},
    {"--trace", A_VALUE, PROFILES, set_trace},
    {"--plot", A_VALUE, PROFILES, hw_cli_set_profile_plot},
};
enum { N_OPTIONS = sizeof launch_option_rows / sizeof launch_option_rows[0] };

// Compiler options in nvcc's spelling. The first take a value in the same or the next word, except that a name with
// '=' has it in the same word; the second stand alone; -O and -W are followed by what they mean.
static const char *const compile_values[] = {
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-isystem",
    "-include",
    "-std",
    "-std=",
    "--std",
    "--std=",
    "-maxrregcount",
    "-maxrregcount=",
    "--maxrregcount",
    "--maxrregcount=",
    "-Xcompiler",
    "-Xcompiler=",
    "-Xptxas",
    "-Xptxas=",
    "--ptxas-options",
    "--ptxas-options=",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fmad=",
    "--fmad=",
    "-arch",
    "-arch=",
    "--gpu-architecture",
    "--gpu-architecture=",
    "-code",
    "-code=",
    "--gpu-code",
    "--gpu-code=",
    "-gencode",
    "-gencode=",
    "--generate-code",
    "--generate-code=",
    NULL,
};
static const char *const compile_flags[] = {
    "-G",
    "-g",
    "-w",
    "-lineinfo",
    "-use_fast_math",
    "--use_fast_math",
    "-ffast-math",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "--extended-lambda",
    "-rdc=true",
    "-O",
    "-W",
    "-keep",
    "--keep",
    "-deviceemu",
    "--device-emulation",
    NULL,
};

int hw_cli_compile_option_words(char *const *argv) {
    const char *word = argv[0];
    size_t longest = 0;   // -lineinfo is not -l with the value ineinfo
    int words = 0;
    for (int i = 0; compile_flags[i]; i++)
        if (strcmp(word, compile_flags[i]) == 0) return 1;
    if (strncmp(word, "-O", 2) == 0 || strncmp(word, "-W", 2) == 0) return 1;
    for (int i = 0; compile_values[i]; i++) {
        size_t length = strlen(compile_values[i]);
        if (length < longest || strncmp(word, compile_values[i], length) != 0) continue;
        // Words of several letters take no value that is glued on: -standard is not -std.
        bool glued = word[length] != '\0';
        if (glued && length > 2 && compile_values[i][length - 1] != '=') continue;
        longest = length;
        words = glued || compile_values[i][length - 1] == '=' ? 1 : 2;
    }
    return words;
}

// ptxas options, after which loads of 2.x go past the first-level cache.
static bool asks_for_no_l1(const char *word) {
    static const char *const names[] = {"dlcm=", "dlcm ", "def-load-cache=", "def-load-cache "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = strstr(word, names[i]);
        const char *mode = at ? at + strlen(names[i]) : "";
        if (strncmp(mode, "cg", 2) == 0 || strncmp(mode, "cv", 2) == 0) return true;
    }
    return false;
}

// The words may be "-maxrregcount=32", "-maxrregcount" and "32", "-Xptxas" and "-maxrregcount=32".
bool hw_cli_compile_option_max_regs(char *const *words, int n_words, uint32_t *max_regs) {
    enum { MOST = 65535 };
    static const char name[] = "-maxrregcount";
    const bool is_for_ptxas = n_words && strstr(words[0], "ptxas");
    const char *at = n_words ? strstr(words[is_for_ptxas ? n_words - 1 : 0], name) : NULL, *value;
    if (!at) return true;
    value = at[strlen(name)] ? at + strlen(name) + 1 : n_words > 1 && !is_for_ptxas ? words[1] : "";
    char *end = NULL;
    unsigned long number = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;
    if (number < 1 || number > MOST || (*end && *end != ',')) {
        hw_cli_complain("-maxrregcount takes a number of registers per thread, and got '%s'", value);
        return false;
    }
    *max_regs = (uint32_t)number;
    return true;
}

// How many arguments it was, or 0 after a complaint.
static int take_compile_option(hw_cli_launch *launch, int words, char **argv) {
    for (int i = 0; i < words; i++) {
        if (!argv[i]) {
            hw_cli_complain("%s takes a value", argv[0]);
            return 0;
        }
        launch->compile_options[launch->n_compile_options++] = argv[i];
    }
    if (!hw_cli_compile_option_max_regs(argv, words, &launch->max_regs)) return 0;
    if (strstr(argv[0], "ptxas")) launch->no_l1 |= asks_for_no_l1(argv[words - 1]);
    return words;
}

int hw_cli_launch_take(hw_cli_launch *launch, char **argv, bool *complained) {
    int words = hw_cli_compile_option_words(argv);
    int taken = words ? take_compile_option(launch, words, argv) : 0;
    *complained = words && !taken;
    return taken;
}

static bool is_for_architecture(const char *option) {
    static const char *const names[] = {"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode",
                                        "--generate-code"};
    size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncmp(option, names[i], length) == 0) return true;
    return false;
}

// Does an option about architectures ask for another than this one alone? Its words name them: sm_80, compute_80.
static bool asks_for_other(char *const *option, int cc) {
    size_t length = strcspn(option[0], "=");
    const char *value = option[0][length] ? option[0] + length + 1 : option[1];
    if (!is_for_architecture(option[0]) || !value) return false;
    bool names_any = false;
    for (const char *at = value; (at = strchr(at, '_')); at++) {
        names_any = true;
        if (strtol(at + 1, NULL, 10) != cc) return true;
    }
    return !names_any;
}

// Options of the first nvccs that change nothing here.
static void tell_without_use(const hw_cli_launch *launch) {
    static const char kept[] = "no intermediate files are kept; `halfwarp ptx` prints the PTX";
    static const char emulated[] = "every program runs on a simulated GPU, and `halfwarp check` looks for its hazards";
    static const char *const rows[][2] = {
        {"-keep", kept}, {"--keep", kept}, {"-deviceemu", emulated}, {"--device-emulation", emulated}};
    for (int i = 0; i < launch->n_compile_options; i++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
            if (!strcmp(launch->compile_options[i], rows[k][0]))
                hw_cli_complain("%s is ignored: %s", rows[k][0], rows[k][1]);
}

void hw_cli_launch_tell_arch(const hw_cli_launch *launch) {
    const hw_gpu *gpu = hw_cli_find_gpu(launch->gpu);
    tell_without_use(launch);
    for (int i = 0; gpu && i < launch->n_compile_options; i++) {
        if (!asks_for_other((char *const *)launch->compile_options + i, gpu->arch->cc)) continue;
        hw_cli_complain("%s is ignored: device code is compiled for the GPU that is simulated, %s (compute capability "
                        "%d.%d); --gpu names another",
                        launch->compile_options[i], gpu->id, gpu->arch->cc / 10, gpu->arch->cc % 10);
        return;
    }
}

void hw_cli_launch_tell_limit(const hw_cli_launch *launch) {
    const hw_gpu *gpu = launch->max_regs ? hw_cli_find_gpu(launch->gpu) : NULL;
    if (!gpu) return;
    const uint32_t least = hw_sim_least_limit(gpu->arch), most = gpu->arch->max_regs_per_thread;
    const int cc = gpu->arch->cc;
    if (launch->max_regs < least)
        hw_cli_complain("-maxrregcount=%u counts as %u: ptxas gives no kernel of compute capability %d.%d fewer",
                        launch->max_regs, least, cc / 10, cc % 10);
    else if (most && launch->max_regs > most)
        hw_cli_complain("-maxrregcount=%u limits nothing: a thread of compute capability %d.%d has %u registers at "
                        "most", launch->max_regs, cc / 10, cc % 10, most);
}

// What is done with PTX when it is loaded: a limit of registers, and loads past the first-level cache.
static bool is_for_loading(char *const *option, int words) {
    uint32_t limit = 0;
    return (hw_cli_compile_option_max_regs(option, words, &limit) && limit) ||
           (strstr(option[0], "ptxas") && asks_for_no_l1(option[words - 1]));
}

bool hw_cli_launch_needs_no_compiler(const hw_cli_launch *launch) {
    const char *program = launch->program[0];
    bool is_told = false;
    for (int i = 0, words; i < launch->n_compile_options; i += words) {
        char *const *option = (char *const *)launch->compile_options + i;
        words = hw_cli_compile_option_words(option);
        if (words && is_for_loading(option, words)) continue;
        if (!is_for_architecture(option[0]) || !words) {
            hw_cli_complain("%s is for the compiler of a source file, and %s is none", option[0], program);
            return false;
        }
        if (!is_told) hw_cli_complain("%s is ignored: %s is compiled already", option[0], program);
        is_told = true;
    }
    return true;
}

static int take_launch_option(hw_cli_launch *launch, const option_row *row, char **argv) {
    const char *equals = strchr(argv[0], '=');
    const char *value = equals ? equals + 1 : argv[1];
    if (row->value == MAYBE_A_VALUE) return row->set(launch, equals ? equals + 1 : NULL);
    if (row->value == NO_VALUE) {
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

static const option_row *find_launch_option(const char *word, unsigned commands) {
    for (int i = 0; i < N_OPTIONS; i++) {
        size_t length = strlen(launch_option_rows[i].name);
        if (!(launch_option_rows[i].commands & commands)) continue;
        if (strncmp(word, launch_option_rows[i].name, length) == 0 && (!word[length] || word[length] == '='))
            return &launch_option_rows[i];
    }
    return NULL;
}

static const char *command_name(unsigned command) {
    return command & HW_CLI_RUN       ? "run"
           : command & HW_CLI_PROFILE ? "profile"
           : command & HW_CLI_CHECK   ? "check"
                                      : "plan";
}

// The first of several.
static unsigned command_bit(unsigned commands) { return commands & -commands; }

static void complain_unknown_launch_option(const char *word, hw_cli_launch_command command) {
    const char *names[N_OPTIONS];
    size_t count = 0;
    for (int i = 0; i < N_OPTIONS; i++)
        if (launch_option_rows[i].commands & command) names[count++] = launch_option_rows[i].name;
    const char *near = hw_suggest(word, names, count);
    const option_row *other = find_launch_option(word, ~0u);
    if (other && (other->commands & ~command_bit(other->commands)))
        hw_cli_complain("%s is an option of `halfwarp %s` and `halfwarp %s`, not of %s", word,
                        command_name(other->commands), command_name(other->commands & ~command_bit(other->commands)),
                        command_name(command));
    else if (other)
        hw_cli_complain("%s is an option of `halfwarp %s`, not of %s", word, command_name(other->commands),
                        command_name(command));
    else if (near) hw_cli_complain("there is no option %s; did you mean %s?", word, near);
    else hw_cli_complain("there is no option %s; `halfwarp %s --help` lists them", word, command_name(command));
}

// What stands behind PROG is the program's, also where it reads like an option of ours: likely a slip, so it is said
// once. A -- before PROG says that it is meant.
static void warn_of_options_behind(char *const *program) {
    for (char *const *word = program + 1; *word; word++) {
        const option_row *row = find_launch_option(*word, HW_CLI_PROFILE);
        if (!row) continue;
        hw_cli_complain("%s stands behind %s and went to it; options of halfwarp profile stand before the program "
                        "(a -- there says that this is meant)", row->name, program[0]);
        return;
    }
}

// What profile is told of a check: both reports have their places, and nothing is said of one that is not made.
static bool fits_check(const hw_cli_launch *launch) {
    const bool is_for_programs = strcmp(launch->format, "table") != 0;
    const char *lacking = launch->leaks ? "--leaks" : launch->suppressions ? "--suppress"
                          : launch->max_findings ? "--max-findings" : launch->watches_floats ? "--nan"
                          : launch->watches_integers ? "--integers" : NULL;
    if (!launch->checks_too && lacking) {
        hw_cli_complain("%s is about what is checked: --check does that", lacking);
        return false;
    }
    if (launch->checks_too && is_for_programs && !launch->output && !launch->check_output) {
        hw_cli_complain("both reports would go to standard output: -o FILE or --check=FILE takes one elsewhere");
        return false;
    }
    if (!launch->output || !launch->check_output || strcmp(launch->output, launch->check_output) != 0) return true;
    hw_cli_complain("both reports would go to %s", launch->output);
    return false;
}

// Verdicts need budgets; and they and advice name lines, which are counted for that.
static bool fits_budgets(hw_cli_launch *launch) {
    if (!launch->budgets.n && launch->junit) {
        hw_cli_complain("--junit is for the verdicts on budgets: --fail-if or --budgets has some");
        return false;
    }
    if (launch->advice && !strcmp(launch->format, "csv")) {
        hw_cli_complain("--advice has no place in CSV: --format table or json has one");
        return false;
    }
    launch->hides_lines = (launch->budgets.n || launch->advice || launch->page || launch->sarif) && !launch->lines;
    launch->lines |= launch->hides_lines;
    return true;
}

int hw_cli_launch_parse(hw_cli_launch *launch, hw_cli_launch_command command, int argc, char **argv) {
    *launch = (hw_cli_launch){.gpu = "h200", .format = "table", .wants_compiler_name = command == HW_CLI_PROFILE,
                              .checks = command == HW_CLI_CHECK, .plans = command == HW_CLI_PLAN};
    launch->compile_options = calloc((size_t)argc + 1, sizeof *launch->compile_options);
    if (!launch->compile_options) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    int i = 1;
    bool is_ended = false;
    while (!is_ended && i < argc && argv[i][0] == '-' && argv[i][1]) {
        if (strcmp(argv[i], "--") == 0) {
            is_ended = true;
            i++;
            continue;
        }
        const option_row *option = find_launch_option(argv[i], command);
        int words = option ? 0 : hw_cli_compile_option_words(argv + i);
        if (!option && !words) {
            complain_unknown_launch_option(argv[i], command);
            return HW_EXIT_USAGE;
        }
        int taken =
            option ? take_launch_option(launch, option, argv + i) : take_compile_option(launch, words, argv + i);
        if (!taken) return HW_EXIT_USAGE;
        i += taken;
    }
    if (i >= argc) {
        hw_cli_complain("which program? Usage: halfwarp %s [OPTIONS] PROG [ARGS]", command_name(command));
        return HW_EXIT_USAGE;
    }
    launch->program = argv + i;
    if (command == HW_CLI_PROFILE && !is_ended) warn_of_options_behind(launch->program);
    if (command != HW_CLI_PROFILE) return 0;
    return fits_check(launch) && fits_budgets(launch) ? 0 : HW_EXIT_USAGE;
}

void hw_cli_launch_free(hw_cli_launch *launch) {
    free(launch->compile_options);
    launch->compile_options = NULL;
    hw_budgets_free(&launch->budgets);
}
