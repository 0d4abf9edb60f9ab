// Finds the runtime libraries and headers relative to the program itself, so that neither tree has a path built in.
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

// The first of two directories under base that exists.
static bool pick_folder(const char *base, const char *first, const char *second, char out[4096]) {
    const char *const places[] = {first, second};
    for (int i = 0; i < 2; i++) {
        int length = snprintf(out, 4096, "%s/%s", base, places[i]);
        if (length < 4096 && access(out, R_OK | X_OK) == 0) return true;
    }
    return false;
}

// The folder of the program itself.
static bool find_self(char self[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    if (length <= 0) {
        hw_cli_complain("cannot read /proc/self/exe to find the files that belong to halfwarp");
        return false;
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    return true;
}

bool hw_cli_find_paths(hw_cli_paths *paths) {
    char self[PATH_MAX];
    if (!find_self(self)) return false;
    // Installed first: a build tree has no ../lib/halfwarp.
    if (!pick_folder(self, "../lib/halfwarp", "lib", paths->shim_dir)) {
        hw_cli_complain("no CUDA runtime libraries in %s/lib or %s/../lib/halfwarp", self, self);
        return false;
    }
    if (!pick_folder(self, "../share/halfwarp/include/cuda", "include/cuda", paths->include_dir)) {
        hw_cli_complain("no CUDA headers in %s/include/cuda or %s/../share/halfwarp/include/cuda", self, self);
        return false;
    }
    return true;
}

bool hw_cli_has_toolkit(char folder[4096]) {
    char self[PATH_MAX];
    return find_self(self) && pick_folder(self, "../lib/halfwarp/cuda", "cuda", folder);
}

bool hw_cli_find_toolkit(char folder[4096]) {
    char self[PATH_MAX];
    if (hw_cli_has_toolkit(folder)) return true;
    if (find_self(self))
        hw_cli_complain("no folder for the compiler in %s/cuda or %s/../lib/halfwarp/cuda", self, self);
    return false;
}

bool hw_cli_find_bench(char folder[4096]) {
    char self[PATH_MAX];
    if (!find_self(self)) return false;
    if (pick_folder(self, "../share/halfwarp/bench", "share/halfwarp/bench", folder)) return true;
    hw_cli_complain("no cases and peers in %s/share/halfwarp/bench or %s/../share/halfwarp/bench", self, self);
    return false;
}

bool hw_cli_find_manual(const char *page, char path[4096]) {
    char self[PATH_MAX];
    if (!find_self(self)) return false;
    // Distributions compress manuals.
    static const char *const places[] = {"man1/%s.1", "man1/%s.1.gz", "man7/%s.7", "man7/%s.7.gz"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, places[i], page);
        int length = snprintf(path, 4096, "%s/../share/man/%s", self, name);
        if (length < 4096 && access(path, R_OK) == 0) return true;
    }
    return false;
}

char *hw_cli_cache_folder(void) {
    const char *own = getenv("HALFWARP_CACHE"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length;
    if (own && *own) length = asprintf(&path, "%s", own);
    else if (caches && *caches == '/') length = asprintf(&path, "%s/halfwarp", caches);
    else if (home && *home == '/') length = asprintf(&path, "%s/.cache/halfwarp", home);
    else length = asprintf(&path, "/tmp/halfwarp-cache-%u", (unsigned)getuid());
    return length < 0 ? NULL : path;
}
