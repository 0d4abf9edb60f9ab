// What a GPU lets pass: it finds reads of memory that is not mapped, in pieces of 2 MiB, and nothing finer.
#include "exec/memory/lenient.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/demangle.h"

enum { PIECE_BYTES = 2 << 20 };

static bool is_behind_variable(const hw_mem *mem, uint64_t address, hw_allocation *variable) {
    return hw_mem_owns(mem, address) && hw_mem_nearest(mem, address, variable) && !variable->is_freed &&
           variable->kind == HW_ALLOC_GLOBAL && address > variable->address &&
           address / PIECE_BYTES == (variable->address + variable->bytes - 1) / PIECE_BYTES;
}

static void tell(const hw_state *s, const hw_inst *in, uint64_t address, uint32_t bytes,
                 const hw_allocation *variable) {
    const hw_launch *launch = s->run->launch;
    char kernel[256], name[256], sentence[1024];
    const char *file;
    uint32_t line;
    if (!launch->notice || atomic_exchange(launch->lenient, true)) return;
    hw_fault_place(s->run, in, &file, &line);
    hw_demangle(launch->info ? launch->info->kernel : s->run->entry->name, kernel, sizeof kernel);
    hw_demangle(variable->name ? variable->name : "?", name, sizeof name);
    snprintf(sentence, sizeof sentence,
             "%s:%" PRIu32 ": kernel %s reads %" PRIu32 " bytes at byte %" PRIu64 " of %s, which has %" PRIu64
             "; such reads pass, and give zero where no other variable lies (--lenient)",
             file, line, kernel, bytes, address - variable->address, name, variable->bytes);
    launch->notice(launch->notice_context, sentence);
}

bool hw_lenient_passes(hw_state *s, const hw_inst *in, hw_fault_kind kind, hw_space space, uint64_t address,
                       const hw_stray *stray) {
    hw_allocation variable;
    if (!s->run->launch->lenient || stray->is_write || kind != HW_FAULT_ADDRESS) return false;
    if (space == HW_SPACE_SHARED || space == HW_SPACE_LOCAL) return false;
    if (!is_behind_variable(s->run->launch->mem, address, &variable)) return false;
    tell(s, in, address, stray->bytes, &variable);
    return true;
}
