// halfwarp profile: runs a CUDA program and prints the counters of its kernel launches.
#include <stdlib.h>
#include <string.h>

#include "check/deliver.h"
#include "run/launch.h"
#include "run/report_file.h"
#include "output/text_output.h"

static const char profile_help[] =
    "usage: halfwarp profile [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG as `halfwarp run` does, and then prints one row of counters per kernel\n"
    "launch, in launch order. `halfwarp help columns` (man halfwarp-columns) says\n"
    "what each column means.\n"
    "\n"
    "  --format F        table (as it is unless given), csv or json\n"
    "  --lines[=OF]      counters per source line as well: of a kernel's launches\n"
    "                    together (kernel, unless given), of those with equal grid,\n"
    "                    block and shared memory (group), or of each launch (launch)\n"
    "  --kernel REGEX    count only kernels whose names this extended regular\n"
    "                    expression matches somewhere\n"
    "  --skip N          of those launches leave out the first N\n"
    "  --count N         and count no more than N; what is not counted runs faster\n"
    "  --summary         a row per kernel and not per launch, as in tables of more\n"
    "                    than 40 launches\n"
    "  --launches        a row per launch, however many there are\n"
    "  --copies          copies and sets as well, each with its bytes, stream, begin\n"
    "                    and time; --summary has them by kind\n"
    "  --trace FILE      what streams, copy engines and the host did, by the GPU's\n"
    "                    own clock, for https://ui.perfetto.dev\n"
    "  --plot FILE       draw a picture, .svg or .png: the share of each kernel and\n"
    "                    kind of copy, how long each piece of work took, and when\n"
    "                    it ran\n"
    "  --no-l1           count global loads of compute capability 2.x past the\n"
    "                    first-level cache, as -Xptxas -dlcm=cg (which is understood\n"
    "                    as well) makes them go\n"
    "  -o FILE           write the report to FILE and not to standard output\n"
    "  --report FILE     write a page, FILE.html, for a browser: kernels by cost,\n"
    "                    what bounds each, counters beside the ideal, occupancy,\n"
    "                    source lines by heat with PTX and machine code, advice,\n"
    "                    single accesses, roofline, timeline, with --check hazards\n"
    "  --advice          what would make the kernels faster, by the estimate of time,\n"
    "                    with the line and the remedy; also in JSON\n"
    "  --fail-if COND    a budget: exit with 1 when a launch fulfils the condition,\n"
    "                    such as 'bank_passes > 1.1' or 'kernel =~ /tile/ and\n"
    "                    est_us > 20'; may be given several times\n"
    "  --budgets FILE    budgets from a TOML file: fail-if = [\"COND\", ...]\n"
    "  --junit FILE      write the verdicts on budgets to FILE, as JUnit XML\n"
    "  --sarif FILE      likewise as SARIF: what breaks a budget, at its line;\n"
    "                    without budgets advice and each line's counters, for editors\n"
    "  --check[=FILE]    look for hazards in the same run, as `halfwarp check` does,\n"
    "                    by one host thread: they follow the report, or go to FILE,\n"
    "                    as JSON or SARIF when it ends in .json or .sarif; the exit\n"
    "                    status is 1 when there are any\n"
    "  --leaks           with --check: as check has it\n"
    "  --suppress FILE   with --check: likewise\n"
    "  --nan             with --check: likewise\n"
    "  --integers        with --check: likewise\n"
    "  --max-findings N  with --check: likewise\n" HW_LAUNCH_OPTIONS_HELP;

static const char *format_of_file(const char *path) {
    const char *ending = path ? strrchr(path, '.') : NULL;
    if (ending && strcmp(ending, ".json") == 0) return "json";
    return ending && strcmp(ending, ".sarif") == 0 ? "sarif" : "text";
}

static int run_and_report(const hw_cli_launch *launch, hw_cli_report *report, const hw_cli_check *check) {
    int ended_by;
    char *executable = NULL;
    hw_cli_launch started = *launch;
    started.executable = launch->page ? &executable : NULL;
    const hw_report_look look = {
        .rows = launch->rows,
        .copies = launch->copies,
        .colour = hw_cli_wants_colour(launch->output, hw_report_find_format(launch->format)),
        .width = hw_cli_table_width(launch->output),
    };
    const int ended = hw_cli_launch_run(&started, report->journal.path, &ended_by);
    int status = hw_cli_report_deliver(report, &started, &look, ended, ended_by);
    // What halfwarp itself says of the run is more than a broken budget, which is more than the program's own status.
    const bool is_ours = (ended >= HW_EXIT_USAGE && ended <= HW_EXIT_FAULT) || ended == HW_EXIT_TIMEOUT || ended_by;
    if (ended && (is_ours || status != HW_EXIT_FOUND)) status = ended;
    const int checked = launch->checks_too ? hw_cli_check_report(check, launch, ended, ended_by) : 0;
    free(executable);
    return checked ? checked : status;
}

static int profile_main(int argc, char **argv) {
    hw_cli_launch launch;
    hw_cli_report report = {.journal.file = -1};
    hw_cli_check check = {.found.file = -1};
    int status = hw_cli_launch_parse(&launch, HW_CLI_PROFILE, argc, argv);
    if (!status) status = hw_cli_report_open(&report, launch.output, launch.trace);
    if (!status && launch.checks_too)
        status = hw_cli_check_open(&check, &launch, format_of_file(launch.check_output), launch.check_output);
    check.is_second = !launch.output;
    if (!status) status = run_and_report(&launch, &report, &check);
    hw_cli_check_close(&check);
    hw_cli_report_close(&report);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_profile = {"profile", "run it and print the counters of each kernel launch", profile_help,
                                   profile_main};
