// Explanations in words: lines that follow each other in the caller's piece of memory, cut where it ends.
#ifndef HW_OP_PAGE_H
#define HW_OP_PAGE_H

#include <stddef.h>

typedef struct hw_page {
    char *text;             // always ends with NUL
    size_t bytes, used;
} hw_page;

// An empty page; text may have no bytes.
hw_page hw_page_begin(char *text, size_t text_bytes);

void hw_page_say(hw_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What makes a noun of so many: "1 block", "2 blocks".
static inline const char *hw_page_plural(unsigned long long n) { return n == 1 ? "" : "s"; }

#endif
