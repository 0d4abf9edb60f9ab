// A device: opening one by its name, and the public interface, which checks arguments and forwards to the kind's table.
#define _GNU_SOURCE
#include "device/device.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "device/device_internal.h"

static const char default_search_path[] = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin";

enum { MOST_THREADS = 4096 };

static char *duplicate(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = hw_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

// ".cache/halfwarp" in the user's home. False when memory ran out; a user without a home has no cache.
static bool find_cache(char **out) {
    char buffer[4096], path[4200];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) != 0 || !found || found->pw_dir[0] != '/')
        return true;
    snprintf(path, sizeof path, "%s/.cache/halfwarp", found->pw_dir);
    return (*out = duplicate(path)) != NULL;
}

// The kind that a name belongs to, and what follows the colon.
static const hw_device_table *table_of(const char *name, const char **place) {
    *place = "";
    if (!strcmp(name, "cpu")) return &hw_cpu_table;
    *place = strchr(name, ':');
    if (!*place) return NULL;
    (*place)++;
    if (!strncmp(name, "cuda:", 5)) return &hw_cuda_table;
    return strncmp(name, "sim:", 4) ? NULL : &hw_sim_table;
}

static hw_status set_options(hw_device *device, const char *name, const hw_device_options *options, hw_diag *diag) {
    snprintf(device->name, sizeof device->name, "%s", name);
    device->memory_limit_bytes = options->memory_limit_bytes;
    device->threads = options->threads ? options->threads : hw_host_processors();
    if (device->threads > MOST_THREADS)
        return hw_diag_set(diag, HW_USAGE, "%u threads: the most is %d", device->threads, MOST_THREADS);
    if (!(device->search_path = duplicate(options->search_path ? options->search_path : default_search_path)))
        return hw_diag_no_memory(diag);
    bool has_cache = true;
    if (!options->cache_dir) has_cache = find_cache(&device->cache_dir);
    else if (*options->cache_dir) has_cache = (device->cache_dir = duplicate(options->cache_dir)) != NULL;
    return has_cache ? HW_OK : hw_diag_no_memory(diag);
}

static hw_status open_named(const char *name, const hw_device_options *options, hw_device **out, hw_diag *diag) {
    const char *place;
    const hw_device_table *table = table_of(name, &place);
    if (!table)
        return hw_diag_set(diag, HW_USAGE, "no device is called \"%s\": there are cpu, cuda:N (GPU N) and sim:G "
                           "(GPU model G, simulated: sim:h200)", name);
    hw_device *device = hw_calloc(1, sizeof *device);
    if (!device) return hw_diag_no_memory(diag);
    device->table = table;
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->compile_lock, NULL);
    hw_status status = set_options(device, name, options, diag);
    if (status == HW_OK && !(device->pool = hw_pool_create(device->threads))) status = hw_diag_no_memory(diag);
    if (status == HW_OK) status = table->open(device, place, diag);
    if (status == HW_OK) {
        uint64_t limit = device->memory_limit_bytes;
        if (limit && (!device->properties.memory_bytes || limit < device->properties.memory_bytes))
            device->properties.memory_bytes = limit;
        status = hw_stream_create(device, &device->own_stream, diag);
    }
    if (status == HW_OK) *out = device;
    else hw_device_close(device);
    return status;
}

static hw_status open_device(const char *name, const hw_device_options *options, hw_device **out, hw_diag *diag) {
    static const hw_device_options none;
    if (!out) return hw_diag_set(diag, HW_USAGE, "hw_device_open: out is NULL");
    *out = NULL;
    if (!options) options = &none;
    if (name && *name) return open_named(name, options, out, diag);
    hw_diag why = {0};
    hw_status status = open_named("cuda:0", options, out, &why);
    if (status == HW_NOT_FOUND) return open_named("cpu", options, out, diag);
    if (status != HW_OK) hw_diag_set(diag, status, "%s", why.text);
    return status;
}

hw_status hw_device_open(const char *name, const hw_device_options *options, hw_device **out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, open_device(name, options, out, hw_diag_begin(&own)));
}

void hw_device_close(hw_device *device) {
    if (!device) return;
    const hw_device_table *table = device->table;
    if (device->own) table->wait(device);
    while (device->events) hw_event_destroy(device->events);
    device->own_stream = NULL;
    while (device->streams) hw_stream_destroy(device->streams);
    hw_device_forget(device);
    hw_device_kernels_free(device);
    hw_device_memory_free_all(device);
    table->close(device);
    hw_pool_destroy(device->pool);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->compile_lock);
    hw_free(device->cache_dir);
    hw_free(device->search_path);
    hw_free(device);
}

