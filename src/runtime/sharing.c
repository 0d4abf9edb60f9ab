// Memory that several processes have.
#define _GNU_SOURCE
#include "runtime/sharing.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "runtime/internal.h"
#include "runtime/stream.h"

// What moves at a time: allocations of a megabyte and more have such pieces to themselves (mem.c).
#define PIECE_BYTES ((uint64_t)2 << 20)

static const char kinds[][8] = {[HW_RT_SHARED_MEMORY] = "hwmem", [HW_RT_SHARED_OF_POOL] = "hwpool",
                                [HW_RT_SHARED_EVENT] = "hwevent"};

static void put_kind(hw_rt_shared_name *name, hw_rt_shared_kind kind) { memcpy(name->kind, kinds[kind], 8); }
static bool is_kind(const hw_rt_shared_name *name, hw_rt_shared_kind kind) {
    return !memcmp(name->kind, kinds[kind], 8);
}

// One file for all of a process's memory, as long as its addresses are; where each byte lies at its address's distance
// from the first.
typedef struct hw_rt_sharing {
    int file;
    uint8_t *is_moved;                 // of each piece
} sharing;

typedef struct hw_rt_opened {
    struct hw_rt_opened *next;
    hw_rt_shared_name name;
    uint64_t address, start, span;     // of the allocation; what is mapped for it
    uint32_t n;
} opened;

static char *host_pointer(const hw_mem *mem, uint64_t address) { return hw_mem_host(mem, address); }

static sharing *make_sharing(const hw_mem *mem) {
    const hw_mem_apart *apart = hw_mem_get_apart(mem);
    sharing *s = hw_calloc(1, sizeof *s);
    if (!s) return NULL;
    s->file = memfd_create(HW_RT_MEMORY_FILE, MFD_CLOEXEC);
    s->is_moved = hw_calloc(apart->bytes / PIECE_BYTES + 1, 1);
    if (s->file >= 0 && s->is_moved && !ftruncate(s->file, (off_t)apart->bytes)) return s;
    if (s->file >= 0) close(s->file);
    hw_free(s->is_moved);
    hw_free(s);
    return NULL;
}

