// run, profile, check and plan: options, compiling, and the program as a child process on the simulated GPU.
#ifndef HW_CLI_LAUNCH_H
#define HW_CLI_LAUNCH_H

#include <regex.h>

#include "cli.h"
#include "prof/prof.h"
#include "report/budget.h"
#include "report/report.h"
#include "run/shard.h"

// What is said of options by run, profile and check; what is checked always has one thread, and executes all.
#define HW_THREADS_HELP                                                                                                \
    "  --threads N       host threads; one per processor unless given; results do not\n"                               \
    "                    depend on it\n"
#define HW_REUSE_HELP                                                                                                  \
    "  --no-reuse        execute launches also where they would do again what an\n"                                    \
    "                    earlier one did\n"
#define HW_LENIENT_HELP                                                                                                \
    "  --lenient         let reads pass that go past the end of a __device__\n"                                        \
    "                    variable, as a GPU does; the first is told\n"
#define HW_TIME_HELP                                                                                                   \
    "  --time gpu|host   the time that events, streams and clocks show: the GPU's, as\n"                               \
    "                    estimated, unless given; or what this machine takes\n"
#define HW_LAUNCH_OPTIONS_HELP HW_LAUNCH_OPTIONS_HELP_WITH(HW_THREADS_HELP, HW_REUSE_HELP HW_LENIENT_HELP HW_TIME_HELP)
#define HW_LAUNCH_OPTIONS_HELP_WITH(threads_help, reuse_help)                                                          \
    "  --gpu G           the GPU to simulate; h200 unless given; `halfwarp gpus`\n"                                    \
    "                    lists them; or a FILE.json of one\n"                                                          \
    "  --gpus N          how many of them the program sees; 1 unless given\n"                                         \
    threads_help                                                                                                       \
    "  --seed N          vary the order in which warps and blocks run; 0: by index\n"                                  \
    "  --poison[=BYTE]   what memory holds that nobody has set, and not 0; 0xff (NaN,\n"                               \
    "                    -1) unless given\n"                                                                           \
    reuse_help                                                                                                         \
    "  --timeout S       end the program after S seconds, with status 124; profile\n"                                  \
    "                    reports what was counted until then\n"                                                       \
    "  --max-launches N  end the program when N launches have been executed; status 0\n"                               \
    "  --only kernel=REGEX\n"                                                                                        \
    "                    execute only kernels whose names this extended regular\n"                                     \
    "                    expression matches somewhere; what the program computes is\n"                                \
    "                    not to be trusted then\n"                                                                    \
    "  --only launch=K/N execute only every N-th launch, from the K-th on; likewise\n"                                 \
    "  --shards K/N      tell the program to do the K-th of N parts of its cases, as\n"                                \
    "                    GoogleTest does; auto: as Slurm, MPI or a CI says\n"                                          \
    "  --compiler C      nvcc or clang for a .cu file; unless given nvcc where it is\n"                                \
    "                    on PATH, else clang\n"                                                                        \
    "  -I -D -U -L -l -include -std= -O -G -g -lineinfo -use_fast_math -maxrregcount=\n"                               \
    "  -Xcompiler ...\n"                                                                                               \
    "                    for the compiler of a .cu file, as nvcc takes them\n"                                         \
    "  -arch -gencode    accepted and without effect: the code is compiled for --gpu\n"

enum { HW_CLI_COMPILER_NAME = 64 };

// The commands that run a program; bits, for options that several have.
typedef enum hw_cli_launch_command {
    HW_CLI_RUN = 1, HW_CLI_PROFILE = 2, HW_CLI_CHECK = 4, HW_CLI_PLAN = 8
} hw_cli_launch_command;

