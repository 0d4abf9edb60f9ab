// The variables of shim/environment.h, and where programs and the cache lie: the only place that reads the environment.
#include "shim/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// As the halfwarp command chooses it.
static void find_cache(char *path, size_t bytes) {
    const char *own = getenv("HALFWARP_CACHE"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) snprintf(path, bytes, "%s", own);
    else if (caches && *caches == '/') snprintf(path, bytes, "%s/halfwarp", caches);
    else if (home && *home == '/') snprintf(path, bytes, "%s/.cache/halfwarp", home);
    else snprintf(path, bytes, "/tmp/halfwarp-cache-%u", (unsigned)getuid());
}

void hw_environment_read(hw_environment *environment) {
    *environment = (hw_environment){
        .gpu = word(HW_ENV_GPU),
        .status_path = word(HW_ENV_STATUS),
        .journal_path = word(HW_ENV_JOURNAL),
        .threads = (uint32_t)number(HW_ENV_THREADS),
        .seed = number(HW_ENV_SEED),
        .poison = byte(HW_ENV_POISON),
        .reuses = !word(HW_ENV_REUSE) || strcmp(word(HW_ENV_REUSE), "0") != 0,
        .lines = number(HW_ENV_LINES) == 1,
        .no_l1 = number(HW_ENV_NO_L1) == 1,
        .ask_ptxas = number(HW_ENV_PTXAS) == 1,
        .max_regs = (uint32_t)number(HW_ENV_MAX_REGS),
        .kernel = word(HW_ENV_KERNEL),
        .ptx_by = word(HW_ENV_PTX_BY),
        .path = getenv("PATH") ? getenv("PATH") : "",
        .skip = number(HW_ENV_SKIP),
        .count = word(HW_ENV_COUNT) ? number(HW_ENV_COUNT) : UINT64_MAX,
    };
    find_cache(environment->cache_dir, sizeof environment->cache_dir);
}
