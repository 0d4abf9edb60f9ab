// Linked into tests of execution: HW_TEST_LEVEL names the instruction-set level that they run at, the best unless
// given. Exit status 77, which CTest calls skipped, where this processor does not run it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/ops/level.h"

__attribute__((constructor)) static void choose_level(void) {
    const char *name = getenv("HW_TEST_LEVEL");
    const hw_level *level;
    if (!name) return;
    for (size_t i = 0; (level = hw_level_at(i)); i++) {
        if (strcmp(level->name, name)) continue;
        if (!hw_level_runs_here(level)) exit(77);
        hw_level_choose(level);
        return;
    }
    fprintf(stderr, "HW_TEST_LEVEL=%s: this build has only %s\n", name, hw_level_names);
    exit(1);
}
