#define _GNU_SOURCE
#include "check/orders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEED_DIGITS = 32 };

int hw_cli_orders_begin(hw_cli_orders *orders, const hw_cli_launch *launch) {
    *orders = (hw_cli_orders){.program = strdup(launch->program[0]), .input = lseek(STDIN_FILENO, 0, SEEK_CUR)};
    if (orders->program) return 0;
    hw_cli_complain("out of memory");
    return HW_EXIT_USAGE;
}

void hw_cli_orders_free(hw_cli_orders *orders) { free(orders->program); }

// Its output has been seen in the first run; what it reads from a terminal or a pipe has been read then.
static bool redirect(const hw_cli_orders *orders) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0) return false;
    if (orders->input >= 0) return lseek(STDIN_FILENO, orders->input, SEEK_SET) >= 0;
    return dup2(nothing, STDIN_FILENO) >= 0;
}

// In a process of its own, so that what a run changes in this one is changed there.
static int run_order(const hw_cli_orders *orders, hw_cli_launch *launch) {
    int how, ended_by;
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent || !redirect(orders)) _exit(HW_EXIT_USAGE);
        launch->program[0] = orders->program;
        _exit(hw_cli_launch_run(launch, NULL, &ended_by));
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {}
    if (child < 0) hw_cli_complain("cannot start another process: %s", strerror(errno));
    return child < 0 ? HW_EXIT_USAGE : WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

static bool is_ours(int status) { return status >= HW_EXIT_USAGE && status <= HW_EXIT_FAULT; }

int hw_cli_orders_run(const hw_cli_orders *orders, hw_cli_launch *launch, int status) {
    const unsigned long long first = launch->seed ? strtoull(launch->seed, NULL, 10) : 0;
    const unsigned long long n = strtoull(launch->schedule, NULL, 10);
    int all = status;
    for (unsigned long long k = 1; k <= n; k++) {
        char seed[SEED_DIGITS];
        snprintf(seed, sizeof seed, "%llu", first + k);
        launch->seed = seed;
        const int other = run_order(orders, launch);
        if (other != status)
            hw_cli_complain("with --seed %s the program ends with status %d, and not with %d: halfwarp check --seed %s "
                            "shows how", seed, other, status, seed);
        if (is_ours(other) && !is_ours(all)) all = other;
    }
    launch->seed = NULL;
    return all;
}
