// When kernels are compiled: a thread looks every few milliseconds at what is running.
#include "compile/compile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "compile/build.h"
#include "compile/choose.h"
#include "compile/source.h"

enum { DEFAULT_PATIENCE_NS = 30000000, LOOK_NS = 5000000, MOST_INSTRUCTIONS = 20000 };

// A kernel that was launched.
typedef struct kernel {
    struct kernel *next;
    const hw_program_set *set;
    const hw_program *entry;
    uint64_t spent_ns;           // by launches that have ended
    bool is_done;                // compiled, or not to be
} kernel;

// The machine code of some programs of a set.
typedef struct code {
    struct code *next;
    const hw_program_set *set;
    void *object;
    hw_arena *arena;             // has the segments
} code;

struct hw_compile {
    hw_arena *arena;
    hw_compile_tools tools;
    uint64_t patience_ns;
    bool waits;
    pthread_t thread;
    pthread_mutex_t lock;        // of what follows
    pthread_cond_t changed;
    bool has_thread, is_closing, sleeps;    // sleeps: until a launch begins
    kernel *kernels, *running;
    uint64_t begun_ns;           // of running
    const hw_program_set *busy;  // whose program is being compiled
    code *codes;
};

// ---- one program ----

// Programs that the entry calls directly or through others, itself first; of no entry all of the set.
static uint32_t list_reachable(const hw_program_set *set, const hw_program *entry, hw_compile_part *parts) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < set->n_programs && !entry; k++)
        if (set->programs[k]) parts[n++].program = set->programs[k];
    if (entry) parts[n++].program = entry;
    for (uint32_t k = 0; k < n && entry; k++) {
        for (uint32_t i = 0; i < parts[k].program->n_calls && n < set->n_programs; i++) {
            const hw_program *callee = parts[k].program->calls[i].callee;
            bool is_new = callee != NULL;
            for (uint32_t j = 0; j < n && is_new; j++) is_new = parts[j].program != callee;
            if (is_new) parts[n++].program = callee;
        }
    }
    return n;
}

static void free_code(code *made) {
    if (!made) return;
    if (made->object) dlclose(made->object);
    hw_arena_destroy(made->arena);
    hw_free(made);
}

static hw_status choose_segments(const hw_program_set *set, hw_compile_part *parts, uint32_t n, hw_arena *arena,
                                 uint32_t *count, hw_diag *diag) {
    *count = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (parts[k].program->n_insts > MOST_INSTRUCTIONS) continue;
        parts[k].segments = hw_compile_choose(set, parts[k].program, arena, &parts[k].count);
        parts[k].regions = hw_compile_choose_regions(set, parts[k].program, arena, &parts[k].n_regions);
        if (!parts[k].segments || !parts[k].regions) return hw_diag_no_memory(diag);
        *count += parts[k].count + parts[k].n_regions;
    }
    return HW_OK;
}

// The text of the segments, compiled and loaded.
static hw_status build_parts(const hw_compile_tools *tools, const hw_compile_part *parts, uint32_t n, void **object,
                             hw_diag *diag) {
    char *text = NULL;
    size_t length = 0;
    hw_arena *scratch = hw_arena_create();
    FILE *to = open_memstream(&text, &length);
    bool is_whole = scratch && to && hw_compile_write(to, parts, n, scratch);
    if (to && fclose(to) != 0) is_whole = false;
    hw_status status = is_whole ? HW_OK : hw_diag_no_memory(diag);
    if (status == HW_OK) status = hw_compile_build(tools, text, length, scratch, object, diag);
    free(text);
    hw_arena_destroy(scratch);
    return status;
}

static void attach_segments(hw_program *program, const hw_compile_part *part, void *object) {
    for (uint32_t j = 0; j < part->count; j++) {
        hw_segment *segment = &part->segments[j];
        char name[64];
        snprintf(name, sizeof name, "segment_%d_%u", program->index, segment->first);
        *(void **)&segment->all = dlsym(object, name);
        snprintf(name, sizeof name, "segment_%d_%u_some", program->index, segment->first);
        *(void **)&segment->some = segment->has_some ? dlsym(object, name) : NULL;
        if (segment->all) hw_segment_attach(program, segment);
    }
}

