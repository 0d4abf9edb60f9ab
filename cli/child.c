// fork, exec, wait, and signals handed on.
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
enum { N_HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

static volatile pid_t child_process;

// What the terminal sends reaches the child without us: it is in the same process group.
static void hand_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code <= 0 && child_process > 0) kill(child_process, number);
}

// Installs the handler and blocks its signals until the child's id is known, so that none is lost in between.
static void hold_signals(sigset_t *before) {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < N_HANDED_ON; i++) {
        struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
        sigaction(handed_on[i], NULL, &old);
        if (old.sa_handler == SIG_IGN) continue;   // nohup: the program ignores it as well
        sigaction(handed_on[i], &action, NULL);
        sigaddset(&blocked, handed_on[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, before);
}

// In the child: reports through the pipe why exec failed; the pipe closes by itself when it succeeds.
static void exec_program(const char *path, char *const argv[], int failure_pipe, const sigset_t *mask) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(path, argv);
    int failure = errno;
    ssize_t written = write(failure_pipe, &failure, sizeof failure);
    _exit(written < 0 ? 126 : 127);
}

static int wait_for(pid_t pid, int *ended_by) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    *ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return *ended_by ? 128 + *ended_by : WEXITSTATUS(status);
}

int hw_cli_child_run(const char *path, char *const argv[], int *ended_by) {
    int failure_pipe[2], failure = 0;
    *ended_by = 0;
    if (pipe2(failure_pipe, O_CLOEXEC) != 0) {
        hw_cli_complain("cannot start %s: %s", path, strerror(errno));
        return -1;
    }
    sigset_t before;
    hold_signals(&before);
    pid_t pid = fork();
    if (pid == 0) exec_program(path, argv, failure_pipe[1], &before);
    child_process = pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(failure_pipe[1]);
    if (pid < 0) failure = errno;
    else if (read(failure_pipe[0], &failure, sizeof failure) != sizeof failure) failure = 0;
    close(failure_pipe[0]);
    int status = pid > 0 ? wait_for(pid, ended_by) : -1;
    child_process = 0;
    if (!failure) return status;
    hw_cli_complain("cannot start %s: %s", path, strerror(failure));
    return -1;
}
