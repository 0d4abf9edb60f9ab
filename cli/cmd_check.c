// halfwarp check: runs a CUDA program and tells of accesses that nothing puts in order, and other hazards.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/findings.h"
#include "check/suppressions.h"
#include "output/text_output.h"
#include "output/whole_file.h"
#include "run/launch.h"

static const char check_help[] =
    "usage: halfwarp check [OPTIONS] [--] PROG [ARGS]\n"
    "\n"
    "Runs PROG as `halfwarp run` does, and tells of its hazards with both of their\n"
    "lines: accesses of the same bytes that nothing puts in order, in shared and\n"
    "global memory, within a warp, a block, a launch, and between launches and copies\n"
    "of two streams; accesses outside of the allocation or variable that their\n"
    "pointer came from, of freed memory, misaligned ones; and barriers that do not\n"
    "fit together. A program without any prints nothing but its own output. The exit\n"
    "status is 1 when there are findings.\n"
    "\n"
    "  --format F        text (as it is unless given), json or sarif\n"
    "  --leaks           also device memory that is still allocated at the end\n"
    "  --suppress FILE   lines of a kind (race, bounds, ... or *) and a pattern of\n"
    "                    file:line or a kernel, which are not told; nor is what a\n"
    "                    comment `halfwarp-check: allow KIND` stands at in the source\n"
    "  -o FILE           write the findings to FILE and not to standard output\n"
    HW_LAUNCH_OPTIONS_HELP_WITH("", "");

typedef bool writer(const hw_cli_findings *findings, bool colour, FILE *out);

static bool write_json(const hw_cli_findings *findings, bool colour, FILE *out) {
    (void)colour;
    return hw_cli_findings_write_json(findings, out);
}

static bool write_sarif(const hw_cli_findings *findings, bool colour, FILE *out) {
    (void)colour;
    return hw_cli_findings_write_sarif(findings, out);
}

static int deliver(const hw_cli_launch *launch, const hw_cli_findings *findings) {
    writer *write = strcmp(launch->format, "json") == 0 ? write_json
                    : strcmp(launch->format, "sarif") == 0 ? write_sarif : hw_cli_findings_write_text;
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    bool good = memory && write(findings, hw_cli_wants_colour(launch->output, HW_REPORT_TABLE), memory);
    int status = 0;
    if (memory && fclose(memory) != 0) good = false;
    if (!good) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    } else if (launch->output) status = hw_cli_write_file(launch->output, text, bytes);
    else fwrite(text, 1, bytes, stdout);
    free(text);
    return status;
}

static int report_findings(const hw_cli_launch *launch, int program_status, int ended_by) {
    hw_cli_findings findings = {0};
    FILE *in = fopen(launch->findings_path, "r");
    if (!in) {
        hw_cli_complain("cannot read %s: %s", launch->findings_path, strerror(errno));
        return HW_EXIT_USAGE;
    }
    int status = hw_cli_findings_read(in, launch->suppressions, &findings);
    fclose(in);
    if (!status && !findings.processes && !program_status && !ended_by) {
        hw_cli_complain("nothing was checked: the program is not linked to the shared CUDA runtime (nvcc -cudart "
                        "shared)");
        status = HW_EXIT_USAGE;
    }
    if (!status && findings.processes) status = deliver(launch, &findings);
    if (!status && findings.ran_out) {
        hw_cli_complain("there was not enough memory to check the program to its end: there may be more hazards");
        status = HW_EXIT_USAGE;
    }
    // What halfwarp itself says of the run is more than that it has found something.
    const bool is_ours = program_status >= HW_EXIT_USAGE && program_status <= HW_EXIT_FAULT;
    if (!status && findings.n && !is_ours && program_status != HW_EXIT_TIMEOUT && !ended_by) status = HW_EXIT_FOUND;
    hw_cli_findings_free(&findings);
    return status;
}

static int check_main(int argc, char **argv) {
    hw_cli_launch launch;
    hw_cli_temporary found = {.file = -1};
    int ended_by = 0, status = hw_cli_launch_parse(&launch, HW_CLI_CHECK, argc, argv);
    if (!status && launch.output && hw_cli_try_file(launch.output)) status = HW_EXIT_USAGE;
    if (!status && launch.suppressions) status = hw_cli_try_suppressions(launch.suppressions);
    if (!status && (found = hw_cli_temporary_open("check")).file < 0) status = HW_EXIT_USAGE;
    if (!status) {
        launch.findings_path = found.path;
        status = hw_cli_launch_run(&launch, NULL, &ended_by);
        int reported = report_findings(&launch, status, ended_by);
        if (reported) status = reported;
    }
    hw_cli_temporary_close(&found);
    hw_cli_launch_free(&launch);
    return status;
}

const hw_command hw_cmd_check = {"check", "run it and name its hazards", check_help, check_main};
