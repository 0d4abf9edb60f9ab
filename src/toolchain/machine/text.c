// Matched machine code as text, for the cache:
//   kernel|function NAME RANGES BLOCKS
//   FIRST LAST                                    each range
//   SHARE COPIES RANGE ENTRY PARTED PIPE:COUNT... each block; ranges by number from 1 on, 0: none
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/machine/machine.h"

static const char magic[] = "machine code 1\n";

static void print_block(FILE *out, const hw_machine_block *b) {
    fprintf(out, "%u %u %u %u %u", b->share, b->copies, b->range + 1, b->entry + 1, b->parted + 1);
    for (unsigned i = 0; i < HW_RATES; i++)
        if (b->inst[i]) fprintf(out, " %u:%u", i, b->inst[i]);
    fputc('\n', out);
}

static void print_function(FILE *out, const hw_machine_function *f) {
    fprintf(out, "%s %s %u %u\n", f->is_kernel ? "kernel" : "function", f->name, f->n_ranges, f->n_blocks);
    for (uint32_t i = 0; i < f->n_ranges; i++) fprintf(out, "%u %u\n", f->ranges[i].first, f->ranges[i].last);
    for (uint32_t i = 0; i < f->n_blocks; i++) print_block(out, &f->blocks[i]);
}

const char *hw_machine_print(const hw_machine_module *machine, hw_arena *arena, size_t *length) {
    char *text = NULL, *copy = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) return NULL;
    fputs(magic, out);
    for (uint32_t i = 0; i < machine->n_functions; i++) print_function(out, &machine->functions[i]);
    if (!fclose(out)) copy = hw_arena_string(arena, text, *length);
    free(text);
    return copy;
}

// ---- Back -----------------------------------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    hw_arena *arena;
    bool has_failed, has_no_memory;
} reader;

// A number up to a limit, and what stands behind it.
static uint32_t take(reader *r, uint64_t most, char behind) {
    char *end;
    const bool is_digit = *r->at >= '0' && *r->at <= '9';
    const unsigned long long value = is_digit ? strtoull(r->at, &end, 10) : 0;
    if (!is_digit || value > most || *end != behind) {
        r->has_failed = true;
        return 0;
    }
    r->at = end + 1;
    return (uint32_t)value;
}

static void take_block(reader *r, hw_machine_block *b, uint32_t n_ranges) {
    b->share = (uint8_t)take(r, HW_MACHINE_AS_NEXT, ' ');
    b->copies = (uint16_t)take(r, UINT16_MAX, ' ');
    b->range = take(r, n_ranges, ' ') - 1;
    b->entry = take(r, n_ranges, ' ') - 1;
    uint64_t parted = strtoull(r->at, NULL, 10);
    const size_t digits = strspn(r->at, "0123456789");
    r->has_failed |= !digits || parted > n_ranges || !b->copies || (b->share != HW_MACHINE_NEVER &&
                     b->share != HW_MACHINE_AS_NEXT && b->range == HW_MACHINE_NO_RANGE);
    b->parted = (uint32_t)parted - 1;
    for (r->at += digits; !r->has_failed && *r->at == ' ';) {
        r->at++;
        const uint32_t rate = take(r, HW_RATES - 1, ':');
        const size_t n = strspn(r->at, "0123456789");
        const uint64_t count = strtoull(r->at, NULL, 10);
        r->has_failed |= !n || count > UINT32_MAX;
        if (!r->has_failed) b->inst[rate] = (uint32_t)count;
        r->at += n;
    }
    r->has_failed |= *r->at != '\n';
    r->at += *r->at == '\n';
}

static void take_function(reader *r, hw_machine_function *f) {
    const size_t kind = strcspn(r->at, " \n"), name = r->at[kind] == ' ' ? strcspn(r->at + kind + 1, " \n") : 0;
    const bool is_counted = *r->at == 'k' || *r->at == 'f';   // as there is room for
    if (!name || !is_counted || r->at[kind + 1 + name] != ' ') {
        r->has_failed = true;
        return;
    }
    const size_t left = strlen(r->at);
    f->is_kernel = *r->at == 'k';
    f->name = hw_arena_string(r->arena, r->at + kind + 1, name);
    r->at += kind + name + 2;
    f->n_ranges = take(r, left, ' ');      // each has bytes of the text, so these are no more
    f->n_blocks = take(r, left, '\n');
    if (r->has_failed) return;
    hw_machine_range *ranges = hw_arena_take(r->arena, ((size_t)f->n_ranges + 1) * sizeof *ranges);
    hw_machine_block *blocks = hw_arena_take(r->arena, ((size_t)f->n_blocks + 1) * sizeof *blocks);
    r->has_no_memory |= !f->name || !ranges || !blocks;
    if (r->has_no_memory) return;
    for (uint32_t i = 0; i < f->n_ranges && !r->has_failed; i++) {
        ranges[i].first = take(r, UINT32_MAX, ' ');
        ranges[i].last = take(r, UINT32_MAX, '\n');
        r->has_failed |= ranges[i].last < ranges[i].first || (i && ranges[i].first <= ranges[i - 1].last);
    }
    for (uint32_t i = 0; i < f->n_blocks && !r->has_failed; i++) take_block(r, &blocks[i], f->n_ranges);
    f->ranges = ranges;
    f->blocks = blocks;
}

static uint32_t count_functions(const char *text) {
    uint32_t n = 0;
    for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL) n += *at == 'k' || *at == 'f';
    return n;
}

hw_status hw_machine_parse(const char *text, hw_arena *arena, hw_machine_module *machine, hw_diag *diag) {
    reader r = {.at = text, .arena = arena};
    *machine = (hw_machine_module){0};
    if (strncmp(text, magic, strlen(magic))) return hw_diag_set(diag, HW_MALFORMED, "this is no matched machine code");
    r.at += strlen(magic);
    hw_machine_function *functions = hw_arena_take(arena, ((size_t)count_functions(r.at) + 1) * sizeof *functions);
    if (!functions) return hw_diag_no_memory(diag);
    machine->functions = functions;
    while (*r.at && !r.has_failed && !r.has_no_memory) take_function(&r, &functions[machine->n_functions++]);
    if (r.has_no_memory) return hw_diag_no_memory(diag);
    if (!r.has_failed) return HW_OK;
    *machine = (hw_machine_module){0};
    return hw_diag_set(diag, HW_MALFORMED, "this matched machine code is damaged");
}
