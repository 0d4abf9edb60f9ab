// halfwarp profile: runs a CUDA program and prints the counters of its kernel launches.
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
    "  --no-l1           count global loads of compute capability 2.x past the\n"
    "                    first-level cache, as -Xptxas -dlcm=cg (which is understood\n"
    "                    as well) makes them go\n"
    "  -o FILE           write the report to FILE and not to standard output\n" HW_LAUNCH_OPTIONS_HELP;

static int profile_main(int argc, char **argv) {
    hw_cli_launch launch;
    hw_cli_report report = {.journal.file = -1};
    int status = hw_cli_launch_parse(&launch, HW_CLI_PROFILE, argc, argv);
    if (!status) status = hw_cli_report_open(&report, launch.output);
    if (!status) {
        int ended_by;
        const hw_report_look look = {
            .rows = launch.rows,
            .colour = hw_cli_wants_colour(launch.output, hw_report_find_format(launch.format)),
            .width = hw_cli_table_width(launch.output),
        };
        status = hw_cli_launch_run(&launch, report.journal.path, &ended_by);
        int delivered = hw_cli_report_deliver(&report, &launch, &look, status, ended_by);
        if (!status) status = delivered;
    }
    hw_cli_report_close(&report);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_profile = {"profile", "run it and print the counters of each kernel launch", profile_help,
                                   profile_main};
