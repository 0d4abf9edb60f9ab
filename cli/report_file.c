// The program's process writes the report while it ends; this hands it to where the user wants it.
#define _GNU_SOURCE
#include "report_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// For mkstemp. Absolute, as the program may change its folder before it writes there.
static char *temporary_name(const hw_cli_report *report) {
    const char *temporary = getenv("TMPDIR");
    char *name = NULL, folder[PATH_MAX] = "";
    int length;
    if (!report->rename) {
        length = asprintf(&name, "%s/halfwarp.XXXXXX", temporary && *temporary == '/' ? temporary : "/tmp");
    } else {
        bool absolute = report->output[0] == '/';
        if (!absolute && !getcwd(folder, sizeof folder)) return NULL;
        length = asprintf(&name, "%s%s%s.XXXXXX", folder, absolute ? "" : "/", report->output);
    }
    return length < 0 ? NULL : name;
}

// mkstemp's files are private; the report is an ordinary file of the user's.
static void use_default_mode(int file) {
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file, 0666 & ~mask) != 0) return;   // stays private then, which does no harm
}

int hw_cli_report_open(hw_cli_report *report, const char *output) {
    struct stat info;
    bool exists = output && stat(output, &info) == 0;
    *report = (hw_cli_report){.output = output, .rename = output && (!exists || S_ISREG(info.st_mode))};
    if (exists && S_ISDIR(info.st_mode)) {
        hw_cli_complain("cannot write %s: it is a folder", output);
        return HW_EXIT_USAGE;
    }
    report->path = temporary_name(report);
    int file = report->path ? mkstemp(report->path) : -1;
    if (file < 0) {
        hw_cli_complain("cannot write %s: %s", output ? output : "a temporary file", strerror(errno));
        free(report->path);
        report->path = NULL;
        return HW_EXIT_USAGE;
    }
    if (report->rename) use_default_mode(file);
    close(file);
    return 0;
}

static bool copy(FILE *from, FILE *to) {
    char bytes[65536];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count) return false;
    return !ferror(from) && fflush(to) == 0;
}

static int print_report(const hw_cli_report *report) {
    FILE *from = fopen(report->path, "rb"), *to = report->output ? fopen(report->output, "wb") : stdout;
    unlink(report->path);   // now, as a closed pipe may end this process
    bool good = from && to && copy(from, to);
    int failure = errno;
    if (from) fclose(from);
    if (to && to != stdout && fclose(to) != 0) good = false;
    if (good) return 0;
    hw_cli_complain("cannot write %s: %s", report->output ? report->output : "the report", strerror(failure));
    return HW_EXIT_USAGE;
}

int hw_cli_report_deliver(hw_cli_report *report, int program_status) {
    struct stat info;
    if (stat(report->path, &info) != 0 || info.st_size == 0) {
        // What did not compile, or was refused, has been told.
        if (program_status == 0)
            hw_cli_complain("no report: the program never used the CUDA runtime, or left by _exit()");
        else if (program_status > 128)
            hw_cli_complain("no report: signal %d ended the program before it wrote one", program_status - 128);
        return program_status ? 0 : HW_EXIT_USAGE;
    }
    if (!report->rename) return print_report(report);
    if (rename(report->path, report->output) == 0) {
        free(report->path);
        report->path = NULL;
        return 0;
    }
    hw_cli_complain("cannot write %s: %s", report->output, strerror(errno));
    return HW_EXIT_USAGE;
}

void hw_cli_report_close(hw_cli_report *report) {
    if (report->path) unlink(report->path);
    free(report->path);
    report->path = NULL;
}
