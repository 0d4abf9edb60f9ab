// The process's one simulated GPU, and what is told to the halfwarp command while it runs.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "io/gpu_file.h"
#include "prof/journal.h"
#include "prof/prof.h"
#include "selection.h"
#include "shim.h"
#include "state.h"

static const char DEFAULT_GPU[] = "h200";

static struct {
    hw_environment environment;
    const hw_gpu *gpu;
    hw_sim *sim;
    bool sim_failed;
    bool is_orphan;               // a forked process whose parent has the GPU: its threads have stayed there
    hw_prof *prof;
    hw_journal *journal;
} state;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void complain(const char *what, const hw_diag *diag) {
    char text[sizeof *diag + 32];
    fprintf(stderr, "halfwarp: %s%s\n", what, hw_diag_format(diag, text, sizeof text));
}

static void read_environment(void) {
    hw_environment_read(&state.environment);
    const char *id = state.environment.gpu ? state.environment.gpu : DEFAULT_GPU;
    hw_diag diag = {0};
    if (hw_gpu_open(id, &state.gpu, &diag) == HW_OK) return;   // kept for as long as the process
    complain("", &diag);
    _exit(HW_EXIT_SETUP);
}

const hw_environment *hw_shim_environment(void) {
    pthread_once(&once, read_environment);
    return &state.environment;
}

const hw_gpu *hw_shim_gpu(void) {
    pthread_once(&once, read_environment);
    return state.gpu;
}

static void print(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stdout);
}

static void complain_once(const hw_diag *diag) {
    static bool has_failed;
    if (!has_failed) complain("", diag);
    has_failed = true;
}

// Launches come one after the other, and so do these.
static void keep(void *context, const hw_report *report) {
    hw_diag diag = {0};
    (void)context;
    if (hw_journal_add(state.journal, report, &diag)) complain_once(&diag);
}

// A launch that is not counted leaves its place in the journal, for the ordinals of those behind it.
static bool wants(void *context, const char *mangled) {
    hw_diag diag = {0};
    (void)context;
    if (hw_selection_takes(&state.environment, mangled)) return true;
    if (hw_journal_pass(state.journal, &diag)) complain_once(&diag);
    return false;
}

static void notice(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "halfwarp: %s\n", sentence);
}

static hw_status create(hw_diag *diag) {
    const hw_sim_options options = {
        .gpu = state.gpu,
        .threads = state.environment.threads,
        .seed = state.environment.seed,
        .poisons = state.environment.poison >= 0,
        .poison = (uint8_t)state.environment.poison,
        .producer = state.environment.ptx_by,
        .max_regs = state.environment.max_regs,
        .print = print,
        .notice = notice,
        .place = hw_registry_place,
    };
    hw_status status = hw_sim_create(&options, &state.sim, diag);
    if (status || !state.journal) return status;
    if (!state.prof) {
        const hw_prof_options prof_options = {.lines = state.environment.lines, .no_l1 = state.environment.no_l1,
                                              .finished = keep, .wants = wants};
        status = hw_prof_create(state.gpu, &prof_options, &state.prof, diag);
    }
    if (!status) status = hw_sim_add_sink(state.sim, hw_prof_sink(state.prof), diag);
    return status;
}

// As CUDA: what has been begun is not for the child, which may only begin by itself.
static void be_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    state.is_orphan = state.sim != NULL;
    if (state.is_orphan) hw_shim_set_sticky(cudaErrorInitializationError);
}

hw_sim *hw_shim_sim(void) {
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&lock);
    if (!state.sim && !state.sim_failed) {
        hw_diag diag = {0};
        static bool watches_forks;
        if (!watches_forks) watches_forks = pthread_atfork(NULL, NULL, be_child) == 0;
        if (create(&diag)) {
            complain("", &diag);
            hw_sim_destroy(state.sim);
            state.sim = NULL;
            state.sim_failed = true;
        } else {
            hw_touch_watch(hw_sim_mem(state.sim));
        }
    }
    hw_sim *sim = state.sim;
    pthread_mutex_unlock(&lock);
    return sim;
}

cudaError_t hw_shim_enter(void) {
    cudaError_t sticky = hw_shim_sticky();
    if (sticky) return hw_shim_return(sticky);
    if (!hw_shim_sim()) return hw_shim_return(cudaErrorInitializationError);
    return hw_shim_return(hw_registry_load_all());
}

void hw_shim_forget(void) {
    if (state.is_orphan) return;
    hw_registry_forget();
    pthread_mutex_lock(&lock);
    hw_touch_watch(NULL);
    hw_sim_destroy(state.sim);
    state.sim = NULL;
    pthread_mutex_unlock(&lock);
    hw_shim_set_sticky(cudaSuccess);
}

void hw_shim_note(int exit_code, const char *message) {
    static bool is_noted;
    const char *path = hw_shim_environment()->status_path;
    pthread_mutex_lock(&lock);
    if (path && !is_noted) {
        // What changes the exit status is not to be lost behind the crash of another process.
        FILE *file = fopen(path, exit_code == HW_EXIT_CRASHED ? "a" : "w");
        if (file) {
            fprintf(file, "%d %.*s\n", exit_code, (int)strcspn(message, "\n"), message);
            fclose(file);
        }
        is_noted = true;
    }
    pthread_mutex_unlock(&lock);
}

void hw_shim_refuse(const hw_diag *diag, hw_status status) {
    char text[sizeof *diag + 32];
    bool is_users = status == HW_UNSUPPORTED || status == HW_MALFORMED;
    fflush(NULL);
    complain("", diag);
    if (is_users) hw_shim_note(HW_EXIT_UNSUPPORTED, hw_diag_format(diag, text, sizeof text));
    _exit(is_users ? HW_EXIT_UNSUPPORTED : HW_EXIT_SETUP);
}

// The journal says that there was a program that could have launched something, even if it never does. What the process
// holds is left to the system: threads of the program may still be using it.
__attribute__((constructor)) static void prepare(void) {
    const char *path = hw_shim_environment()->journal_path;
    hw_diag diag = {0};
    if (path && hw_journal_open(path, &state.journal, &diag)) complain("", &diag);
    hw_library_look();
}

// Of a program that loads a library and allocates nothing behind it.
__attribute__((destructor)) static void end(void) { hw_library_look(); }
