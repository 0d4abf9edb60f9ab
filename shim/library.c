// Libraries of the program that cannot work on a simulated GPU: named when they are loaded, and once more, with the
// exit status, when something of theirs was called and failed.
//
// cuBLAS, cuFFT and their like have machine code for GPUs only, and a CUDA runtime of their own in front of it. Nothing
// of them comes by here; what tells is the file, and the driver that they look for (nodriver/). A library that uses the
// shared runtime registers its code like a program (registry.c).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "shim/process.h"
#include "shim/shim.h"
#include "toolchain/toolchain.h"

static const char *file_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

// ---- those that are loaded ----

typedef struct search {
    char names[1024];                  // those found, "a, b"
    int n, index;
    unsigned long long adds;           // objects that the process has loaded so far
} search;

// The first object is the program, which the halfwarp command has looked at; those without a path are the system's.
static int look_at_library(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    search *found = user;
    found->adds = info->dlpi_adds;
    if (!found->index++ || !strchr(info->dlpi_name, '/') || !hw_toolchain_has_own_runtime(info->dlpi_name, false))
        return 0;
    size_t used = strlen(found->names);
    snprintf(found->names + used, sizeof found->names - used, "%s%s", found->n++ ? ", " : "",
             file_name(info->dlpi_name));
    return 0;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    *(unsigned long long *)user = info->dlpi_adds;
    return 1;
}

// The names that have not been told yet are those at the end: objects are listed as they were loaded.
void hw_library_look(void) {
    hw_shim_process *process = hw_shim_process_get();
    char *told = process->libraries_told;
    unsigned long long adds = 0;
    dl_iterate_phdr(count_objects, &adds);
    if (adds == atomic_load(&process->objects_seen)) return;
    search found = {0};
    dl_iterate_phdr(look_at_library, &found);
    pthread_mutex_lock(&process->lock);
    atomic_store(&process->objects_seen, found.adds);
    size_t before = strlen(told);
    bool grew = strncmp(found.names, told, before) == 0;    // else one was unloaded: all are told again
    const char *names = grew ? found.names + before : found.names;
    if (*names == ',') names += 2;
    if (*names)
        fprintf(stderr, "halfwarp: the program has loaded %s, machine code for GPUs with a CUDA runtime of its own: "
                        "calls that need a GPU will fail\n", names);
    memcpy(told, found.names, sizeof process->libraries_told);
    pthread_mutex_unlock(&process->lock);
}

const char *hw_library_of(const void *address) {
    Dl_info info;
    struct link_map *map = NULL;
    bool is_found = dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name[0];
    return is_found ? file_name(map->l_name) : NULL;
}

// ---- those that are called ----

// Where the program called the library, behind whatever frames of libraries; NULL when that cannot be seen.
static const void *programs_site(void) {
    enum { MOST = 64 };
    void *frames[MOST];
    int n = backtrace(frames, MOST);
    for (int i = 0; i < n; i++)
        if (!hw_library_of(frames[i])) return hw_shim_site_of(frames[i]);
    return NULL;
}

HW_EXPORT void __halfwarpDriverWanted(const char *call, const void *caller) {
    static atomic_bool is_told;
    Dl_info info;
    const char *library = hw_library_of(caller);
    if (!dladdr(caller, &info)) return;
    if (!library) {    // the program itself
        hw_shim_unsupported(call);
        return;
    }
    if (!hw_toolchain_has_own_runtime(info.dli_fname, true) || atomic_exchange(&is_told, true)) return;
    hw_library_look();
    char place[512], message[1024];
    bool is_known = hw_shim_describe_site(programs_site(), place, sizeof place);
    snprintf(message, sizeof message,
             "%s%sa call of %s needs a GPU and has failed: its code cannot be simulated", is_known ? place : "",
             is_known ? ": " : "", library);
    fprintf(stderr, "halfwarp: %s\n", message);
    hw_shim_note(HW_EXIT_UNSUPPORTED, message);
}
