// Text that is put together piece by piece: in the caller's memory, cut where that ends, or in memory that grows.
#ifndef HW_BASE_TEXT_H
#define HW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hw_text {
    char *bytes;            // ends with NUL, as far as there are any
    size_t size, used;      // `used` leaves the NUL out
    bool grows, ran_out;    // ran_out: of memory; what is put then is dropped
} hw_text;

// An empty text in the caller's memory, which may have no bytes.
hw_text hw_text_in(char *bytes, size_t size);

// An empty text that grows; hw_text_finish ends it.
static inline hw_text hw_text_growing(void) { return (hw_text){.grows = true}; }

void hw_text_put(hw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What a growing text holds, "" where nothing was put; the caller frees it with hw_free. NULL when memory ran out.
char *hw_text_finish(hw_text *text);

// Puts text behind the string that is in `bytes`, cut where these end.
void hw_text_append(char *bytes, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

// What makes a noun of so many: "1 block", "2 blocks".
static inline const char *hw_text_plural(unsigned long long n) { return n == 1 ? "" : "s"; }

#endif
