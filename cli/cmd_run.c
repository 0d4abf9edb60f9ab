// halfwarp run: a CUDA program on a simulated GPU.
#include "run/launch.h"

static const char run_help[] =
    "usage: halfwarp run [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG, a .cu or .cpp file or an executable whose device code is or has PTX,\n"
    "on a simulated GPU. Its output and exit status are its own.\n"
    "\n" HW_LAUNCH_OPTIONS_HELP;

static int run_main(int argc, char **argv) {
    hw_cli_launch launch;
    int ended_by;
    int status = hw_cli_launch_parse(&launch, HW_CLI_RUN, argc, argv);
    if (!status) status = hw_cli_launch_run(&launch, NULL, &ended_by);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_run = {"run", "run a CUDA program on a simulated GPU", run_help, run_main};
