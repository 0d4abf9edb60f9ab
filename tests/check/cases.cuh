// What the programs of this folder share. A case is a kernel template: with Ordered it has no hazard, without it has
// the one that its row in tests/cli/check/check_hazards.sh names, between the lines that end with the case's name.
#pragma once
#include <cstdio>
#include <cstring>

enum { DATA_BYTES = 1 << 16 };

// Memory of a case, which holds zeros before each.
static int *data;
static bool is_ordered;
static const char *only;                            // a case, the others of RUN and RUN_ON are left out; NULL: all

static bool is_wanted(const char *name) { return !only || strcmp(only, name) == 0; }

static void begin_case() {
    cudaDeviceSynchronize();
    cudaMemset(data, 0, DATA_BYTES);
    cudaDeviceSynchronize();
}

#define RUN(name, grid, block)                                                                                         \
    (begin_case(), !is_wanted(#name) ? (void)0                                                                         \
                   : is_ordered      ? name<true><<<grid, block>>>(data)                                               \
                                     : name<false><<<grid, block>>>(data))