static bool write_all(int file, const char *bytes, uint64_t n, uint64_t offset) {
    while (n) {
        const ssize_t done = pwrite(file, bytes, n, (off_t)offset);
        if (done <= 0) return false;
        bytes += done;
        n -= (uint64_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static bool move_piece(sharing *s, const hw_mem *mem, uint64_t piece) {
    const hw_mem_apart *apart = hw_mem_get_apart(mem);
    const uint64_t offset = piece * PIECE_BYTES;
    char *at = host_pointer(mem, apart->begin + offset);
    if (s->is_moved[piece]) return true;
    if (!write_all(s->file, at, PIECE_BYTES, offset) ||
        mmap(at, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->file, (off_t)offset) == MAP_FAILED)
        return false;
    s->is_moved[piece] = 1;
    return true;
}

// With the lock held.
static hw_rt_status share_memory(hw_runtime *runtime, const hw_allocation *a) {
    hw_mem *mem = hw_rt_mem(runtime);
    const uint64_t offset = a->address - hw_mem_get_apart(mem)->begin;
    if (!runtime->sharing) runtime->sharing = make_sharing(mem);
    if (!runtime->sharing) return HW_RT_NO_MEMORY;
    for (uint64_t piece = offset / PIECE_BYTES; piece * PIECE_BYTES < offset + a->bytes; piece++)
        if (!move_piece(runtime->sharing, mem, piece)) return HW_RT_NO_MEMORY;
    hw_mem_set_shared(mem, a->address);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_share(hw_runtime *runtime, uint64_t address, hw_rt_shared_kind kind, hw_rt_shared_name *out) {
    HW_RT_ENTER(runtime);
    hw_allocation a;
    const hw_mem_apart *apart = hw_mem_get_apart(hw_rt_mem(runtime));
    if (!hw_mem_find(hw_rt_mem(runtime), address, 1, &a) || address - apart->begin >= apart->bytes)
        return HW_RT_INVALID_VALUE;
    if (kind == HW_RT_SHARED_MEMORY && a.flags) return HW_RT_INVALID_VALUE;   // a pool's has a name of its own
    pthread_mutex_lock(&runtime->virtual_lock);
    const hw_rt_status status = share_memory(runtime, &a);
    if (!status) {
        *out = (hw_rt_shared_name){.process = (int32_t)getpid(), .file = runtime->sharing->file,
                                   .offset = a.address - apart->begin, .bytes = a.bytes};
        put_kind(out, kind);
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

// ---- another process's ----

static opened *find_opened(hw_runtime *runtime, const hw_rt_shared_name *name) {
    opened *o = runtime->opened;
    while (o && (o->name.process != name->process || o->name.offset != name->offset)) o = o->next;
    return o;
}

bool hw_rt_is_file_of(int fd, const char *name) {
    char path[64], target[64] = "", wanted[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(wanted, sizeof wanted, "/memfd:%s ", name);
    return readlink(path, target, sizeof target - 1) > 0 && !strncmp(target, wanted, strlen(wanted));
}

// A name outlives what it names: the other process may have given its number to another file since.
static bool has_pages(int file, uint64_t bytes) {
    struct stat about;
    return hw_rt_is_file_of(file, HW_RT_MEMORY_FILE) && !fstat(file, &about) && bytes <= (uint64_t)about.st_size;
}

// Pages of the other's file at addresses of this process; false: there are none.
static bool map_pages(const hw_rt_shared_name *name, opened *made) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = name->offset / page * page;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)name->process, (int)name->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    made->span = hw_align_up(name->offset + name->bytes, page) - begin;
    const void *at = !has_pages(file, name->offset + name->bytes) ? MAP_FAILED :
                     mmap(NULL, made->span, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)begin);
    close(file);
    made->start = (uint64_t)(uintptr_t)at;
    made->address = made->start + (name->offset - begin);
    return at != MAP_FAILED;
}

// With the lock held.
static hw_rt_status open_memory(hw_runtime *runtime, const hw_rt_shared_name *name, const void *site, opened **out) {
    opened *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    made->name = *name;
    if (!map_pages(name, made)) {
        hw_free(made);
        return HW_RT_INVALID_VALUE;
    }
    if (hw_mem_adopt(hw_rt_mem(runtime), made->address, name->bytes, false, site, NULL)) {
        munmap((void *)(uintptr_t)made->start, made->span);
        hw_free(made);
        return HW_RT_NO_MEMORY;
    }
    made->next = runtime->opened;
    *out = runtime->opened = made;
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_shared_open(hw_runtime *runtime, const hw_rt_shared_name *name, hw_rt_shared_kind kind,
                               const void *site, uint64_t *address) {
    HW_RT_ENTER(runtime);
    if (!is_kind(name, kind) || !name->bytes || name->bytes > UINT64_MAX / 2 || name->offset > UINT64_MAX / 2)
        return HW_RT_INVALID_VALUE;
    if (name->process == (int32_t)getpid()) return HW_RT_INVALID_CONTEXT;
    hw_rt_status status = HW_RT_SUCCESS;
    pthread_mutex_lock(&runtime->virtual_lock);
    opened *found = find_opened(runtime, name);
    if (!found) status = open_memory(runtime, name, site, &found);
    if (!status) {
        found->n++;
        *address = found->address;
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
    return status;
}

// With the lock held.
static void close_memory(hw_runtime *runtime, opened **at) {
    opened *gone = *at;
    if (hw_rt_sim(runtime)) hw_mem_free(hw_rt_mem(runtime), gone->address, NULL);
    munmap((void *)(uintptr_t)gone->start, gone->span);
    *at = gone->next;
    hw_free(gone);
}

hw_rt_status hw_rt_shared_close(hw_runtime *runtime, uint64_t address, hw_rt_shared_kind kind) {
    HW_RT_ENTER(runtime);
    pthread_mutex_lock(&runtime->virtual_lock);
    opened **at = &runtime->opened;
    while (*at && ((*at)->address != address || !is_kind(&(*at)->name, kind))) at = &(*at)->next;
    const bool is_open = *at;
    if (is_open && !--(*at)->n) close_memory(runtime, at);
    pthread_mutex_unlock(&runtime->virtual_lock);
    return is_open ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

void hw_rt_sharing_free(hw_runtime *runtime) {
    pthread_mutex_lock(&runtime->virtual_lock);
    while (runtime->opened) close_memory(runtime, &runtime->opened);
    if (runtime->sharing) {
        close(runtime->sharing->file);
        hw_free(runtime->sharing->is_moved);
        hw_free(runtime->sharing);
        runtime->sharing = NULL;
    }
    pthread_mutex_unlock(&runtime->virtual_lock);
}

// ---- events ----

hw_rt_status hw_rt_event_share(hw_runtime *runtime, struct hw_rt_event *event, hw_rt_shared_name *out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_handles_have(&runtime->handles, HW_RT_EVENT, event)) return HW_RT_INVALID_HANDLE;
    if (!(hw_rt_event_flags(event) & HW_RT_EVENT_INTERPROCESS)) return HW_RT_INVALID_HANDLE;
    *out = (hw_rt_shared_name){.process = (int32_t)getpid()};
    put_kind(out, HW_RT_SHARED_EVENT);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_event_open(hw_runtime *runtime, const hw_rt_shared_name *name, struct hw_rt_event **out) {
    HW_RT_ENTER(runtime);
    if (!is_kind(name, HW_RT_SHARED_EVENT)) return HW_RT_NOT_MAPPED;
    if (name->process == (int32_t)getpid()) return HW_RT_INVALID_CONTEXT;
    return hw_rt_event_create(runtime, HW_RT_EVENT_INTERPROCESS | HW_RT_EVENT_NO_TIMING, out);
}
