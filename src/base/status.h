// What a Halfwarp function returns, and the message that goes with a failure.
//
// A function that can fail returns hw_status. Where it failed it writes one sentence into the caller's hw_diag;
// callers above forward the status and leave the message alone. The library never prints.
#ifndef HW_BASE_STATUS_H
#define HW_BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

typedef enum hw_status {
    HW_OK = 0,
    HW_NO_MEMORY,    // an allocation on this machine failed
    HW_USAGE,        // an argument is wrong
    HW_IO,           // a file or process could not be read, written or started
    HW_MALFORMED,    // input that breaks its format: PTX syntax, a fat binary's header
    HW_COMPILE,      // the user's program did not compile
    HW_UNSUPPORTED,  // well-formed, and not something Halfwarp executes
    HW_FAULT,        // the kernel did something that a GPU stops for
    HW_DEADLOCK,     // the kernel cannot finish
    HW_NOT_FOUND,    // a name that is not there
} hw_status;

// One message, with the place it is about. Owned by the caller; zero-initialise it before use.
// file is copied; line 0 means that there is no line.
typedef struct hw_diag {
    char file[256];
    int line;
    char text[1536];
} hw_diag;

// Writes the message, unless one is already there (the first failure is the cause). Returns status, so that
// `return hw_diag_set(diag, HW_USAGE, "...")` reads as one step. diag may be NULL.
hw_status hw_diag_set(hw_diag *diag, hw_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The same with the place that the message is about. file may be NULL.
hw_status hw_diag_set_at(hw_diag *diag, hw_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Sets HW_NO_MEMORY with its usual sentence.
hw_status hw_diag_no_memory(hw_diag *diag);

// "file:line: text", or just the text, into out. Returns out.
const char *hw_diag_format(const hw_diag *diag, char *out, size_t out_bytes);

#endif
