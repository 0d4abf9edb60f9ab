// What the user is told on stderr, and the halfwarp command in its status file: faults, refused launches, calls that
// are not supported.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim/findings.h"
#include "shim/process.h"
#include "shim/shim.h"

void hw_shim_note(int exit_code, const char *message) {
    hw_shim_process *process = hw_shim_process_get();
    const char *path = process->environment.status_path;
    pthread_mutex_lock(&process->lock);
    if (path && !process->is_noted) {
        // What changes the exit status is not to be lost behind the crash of another process.
        FILE *file = fopen(path, exit_code == HW_EXIT_CRASHED ? "a" : "w");
        if (file) {
            fprintf(file, "%d %.*s\n", exit_code, (int)strcspn(message, "\n"), message);
            fclose(file);
        }
        process->is_noted = exit_code != HW_EXIT_SETUP;   // what the program meets later counts for more
    }
    pthread_mutex_unlock(&process->lock);
}

void hw_shim_refuse(const hw_diag *diag, hw_rt_status status) {
    char text[sizeof *diag + 32];
    bool is_users = status == HW_RT_NOT_SUPPORTED || status == HW_RT_INVALID_PTX;
    hw_diag_format(diag, text, sizeof text);
    fflush(NULL);
    fprintf(stderr, "halfwarp: %s\n", text);
    if (is_users) hw_shim_note(HW_EXIT_UNSUPPORTED, text);
    hw_shim_end(is_users ? HW_EXIT_UNSUPPORTED : HW_EXIT_SETUP);
}

void hw_shim_end(int exit_code) {
    hw_shim_finish_clock();
    hw_findings_end(false);
    fflush(NULL);
    _exit(exit_code);
}

void hw_shim_report_fault(const hw_fault *fault) {
    char place[512];
    if (fault->kind == HW_FAULT_STOPPED) hw_shim_end(HW_EXIT_OUT_OF_TIME);
    fflush(stdout);
    // An assert's sentence is the CUDA driver's own, which programs' tests look for.
    fprintf(stderr, "%s%s\n", fault->has_assertion ? "" : "halfwarp: ", fault->text);
    const hw_allocation *allocation = fault->has_allocation ? &fault->allocation : NULL;
    if (allocation && allocation->site && hw_shim_describe_site(allocation->site, place, sizeof place))
        fprintf(stderr, "halfwarp: that allocation was made at %s\n", place);
    if (allocation && allocation->freed_at && hw_shim_describe_site(allocation->freed_at, place, sizeof place))
        fprintf(stderr, "halfwarp: and freed at %s\n", place);
    hw_shim_note(HW_EXIT_FAULTED, fault->text);
}

// Each call names itself once, whichever thread makes it first.
hw_rt_status hw_shim_unsupported(const char *call) {
    enum { MAX_NAMED = 512 };
    static const char *named[MAX_NAMED];
    static unsigned n_named;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    bool is_new = n_named < MAX_NAMED;
    for (unsigned i = 0; i < n_named; i++)
        if (strcmp(named[i], call) == 0) is_new = false;
    if (is_new) named[n_named++] = call;
    pthread_mutex_unlock(&lock);
    if (is_new) {
        char place[512], message[640];
        bool known = hw_shim_describe_site(hw_shim_site(), place, sizeof place);
        snprintf(message, sizeof message, "%s%s%s is not supported", known ? place : "", known ? ": " : "", call);
        fprintf(stderr, "halfwarp: %s\n", message);
        hw_shim_note(HW_EXIT_UNSUPPORTED, message);
    }
    return HW_RT_NOT_SUPPORTED;
}

// Has this place been told of already? Places are kept once each (site.c).
static bool is_known(const void *site, const char *text) {
    enum { MOST = 64 };
    static struct { const void *site; char text[160]; } known[MOST];
    static unsigned n_known;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_known && !found; i++)
        found = known[i].site == site && strncmp(known[i].text, text, sizeof known[i].text - 1) == 0;
    if (!found && n_known < MOST) {
        known[n_known].site = site;
        snprintf(known[n_known].text, sizeof known[0].text, "%.*s", (int)sizeof known[0].text - 1, text);
        n_known++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void hw_shim_complain(const char *sentence, int exit_code) {
    if (is_known(hw_shim_site(), sentence)) return;
    fprintf(stderr, "halfwarp: %s\n", sentence);
    if (exit_code) hw_shim_note(exit_code, sentence);
}

// Programs often overlook the error of a launch, so it is said aloud: once for each place and reason, and not for ever
// to one that tries on.
void hw_shim_explain_refusal(const hw_diag *diag) {
    enum { MOST = 20 };
    static atomic_int n_explained;
    const void *site = hw_shim_site();
    if (is_known(site, diag->text)) return;
    int before = atomic_fetch_add(&n_explained, 1);
    if (before == MOST) fprintf(stderr, "halfwarp: further launches that are refused are not shown\n");
    if (before >= MOST) return;
    char place[512], text[sizeof *diag + 32];
    bool known = hw_shim_describe_site(site, place, sizeof place);
    fprintf(stderr, "halfwarp: %s%slaunch refused: %s\n", known ? place : "", known ? ": " : "",
            hw_diag_format(diag, text, sizeof text));
}
