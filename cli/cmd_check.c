// halfwarp check: runs a CUDA program and tells of accesses that nothing puts in order, and other hazards.
#include "check/deliver.h"
#include "check/orders.h"
#include "html/profile_page.h"

static const char check_help[] =
    "usage: halfwarp check [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG as `halfwarp run` does, and tells of its hazards with both of their\n"
    "lines: accesses of the same bytes that nothing puts in order, in shared and\n"
    "global memory, within a warp, a block, a launch, and between launches and copies\n"
    "of two streams; accesses out of bounds; what depends on bytes that nobody wrote;\n"
    "barriers that do not fit together; and what the host program frees, copies,\n"
    "launches and overlooks. A program without any prints nothing but its own output.\n"
    "The exit status is 1 when there are findings.\n"
    "\n"
    "  --format F        text (as it is unless given), json or sarif\n"
    "  --leaks           also memory, streams, events and textures that are still\n"
    "                    there at the end\n"
    "  --schedule N      run the program N times more, in other orders of its blocks\n"
    "                    and warps, to reach what only some reach; --seed repeats one\n"
    "  --nan             also results that are NaN or infinite though no operand is\n"
    "  --integers        also integers that are divided by zero, shifted by as many\n"
    "                    bits as they have or more, or overflow in an index\n"
    "  --suppress FILE   lines of a kind or * and a pattern of file:line or a kernel,\n"
    "                    which are not told; nor is what a comment\n"
    "                    `halfwarp-check: allow KIND` stands at in the source\n"
    "  --max-findings N  tell no more than N of a kind in text, 50 unless given; the\n"
    "                    others are counted, and JSON and SARIF have them all\n"
    "  --report FILE     write a page with them, FILE.html, for a browser\n"
    "  -o FILE           write the findings to FILE and not to standard output\n"
    HW_LAUNCH_OPTIONS_HELP_WITH("", "")
    "\n"
    "Kinds of findings:\n"
#define KIND(id, name, rule) "  " name "\n"
#include "check/kinds.def"
#undef KIND
    "`halfwarp help check` (man halfwarp-check) says what each of them is.\n";

static int check_main(int argc, char **argv) {
    hw_cli_launch launch;
    hw_cli_check check = {.found.file = -1};
    hw_cli_orders orders = {0};
    int ended_by = 0, status = hw_cli_launch_parse(&launch, HW_CLI_CHECK, argc, argv);
    if (!status) status = hw_cli_check_open(&check, &launch, launch.format, launch.output);
    if (!status) status = hw_cli_orders_begin(&orders, &launch);
    if (!status) {
        status = hw_cli_launch_run(&launch, NULL, &ended_by);
        const bool has_run = status != HW_EXIT_USAGE && status != HW_EXIT_COMPILE && !ended_by;
        if (launch.schedule && has_run) status = hw_cli_orders_run(&orders, &launch, status);
        int reported = hw_cli_check_report(&check, &launch, status, ended_by);
        if (launch.page && !hw_cli_profile_page(&launch, NULL)) launch.page = NULL;
        if (launch.page && !reported) reported = HW_EXIT_USAGE;
        if (reported) status = reported;
    }
    hw_cli_check_close(&check);
    hw_cli_orders_free(&orders);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_check = {"check", "run it and name its hazards", check_help, check_main};