const hw_device_properties *hw_device_get_properties(const hw_device *device) {
    return device ? &device->properties : NULL;
}

hw_pool *hw_device_pool(hw_device *device, uint32_t *n_threads) {
    *n_threads = device->threads;
    return device->pool;
}

hw_status hw_device_free_bytes(hw_device *device, uint64_t *bytes, hw_diag *diag) {
    hw_status status = device->table->free_bytes(device, bytes, diag);
    pthread_mutex_lock(&device->lock);
    uint64_t limit = device->memory_limit_bytes, left = limit > device->used_bytes ? limit - device->used_bytes : 0;
    pthread_mutex_unlock(&device->lock);
    if (status == HW_OK && limit && *bytes > left) *bytes = left;
    return status;
}

bool hw_device_reaches(hw_device *device, const void *memory) {
    return device->table->reaches && device->table->reaches(device, memory);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static hw_status allocate(hw_device *device, hw_stream *stream, size_t bytes, bool is_host, void **out,
                          hw_diag *diag) {
    if (!out) return hw_diag_set(diag, HW_USAGE, "no place was given for the address of the memory");
    *out = NULL;
    if (!device) return hw_diag_set(diag, HW_USAGE, "the device is NULL");
    return bytes ? hw_device_memory_alloc(device, stream, bytes, is_host, out, diag) : HW_OK;
}

hw_status hw_device_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, allocate(device, NULL, bytes, false, out, hw_diag_begin(&own)));
}

hw_status hw_host_alloc(hw_device *device, size_t bytes, void **out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, allocate(device, NULL, bytes, true, out, hw_diag_begin(&own)));
}

hw_status hw_host_alloc_combined(hw_device *device, size_t bytes, void **out, hw_diag *diag) {
    *out = NULL;
    return bytes ? hw_device_memory_alloc_combined(device, bytes, out, diag) : HW_OK;
}

void hw_device_free(hw_device *device, void *memory) {
    if (device && memory) hw_device_memory_free(device, memory, false);
}

void hw_host_free(hw_device *device, void *memory) {
    if (device && memory) hw_device_memory_free(device, memory, true);
}

hw_status hw_stream_alloc(hw_stream *stream, size_t bytes, void **out, hw_diag *diag) {
    return allocate(hw_stream_device(stream), stream, bytes, false, out, diag);
}

hw_status hw_stream_scratch(hw_stream *stream, size_t bytes, void **out, hw_diag *diag) {
    const size_t least = (size_t)1 << 20;
    *out = stream->scratch;
    if (bytes <= stream->scratch_bytes) return HW_OK;
    hw_stream_scratch_drop(stream);
    if (bytes < least) bytes = least;
    hw_status status = hw_stream_alloc(stream, bytes, &stream->scratch, diag);
    if (status != HW_OK) return status;
    stream->scratch_bytes = bytes;
    status = hw_fill(stream, stream->scratch, 0, HW_SCRATCH_ZEROS, diag);
    if (status == HW_OK) *out = stream->scratch;
    else hw_stream_scratch_drop(stream);
    return status;
}

void hw_stream_scratch_drop(hw_stream *stream) {
    hw_stream_free(stream, stream->scratch);
    stream->scratch = NULL;
    stream->scratch_bytes = 0;
}

// ---- Streams --------------------------------------------------------------------------------------------------------

hw_stream *hw_device_stream(hw_device *device) { return device ? device->own_stream : NULL; }

hw_device *hw_stream_device(const hw_stream *stream) { return stream ? stream->device : NULL; }

void hw_stream_watch(hw_stream *stream, hw_stream_watcher *watcher, void *user) {
    stream->watcher = watcher;
    stream->watcher_user = user;
}

void hw_stream_report(hw_stream *stream, double share) {
    if (stream->watcher) stream->watcher(stream->watcher_user, share);
}

static hw_status create_stream(hw_device *device, hw_stream **out, hw_diag *diag) {
    if (out) *out = NULL;
    if (!device || !out) return hw_diag_set(diag, HW_USAGE, "hw_stream_create: an argument is NULL");
    hw_stream *stream = hw_calloc(1, sizeof *stream);
    if (!stream) return hw_diag_no_memory(diag);
    stream->device = device;
    hw_status status = device->table->stream_create(stream, diag);
    if (status != HW_OK) {
        hw_free(stream);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    stream->link = &device->streams;
    if ((stream->next = device->streams)) stream->next->link = &stream->next;
    device->streams = stream;
    pthread_mutex_unlock(&device->lock);
    *out = stream;
    return HW_OK;
}

hw_status hw_stream_create(hw_device *device, hw_stream **out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, create_stream(device, out, hw_diag_begin(&own)));
}

