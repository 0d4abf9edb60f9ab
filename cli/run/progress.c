#include "run/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "output/status_line.h"
#include "run/progress_text.h"

enum { MS = 1000000 };
#define SECOND 1000000000ull
enum {
    LINE_MS = 250, PLAIN_MS = 1000,          // between looks, with a line and without
    ASKED_AFTER_MS = 500, SHOWN_AFTER_MS = 1000,
    // What a program has to end by itself, with its launch reported: while one runs, and between two.
    GRACE_MS = 3000, SHORT_GRACE_MS = 200,
};

void hw_cli_progress_open(hw_cli_progress *progress, const char *timeout) {
    const char *hint = getenv("HALFWARP_HINT");
    const double hint_seconds = hint ? atof(hint) : 10;
    *progress = (hw_cli_progress){.has_line = hw_cli_status_line_possible()};
    progress->timeout_ns = timeout ? (uint64_t)(atof(timeout) * (double)SECOND) : 0;
    progress->hint_ns = hint_seconds > 0 ? (uint64_t)(hint_seconds * (double)SECOND) : 0;
    progress->file = hw_cli_temporary_memory("progress");
    if (progress->file.file >= 0) progress->monitors = hw_monitors_map(progress->file.file, true);
}

// ---- what is seen ----

static bool is_there(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

// The next process that shows its launches, from *index on.
static hw_monitor *next_monitor(const hw_cli_progress *progress, int *index, pid_t *process) {
    for (; progress->monitors && *index < HW_MONITORS; ++*index) {
        *process = atomic_load(&progress->monitors->process[*index]);
        if (!*process) break;                // they are claimed in order
        if (is_there(*process)) return &progress->monitors->of[(*index)++];
    }
    return NULL;
}

// Of the launches that run, the one that began first; NULL: none runs.
static hw_monitor *find_longest_launch(const hw_cli_progress *progress, hw_monitored *longest) {
    hw_monitor *monitor, *found = NULL;
    hw_monitored seen;
    pid_t process;
    for (int i = 0; (monitor = next_monitor(progress, &i, &process));) {
        if (!hw_monitor_look(monitor, &seen) || !seen.is_running) continue;
        if (found && longest->began_ns <= seen.began_ns) continue;
        found = monitor;
        *longest = seen;
    }
    return found;
}

// ---- what is said ----

static void show_line(hw_cli_progress *progress, const hw_monitored *launch, uint64_t age_ns) {
    char text[512];
    const int width = launch && (age_ns >= SHOWN_AFTER_MS * MS || progress->is_line_shown)
                          ? hw_cli_status_line_width() : 0;
    progress->is_line_shown = width > 0;
    if (!width) {
        hw_cli_status_line_wipe();
        return;
    }
    hw_cli_progress_line(launch, (double)age_ns / (double)SECOND, width, text, sizeof text);
    hw_cli_status_line_show(text);
}

// Asked at one look, and told at the next, by when the answers have come.
static void explain_launch(hw_cli_progress *progress, hw_monitor *monitor, const hw_monitored *launch,
                           uint64_t age_ns) {
    char text[1536];
    if (!progress->hint_ns || age_ns < progress->hint_ns || progress->explains == UINT64_MAX) return;
    if (progress->explains != launch->began_ns) {
        progress->explains = launch->began_ns;
        atomic_store(&monitor->why, true);
        return;
    }
    if (!hw_cli_progress_why(launch, (double)age_ns / (double)SECOND, text, sizeof text)) return;
    hw_cli_complain("%s", text);
    progress->explains = UINT64_MAX;
}

// ---- its end ----

static void stop_all(const hw_cli_progress *progress) {
    hw_monitor *monitor;
    pid_t process;
    for (int i = 0; (monitor = next_monitor(progress, &i, &process));) {
        atomic_store(&monitor->stop, true);
        hw_monitor_ask(monitor);
    }
}

// First its launches are stopped, which then are in the report, and their processes end by themselves; then it gets
// signals, as from timeout(1).
static void end_program(hw_cli_progress *progress, pid_t child, const hw_monitored *launch, uint64_t now) {
    if (!progress->has_timed_out) {
        progress->has_timed_out = true;
        if (launch) hw_cli_progress_state(launch, progress->ended_at, sizeof progress->ended_at);
        progress->ends_ns = now + (uint64_t)(launch ? GRACE_MS : SHORT_GRACE_MS) * MS;
    }
    stop_all(progress);
    if (now < progress->ends_ns) return;
    kill(child, progress->is_terminated ? SIGKILL : SIGTERM);
    kill(child, SIGCONT);
    progress->is_terminated = true;
    progress->ends_ns = now + (uint64_t)GRACE_MS * MS;
}

static int pause_ms(const hw_cli_progress *progress, uint64_t now) {
    const uint64_t ends = progress->has_timed_out ? progress->ends_ns : progress->began_ns + progress->timeout_ns;
    uint64_t ms = progress->has_line ? LINE_MS : PLAIN_MS;
    const uint64_t left = ends > now ? (ends - now) / MS + 1 : 1;
    return (int)(progress->timeout_ns && left < ms ? left : ms);
}

// ---- the child's care ----

static int look_after(void *context, pid_t child) {
    hw_cli_progress *progress = context;
    const uint64_t now = hw_now_ns();
    hw_monitored launch;
    hw_monitor *monitor = find_longest_launch(progress, &launch);
    const uint64_t age_ns = monitor && now > launch.began_ns ? now - launch.began_ns : 0;
    if (!progress->began_ns) progress->began_ns = now;
    if (monitor && age_ns >= (uint64_t)ASKED_AFTER_MS * MS) {
        explain_launch(progress, monitor, &launch, age_ns);
        hw_monitor_ask(monitor);
    }
    if (progress->has_line) show_line(progress, monitor ? &launch : NULL, age_ns);
    if (progress->timeout_ns && now - progress->began_ns >= progress->timeout_ns)
        end_program(progress, child, monitor ? &launch : NULL, now);
    return pause_ms(progress, now);
}

// Has the process a handler for the signal? It would end it otherwise.
static bool does_catch(pid_t process, int number) {
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1) break;
    if (status) fclose(status);
    return caught >> (number - 1) & 1;
}

// Each process that has a GPU answers by itself, and so does a program that has a use of its own for the signal.
static void hand_on_question(void *context, pid_t child) {
    hw_cli_progress *progress = context;
    bool is_answered = does_catch(child, SIGUSR1);
    pid_t process;
    if (is_answered) kill(child, SIGUSR1);
    for (int i = 0; next_monitor(progress, &i, &process);) {
        if (process == child || !does_catch(process, SIGUSR1)) continue;
        kill(process, SIGUSR1);
        is_answered = true;
    }
    if (!is_answered) hw_cli_complain("no process of the program has a GPU yet, so no kernel is running");
}

hw_cli_child_care hw_cli_progress_care(hw_cli_progress *progress) {
    return (hw_cli_child_care){.look = look_after, .asked = hand_on_question, .context = progress};
}

void hw_cli_progress_close(hw_cli_progress *progress) {
    hw_cli_status_line_wipe();
    if (progress->has_timed_out)
        hw_cli_complain("the program was ended after %g s (--timeout)%s%s",
                        (double)progress->timeout_ns / (double)SECOND,
                        *progress->ended_at ? ", in the midst of " : "", progress->ended_at);
    hw_monitors_unmap(progress->monitors);
    progress->monitors = NULL;
    hw_cli_temporary_close(&progress->file);
}
