// The host code of a program touches device memory: it crashes, as on a machine with a GPU, and is told why.
//
// What cudaMalloc gives has no access for the host (mem/mem.h), so the system sends SIGSEGV. A program that handles
// that signal by itself is left to. Otherwise a handler says one sentence and lets the signal do what it would have
// done: the program's state is that of the access, for a debugger and for a file of its memory. The handler calls what
// is not safe in one (it looks for source lines); the thread has just executed a load or store of its own, and most
// likely holds no lock of the C library.
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <ucontext.h>

#include "base/demangle.h"
#include "shim/environment.h"
#include "shim/shim.h"

static const hw_mem *_Atomic watched_memory;

// What the instruction did, as far as the processor tells.
static const char *access_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? "writes to" : "reads";   // W/R bit of a page fault's error code
#else
    (void)context;
    return "touches";
#endif
}

static const void *site_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return hw_shim_site_of_fault((void *)context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return hw_shim_site_of_fault((void *)context->uc_mcontext.pc);
#else
    (void)context;
    return NULL;
#endif
}

static void describe_allocation(const hw_mem *mem, uint64_t address, char *out, size_t bytes) {
    hw_allocation a;
    char made[512], name[256];
    *out = '\0';
    if (!hw_mem_nearest(mem, address, &a)) return;
    uint64_t end = a.address + a.bytes, last = end > a.address ? end - 1 : end;
    unsigned long long apart = address < a.address ? a.address - address : address > last ? address - end
                                                                                          : address - a.address;
    const char *where = address < a.address ? "before the nearest" : address > last ? "past the end of the nearest"
                                                                                    : "into the";
    bool is_known = a.site && hw_shim_describe_site(a.site, made, sizeof made);
    snprintf(out, bytes, ", %llu bytes %s %s%s of %llu bytes%s%s", apart, where, a.is_freed ? "freed " : "",
             a.name ? hw_demangle(a.name, name, sizeof name) : "allocation", (unsigned long long)a.bytes,
             is_known ? " made at " : "", is_known ? made : "");
}

static void tell_of_touch(const hw_mem *mem, uint64_t address, const ucontext_t *context) {
    char place[512], allocation[768], message[1600];
    bool is_known = hw_shim_describe_site(site_of(context), place, sizeof place);
    describe_allocation(mem, address, allocation, sizeof allocation);
    snprintf(message, sizeof message,
             "%s%shost code %s device memory, which only kernels can reach: 0x%llx%s; copy it with cudaMemcpy",
             is_known ? place : "", is_known ? ": " : "", access_of(context), (unsigned long long)address, allocation);
    fprintf(stderr, "halfwarp: %s\n", message);
    hw_shim_note(HW_EXIT_CRASHED, message);
}

// SA_RESETHAND has put the default back: the instruction is executed again, and ends the program.
static void on_fault(int number, siginfo_t *info, void *context) {
    const hw_mem *mem = atomic_load(&watched_memory);
    uint64_t address = hw_address(info->si_addr);
    bool is_access = info->si_code > 0;
    if (is_access && mem && hw_mem_owns(mem, address)) tell_of_touch(mem, address, context);
    if (!is_access) raise(number);   // somebody sent it: nothing would be executed again
}

void hw_touch_watch(const hw_mem *mem) {
    struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND}, theirs;
    atomic_store(&watched_memory, mem);
    if (!mem || sigaction(SIGSEGV, NULL, &theirs) || theirs.sa_flags & SA_SIGINFO || theirs.sa_handler != SIG_DFL)
        return;
    sigaction(SIGSEGV, &ours, NULL);
}
