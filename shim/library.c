// Which library of the program an address lies in.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "shim/shim.h"

static const char *file_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

const char *hw_library_of(const void *address) {
    Dl_info info;
    struct link_map *map = NULL;
    bool is_found = dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name[0];
    return is_found ? file_name(map->l_name) : NULL;
}