// Where a region begins with a segment, that is what it is in place of.
static void attach_regions(hw_program *program, const hw_compile_part *part, void *object) {
    for (uint32_t j = 0; j < part->n_regions; j++) {
        hw_region *region = part->regions[j].region;
        char name[64];
        snprintf(name, sizeof name, "region_%d_%u", program->index, region->first);
        *(void **)&region->code = dlsym(object, name);
        snprintf(name, sizeof name, "packed_%d_%u", program->index, region->first);
        *(void **)&region->inside = region->registers ? dlsym(object, name) : NULL;
        if (region->code || region->inside) hw_region_attach(program, region);
    }
}

static void attach_parts(const hw_program_set *set, const hw_compile_part *parts, uint32_t n, void *object) {
    for (uint32_t k = 0; k < n; k++) {
        hw_program *program = set->programs[parts[k].program->index];
        attach_segments(program, &parts[k], object);
        attach_regions(program, &parts[k], object);
    }
}

// All that the entry can call. Not under the lock. *count: the segments.
static hw_status compile_entry(hw_compile *compile, const hw_program_set *set, const hw_program *entry,
                               uint32_t *count, hw_diag *diag) {
    code *made = hw_calloc(1, sizeof *made);
    hw_compile_part *parts = hw_calloc(set->n_programs + 1, sizeof *parts);
    hw_status status = HW_OK;
    *count = 0;
    if (made) made->arena = hw_arena_create();
    if (!made || !made->arena || !parts) status = hw_diag_no_memory(diag);
    uint32_t n = status == HW_OK ? list_reachable(set, entry, parts) : 0;
    if (status == HW_OK) status = choose_segments(set, parts, n, made->arena, count, diag);
    if (status == HW_OK && *count) status = build_parts(&compile->tools, parts, n, &made->object, diag);
    if (status == HW_OK && *count) {
        attach_parts(set, parts, n, made->object);
        made->set = set;
        pthread_mutex_lock(&compile->lock);
        made->next = compile->codes;
        compile->codes = made;
        pthread_mutex_unlock(&compile->lock);
    } else {
        free_code(made);
    }
    hw_free(parts);
    return status;
}

// ---- the thread ----

static struct timespec in_a_while(void) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += LOOK_NS;
    if (at.tv_nsec >= 1000000000) at.tv_sec++, at.tv_nsec -= 1000000000;
    return at;
}

static bool is_due(const hw_compile *compile) {
    const kernel *k = compile->running;
    return k && !k->is_done && k->spent_ns + (hw_now_ns() - compile->begun_ns) >= compile->patience_ns;
}

// Under the lock, which is given up meanwhile.
static void compile_running(hw_compile *compile) {
    kernel *k = compile->running;
    const hw_program_set *set = k->set;
    const hw_program *entry = k->entry;
    hw_diag diag = {0};
    uint32_t segments;
    k->is_done = true;
    compile->busy = set;
    pthread_mutex_unlock(&compile->lock);
    compile_entry(compile, set, entry, &segments, &diag);    // the interpreter goes on where there is no code
    pthread_mutex_lock(&compile->lock);
    compile->busy = NULL;
    pthread_cond_broadcast(&compile->changed);
}

static void *watch_launches(void *context) {
    hw_compile *compile = context;
    pthread_mutex_lock(&compile->lock);
    while (!compile->is_closing) {
        if (is_due(compile)) {
            compile_running(compile);
        } else if (compile->running && !compile->running->is_done) {
            struct timespec at = in_a_while();
            pthread_cond_timedwait(&compile->changed, &compile->lock, &at);
        } else {
            compile->sleeps = true;
            pthread_cond_wait(&compile->changed, &compile->lock);
            compile->sleeps = false;
        }
    }
    pthread_mutex_unlock(&compile->lock);
    return NULL;
}

// ---- what others call ----

