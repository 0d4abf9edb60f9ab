// Which launches are counted.
#include "selection.h"

#include <regex.h>

#include "base/demangle.h"

// The halfwarp command has looked at the expression; one that cannot be compiled matches everything.
static bool matches(const char *expression, const char *mangled) {
    enum { MAX_NAME = 4096 };
    static regex_t compiled;
    static enum { NEW, GOOD, BAD } state = NEW;
    char name[MAX_NAME];
    if (!expression) return true;
    if (state == NEW) state = regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) == 0 ? GOOD : BAD;
    return state == BAD || regexec(&compiled, hw_demangle(mangled, name, sizeof name), 0, NULL, 0) == 0;
}

bool hw_selection_takes(const hw_environment *environment, const char *mangled) {
    static uint64_t n_matching;
    bool asks = environment->kernel || environment->skip || environment->count != UINT64_MAX;
    if (!asks) return true;
    if (!matches(environment->kernel, mangled)) return false;
    uint64_t index = n_matching++;
    return index >= environment->skip && index - environment->skip < environment->count;
}
