// Asking ptxas: only for a report, or when the program itself asks about a function, because it takes its time.
#include "shim/cudart/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim/state.h"
#include "toolchain/toolchain.h"

static void take_answer(void *user, const hw_ptxas_usage *usage) {
    hw_sim_function *function;
    if (usage->regs <= 0 || hw_sim_find_function(user, usage->kernel, &function, NULL)) return;
    hw_sim_set_regs(function, (uint32_t)usage->regs);
    hw_sim_set_spills(function, (uint32_t)usage->spill_bytes);
}

// As the halfwarp command chooses it.
static void cache_folder(char *path, size_t bytes) {
    const char *own = getenv("HALFWARP_CACHE"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) snprintf(path, bytes, "%s", own);
    else if (caches && *caches == '/') snprintf(path, bytes, "%s/halfwarp", caches);
    else if (home && *home == '/') snprintf(path, bytes, "%s/.cache/halfwarp", home);
    else snprintf(path, bytes, "/tmp/halfwarp-cache-%u", (unsigned)getuid());
}

void hw_registers_ask(hw_image *image) {
    if (image->regs_are_asked || !image->module || !hw_shim_environment()->ask_ptxas) return;
    image->regs_are_asked = true;
    char cache[4096];
    cache_folder(cache, sizeof cache);
    const hw_toolchain_options options = {.search_path = getenv("PATH"), .cache_dir = cache,
                                          .max_regs = hw_shim_environment()->max_regs};
    hw_toolchain_ptxas_regs(&options, image->ptx, image->ptx_bytes, hw_shim_gpu()->arch->cc, take_answer, image->module,
                            NULL);
}