typedef struct hw_cli_launch {
    const char *gpu;                // --gpu: an id of gpus.def, or a file's absolute path (hw_cli_gpu_word)
    const char *gpus;               // a checked number, or NULL
    const char *threads, *seed;     // checked numbers, or NULL
    const char *poison;             // a checked byte, or NULL
    bool no_reuse;                  // --no-reuse
    bool lenient;                   // --lenient
    const char *time;               // --time: "gpu", "host", or NULL
    const char *compiler;           // "nvcc", "clang" or NULL for whichever is there
    const char *format;             // profile only: "table", "csv" or "json"
    const char *output;             // profile only: -o, or NULL
    bool lines;                     // profile only
    hw_report_lines lines_of;       // profile only: whose lines are added up
    hw_report_rows rows;            // profile only: --summary, --launches
    hw_budgets budgets;             // profile only: --fail-if, --budgets
    const char *junit, *sarif;      // profile only: files for their verdicts, or NULL
    const char *page;               // profile and check: --report, or NULL
    bool advice;                    // profile only: --advice
    bool hides_lines;               // profile only: lines are counted for verdicts or advice, and no part of the report
    bool copies;                    // profile only: --copies
    const char *trace;              // profile only: the file of --trace, or NULL
    const char *plot;               // profile only: the picture of --plot, or NULL
    bool plans;                     // the command is plan
    const char *cpu_ms, *own_ms;    // plan only: checked numbers, or NULL
    const char *kernel;             // profile only: --kernel, an expression that can be compiled, or NULL
    const char *skip, *count;       // profile only: checked numbers, or NULL
    const char *timeout;            // --timeout: a checked number of seconds, or NULL
    const char *max_launches;       // --max-launches: a checked number, or NULL
    const char *only_kernel;        // --only kernel=: an expression that can be compiled, or NULL
    const char *only_launch;        // --only launch=: a checked "K/N", or NULL
    hw_cli_shard shard;             // --shards
    uint32_t max_regs;              // -maxrregcount; 0: none
    bool wants_compiler_name;       // for a report
    bool checks;                    // the command is check
    bool checks_too;                // profile only: --check
    const char *check_output;       // profile only: the file of --check=, or NULL
    const char *findings_path;      // where the program's process writes what it finds; NULL: nothing is looked for
    const char *suppressions;       // with a check only: a file, or NULL
    bool leaks;                     // with a check only: --leaks
    const char *schedule;           // check only: --schedule, a checked number, or NULL
    bool watches_floats, watches_integers;   // with a check only: --nan, --integers
    const char *max_findings;       // with a check only: a checked number, or NULL
    bool no_l1;                     // profile only: --no-l1, or told to ptxas
    const char **compile_options;   // for PROG when it is a .cu file; NULL-terminated, array owned
    int n_compile_options;
    char **executable;              // where hw_cli_launch_run leaves the path of what it has run, to be freed; or NULL
    char **program;   // PROG and its arguments, NULL-terminated; points into argv
} hw_cli_launch;

// Reads the options of a command. 0, or HW_EXIT_USAGE after a complaint. Free with
// hw_cli_launch_free either way.
int hw_cli_launch_parse(hw_cli_launch *launch, hw_cli_launch_command command, int argc, char **argv);
void hw_cli_launch_free(hw_cli_launch *launch);

// How many words the option for the compiler at argv takes, as nvcc spells it, itself included: 1 or 2; 0: it is none.
int hw_cli_compile_option_words(char *const *argv);

// Sets *max_regs where the option's words limit registers: -maxrregcount, for ptxas too. False after a complaint.
bool hw_cli_compile_option_max_regs(char *const *words, int n_words, uint32_t *max_regs);

// Takes that option at argv into launch->compile_options, which has room for all of argv, with its value. As above; 0
// with *complained set when the value is missing.
int hw_cli_launch_take(hw_cli_launch *launch, char **argv, bool *complained);

// For a program that is compiled already: true where its compile options are about PTX that is loaded, which
// -maxrregcount is and what ptxas is told of caches, or -arch, -code and -gencode, of which it is said once that they
// are ignored; false after a complaint.
bool hw_cli_launch_needs_no_compiler(const hw_cli_launch *launch);

// The value of an option, to be freed with regfree. False after a complaint.
bool hw_cli_compile_kernel(const char *option, const char *value, regex_t *expression);

// Says what -maxrregcount comes to where the GPU has none of it: ptxas gives no kernel fewer registers than
// hw_sim_least_limit, and none more than a thread can have.
void hw_cli_launch_tell_limit(const hw_cli_launch *launch);

// Says once that -arch, -code and -gencode are ignored, unless they ask for what is simulated anyway.
void hw_cli_launch_tell_arch(const hw_cli_launch *launch);

// True where HALFWARP_HIDE_NVCC is set: as on a machine without the CUDA toolkit, for tests of that.
bool hw_cli_hides_nvcc(void);

// Compiles PROG if it is source, CUDA or C++, to be looked into. *executable is its path, to be freed; a .ptx or
// .fatbin file is given as it is. compiler_name, with its version, is "" of what was not compiled, or when it is not
// wanted. 0, or the exit status after a complaint.
int hw_cli_launch_find(const hw_cli_launch *launch, char **executable, char compiler_name[HW_CLI_COMPILER_NAME]);

// Compiles PROG if it is source, runs it to its end and returns the exit status that DESIGN gives it. journal_path:
// the file that the runtime keeps its counters in (prof/journal.h); NULL: nothing is counted. *ended_by: the
// signal that ended the program, or 0.
int hw_cli_launch_run(const hw_cli_launch *launch, const char *journal_path, int *ended_by);

#endif
