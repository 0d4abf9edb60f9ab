// Names of kinds, out of their table.
#include "check/finding.h"

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

hw_check_kind hw_check_find_kind(const char *name) {
    int kind = 0;
    while (kind < HW_CHECK_KINDS && strcmp(kinds[kind].name, name)) kind++;
    return (hw_check_kind)kind;
}
