// What cpu and sim do alike: work is done when its call returns, so that streams are names and events are times.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/device_internal.h"

hw_status hw_host_stream_create(hw_stream *stream, hw_diag *diag) {
    (void)stream, (void)diag;
    return HW_OK;
}

void hw_host_stream_destroy(hw_stream *stream) { (void)stream; }

hw_status hw_host_stream_synchronize(hw_stream *stream, hw_diag *diag) {
    (void)stream, (void)diag;
    return HW_OK;
}

hw_status hw_host_event_create(hw_event *event, hw_diag *diag) {
    (void)event, (void)diag;
    return HW_OK;
}

void hw_host_event_destroy(hw_event *event) { (void)event; }

hw_status hw_host_event_record(hw_event *event, hw_stream *stream, hw_diag *diag) {
    (void)stream, (void)diag;
    event->ns = (double)hw_now_ns();
    return HW_OK;
}

hw_status hw_host_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag) {
    (void)stream, (void)event, (void)diag;
    return HW_OK;
}

hw_status hw_host_event_elapsed(hw_event *start, hw_event *stop, double *ns, hw_diag *diag) {
    (void)diag;
    *ns = stop->ns - start->ns;
    return HW_OK;
}

void hw_host_wait(hw_device *device) { (void)device; }

// ---- Copies, by all threads where that pays -------------------------------------------------------------------------

enum { SHARED_COPY_BYTES = 8 << 20 };

typedef struct shares {
    const hw_copy_args *args;
    uint32_t n;
} shares;

// Share `index` of the rows; of a single row, of its bytes, in whole pages.
static void copy_share(void *context, uint32_t index) {
    const shares *all = context;
    const hw_copy_args *a = all->args;
    char *to = a->to;
    const char *from = a->from;
    if (a->rows == 1) {
        size_t share = (a->row_bytes / all->n + 4096) & ~(size_t)4095, first = share * index;
        if (first >= a->row_bytes) return;
        memcpy(to + first, from + first, share < a->row_bytes - first ? share : a->row_bytes - first);
        return;
    }
    size_t first = (size_t)((unsigned __int128)a->rows * index / all->n);
    size_t last = (size_t)((unsigned __int128)a->rows * (index + 1) / all->n);
    for (size_t row = first; row < last; row++)
        memcpy(to + row * a->to_pitch, from + row * a->from_pitch, a->row_bytes);
}

hw_status hw_host_copy(hw_stream *stream, const hw_copy_args *args, hw_diag *diag) {
    (void)diag;
    shares all = {args, args->row_bytes >= SHARED_COPY_BYTES / args->rows ? stream->device->threads : 1};
    if (all.n > 1) hw_pool_run(stream->device->pool, all.n, copy_share, &all);
    else copy_share(&all, 0);
    return HW_OK;
}

hw_status hw_host_fill(hw_stream *stream, void *to, int byte, size_t bytes, hw_diag *diag) {
    (void)stream, (void)diag;
    memset(to, byte, bytes);
    return HW_OK;
}

// ---- The machine ----------------------------------------------------------------------------------------------------

uint64_t hw_host_available_bytes(void) {
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (file) fclose(file);
    if (kib) return (uint64_t)kib << 10;
    long pages = sysconf(_SC_AVPHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

uint32_t hw_host_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (uint32_t)CPU_COUNT(&set);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}