hw_status hw_compile_create(const hw_compile_options *options, hw_compile **out, hw_diag *diag) {
    *out = NULL;
    hw_arena *arena = hw_arena_create();
    hw_compile *compile = arena ? hw_arena_take(arena, sizeof *compile) : NULL;
    if (!compile) {
        hw_arena_destroy(arena);
        return hw_diag_no_memory(diag);
    }
    const char *cache = options->cache_dir && *options->cache_dir ? options->cache_dir : NULL;
    compile->arena = arena;
    compile->waits = options->waits;
    compile->patience_ns = options->patience_ns ? options->patience_ns : DEFAULT_PATIENCE_NS;
    compile->tools = (hw_compile_tools){
        .compiler = hw_compile_find_compiler(options->search_path, arena), .level = hw_segment_level(),
        .cache_dir = cache ? hw_arena_string(arena, cache, strlen(cache)) : NULL};
    pthread_mutex_init(&compile->lock, NULL);
    pthread_cond_init(&compile->changed, NULL);
    if (compile->tools.compiler && compile->tools.level) *out = compile;
    else hw_compile_destroy(compile);
    return HW_OK;
}

void hw_compile_destroy(hw_compile *compile) {
    if (!compile) return;
    pthread_mutex_lock(&compile->lock);
    compile->is_closing = true;
    pthread_cond_broadcast(&compile->changed);
    pthread_mutex_unlock(&compile->lock);
    if (compile->has_thread) pthread_join(compile->thread, NULL);
    while (compile->codes) {
        code *first = compile->codes;
        compile->codes = first->next;
        free_code(first);
    }
    while (compile->kernels) {
        kernel *first = compile->kernels;
        compile->kernels = first->next;
        hw_free(first);
    }
    pthread_cond_destroy(&compile->changed);
    pthread_mutex_destroy(&compile->lock);
    hw_arena_destroy(compile->arena);
}

// Kernels that were launched last come first. NULL when memory ran out.
static kernel *find_kernel(hw_compile *compile, const hw_program_set *set, const hw_program *entry) {
    for (kernel **link = &compile->kernels; *link; link = &(*link)->next) {
        kernel *found = *link;
        if (found->entry != entry) continue;
        *link = found->next;
        found->next = compile->kernels;
        return compile->kernels = found;
    }
    kernel *fresh = hw_calloc(1, sizeof *fresh);
    if (!fresh) return NULL;
    *fresh = (kernel){.next = compile->kernels, .set = set, .entry = entry};
    return compile->kernels = fresh;
}

void hw_compile_launch_begins(hw_compile *compile, const hw_program_set *set, const hw_program *entry) {
    if (!compile) return;
    pthread_mutex_lock(&compile->lock);
    compile->running = find_kernel(compile, set, entry);
    compile->begun_ns = hw_now_ns();
    bool is_new = compile->running && !compile->running->is_done;
    if (compile->waits) {
        if (is_new && compile->running->spent_ns) compile_running(compile);
    } else if (is_new && !compile->has_thread)
        compile->has_thread = pthread_create(&compile->thread, NULL, watch_launches, compile) == 0;
    else if (is_new && compile->sleeps)
        pthread_cond_broadcast(&compile->changed);
    pthread_mutex_unlock(&compile->lock);
}

void hw_compile_launch_ends(hw_compile *compile) {
    if (!compile) return;
    pthread_mutex_lock(&compile->lock);
    if (compile->running) compile->running->spent_ns += hw_now_ns() - compile->begun_ns;
    compile->running = NULL;
    pthread_mutex_unlock(&compile->lock);
}

void hw_compile_forget(hw_compile *compile, const hw_program_set *set) {
    if (!compile) return;
    pthread_mutex_lock(&compile->lock);
    while (compile->busy == set) pthread_cond_wait(&compile->changed, &compile->lock);
    for (kernel **link = &compile->kernels; *link;) {
        kernel *k = *link;
        if (k->set != set) {
            link = &k->next;
            continue;
        }
        *link = k->next;
        hw_free(k);
    }
    for (code **link = &compile->codes; *link;) {
        code *made = *link;
        if (made->set != set) {
            link = &made->next;
            continue;
        }
        *link = made->next;
        free_code(made);
    }
    pthread_mutex_unlock(&compile->lock);
}

hw_status hw_compile_now(hw_compile *compile, const hw_program_set *set, const hw_program *entry, uint32_t *segments,
                         hw_diag *diag) {
    return compile_entry(compile, set, entry, segments, diag);
}
