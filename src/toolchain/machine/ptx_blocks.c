#define _GNU_SOURCE
#include "toolchain/machine/ptx_blocks.h"

#include <ctype.h>
#include <string.h>

typedef struct text {
    const char *at, *end;
} text;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static void skip(text *t, const char *chars) {
    while (t->at < t->end && *t->at && strchr(chars, *t->at)) t->at++;
}

// Is there a label? Then what follows it is left.
static bool take_label(text *t) {
    text rest = *t;
    while (rest.at < rest.end && is_word(*rest.at)) rest.at++;
    if (rest.at == t->at || rest.at == rest.end || *rest.at != ':') return false;
    rest.at++;
    skip(&rest, " \t");
    *t = rest;
    return true;
}

// The opcode's first part: "bra" of "@%p1 bra.uni $L_2;".
static text opcode_of(text t) {
    if (t.at < t.end && *t.at == '@') {
        while (t.at < t.end && !isspace((unsigned char)*t.at)) t.at++;
        skip(&t, " \t");
    }
    const char *end = t.at;
    while (end < t.end && isalnum((unsigned char)*end)) end++;
    return (text){t.at, end};
}

static bool is_end(text opcode) {
    static const char *const names[] = {"bra", "brx", "ret", "exit", "trap"};
    const size_t length = (size_t)(opcode.end - opcode.at);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], opcode.at, length)) return true;
    return false;
}

static bool begins_function(text t) {
    const size_t length = (size_t)(t.end - t.at);
    return length && *t.at == '.' && (memmem(t.at, length, ".entry", 6) || memmem(t.at, length, ".func", 5));
}

// A line belongs to the block that is open, unless nothing but a directive, a bracket or a comment stands there.
static void take_line(hw_ptx_blocks *b, text t, uint32_t line) {
    hw_machine_range *open = &b->ranges[b->n_blocks - 1];
    skip(&t, " \t{");
    const bool has_label = take_label(&t), is_blank = t.at == t.end || strchr(".}/()\r", *t.at);
    if ((has_label || begins_function(t)) && open->first) open = &b->ranges[b->n_blocks++];
    if (is_blank) return;
    if (!open->first) open->first = line;
    open->last = line;
    b->of[line] = b->n_blocks - 1;
    b->ends[line] = is_end(opcode_of(t));
    if (b->ends[line]) b->n_blocks++;
}

static uint32_t count_lines(const char *ptx, size_t length) {
    uint32_t n = 1;
    for (const char *at = ptx; (at = memchr(at, '\n', (size_t)(ptx + length - at))); at++) n++;
    return n;
}

bool hw_ptx_find_blocks(const char *ptx, size_t length, hw_arena *arena, hw_ptx_blocks *b) {
    const size_t n = (size_t)count_lines(ptx, length) + 2;
    *b = (hw_ptx_blocks){.n_lines = (uint32_t)n - 2, .n_blocks = 2};
    b->of = hw_arena_take(arena, n * sizeof *b->of);
    b->ends = hw_arena_take(arena, n * sizeof *b->ends);
    b->ranges = hw_arena_take(arena, (n + 2) * sizeof *b->ranges);   // a line begins one block and may end it
    if (!b->of || !b->ends || !b->ranges) return false;
    const char *at = ptx, *end = ptx + length;
    for (uint32_t line = 1; line <= b->n_lines; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        take_line(b, (text){at, stop}, line);
        at = stop < end ? stop + 1 : end;
    }
    return true;
}
