// Virtual memory: memfds, mapped where the program wants them within addresses that were reserved before.
#define _GNU_SOURCE
#include "runtime/virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "runtime/internal.h"


struct hw_rt_physical {
    hw_rt_physical *next;
    int fd;
    uint64_t bytes, charged_bytes;     // what counts as the GPU's: not another process's
    uint32_t n_handles, n_mappings;
    hw_rt_physical_wishes wishes;
};

typedef struct hw_rt_mapping {
    struct hw_rt_mapping *next;
    hw_rt_physical *physical;
    uint64_t address, bytes;
    hw_rt_access access;
} mapping;

typedef struct hw_rt_reservation {
    struct hw_rt_reservation *next;
    uint64_t address, bytes;
} reservation;

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }
static bool is_multiple(uint64_t n) { return n && n % HW_RT_GRANULARITY_BYTES == 0; }

// ---- addresses ----

// Without access, at a multiple of align; 0: this machine has none.
static uint64_t reserve(uint64_t bytes, uint64_t align, uint64_t wanted) {
    char *raw = mmap(pointer(wanted), bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return 0;
    const uint64_t at = (uint64_t)(uintptr_t)raw, start = hw_align_up(at, align);
    if (start > at) munmap(raw, start - at);
    if (start < at + align) munmap(pointer(start + bytes), at + align - start);
    return start;
}

hw_rt_status hw_rt_reserve(hw_runtime *runtime, uint64_t bytes, uint64_t align, uint64_t wanted, uint64_t *address) {
    HW_RT_ENTER(runtime);
    if (!is_multiple(bytes) || align & (align - 1)) return HW_RT_INVALID_VALUE;
    reservation *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    if (align < HW_RT_GRANULARITY_BYTES) align = HW_RT_GRANULARITY_BYTES;
    made->bytes = bytes;
    made->address = bytes < UINT64_MAX - align ? reserve(bytes, align, wanted) : 0;
    if (!made->address) {
        hw_free(made);
        return HW_RT_NO_MEMORY;
    }
    pthread_mutex_lock(&runtime->virtual_lock);
    made->next = runtime->reservations;
    runtime->reservations = made;
    pthread_mutex_unlock(&runtime->virtual_lock);
    *address = made->address;
    return HW_RT_SUCCESS;
}

static bool overlaps(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

static bool has_mapping(const hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    for (const mapping *m = runtime->mappings; m; m = m->next)
        if (overlaps(m->address, m->bytes, address, bytes)) return true;
    return false;
}

hw_rt_status hw_rt_unreserve(hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    HW_RT_ENTER(runtime);
    hw_rt_status status = HW_RT_INVALID_VALUE;
    pthread_mutex_lock(&runtime->virtual_lock);
    reservation **at = &runtime->reservations;
    while (*at && (*at)->address != address) at = &(*at)->next;
    if (*at && (*at)->bytes == bytes && !has_mapping(runtime, address, bytes)) {
        reservation *gone = *at;
        *at = gone->next;
        munmap(pointer(gone->address), gone->bytes);
        hw_free(gone);
        status = HW_RT_SUCCESS;
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

// ---- memory ----

static void list_physical(hw_runtime *runtime, hw_rt_physical *physical) {
    pthread_mutex_lock(&runtime->virtual_lock);
    physical->next = runtime->physicals;
    runtime->physicals = physical;
    pthread_mutex_unlock(&runtime->virtual_lock);
}

// Takes fd, and gives it back where there is no memory.
static hw_rt_status make_physical(hw_runtime *runtime, int fd, uint64_t bytes, uint64_t charged,
                                  hw_rt_physical_wishes wishes, hw_rt_physical **out) {
    hw_rt_physical *made = fd < 0 ? NULL : hw_rt_handles_make(&runtime->handles, HW_RT_PHYSICAL, sizeof *made);
    if (!made) {
        if (fd >= 0) close(fd);
        return HW_RT_NO_MEMORY;
    }
    *made = (hw_rt_physical){.fd = fd, .bytes = bytes, .charged_bytes = charged, .n_handles = 1,
                             .wishes = wishes};
    list_physical(runtime, made);
    *out = made;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_physical_create(hw_runtime *runtime, uint64_t bytes, hw_rt_physical_wishes wishes,
                                   hw_rt_physical **out) {
    HW_RT_ENTER(runtime);
    if (!is_multiple(bytes)) return HW_RT_INVALID_VALUE;
    if (!hw_mem_charge(hw_rt_mem(runtime), bytes)) return HW_RT_NO_MEMORY;
    int fd = memfd_create(HW_RT_MEMORY_FILE, MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes)) {
        close(fd);
        fd = -1;
    }
    const hw_rt_status status = make_physical(runtime, fd, bytes, bytes, wishes, out);
    if (status) hw_mem_uncharge(hw_rt_mem(runtime), bytes);
    return status;
}

static bool is_physical(hw_runtime *runtime, const hw_rt_physical *physical) {
    return hw_rt_handles_have(&runtime->handles, HW_RT_PHYSICAL, physical);
}

hw_rt_status hw_rt_physical_get(hw_runtime *runtime, const hw_rt_physical *physical, hw_rt_physical_wishes *out) {
    HW_RT_ENTER(runtime);
    if (!is_physical(runtime, physical)) return HW_RT_INVALID_VALUE;
    *out = physical->wishes;
    return HW_RT_SUCCESS;
}

// With the lock held; when nothing refers to it any more.
static void drop_physical(hw_runtime *runtime, hw_rt_physical *physical) {
    if (physical->n_handles || physical->n_mappings) return;
    hw_rt_physical **at = &runtime->physicals;
    while (*at != physical) at = &(*at)->next;
    *at = physical->next;
    close(physical->fd);
    if (hw_rt_sim(runtime)) hw_mem_uncharge(hw_rt_mem(runtime), physical->charged_bytes);
    hw_rt_handles_bury(&runtime->handles, physical);
}

hw_rt_status hw_rt_physical_release(hw_runtime *runtime, hw_rt_physical *physical) {
    HW_RT_ENTER(runtime);
    hw_rt_status status = HW_RT_INVALID_VALUE;
    pthread_mutex_lock(&runtime->virtual_lock);
    if (is_physical(runtime, physical)) {
        if (!--physical->n_handles) hw_rt_handles_remove(&runtime->handles, HW_RT_PHYSICAL, physical);
        drop_physical(runtime, physical);
        status = HW_RT_SUCCESS;
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

static mapping *mapping_at(hw_runtime *runtime, uint64_t address) {
    mapping *m = runtime->mappings;
    while (m && address - m->address >= m->bytes) m = m->next;
    return m;
}

hw_rt_status hw_rt_physical_at(hw_runtime *runtime, uint64_t address, hw_rt_physical **out) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    const mapping *found = mapping_at(runtime, address);
    hw_rt_physical *physical = found ? found->physical : NULL;
    bool is_kept = physical && (physical->n_handles ||
                                hw_rt_handles_add(&runtime->handles, HW_RT_PHYSICAL, physical));
    if (is_kept) physical->n_handles++;
    pthread_mutex_unlock(&runtime->virtual_lock);
    if (!physical) return HW_RT_INVALID_VALUE;
    *out = physical;
    return is_kept ? HW_RT_SUCCESS : HW_RT_NO_MEMORY;
}

hw_rt_status hw_rt_physical_export(hw_runtime *runtime, hw_rt_physical *physical, int *fd) {
    HW_RT_ENTER(runtime);
    if (!is_physical(runtime, physical) || !physical->wishes.is_shared) return HW_RT_INVALID_VALUE;
    *fd = dup(physical->fd);
    return *fd < 0 ? HW_RT_NO_MEMORY : HW_RT_SUCCESS;
}

hw_rt_status hw_rt_physical_import(hw_runtime *runtime, int fd, hw_rt_physical **out) {
    HW_RT_ENTER(runtime);
    struct stat about;
    if (fcntl(fd, F_GETFD) < 0) return HW_RT_UNKNOWN;   // as an H200's driver of one that is closed
    if (!hw_rt_is_file_of(fd, HW_RT_MEMORY_FILE) || fstat(fd, &about) || !is_multiple((uint64_t)about.st_size))
        return HW_RT_INVALID_VALUE;
    return make_physical(runtime, fcntl(fd, F_DUPFD_CLOEXEC, 0), (uint64_t)about.st_size, 0,
                         (hw_rt_physical_wishes){.is_shared = true}, out);
}

// ---- what lies where ----

static const reservation *find_reserved(const hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    const reservation *r = runtime->reservations;
    while (r && !(address >= r->address && address - r->address < r->bytes &&
                  bytes <= r->bytes - (address - r->address))) r = r->next;
    return r;
}

static bool is_reserved(const hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    return find_reserved(runtime, address, bytes) != NULL;
}

bool hw_rt_find_mapped(hw_runtime *runtime, uint64_t address, hw_rt_mapped *out) {
    pthread_mutex_lock(&runtime->virtual_lock);
    const mapping *m = mapping_at(runtime, address);
    const reservation *r = m ? find_reserved(runtime, address, 1) : NULL;
    if (r) *out = (hw_rt_mapped){.reserved = {.address = r->address, .bytes = r->bytes, .kind = HW_ALLOC_DEVICE},
                                 .address = m->address, .bytes = m->bytes, .access = m->access,
                                 .is_shared = m->physical->wishes.is_shared};
    pthread_mutex_unlock(&runtime->virtual_lock);
    return r != NULL;
}

// With the lock held.
static hw_rt_status map_memory(hw_runtime *runtime, uint64_t address, hw_rt_physical *physical) {
    const uint64_t bytes = physical->bytes;
    if (!is_reserved(runtime, address, bytes)) return HW_RT_INVALID_VALUE;
    if (has_mapping(runtime, address, bytes)) return HW_RT_NOT_SUPPORTED;
    mapping *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    if (mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->fd, 0) == MAP_FAILED) {
        hw_free(made);
        return HW_RT_NO_MEMORY;
    }
    *made = (mapping){.next = runtime->mappings, .physical = physical, .address = address, .bytes = bytes};
    runtime->mappings = made;
    physical->n_mappings++;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_map(hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_rt_physical *physical) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    hw_rt_status status = address % HW_RT_GRANULARITY_BYTES || !is_physical(runtime, physical) ? HW_RT_INVALID_VALUE
                          : bytes != physical->bytes ? HW_RT_NOT_SUPPORTED : HW_RT_SUCCESS;
    if (!status) status = map_memory(runtime, address, physical);
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

// Whether whole mappings fill [address, address + bytes).
static bool is_filled(hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    while (bytes) {
        const mapping *m = mapping_at(runtime, address);
        if (!m || m->address != address || m->bytes > bytes) return false;
        address += m->bytes;
        bytes -= m->bytes;
    }
    return true;
}

// Kernels find the memory from now on, or no longer.
static hw_rt_status give_access(hw_runtime *runtime, mapping *m, hw_rt_access access, const void *site) {
    hw_mem *mem = hw_rt_mem(runtime);
    if (m->access == access) return HW_RT_SUCCESS;
    if (m->access) {
        hw_mem_free(mem, m->address, NULL);
        mprotect(pointer(m->address), m->bytes, PROT_NONE);
    }
    m->access = HW_RT_ACCESS_NONE;
    if (!access) return HW_RT_SUCCESS;
    if (mprotect(pointer(m->address), m->bytes, PROT_READ | PROT_WRITE)) return HW_RT_NO_MEMORY;
    if (hw_mem_adopt(mem, m->address, m->bytes, access == HW_RT_ACCESS_READ, site, NULL)) {
        mprotect(pointer(m->address), m->bytes, PROT_NONE);
        return HW_RT_NO_MEMORY;
    }
    m->access = access;
    return HW_RT_SUCCESS;
}

// With the lock held. The addresses stay reserved.
static void unmap_memory(hw_runtime *runtime, mapping **at) {
    mapping *gone = *at;
    if (hw_rt_sim(runtime)) give_access(runtime, gone, HW_RT_ACCESS_NONE, NULL);
    mmap(pointer(gone->address), gone->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    *at = gone->next;
    gone->physical->n_mappings--;
    drop_physical(runtime, gone->physical);
    hw_free(gone);
}

// Is a part of a mapping in the range, and another not?
static bool cuts_mapping(const hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    for (const mapping *m = runtime->mappings; m; m = m->next) {
        const bool is_within = m->address >= address && m->address + m->bytes <= address + bytes;
        if (overlaps(m->address, m->bytes, address, bytes) && !is_within) return true;
    }
    return false;
}

hw_rt_status hw_rt_unmap(hw_runtime *runtime, uint64_t address, uint64_t bytes) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    const bool is_whole = bytes && is_reserved(runtime, address, bytes) && !cuts_mapping(runtime, address, bytes);
    mapping **at = &runtime->mappings;
    while (is_whole && *at) {
        if (overlaps((*at)->address, (*at)->bytes, address, bytes)) unmap_memory(runtime, at);
        else at = &(*at)->next;
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
    return is_whole ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

hw_rt_status hw_rt_set_access(hw_runtime *runtime, uint64_t address, uint64_t bytes, hw_rt_access access,
                              const void *site) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    hw_rt_status status = bytes && is_filled(runtime, address, bytes) ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
    for (mapping *m = runtime->mappings; m && !status; m = m->next)
        if (overlaps(m->address, m->bytes, address, bytes)) status = give_access(runtime, m, access, site);
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

hw_rt_status hw_rt_get_access(hw_runtime *runtime, uint64_t address, hw_rt_access *access) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    const mapping *found = mapping_at(runtime, address);
    if (found) *access = found->access;
    pthread_mutex_unlock(&runtime->virtual_lock);
    return found ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

void hw_rt_virtual_reopen(hw_runtime *runtime, hw_mem *mem) {
    pthread_mutex_lock(&runtime->virtual_lock);
    for (const hw_rt_physical *p = runtime->physicals; p; p = p->next) hw_mem_charge(mem, p->charged_bytes);
    for (const mapping *m = runtime->mappings; m; m = m->next)
        if (m->access) hw_mem_adopt(mem, m->address, m->bytes, m->access == HW_RT_ACCESS_READ, NULL, NULL);
    pthread_mutex_unlock(&runtime->virtual_lock);
}

void hw_rt_virtual_free(hw_runtime *runtime) {
    pthread_mutex_lock(&runtime->virtual_lock);
    while (runtime->mappings) unmap_memory(runtime, &runtime->mappings);
    while (runtime->physicals) {
        hw_rt_handles_remove(&runtime->handles, HW_RT_PHYSICAL, runtime->physicals);
        runtime->physicals->n_handles = 0;
        drop_physical(runtime, runtime->physicals);
    }
    while (runtime->reservations) {
        reservation *gone = runtime->reservations;
        runtime->reservations = gone->next;
        munmap(pointer(gone->address), gone->bytes);
        hw_free(gone);
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
}
