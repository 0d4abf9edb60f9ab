// hw_diag: within a call the first failure's message, kept.
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void write_message(hw_diag *diag, const char *file, int line, const char *format, va_list args) {
    if (!diag || diag->text[0]) return;
    snprintf(diag->file, sizeof diag->file, "%s", file ? file : "");
    diag->line = line;
    vsnprintf(diag->text, sizeof diag->text, format, args);
}

hw_status hw_diag_set(hw_diag *diag, hw_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    write_message(diag, NULL, 0, format, args);
    va_end(args);
    return status;
}

hw_status hw_diag_set_at(hw_diag *diag, hw_status status, const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    write_message(diag, file, line, format, args);
    va_end(args);
    return status;
}

hw_status hw_diag_no_memory(hw_diag *diag) {
    return hw_diag_set(diag, HW_NO_MEMORY, "out of memory on this machine");
}

hw_status hw_diag_errno(hw_diag *diag, int failure, const char *format, ...) {
    char what[sizeof diag->text / 2];
    if (failure == ENOMEM) return hw_diag_no_memory(diag);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hw_diag_set(diag, HW_IO, "%s: %s", what, strerror(failure));
}

hw_diag *hw_diag_begin(hw_diag *own) {
    own->file[0] = own->text[0] = 0;   // the rest of two kilobytes is looked at by nobody
    own->line = 0;
    return own;
}

hw_status hw_diag_tell(hw_diag *diag, const hw_diag *own, hw_status status) {
    if (status == HW_OK || !diag) return status;
    snprintf(diag->file, sizeof diag->file, "%s", own->file);
    diag->line = own->line;
    snprintf(diag->text, sizeof diag->text, "%s", own->text);
    return status;
}

const char *hw_diag_format(const hw_diag *diag, char *out, size_t out_bytes) {
    if (diag->file[0] && diag->line > 0) snprintf(out, out_bytes, "%s:%d: %s", diag->file, diag->line, diag->text);
    else if (diag->file[0]) snprintf(out, out_bytes, "%s: %s", diag->file, diag->text);
    else snprintf(out, out_bytes, "%s", diag->text);
    return out;
}