void hw_stream_destroy(hw_stream *stream) {
    if (!stream || stream == stream->device->own_stream) return;
    hw_device *device = stream->device;
    hw_stream_scratch_drop(stream);
    device->table->stream_destroy(stream);
    pthread_mutex_lock(&device->lock);
    if ((*stream->link = stream->next)) stream->next->link = stream->link;
    pthread_mutex_unlock(&device->lock);
    hw_free(stream);
}

static hw_status synchronize(hw_stream *stream, hw_diag *diag) {
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_stream_synchronize: the stream is NULL");
    return stream->device->table->stream_synchronize(stream, diag);
}

hw_status hw_stream_synchronize(hw_stream *stream, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, synchronize(stream, hw_diag_begin(&own)));
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static hw_status create_event(hw_device *device, hw_event **out, hw_diag *diag) {
    if (out) *out = NULL;
    if (!device || !out) return hw_diag_set(diag, HW_USAGE, "hw_event_create: an argument is NULL");
    hw_event *event = hw_calloc(1, sizeof *event);
    if (!event) return hw_diag_no_memory(diag);
    event->device = device;
    hw_status status = device->table->event_create(event, diag);
    if (status != HW_OK) {
        hw_free(event);
        return status;
    }
    pthread_mutex_lock(&device->lock);
    event->link = &device->events;
    if ((event->next = device->events)) event->next->link = &event->next;
    device->events = event;
    pthread_mutex_unlock(&device->lock);
    *out = event;
    return HW_OK;
}

hw_status hw_event_create(hw_device *device, hw_event **out, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, create_event(device, out, hw_diag_begin(&own)));
}

void hw_event_destroy(hw_event *event) {
    if (!event) return;
    hw_device *device = event->device;
    device->table->event_destroy(event);
    pthread_mutex_lock(&device->lock);
    if ((*event->link = event->next)) event->next->link = event->link;
    pthread_mutex_unlock(&device->lock);
    hw_free(event);
}

static hw_status check_event(const hw_event *event, const hw_stream *stream, hw_diag *diag) {
    if (!event || !stream) return hw_diag_set(diag, HW_USAGE, "the event or the stream is NULL");
    if (event->device == stream->device) return HW_OK;
    return hw_diag_set(diag, HW_USAGE, "the event is of a device (%s) other than the stream's (%s)",
                       event->device->name, stream->device->name);
}

static hw_status record(hw_event *event, hw_stream *stream, hw_diag *diag) {
    hw_status status = check_event(event, stream, diag);
    if (status == HW_OK) status = stream->device->table->event_record(event, stream, diag);
    if (status == HW_OK) event->is_recorded = true;
    return status;
}

hw_status hw_event_record(hw_event *event, hw_stream *stream, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, record(event, stream, hw_diag_begin(&own)));
}

static hw_status wait_for(hw_stream *stream, hw_event *event, hw_diag *diag) {
    hw_status status = check_event(event, stream, diag);
    // Nothing is before an event that was not recorded.
    return status == HW_OK && event->is_recorded ? stream->device->table->stream_wait(stream, event, diag) : status;
}

hw_status hw_stream_wait(hw_stream *stream, hw_event *event, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, wait_for(stream, event, hw_diag_begin(&own)));
}

static hw_status synchronize_event(hw_event *event, hw_diag *diag) {
    double ns;
    if (!event) return hw_diag_set(diag, HW_USAGE, "hw_event_synchronize: the event is NULL");
    if (!event->is_recorded) return hw_diag_set(diag, HW_USAGE, "hw_event_synchronize: the event was not recorded");
    return event->device->table->event_elapsed(event, event, &ns, diag);   // which waits
}

hw_status hw_event_synchronize(hw_event *event, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, synchronize_event(event, hw_diag_begin(&own)));
}

static hw_status elapsed(hw_event *start, hw_event *stop, double *ns, hw_diag *diag) {
    if (!start || !stop || !ns) return hw_diag_set(diag, HW_USAGE, "hw_event_elapsed_ns: an argument is NULL");
    if (start->device != stop->device)
        return hw_diag_set(diag, HW_USAGE, "the events are of two devices, %s and %s", start->device->name,
                           stop->device->name);
    if (!start->is_recorded || !stop->is_recorded)
        return hw_diag_set(diag, HW_USAGE, "the %s event was not recorded", start->is_recorded ? "second" : "first");
    return start->device->table->event_elapsed(start, stop, ns, diag);
}

hw_status hw_event_elapsed_ns(hw_event *start, hw_event *stop, double *ns, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, elapsed(start, stop, ns, hw_diag_begin(&own)));
}
