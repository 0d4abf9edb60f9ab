// Names of kinds, out of their table.
#include "check/finding.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *rule;
} kinds[] = {
#define KIND(id, name, rule) {name, rule},
#include "check/kinds.def"
#undef KIND
};

const char *hw_check_kind_name(hw_check_kind kind) { return kinds[kind].name; }
const char *hw_check_kind_rule(hw_check_kind kind) { return kinds[kind].rule; }

const char *hw_check_kind_names(char *out, size_t bytes) {
    size_t used = 0;
    for (int kind = 0; kind < HW_CHECK_KINDS && used < bytes; kind++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", kind ? ", " : "", kinds[kind].name);
    return out;
}

hw_check_kind hw_check_find_kind(const char *name) {
    int kind = 0;
    while (kind < HW_CHECK_KINDS && strcmp(kinds[kind].name, name)) kind++;
    return (hw_check_kind)kind;
}
