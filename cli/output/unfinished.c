// Signal handlers that remove unfinished outputs.
#include "output/unfinished.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { N_FILES = 2 };
static char unfinished[N_FILES][PATH_MAX];

// SIGBUS: a mapped file lost pages, as another process cut it short. SIGXFSZ is ignored: the call that meets the limit
// reports it.
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGBUS};
enum { N_ENDING = sizeof ending / sizeof ending[0] };

static void fill_ending(sigset_t *set) {
    sigemptyset(set);
    for (int i = 0; i < N_ENDING; i++) sigaddset(set, ending[i]);
}

static void remove_and_end(int signal_number) {
    static const char lost[] = "halfwarp: a file was cut short while it was used\n";
    for (int i = 0; i < N_FILES; i++)
        if (unfinished[i][0]) unlink(unfinished[i]);
    if (signal_number == SIGBUS) {
        (void)!write(STDERR_FILENO, lost, sizeof lost - 1);
        _exit(HW_EXIT_USAGE);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// A signal that the parent ignores (nohup) stays ignored.
static void install(void) {
    struct sigaction action = {.sa_handler = remove_and_end}, old;
    fill_ending(&action.sa_mask);
    for (int i = 0; i < N_ENDING; i++)
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(ending[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void hw_cli_hold_signals(void) {
    sigset_t set;
    fill_ending(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    install();
}

void hw_cli_release_signals(const char *first, const char *second) {
    const char *const names[N_FILES] = {first, second};
    sigset_t set;
    fill_ending(&set);
    for (int i = 0; i < N_FILES; i++) {
        unfinished[i][0] = '\0';
        if (names[i] && strlen(names[i]) < sizeof unfinished[i]) strcpy(unfinished[i], names[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
