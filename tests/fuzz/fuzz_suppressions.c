// Suppression files from anywhere: nothing is read outside, refusals name a line, and what is accepted can be asked
// about every kind.
#include <stdint.h>
#include <string.h>

#include "check/suppression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_check_suppressions s;
    hw_diag diag = {0};
    const hw_status status = hw_check_suppressions_parse((const char *)data, size, "known", &s, &diag);
    if (status && (!diag.text[0] || diag.line < 1 || strcmp(diag.file, "known"))) __builtin_trap();
    for (int kind = 0; kind < HW_CHECK_KINDS; kind++)
        if (hw_check_suppresses(&s, (hw_check_kind)kind, "a/b/sum.cu:12", "sum(float*)") && !s.n) __builtin_trap();
    if (hw_check_suppresses(&s, HW_CHECK_RACE, NULL, NULL)) __builtin_trap();
    hw_check_suppressions_free(&s);
    return 0;
}
