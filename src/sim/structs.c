// Structs that grow at their end: what a caller and a library of different ages know of them.
#include <string.h>

#include "base/status.h"
#include "sim/internal.h"

static size_t bytes_of(const void *given) {
    size_t bytes;
    memcpy(&bytes, given, sizeof bytes);
    return bytes;
}

hw_status hw_struct_check(const void *given, const char *name, hw_diag *diag) {
    if (bytes_of(given) >= sizeof(size_t)) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "struct_bytes of %s is %zu: set it to sizeof(%s)", name, bytes_of(given), name);
}

hw_status hw_struct_give(void *to, const void *from, size_t known_bytes, const char *name, hw_diag *diag) {
    const size_t bytes = bytes_of(to), common = bytes < known_bytes ? bytes : known_bytes;
    hw_status status = hw_struct_check(to, name, diag);
    if (status) return status;
    memcpy((char *)to + sizeof bytes, (const char *)from + sizeof bytes, common - sizeof bytes);
    memset((char *)to + common, 0, bytes - common);
    return HW_OK;
}

hw_status hw_struct_take(void *to, const void *from, size_t known_bytes, const char *name, hw_diag *diag) {
    const size_t bytes = bytes_of(from), common = bytes < known_bytes ? bytes : known_bytes;
    hw_status status = hw_struct_check(from, name, diag);
    if (status) return status;
    memset(to, 0, known_bytes);
    memcpy(to, from, common);
    for (size_t i = common; i < bytes; i++)
        if (((const unsigned char *)from)[i])
            return hw_diag_set(diag, HW_UNSUPPORTED, "%s has a member, at byte %zu, that this library does not know",
                               name, i);
    return HW_OK;
}
