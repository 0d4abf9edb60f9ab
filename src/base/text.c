// Text that is put together piece by piece.
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"

hw_text hw_text_in(char *bytes, size_t size) {
    if (size) bytes[0] = 0;
    return (hw_text){.bytes = bytes, .size = size};
}

// Makes room for so many characters more and the NUL.
static void make_room(hw_text *text, size_t length) {
    enum { LEAST_BYTES = 4096 };
    if (text->ran_out) return;
    size_t wanted = 2 * (text->used + length) + LEAST_BYTES;
    char *bigger = hw_realloc_array(text->bytes, wanted, 1);
    text->ran_out = !bigger;
    if (!bigger) return;
    text->bytes = bigger;
    text->size = wanted;
}

void hw_text_put(hw_text *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = text->size - text->used;
    int length = vsnprintf(room ? text->bytes + text->used : NULL, room, format, args);
    if (length >= 0 && (size_t)length >= room && text->grows) {
        make_room(text, (size_t)length);
        room = text->size - text->used;
        if (!text->ran_out) vsnprintf(text->bytes + text->used, room, format, again);
    }
    if (length > 0 && !text->ran_out) text->used += room ? hw_least((uint64_t)length, room - 1) : 0;
    va_end(again);
    va_end(args);
}

char *hw_text_finish(hw_text *text) {
    hw_text_put(text, "%s", "");
    char *bytes = text->bytes;
    if (text->ran_out) {
        hw_free(bytes);
        bytes = NULL;
    }
    *text = hw_text_growing();
    return bytes;
}

void hw_text_append(char *bytes, size_t size, const char *format, ...) {
    const size_t used = strlen(bytes);
    va_list args;
    va_start(args, format);
    vsnprintf(bytes + used, size - used, format, args);
    va_end(args);
}
