// Which launches are counted.
#include "shim/selection.h"

#include <regex.h>
#include <string.h>

#include "base/demangle.h"
#include "report/text.h"

// The name as it is demangled, or without the result type that those of templates begin with, so that ^ stands for the
// name that tables show. The halfwarp command has looked at the expression; one that cannot be compiled matches all.
static bool matches_name(const char *expression, const char *mangled) {
    enum { MAX_NAME = 4096 };
    static regex_t compiled;
    static enum { NEW, GOOD, BAD } state = NEW;
    char name[MAX_NAME], bare[MAX_NAME];
    if (!expression) return true;
    if (state == NEW) state = regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) == 0 ? GOOD : BAD;
    if (state == BAD) return true;
    hw_report_short_name(hw_demangle(mangled, name, sizeof name), bare, sizeof bare);
    const char *without_result = strstr(name, bare);
    return regexec(&compiled, name, 0, NULL, 0) == 0 ||
           (without_result && regexec(&compiled, without_result, 0, NULL, 0) == 0);
}

bool hw_selection_takes(const hw_environment *environment, const char *mangled) {
    static uint64_t n_matching;
    bool asks = environment->kernel || environment->skip || environment->count != UINT64_MAX;
    if (!asks) return true;
    if (!matches_name(environment->kernel, mangled)) return false;
    uint64_t index = n_matching++;
    return index >= environment->skip && index - environment->skip < environment->count;
}
