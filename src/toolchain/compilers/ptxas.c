// Register counts from `ptxas -v`, and what it made of the PTX, kept on disk: beside each other, by one run.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/cache/cache.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/machine/machine.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

// The number that stands before `unit` in a line such as "Used 32 registers, 4096 bytes smem, 380 bytes cmem[0]".
static int number_before(const char *line, const char *unit) {
    const char *at = strstr(line, unit);
    if (!at || at == line) return 0;
    while (at > line && at[-1] == ' ') at--;
    const char *end = at;
    while (at > line && isdigit((unsigned char)at[-1])) at--;
    return at == end ? 0 : atoi(at);
}

// The report is a few lines per function:
//   ptxas info    : Compiling entry function '_Z4scalPf' for 'sm_90'
//   ptxas info    : Function properties for _Z4scalPf
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 10 registers, used 0 barriers, 4096 bytes smem
// Device functions that are called have properties too, and no "Used" line of their own.
static size_t parse_report(char *report, hw_ptxas_sink sink, void *user) {
    size_t kernels = 0;
    hw_ptxas_usage usage = {0};
    char *rest = NULL, kernel[4096] = "";
    bool own_properties = false;
    for (char *line = strtok_r(report, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *name = strstr(line, "Compiling entry function '");
        if (name) {
            name += strlen("Compiling entry function '");
            snprintf(kernel, sizeof kernel, "%.*s", (int)strcspn(name, "'"), name);
            usage = (hw_ptxas_usage){.kernel = kernel};
        } else if ((name = strstr(line, "Function properties for "))) {
            name += strlen("Function properties for ");
            own_properties = !strncmp(name, kernel, strlen(kernel)) && !name[strcspn(name, " \r")];
        } else if (strstr(line, "bytes stack frame") && own_properties) {
            usage.stack_bytes = number_before(line, "bytes stack frame");
            usage.spill_bytes = number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
        } else if (strstr(line, "Used ") && strstr(line, " registers") && *kernel) {
            usage.regs = number_before(line, "registers");
            usage.smem_bytes = number_before(line, "bytes smem");
            sink(user, &usage);
            kernels++;
            *kernel = '\0';
        }
    }
    return kernels;
}

static const char refused[] = "refused: ";

// What is asked about: PTX for an architecture.
typedef struct question {
    const hw_toolchain_options *options;
    const char *ptxas, *ptx;
    size_t length;
    int cc;
    hw_arena *arena;
} question;

// Keeps, beside the report, which blocks of the machine code belong to which of the PTX. Without it counts are PTX's.
static void keep_machine_code(const question *q, const char *cubin_path, const char *path) {
    size_t bytes = 0, text_bytes = 0;
    hw_machine_code *codes = NULL;
    hw_machine_module machine = {0};
    uint32_t n = 0;
    const char *cubin = hw_cache_read_file(cubin_path, q->arena, &bytes);
    if (!cubin || hw_cubin_read(cubin, bytes, q->cc, q->arena, &codes, &n, NULL) ||
        hw_machine_match(codes, n, q->ptx, q->length, q->arena, &machine, NULL))
        return;
    const char *text = hw_machine_print(&machine, q->arena, &text_bytes);
    if (text) hw_cache_write_file(path, text, text_bytes, q->arena);
}

static hw_status ask_ptxas(const question *q, const char *work_dir, const char *machine_path, const char **report,
                           hw_diag *diag) {
    hw_arena *arena = q->arena;
    const uint32_t max_regs = q->options->max_regs;
    const char *ptx_path = hw_arena_printf(arena, "%s/in.ptx", work_dir);
    const char *out_path = hw_arena_printf(arena, "%s/out.cubin", work_dir);
    const char *arch = hw_arena_printf(arena, "-arch=sm_%d", q->cc);
    const char *limit = hw_arena_printf(arena, "-maxrregcount=%u", max_regs);
    if (!ptx_path || !out_path || !arch || !limit) return hw_diag_no_memory(diag);
    int failure = hw_cache_write_file(ptx_path, q->ptx, q->length, arena), exit_status;
    if (failure) return hw_diag_errno(diag, failure, "cannot write %s", ptx_path);
    const char *const argv[] = {q->ptxas, "-v", "-lineinfo", arch, ptx_path, "-o", out_path, max_regs ? limit : NULL,
                                NULL};
    hw_status status = hw_process_run(argv, work_dir, arena, report, &exit_status, diag);
    // A refusal is an answer too, and remembered.
    if (status == HW_OK && exit_status != 0) *report = hw_arena_printf(arena, "%s%s", refused, *report);
    else if (status == HW_OK) keep_machine_code(q, out_path, machine_path);
    return status == HW_OK && !*report ? hw_diag_no_memory(diag) : status;
}

// Where answers to the question are kept: folder and key. HW_NOT_FOUND: there is no ptxas.
static hw_status find_key(question *q, const char **key_path, hw_diag *diag) {
    const hw_toolchain_options *options = q->options;
    char text[HW_HASH_TEXT];
    q->ptxas = options->hide_nvcc ? NULL : hw_process_find(options->search_path, "ptxas", q->arena);
    if (hw_arena_ran_out(q->arena)) return hw_diag_no_memory(diag);
    if (!q->ptxas) return hw_diag_set(diag, HW_NOT_FOUND, "there is no ptxas on PATH");
    enum { HAS_MACHINE_CODE = 2 };   // of answers since there are two, from 7.0 on
    hw_hash key = hw_hash_start();
    hw_compiler_identify(q->ptxas, &key);
    hw_hash_number(&key, (uint64_t)q->cc);
    hw_hash_number(&key, HAS_MACHINE_CODE);
    if (options->max_regs) hw_hash_number(&key, options->max_regs);
    hw_hash_bytes(&key, q->ptx, q->length);
    hw_hash_text(&key, text);
    *key_path = hw_arena_printf(q->arena, "%s/%s", options->cache_dir, text);
    return *key_path ? HW_OK : hw_diag_no_memory(diag);
}

// The report for this text, from the disk or from ptxas.
static hw_status find_report(question *q, const char **key_path, const char **report, hw_diag *diag) {
    const char *cache_dir = q->options->cache_dir;
    hw_work_dir work_dir = {0};
    hw_status status = find_key(q, key_path, diag);
    if (status) return status;
    const char *path = hw_arena_printf(q->arena, "%s.ptxas", *key_path);
    const char *machine_path = hw_arena_printf(q->arena, "%s.machine", *key_path);
    if (!path || !machine_path) return hw_diag_no_memory(diag);
    size_t report_bytes;
    if ((*report = hw_cache_read_file(path, q->arena, &report_bytes))) return HW_OK;
    status = hw_cache_prepare(cache_dir, diag);
    if (status == HW_OK) status = hw_work_dir_begin(cache_dir, "work", q->arena, &work_dir, diag);
    if (status == HW_OK) status = ask_ptxas(q, work_dir.path, machine_path, report, diag);
    hw_work_dir_discard(&work_dir);
    if (status == HW_OK) hw_cache_write_file(path, *report, strlen(*report), q->arena);
    return status;
}

hw_status hw_toolchain_machine_counts(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                      hw_arena *arena, hw_machine_module *machine, hw_diag *diag) {
    question q = {.options = options, .ptx = ptx, .length = length, .cc = cc, .arena = hw_arena_create()};
    const char *key_path = NULL, *report = NULL;
    size_t bytes;
    *machine = (hw_machine_module){0};
    if (!q.arena) return hw_diag_no_memory(diag);
    hw_status status = find_report(&q, &key_path, &report, diag);
    const char *path = status ? NULL : hw_arena_printf(q.arena, "%s.machine", key_path);
    const char *text = path ? hw_cache_read_file(path, q.arena, &bytes) : NULL;
    if (!status && !text) status = hw_diag_set(diag, HW_NOT_FOUND, "ptxas has made no machine code with lines");
    if (!status) status = hw_machine_parse(text, arena, machine, diag);
    hw_arena_destroy(q.arena);
    return status;
}

hw_status hw_toolchain_ptxas_regs(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                  hw_ptxas_sink sink, void *user, hw_diag *diag) {
    hw_arena *arena = hw_arena_create();
    question q = {.options = options, .ptx = ptx, .length = length, .cc = cc, .arena = arena};
    const char *report = NULL, *key_path = NULL;
    if (!arena) return hw_diag_no_memory(diag);
    hw_status status = find_report(&q, &key_path, &report, diag);
    if (status == HW_OK && !strncmp(report, refused, strlen(refused)))
        status = hw_diag_set(diag, HW_NOT_FOUND, "ptxas -arch=sm_%d says: %.*s", cc,
                             (int)strcspn(report + strlen(refused), "\n"), report + strlen(refused));
    char *copy = status == HW_OK ? hw_arena_string(arena, report, strlen(report)) : NULL;
    if (status == HW_OK && !copy) status = hw_diag_no_memory(diag);
    if (copy && !parse_report(copy, sink, user))
        status = hw_diag_set(diag, HW_NOT_FOUND, "ptxas -v names no kernel");
    hw_arena_destroy(arena);
    return status;
}
