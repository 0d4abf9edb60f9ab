// This machine's processors.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "device/device_internal.h"

// "model name" of /proc/cpuinfo; Arm's says less.
static void find_name(char *out, size_t out_bytes) {
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(out, out_bytes, "processor");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, out_bytes, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (file) fclose(file);
}

// All the memory that this machine has; 0: not known.
static uint64_t physical_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

static hw_status cpu_open(hw_device *device, const char *place, hw_diag *diag) {
    (void)place, (void)diag;
    hw_device_properties *p = &device->properties;
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    p->kind = HW_DEVICE_CPU;
    p->dl = (DLDevice){kDLCPU, 0};
    find_name(p->name, sizeof p->name);
    p->multiprocessors = hw_host_processors();
    p->memory_bytes = physical_bytes();
    if (l3 <= 0) l3 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    p->l2_bytes = l3 > 0 && l3 <= UINT32_MAX ? (uint32_t)l3 : 0;
    device->own = device;
    return HW_OK;
}

static void cpu_close(hw_device *device) { (void)device; }

enum { ALIGN = 256, HUGE_PAGE = 2 << 20 };

// Large blocks lie on huge pages where the system gives them: strided access is bound by address translation otherwise.
// The system may promise more than the machine has, and end the process when it is used; so none of that is asked for.
static hw_status cpu_alloc(hw_device *device, hw_device_block *block, hw_diag *diag) {
    size_t align = block->bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGN;
    uint64_t most = physical_bytes();
    if (!most || most > PTRDIFF_MAX - HUGE_PAGE) most = PTRDIFF_MAX - HUGE_PAGE;
    if (block->bytes <= most) block->raw = hw_malloc(block->bytes + align);
    if (!block->raw)
        return hw_diag_set(diag, HW_NO_MEMORY, "%s: this machine gives no %zu bytes of memory", device->name,
                           block->bytes);
    block->address = hw_align_up((uintptr_t)block->raw, align);
    if (align == HUGE_PAGE) madvise((void *)block->address, block->bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return HW_OK;
}

static void cpu_free(hw_device *device, const hw_device_block *block) {
    (void)device;
    hw_free(block->raw);
}

static hw_status cpu_free_bytes(hw_device *device, uint64_t *bytes, hw_diag *diag) {
    (void)device, (void)diag;
    *bytes = hw_host_available_bytes();
    return HW_OK;
}

const hw_device_table hw_cpu_table = {
    .open = cpu_open,
    .close = cpu_close,
    .wait = hw_host_wait,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .free_bytes = cpu_free_bytes,
    .stream_create = hw_host_stream_create,
    .stream_destroy = hw_host_stream_destroy,
    .stream_synchronize = hw_host_stream_synchronize,
    .event_create = hw_host_event_create,
    .event_destroy = hw_host_event_destroy,
    .event_record = hw_host_event_record,
    .stream_wait = hw_host_stream_wait,
    .event_elapsed = hw_host_event_elapsed,
    .copy = hw_host_copy,
    .fill = hw_host_fill,
};
