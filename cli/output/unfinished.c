// Signal handlers that remove unfinished outputs.
#include "output/unfinished.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { N_FILES = 2 };
static char unfinished_files[N_FILES][PATH_MAX];

// SIGBUS: a mapped file lost pages, as another process cut it short. SIGXFSZ is ignored: the call that meets the limit
// reports it.
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGBUS};
enum { N_ENDING = sizeof ending_signals / sizeof ending_signals[0] };

static void fill_ending_signals(sigset_t *set) {
    sigemptyset(set);
    for (int i = 0; i < N_ENDING; i++) sigaddset(set, ending_signals[i]);
}

static void remove_and_end(int signal_number) {
    static const char lost[] = "halfwarp: a file was cut short while it was used\n";
    for (int i = 0; i < N_FILES; i++)
        if (unfinished_files[i][0]) unlink(unfinished_files[i]);
    if (signal_number == SIGBUS) {
        (void)!write(STDERR_FILENO, lost, sizeof lost - 1);
        _exit(HW_EXIT_USAGE);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// A signal that the parent ignores (nohup) stays ignored.
static void install_handlers(void) {
    struct sigaction action = {.sa_handler = remove_and_end}, old;
    fill_ending_signals(&action.sa_mask);
    for (int i = 0; i < N_ENDING; i++)
        if (sigaction(ending_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ending_signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void hw_cli_hold_signals(void) {
    sigset_t set;
    fill_ending_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    install_handlers();
}

void hw_cli_release_signals(const char *first, const char *second) {
    const char *const names[N_FILES] = {first, second};
    sigset_t set;
    fill_ending_signals(&set);
    for (int i = 0; i < N_FILES; i++) {
        unfinished_files[i][0] = '\0';
        if (names[i] && strlen(names[i]) < sizeof unfinished_files[i]) strcpy(unfinished_files[i], names[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
