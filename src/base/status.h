// How a failing function leaves its message; the types are part of the library's interface.
#ifndef HW_BASE_STATUS_H
#define HW_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#include "halfwarp/status.h"

// Writes the message, unless one is already there: within a call the first failure is the cause. Returns status, so
// that `return hw_diag_set(diag, HW_USAGE, "...")` reads as one step. diag may be NULL.
hw_status hw_diag_set(hw_diag *diag, hw_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// hw_diag_set with the place that the message is about.
hw_status hw_diag_set_at(hw_diag *diag, hw_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Sets HW_NO_MEMORY with its usual sentence.
hw_status hw_diag_no_memory(hw_diag *diag);

// A call of halfwarp.h replaces what its caller's diag holds when it fails, and leaves it when it succeeds. So each
// works with a message of its own, in which the first failure is kept as the cause, and tells it at its end:
//
//     hw_diag own;
//     return hw_diag_tell(diag, &own, work(arguments, hw_diag_begin(&own)));
//
// begin empties *own and returns it; tell returns status. diag may be NULL.
hw_diag *hw_diag_begin(hw_diag *own);
hw_status hw_diag_tell(hw_diag *diag, const hw_diag *own, hw_status status);

// A call of the system failed with errno `failure`: HW_IO with "<format>: <why>", or for lack of memory (ENOMEM), which
// no file is to blame for, hw_diag_no_memory.
hw_status hw_diag_errno(hw_diag *diag, int failure, const char *format, ...) __attribute__((format(printf, 3, 4)));

// "file:line: text", or just the text, into out. Returns out.
const char *hw_diag_format(const hw_diag *diag, char *out, size_t out_bytes);

#endif
