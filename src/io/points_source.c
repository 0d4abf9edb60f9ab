// Bytes, lines and words of a file of points, as they come.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/points_internal.h"

enum { MAX_LINE = 1 << 20, ROOM = 2 * MAX_LINE };

hw_status hw_points_wrong(const hw_points_source *source, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hw_diag_set_at(source->diag, HW_MALFORMED, source->name, source->line, "%s", text);
}

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static hw_status read_more(hw_points_source *source) {
    if (!source->buffer) {
        source->buffer = hw_malloc(ROOM);
        if (!source->buffer) return hw_diag_no_memory(source->diag);
        source->room = ROOM;
        source->bytes = source->buffer;
    }
    memmove(source->buffer, source->buffer + source->begin, source->end - source->begin);
    source->end -= source->begin;
    source->begin = 0;
    ssize_t got;
    do got = read(source->file, source->buffer + source->end, source->room - source->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return hw_diag_set_at(source->diag, HW_IO, source->name, 0, "cannot be read: %s", strerror(errno));
    source->end += (size_t)got;
    source->ended = got == 0;
    return HW_OK;
}

hw_status hw_points_want(hw_points_source *source, size_t bytes) {
    while (source->end - source->begin < bytes && !source->ended) {
        hw_status status = read_more(source);
        if (status) return status;
    }
    return HW_OK;
}

hw_status hw_points_pass(hw_points_source *source, uint64_t bytes, uint64_t *passed) {
    *passed = 0;
    for (;;) {
        const uint64_t there = source->end - source->begin, left = bytes - *passed;
        const uint64_t now = there < left ? there : left;
        source->begin += now;
        *passed += now;
        if (*passed == bytes || source->ended) return HW_OK;
        hw_status status = hw_points_want(source, 1);
        if (status) return status;
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

// The first line tells what ends all lines: a CR that no LF follows is an end of its own.
static void learn_line_end(hw_points_source *source) {
    const char *from = source->bytes + source->begin;
    const size_t length = source->end - source->begin;
    const char *cr = length ? memchr(from, '\r', length) : NULL, *lf = length ? memchr(from, '\n', length) : NULL;
    source->line_end = cr && (!lf || cr + 1 < lf) ? '\r' : '\n';
}

hw_status hw_points_line(hw_points_source *source, hw_span *line, bool *there) {
    hw_status status = HW_OK;
    size_t seen = 0;
    const char *end = NULL;
    if (!source->line_end) {
        status = hw_points_want(source, MAX_LINE);
        if (status) return status;
        learn_line_end(source);
    }
    for (;;) {
        const size_t length = source->end - source->begin;
        if (length > seen) end = memchr(source->bytes + source->begin + seen, source->line_end, length - seen);
        if (end || source->ended || length > MAX_LINE) break;
        seen = length;
        status = hw_points_want(source, length + 1);
        if (status) return status;
    }
    *there = end || source->end > source->begin;
    if (!*there) return HW_OK;
    *line = (hw_span){source->bytes + source->begin, end ? end : source->bytes + source->end};
    const size_t length = (size_t)(line->end - line->begin);
    source->begin += length + (end ? 1 : 0);
    if (source->line < INT_MAX) source->line++;
    if (length > MAX_LINE) return hw_points_wrong(source, "is longer than a line of text can be: %d bytes", MAX_LINE);
    if (length && memchr(line->begin, 0, length)) return hw_points_wrong(source, "has a zero byte, and is no text");
    return HW_OK;
}

static bool is_comment(hw_span line) {
    return line.begin == line.end || *line.begin == '#' || *line.begin == '%' ||
           (line.end - line.begin >= 2 && line.begin[0] == '/' && line.begin[1] == '/');
}

hw_status hw_points_text_line(hw_points_source *source, hw_span *line, bool *there) {
    for (;;) {
        hw_status status = hw_points_line(source, line, there);
        if (status || !*there) return status;
        if (!is_comment(hw_span_trim(*line))) return HW_OK;
    }
}

// ---- Words ----------------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

hw_span hw_span_trim(hw_span text) {
    while (text.begin < text.end && is_blank(*text.begin)) text.begin++;
    while (text.begin < text.end && is_blank(text.end[-1])) text.end--;
    return text;
}

static bool is_one_of(char c, const char *set) { return c && strchr(set, c); }

hw_span hw_span_until(hw_span text, const char *separators, hw_span *rest) {
    const char *at = text.begin;
    while (at < text.end && !is_one_of(*at, separators)) at++;
    *rest = at < text.end ? (hw_span){at + 1, text.end} : (hw_span){NULL, NULL};
    return (hw_span){text.begin, at};
}

hw_span hw_span_word(hw_span *text, const char *separators) {
    while (text->begin < text->end && is_one_of(*text->begin, separators)) text->begin++;
    hw_span word = {text->begin, text->begin};
    while (word.end < text->end && !is_one_of(*word.end, separators)) word.end++;
    text->begin = word.end;
    return word;
}

bool hw_span_is(hw_span text, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(text.end - text.begin) == length && strncasecmp(text.begin, word, length) == 0;
}
