// Which launches are counted, and which are executed at all.
#include "shim/selection.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "report/text.h"

enum { MAX_NAME = 4096 };

typedef struct expression {
    regex_t compiled;
    enum { NEW, GOOD, BAD } state;
} expression;

// The name as it is demangled, or without the result type that those of templates begin with, so that ^ stands for the
// name that tables show. The halfwarp command has looked at the expression; one that cannot be compiled matches all.
static bool matches_name(expression *e, const char *text, const char *mangled) {
    char name[MAX_NAME], bare[MAX_NAME];
    if (!text) return true;
    if (e->state == NEW) e->state = regcomp(&e->compiled, text, REG_EXTENDED | REG_NOSUB) == 0 ? GOOD : BAD;
    if (e->state == BAD) return true;
    hw_report_short_name(hw_demangle(mangled, name, sizeof name), bare, sizeof bare);
    const char *without_result = strstr(name, bare);
    return regexec(&e->compiled, name, 0, NULL, 0) == 0 ||
           (without_result && regexec(&e->compiled, without_result, 0, NULL, 0) == 0);
}

bool hw_selection_takes(const hw_environment *environment, const char *mangled) {
    static expression kernel;
    static uint64_t n_matching;
    bool asks = environment->kernel || environment->skip || environment->count != UINT64_MAX;
    if (!asks) return true;
    if (!matches_name(&kernel, environment->kernel, mangled)) return false;
    uint64_t index = n_matching++;
    return index >= environment->skip && index - environment->skip < environment->count;
}

bool hw_selection_executes(const hw_environment *environment, const char *mangled, uint64_t index) {
    static expression kernel;
    static bool is_told;
    const uint32_t n = environment->of_launches;
    if (matches_name(&kernel, environment->only_kernel, mangled) && (!n || index % n == environment->only_launch - 1))
        return true;
    char name[MAX_NAME];
    if (!is_told)
        fprintf(stderr, "halfwarp: launches that --only leaves out are not executed, the first of them of %s: what the "
                        "program computes is not to be trusted\n", hw_demangle(mangled, name, sizeof name));
    is_told = true;
    return false;
}
