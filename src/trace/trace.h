// A profile as a trace of events over time, for Perfetto (https://ui.perfetto.dev) and Chrome's chrome://tracing: what
// the host called, what each stream and copy engine did, the ranges that the program has named, and counters.
//
// Format: "Trace Event Format", Google, the JSON object form. Times are microseconds of the GPU's clock.
#ifndef HW_TRACE_TRACE_H
#define HW_TRACE_TRACE_H

#include <stdio.h>

#include "prof/prof.h"

// Writes it to an open file. HW_IO, HW_NO_MEMORY. Deterministic but for what programs with several threads or processes
// do themselves.
hw_status hw_trace_write(const hw_report *report, FILE *out, hw_diag *diag);

#endif
