// The variables of shim/environment.h. Together with state.c the only place that reads the environment.
#include "shim/environment.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number(const char *name) {
    const char *text = getenv(name);
    if (!text) return 0;
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    return *text && !*end ? value : 0;
}

// A number of up to 255, also in hexadecimal; -1: none.
static int byte(const char *name) {
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9') return -1;
    unsigned long value = strtoul(text, &end, text[1] == 'x' || text[1] == 'X' ? 16 : 10);
    return !*end && value <= 255 ? (int)value : -1;
}

static const char *word(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

void hw_environment_read(hw_environment *environment) {
    *environment = (hw_environment){
        .gpu = word(HW_ENV_GPU),
        .status_path = word(HW_ENV_STATUS),
        .journal_path = word(HW_ENV_JOURNAL),
        .threads = (uint32_t)number(HW_ENV_THREADS),
        .seed = number(HW_ENV_SEED),
        .poison = byte(HW_ENV_POISON),
        .lines = number(HW_ENV_LINES) == 1,
        .no_l1 = number(HW_ENV_NO_L1) == 1,
        .ask_ptxas = number(HW_ENV_PTXAS) == 1,
        .max_regs = (uint32_t)number(HW_ENV_MAX_REGS),
        .kernel = word(HW_ENV_KERNEL),
        .ptx_by = word(HW_ENV_PTX_BY),
        .skip = number(HW_ENV_SKIP),
        .count = word(HW_ENV_COUNT) ? number(HW_ENV_COUNT) : UINT64_MAX,
    };
}
