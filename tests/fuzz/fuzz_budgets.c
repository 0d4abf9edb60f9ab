// Files of budgets, and conditions, from anywhere: nothing is read outside, refusals name a line, and what is accepted
// can be asked about a launch.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/budget.h"

static void try_condition(const uint8_t *data, size_t size) {
    hw_condition *condition = NULL;
    hw_diag diag = {0};
    char *text = malloc(size + 1), told[64];
    if (!text) __builtin_trap();
    memcpy(text, data, size);
    text[size] = '\0';
    const hw_report_launch launch = {.kernel = "f()", .mangled = "_Z1fv", .ptx_by = ""};
    const hw_subject subject = {.launch = &launch, .counts = launch.counts};
    if (hw_condition_parse(text, &condition, &diag)) {
        if (condition || !diag.text[0]) __builtin_trap();
    } else {
        hw_condition_holds(condition, &subject);
        hw_condition_explain(condition, &subject, told, sizeof told);
    }
    hw_condition_free(condition);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hw_budgets budgets = {0};
    hw_diag diag = {0};
    const hw_status status = hw_budgets_parse(&budgets, (const char *)data, size, "known", &diag);
    if (status && (!diag.text[0] || diag.line < 1 || strcmp(diag.file, "known"))) __builtin_trap();
    hw_budgets_free(&budgets);
    try_condition(data, size);
    return 0;
}
