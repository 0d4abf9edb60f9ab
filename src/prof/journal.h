// A profile in the making, in a file: one record per launch as it ends, so that nothing is lost with a process that
// leaves by _exit, is killed, or crashes. The process that waits for it makes the report of what is there.
#ifndef HW_PROF_JOURNAL_H
#define HW_PROF_JOURNAL_H

#include <stdio.h>

#include "base/arena.h"
#include "prof/prof.h"

// One thread appends at a time.
typedef struct hw_journal hw_journal;

// Opens the file for appending and notes that a process has begun; several processes may share one file. HW_IO,
// HW_NO_MEMORY.
hw_status hw_journal_open(const char *path, hw_journal **out, hw_diag *diag);
void hw_journal_close(hw_journal *journal);

// Appends the report's last launch, and what its kernel's lines have counted since the kernel's last record. One write
// of some 300 bytes, and 200 for each line. HW_IO, HW_NO_MEMORY: that launch is missing, and nothing else.
hw_status hw_journal_add(hw_journal *journal, const hw_report *report, hw_diag *diag);

// Notes a launch that is not counted, so that those behind it have the program's ordinals. HW_IO.
hw_status hw_journal_pass(hw_journal *journal, hw_diag *diag);

// Appends the PTX of a module, as long as all of them are no more than 32 MiB. HW_IO, HW_NO_MEMORY.
hw_status hw_journal_code(hw_journal *journal, const char *ptx, size_t bytes, hw_diag *diag);

// Appends what the GPU's clock tells, by one write for some hundred spans, since a launch may have several; and writes
// those that have not been. A process that is killed leaves its last ones out. HW_IO, HW_NO_MEMORY.
hw_status hw_journal_span(hw_journal *journal, const hw_span *span, hw_diag *diag);
hw_status hw_journal_flush(hw_journal *journal, hw_diag *diag);

// What of a journal goes into the report.
typedef struct hw_journal_options {
    bool has_lines;                  // it was written with lines
    hw_report_lines lines_of;        // whose lines are added up
} hw_journal_options;

// The report of a journal of this build's, with everything in the arena. A last record that is not whole is left out.
// *processes: how many began; 0: nobody wrote. HW_MALFORMED, HW_IO, HW_NO_MEMORY.
hw_status hw_journal_read(FILE *in, const hw_gpu *gpu, const hw_journal_options *options, hw_arena *arena,
                          hw_report *out, uint32_t *processes, hw_diag *diag);

#endif
