// Command lines.
#define _GNU_SOURCE
#include "toolchain/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hw_args_add(hw_args *args, const char *word) {
    if (args->failed) return;
    if (!word) {
        args->failed = true;
        return;
    }
    if (args->count + 2 > args->capacity) {
        size_t wanted = args->capacity ? args->capacity * 2 : 32;
        const char **bigger = hw_arena_take(args->arena, wanted * sizeof *bigger);
        if (!bigger) {
            args->failed = true;
            return;
        }
        if (args->count) memcpy(bigger, args->items, args->count * sizeof *bigger);
        args->items = bigger;
        args->capacity = wanted;
    }
    args->items[args->count++] = word;
    args->items[args->count] = NULL;
}

void hw_args_addf(hw_args *args, const char *format, ...) {
    va_list list;
    va_start(list, format);
    hw_args_add(args, hw_arena_vprintf(args->arena, format, list));
    va_end(list);
}

void hw_args_add_words(hw_args *args, const char *text, char separator) {
    while (*text) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length) hw_args_add(args, hw_arena_string(args->arena, text, length));
        text += length + (end != NULL);
    }
}

void hw_args_add_filled(hw_args *args, const char *text, const char *value) {
    hw_args split = {.arena = args->arena};
    hw_args_add_words(&split, text, ' ');
    if (split.failed) args->failed = true;
    for (size_t i = 0; i < split.count; i++) {
        const char *hole = strchr(split.items[i], '%');
        if (!hole) hw_args_add(args, split.items[i]);
        else hw_args_addf(args, "%.*s%s%s", (int)(hole - split.items[i]), split.items[i], value, hole + 1);
    }
}

void hw_args_add_list(hw_args *args, const char *text) {
    while (*text) {
        bool is_quoted = false;
        char *word = hw_arena_take(args->arena, strlen(text) + 1), *to = word;
        for (; word && *text && (is_quoted || *text != ','); text++) {
            is_quoted ^= *text == '"';
            if (text[0] == '\\' && text[1] == ',') text++;
            *to++ = *text;
        }
        if (!word || to > word) hw_args_add(args, word);
        if (!word) return;
        *to = '\0';
        text += *text == ',';
    }
}

void hw_args_add_all(hw_args *args, const hw_args *more) {
    if (more->failed) args->failed = true;
    for (size_t i = 0; i < more->count; i++) hw_args_add(args, more->items[i]);
}

char *hw_args_join(const hw_args *args) {
    size_t length = 0;
    for (size_t i = 0; i < args->count; i++) length += strlen(args->items[i]);
    char *joined = args->failed ? NULL : hw_arena_take(args->arena, length + 1), *to = joined;
    for (size_t i = 0; joined && i < args->count; i++) to = stpcpy(to, args->items[i]);
    return joined;
}
