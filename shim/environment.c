// The variables of shim/environment.h, and where programs and the cache lie: the only place that reads the environment.
#include "shim/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t environment_number(const char *name) {
    const char *text = getenv(name);
    if (!text) return 0;
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    return *text && !*end ? value : 0;
}

// A number of up to 255, also in hexadecimal; -1: none.
static int environment_byte(const char *name) {
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9') return -1;
    unsigned long value = strtoul(text, &end, text[1] == 'x' || text[1] == 'X' ? 16 : 10);
    return !*end && value <= 255 ? (int)value : -1;
}

// "K/N", K from 1 to N; of_launches 0: it is none.
static void read_share(const char *name, uint32_t *k, uint32_t *n) {
    const char *text = getenv(name);
    *k = *n = 0;
    if (text && (sscanf(text, "%u/%u", k, n) != 2 || !*k || *k > *n)) *k = *n = 0;
}

static const char *environment_word(const char *name) {
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

// What is checked and not counted is not timed either: its times would be those of launches that do nothing.
static bool wants_gpu_time(void) {
    const char *time = environment_word(HW_ENV_TIME);
    const bool is_only_checked = environment_word(HW_ENV_CHECK) && !environment_word(HW_ENV_JOURNAL);
    return !(time && !strcmp(time, "host")) && !is_only_checked;
}

void hw_environment_read(hw_environment *environment) {
    *environment = (hw_environment){
        .gpu = environment_word(HW_ENV_GPU),
        .status_path = environment_word(HW_ENV_STATUS),
        .journal_path = environment_word(HW_ENV_JOURNAL),
        .monitor_path = environment_word(HW_ENV_MONITOR),
        .check_path = environment_word(HW_ENV_CHECK),
        .leaks = environment_number(HW_ENV_LEAKS) == 1,
        .watched = environment_word(HW_ENV_CHECK) ? (uint8_t)environment_number(HW_ENV_ARITHMETIC) : 0,
        .gpus = (uint32_t)environment_number(HW_ENV_GPUS),
        .visible = getenv("CUDA_VISIBLE_DEVICES"),   // also where it is empty
        .threads = (uint32_t)environment_number(HW_ENV_THREADS),
        .seed = environment_number(HW_ENV_SEED),
        .poison = environment_byte(HW_ENV_POISON),
        .reuses = !environment_word(HW_ENV_REUSE) || strcmp(environment_word(HW_ENV_REUSE), "0") != 0,
        .lenient = environment_number(HW_ENV_LENIENT) == 1,
        .gpu_time = wants_gpu_time(),
        .traces = environment_number(HW_ENV_TRACE) == 1,
        .lines = environment_number(HW_ENV_LINES) == 1,
        .keeps_code = environment_number(HW_ENV_CODE) == 1,
        .no_l1 = environment_number(HW_ENV_NO_L1) == 1,
        .ask_ptxas = environment_number(HW_ENV_PTXAS) == 1,
        .compiles = !environment_word(HW_ENV_COMPILE) || environment_number(HW_ENV_COMPILE) != 0,
        .awaits_compiler = environment_number(HW_ENV_COMPILE) == 2,
        .max_regs = (uint32_t)environment_number(HW_ENV_MAX_REGS),
        .kernel = environment_word(HW_ENV_KERNEL),
        .only_kernel = environment_word(HW_ENV_ONLY_KERNEL),
        .max_launches = environment_number(HW_ENV_MAX_LAUNCHES),
        .ptx_by = environment_word(HW_ENV_PTX_BY),
        .path = getenv("PATH") ? getenv("PATH") : "",
        .skip = environment_number(HW_ENV_SKIP),
        .count = environment_word(HW_ENV_COUNT) ? environment_number(HW_ENV_COUNT) : UINT64_MAX,
    };
    read_share(HW_ENV_ONLY_LAUNCH, &environment->only_launch, &environment->of_launches);
    find_cache(environment->cache_dir, sizeof environment->cache_dir);
}
