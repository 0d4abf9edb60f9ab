#include "check/deliver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/findings.h"
#include "check/suppressions.h"
#include "output/text_output.h"
#include "output/whole_file.h"

enum { MOST_SHOWN = 50 };            // of a kind, unless the user says another number

typedef bool writer(const hw_cli_findings *findings, bool colour, FILE *out);

static bool write_json(const hw_cli_findings *findings, bool colour, FILE *out) {
    (void)colour;
    return hw_cli_findings_write_json(findings, out);
}

static bool write_sarif(const hw_cli_findings *findings, bool colour, FILE *out) {
    (void)colour;
    return hw_cli_findings_write_sarif(findings, out);
}

static writer *writer_of(const char *format) {
    if (strcmp(format, "json") == 0) return write_json;
    return strcmp(format, "sarif") == 0 ? write_sarif : hw_cli_findings_write_text;
}

static int deliver(const hw_cli_check *check, const hw_cli_findings *findings) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    const bool colour = hw_cli_wants_colour(check->output, HW_REPORT_TABLE);
    bool good = memory && writer_of(check->format)(findings, colour, memory);
    int status = 0;
    if (memory && fclose(memory) != 0) good = false;
    if (!good) {
        hw_cli_complain("out of memory");
        status = HW_EXIT_USAGE;
    } else if (check->output) {
        status = hw_cli_write_file(check->output, text, bytes);
    } else {
        if (check->is_second && bytes) fputc('\n', stdout);
        fwrite(text, 1, bytes, stdout);
    }
    free(text);
    return status;
}

int hw_cli_check_open(hw_cli_check *check, hw_cli_launch *launch, const char *format, const char *output) {
    *check = (hw_cli_check){.format = format, .output = output, .found.file = -1};
    if (output && hw_cli_try_file(output)) return HW_EXIT_USAGE;
    if (launch->suppressions && hw_cli_try_suppressions(launch->suppressions)) return HW_EXIT_USAGE;
    check->found = hw_cli_temporary_open("check");
    launch->findings_path = check->found.path;
    return check->found.file < 0 ? HW_EXIT_USAGE : 0;
}

int hw_cli_check_report(const hw_cli_check *check, const hw_cli_launch *launch, int program_status, int ended_by) {
    hw_cli_findings findings = {0};
    FILE *in = fopen(check->found.path, "r");
    if (!in) {
        hw_cli_complain("cannot read %s: %s", check->found.path, strerror(errno));
        return HW_EXIT_USAGE;
    }
    int status = hw_cli_findings_read(in, launch->suppressions, &findings);
    fclose(in);
    findings.most_shown = launch->max_findings ? strtoull(launch->max_findings, NULL, 10) : MOST_SHOWN;
    if (!status && !findings.processes && !program_status && !ended_by) {
        hw_cli_complain("nothing was checked: the program is not linked to the shared CUDA runtime (nvcc -cudart "
                        "shared)");
        status = HW_EXIT_USAGE;
    }
    if (!status && findings.processes) status = deliver(check, &findings);
    if (!status && findings.left_out)
        hw_cli_complain("some words had more readers than are kept: there may be more hazards");
    if (!status && findings.ran_out) {
        hw_cli_complain("there was not enough memory to check the program to its end: there may be more hazards");
        status = HW_EXIT_USAGE;
    }
    // What halfwarp itself says of the run is more than that it has found something.
    const bool is_ours = program_status >= HW_EXIT_USAGE && program_status <= HW_EXIT_FAULT;
    const bool has_hazards = findings.n > findings.n_notes;
    if (!status && has_hazards && !is_ours && program_status != HW_EXIT_TIMEOUT && !ended_by) status = HW_EXIT_FOUND;
    hw_cli_findings_free(&findings);
    return status;
}

void hw_cli_check_close(hw_cli_check *check) { hw_cli_temporary_close(&check->found); }
