// What is seen of this process's launches while they run: by the halfwarp command, in a file that both map, and by who
// sends SIGUSR1, on stderr.
#define _GNU_SOURCE
#include "exec/monitor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "shim/process.h"
#include "shim/shim.h"

static hw_monitor own_monitor;            // where there is no such file
static hw_monitor *_Atomic seen_monitor;

static hw_monitors *open_monitors(void) {
    const char *path = hw_shim_process_get()->environment.monitor_path;
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    hw_monitors *monitors = file < 0 ? NULL : hw_monitors_map(file, false);
    if (file >= 0) close(file);
    return monitors;
}

hw_monitor *hw_shim_monitor(void) {
    static hw_monitors *monitors;
    static pid_t process;
    hw_monitor *monitor = atomic_load(&seen_monitor);
    if (monitor && process == getpid()) return monitor;
    if (!process) monitors = open_monitors();
    monitor = monitors ? hw_monitors_claim(monitors) : NULL;
    process = getpid();
    if (!monitor) monitor = &own_monitor;
    atomic_store(&seen_monitor, monitor);
    return monitor;
}

bool hw_shim_is_stopped(void) {
    hw_monitor *monitor = atomic_load(&seen_monitor);
    return monitor && atomic_load(&monitor->stop);
}

// What is done here a handler may do. The text is made by the launch's own threads.
static void ask_where(int number) {
    static const char nothing[] = "halfwarp: no kernel is running\n";
    hw_monitor *monitor = atomic_load(&seen_monitor);
    (void)number;
    if (monitor && atomic_load(&monitor->is_running)) {
        atomic_fetch_add(&monitor->where, 1);
        hw_monitor_ask(monitor);
    } else if (write(STDERR_FILENO, nothing, sizeof nothing - 1) < 0) {
        return;
    }
}

void hw_monitor_on_signal(void) {
    struct sigaction ours = {.sa_handler = ask_where, .sa_flags = SA_RESTART | SA_ONSTACK}, theirs;
    if (sigaction(SIGUSR1, NULL, &theirs) == 0 && theirs.sa_handler == SIG_DFL) sigaction(SIGUSR1, &ours, NULL);
}
