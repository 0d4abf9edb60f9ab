#include "html/code_part.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/toolchain.h"

enum { MOST_BYTES = 1000000 };           // of all code

typedef struct collected {
    const hw_cli_code_part *part;
    json_t *kernels;
    char *cache;
    size_t bytes;
    bool ran_out;
} collected;

static bool is_named(void *name, const char *kernel) { return strcmp(name, kernel) == 0; }

static void add_text(collected *c, json_t *kernel, const char *name, const char *text, size_t length) {
    if (c->bytes + length > MOST_BYTES) return;
    c->bytes += length;
    if (json_object_set_new(kernel, name, json_stringn(text, length))) c->ran_out = true;
}

static void add_machine_code(collected *c, json_t *kernel, const char *ptx, size_t length, hw_arena *arena) {
    const hw_cli_launch *launch = c->part->launch;
    const hw_toolchain_options options = {.hide_nvcc = hw_cli_hides_nvcc(), .search_path = getenv("PATH"),
                                          .cache_dir = c->cache, .max_regs = launch->max_regs};
    const char *text;
    size_t bytes;
    // Where there is none, the page goes without it.
    if (!hw_toolchain_machine_code(&options, ptx, length, c->part->report->gpu->arch->cc, arena, &text, &bytes, NULL))
        add_text(c, kernel, "sass", text, bytes);
}

static hw_status add_kernel(collected *c, const char *ptx, const char *mangled, hw_diag *diag) {
    hw_arena *arena = hw_arena_create();
    char *part;
    size_t length, kernels = 0;
    if (!arena) return hw_diag_no_memory(diag);
    const hw_status status = hw_ptx_link_select(ptx, is_named, (char *)mangled, arena, &part, &length, &kernels, diag);
    json_t *kernel = !status && kernels ? json_object() : NULL;
    if (kernel) {
        add_text(c, kernel, "ptx", part, length);
        add_machine_code(c, kernel, part, length, arena);
        if (json_object_set_new(c->kernels, mangled, kernel)) c->ran_out = true;
    }
    hw_arena_destroy(arena);
    return status;
}

static hw_status add_kernels(collected *c, const char *ptx, hw_diag *diag) {
    const hw_report *report = c->part->report;
    hw_status status = HW_OK;
    for (size_t k = 0; k < report->n_kernels && !status && c->bytes < MOST_BYTES; k++) {
        const char *mangled = report->kernels[k].mangled;
        if (!json_object_get(c->kernels, mangled) && strstr(ptx, mangled))
            status = add_kernel(c, ptx, mangled, diag);
    }
    return status;
}

static hw_status add_piece(void *user, const hw_ptx_piece *piece, hw_diag *diag) {
    return add_kernels(user, piece->ptx, diag);
}

// What the program has loaded, and what of its executable it has not told of: it may have ended before.
static hw_status add_all(collected *c) {
    const hw_cli_code_part *part = c->part;
    const char *executable = part->launch->executable ? *part->launch->executable : NULL;
    hw_status status = HW_OK;
    for (size_t i = 0; i < part->report->n_codes && !status; i++)
        status = add_kernels(c, part->report->codes[i], NULL);
    if (!executable || json_object_size(c->kernels) == part->report->n_kernels || status == HW_NO_MEMORY) return status;
    return hw_toolchain_each_ptx(executable, executable, part->report->gpu->arch->cc, add_piece, c, NULL);
}

bool hw_cli_code_write(const void *code_part, FILE *out) {
    const hw_cli_code_part *part = code_part;
    collected c = {.part = part, .kernels = json_object(), .cache = hw_cli_cache_folder()};
    const hw_status status = c.kernels && c.cache ? add_all(&c) : HW_NO_MEMORY;
    const bool is_written = status != HW_NO_MEMORY && !c.ran_out && json_dumpf(c.kernels, out, JSON_COMPACT) == 0;
    free(c.cache);
    json_decref(c.kernels);
    return is_written;
}
