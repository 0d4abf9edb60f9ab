// halfwarp plan: runs a CUDA program and says what its time is made of, and what each kernel could reach.
#include "run/launch.h"
#include "run/report_file.h"

static const char plan_help[] =
    "usage: halfwarp plan [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG as `halfwarp run` does, and then says what its time is made of\n"
    "(kernels, copies, calls, the program's own work) and how much faster it could\n"
    "be at most without each; whether the link to the host makes the GPU worth it;\n"
    "of each kernel the roofline, what bounds it, what it would take without bank\n"
    "conflicts, with ideal sectors, full occupancy and no divergence; and which\n"
    "rules of grids and blocks it breaks.\n"
    "\n"
    "  --format F        text (as it is unless given) or json\n"
    "  --cpu-ms MS       what a processor takes for what the kernels do: says what\n"
    "                    the GPU gains\n"
    "  --own-ms MS       what the program's own work takes between calls, and not\n"
    "                    what is measured on this machine\n"
    "  -o FILE           write it to FILE and not to standard output\n" HW_LAUNCH_OPTIONS_HELP;

static int run_and_plan(const hw_cli_launch *launch, hw_cli_report *report) {
    int ended_by;
    const hw_report_look look = {.rows = HW_REPORT_ROWS_AS_FIT};
    const int ended = hw_cli_launch_run(launch, report->journal.path, &ended_by);
    const int status = hw_cli_report_deliver(report, launch, &look, ended, ended_by);
    return ended ? ended : status;
}

static int plan_main(int argc, char **argv) {
    hw_cli_launch launch;
    hw_cli_report report = {.journal.file = -1};
    int status = hw_cli_launch_parse(&launch, HW_CLI_PLAN, argc, argv);
    if (!status) status = hw_cli_report_open(&report, launch.output, NULL);
    if (!status) status = run_and_plan(&launch, &report);
    hw_cli_report_close(&report);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_plan = {"plan", "what a program's time is made of, and what its kernels could reach", plan_help,
                                plan_main};
