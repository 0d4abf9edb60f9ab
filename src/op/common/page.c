// Explanations in words.
#include "op/common/page.h"

#include <stdarg.h>
#include <stdio.h>

hw_page hw_page_begin(char *text, size_t text_bytes) {
    if (text_bytes) text[0] = 0;
    return (hw_page){text, text_bytes, 0};
}

void hw_page_say(hw_page *page, const char *format, ...) {
    if (page->used + 1 >= page->bytes) return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(page->text + page->used, page->bytes - page->used, format, args);
    va_end(args);
    if (n > 0) page->used += (size_t)n;
}
