// Profiles from anywhere: nothing is read outside, refusals say why, and what is accepted can be compared with itself.
#include <stdint.h>
#include <stdio.h>

#include "report/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_profile profile;
    hw_diff diff;
    hw_diag diag = {0};
    hw_arena *arena = hw_arena_create();
    FILE *in = fmemopen((void *)(uintptr_t)data, size ? size : 1, "r");
    if (!arena || !in) __builtin_trap();
    const hw_status status = hw_profile_read(in, "known", arena, &profile, &diag);
    fclose(in);
    if (status && !diag.text[0]) __builtin_trap();
    const hw_diff_options options = {.lines = true};
    if (!status && hw_diff_make(&profile, &profile, &options, arena, &diff, &diag)) __builtin_trap();
    hw_arena_destroy(arena);
    return 0;
}
