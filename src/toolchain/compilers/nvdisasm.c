// Machine code as text, by ptxas and nvdisasm, kept on disk.
#include <stdlib.h>
#include <string.h>

#include "toolchain/cache/cache.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"

typedef struct tools {
    const char *ptxas, *nvdisasm;
} tools;

static hw_status run_tool(const char *const *argv, const char *work_dir, hw_arena *arena, const char **collected,
                          hw_diag *diag) {
    int exit_status = 0;
    const hw_status status = hw_process_run(argv, work_dir, arena, collected, &exit_status, diag);
    if (status || !exit_status) return status;
    return hw_diag_set(diag, HW_NOT_FOUND, "%s says: %.*s", argv[0], (int)strcspn(*collected, "\n"), *collected);
}

static hw_status disassemble(const tools *t, const char *work_dir, const char *ptx, size_t length, int cc,
                             uint32_t max_regs, hw_arena *arena, const char **text, hw_diag *diag) {
    const char *ptx_path = hw_arena_printf(arena, "%s/in.ptx", work_dir);
    const char *code_path = hw_arena_printf(arena, "%s/out.cubin", work_dir);
    const char *arch = hw_arena_printf(arena, "-arch=sm_%d", cc);
    const char *limit = hw_arena_printf(arena, "-maxrregcount=%u", max_regs);
    const char *said;
    if (hw_arena_ran_out(arena)) return hw_diag_no_memory(diag);
    const int failure = hw_cache_write_file(ptx_path, ptx, length, arena);
    if (failure) return hw_diag_errno(diag, failure, "cannot write %s", ptx_path);
    const char *const assemble[] = {t->ptxas, "-lineinfo", arch, ptx_path, "-o", code_path, max_regs ? limit : NULL,
                                    NULL};
    const char *const print[] = {t->nvdisasm, "-g", "-c", code_path, NULL};
    const hw_status status = run_tool(assemble, work_dir, arena, &said, diag);
    return status ? status : run_tool(print, work_dir, arena, text, diag);
}

static const char *key_of(const hw_toolchain_options *options, const tools *t, const char *ptx, size_t length, int cc,
                          hw_arena *arena) {
    char text[HW_HASH_TEXT];
    hw_hash key = hw_hash_start();
    hw_compiler_identify(t->ptxas, &key);
    hw_compiler_identify(t->nvdisasm, &key);
    hw_hash_number(&key, (uint64_t)cc);
    hw_hash_number(&key, options->max_regs);
    hw_hash_bytes(&key, ptx, length);
    hw_hash_text(&key, text);
    return hw_arena_printf(arena, "%s/%s.sass", options->cache_dir, text);
}

hw_status hw_toolchain_machine_code(const hw_toolchain_options *options, const char *ptx, size_t length, int cc,
                                    hw_arena *arena, const char **text, size_t *bytes, hw_diag *diag) {
    tools t = {0};
    hw_work_dir work_dir = {0};
    if (!options->hide_nvcc) t.ptxas = hw_process_find(options->search_path, "ptxas", arena);
    if (t.ptxas) t.nvdisasm = hw_process_find(options->search_path, "nvdisasm", arena);
    if (hw_arena_ran_out(arena)) return hw_diag_no_memory(diag);
    if (!t.nvdisasm) return hw_diag_set(diag, HW_NOT_FOUND, "there is no ptxas, or no nvdisasm, on PATH");
    const char *path = key_of(options, &t, ptx, length, cc, arena);
    if (!path) return hw_diag_no_memory(diag);
    if ((*text = hw_cache_read_file(path, arena, bytes))) return HW_OK;
    hw_status status = hw_cache_prepare(options->cache_dir, diag);
    if (!status) status = hw_work_dir_begin(options->cache_dir, "work", arena, &work_dir, diag);
    if (!status) status = disassemble(&t, work_dir.path, ptx, length, cc, options->max_regs, arena, text, diag);
    hw_work_dir_discard(&work_dir);
    if (status) return status;
    *bytes = strlen(*text);
    hw_cache_write_file(path, *text, *bytes, arena);
    return HW_OK;
}
