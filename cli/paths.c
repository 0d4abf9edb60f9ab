// Finds the runtime libraries and headers relative to the program itself, so that neither tree has a path built in.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

// The first of two directories under base that exists.
static bool pick(const char *base, const char *first, const char *second, char out[4096]) {
    const char *const places[] = {first, second};
    for (int i = 0; i < 2; i++) {
        int length = snprintf(out, 4096, "%s/%s", base, places[i]);
        if (length < 4096 && access(out, R_OK | X_OK) == 0) return true;
    }
    return false;
}

bool hw_cli_find_paths(hw_cli_paths *paths) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        hw_cli_complain("cannot read /proc/self/exe to find the CUDA runtime libraries that belong to halfwarp");
        return false;
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    // Installed first: a build tree has no ../lib/halfwarp.
    if (!pick(self, "../lib/halfwarp", "lib", paths->shim_dir)) {
        hw_cli_complain("no CUDA runtime libraries in %s/lib or %s/../lib/halfwarp", self, self);
        return false;
    }
    if (!pick(self, "../share/halfwarp/include/cuda", "include/cuda", paths->include_dir)) {
        hw_cli_complain("no CUDA headers in %s/include/cuda or %s/../share/halfwarp/include/cuda", self, self);
        return false;
    }
    return true;
}
