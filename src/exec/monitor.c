// A monitor's launch as one thread writes it and others read it: by its version, since nobody may hold a lock in memory
// that processes share, which end at any time.
#include "exec/monitor.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

hw_monitors *hw_monitors_map(int file, bool makes) {
    if (makes && ftruncate(file, sizeof(hw_monitors)) != 0) return NULL;
    if (lseek(file, 0, SEEK_END) < (off_t)sizeof(hw_monitors)) return NULL;   // beyond its end, access is a crash
    void *memory = mmap(NULL, sizeof(hw_monitors), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void hw_monitors_unmap(hw_monitors *monitors) {
    if (monitors) munmap(monitors, sizeof *monitors);
}

hw_monitor *hw_monitors_claim(hw_monitors *monitors) {
    const int self = (int)getpid();
    for (int i = 0; i < HW_MONITORS; i++)
        if (atomic_load(&monitors->process[i]) == self) return &monitors->of[i];
    for (int i = 0; i < HW_MONITORS; i++) {
        int owner = atomic_load(&monitors->process[i]);
        const bool has_gone = owner && kill(owner, 0) != 0 && errno == ESRCH;
        if ((owner && !has_gone) || !atomic_compare_exchange_strong(&monitors->process[i], &owner, self)) continue;
        hw_monitor_end(&monitors->of[i]);
        return &monitors->of[i];
    }
    return NULL;
}

// The version is odd while the launch is being written, by the only thread that writes it. Launches may be many and
// short: plain stores will do.
static void begin_change(hw_monitor *monitor) {
    const unsigned version = atomic_load_explicit(&monitor->version, memory_order_relaxed);
    atomic_store_explicit(&monitor->version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_change(hw_monitor *monitor) {
    const unsigned version = atomic_load_explicit(&monitor->version, memory_order_relaxed);
    atomic_store_explicit(&monitor->version, version + 1, memory_order_release);
}

void hw_monitor_begin(hw_monitor *monitor, const char *kernel, uint64_t number, const uint32_t grid[3],
                      const uint32_t block[3]) {
    begin_change(monitor);
    monitor->number = number;
    monitor->n_blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    monitor->block_threads = block[0] * block[1] * block[2];
    monitor->began_ns = hw_now_ns();
    const size_t length = strnlen(kernel, sizeof monitor->kernel - 1);
    memcpy(monitor->kernel, kernel, length);
    monitor->kernel[length] = '\0';
    for (int i = 0; i < HW_DIDS; i++) atomic_store_explicit(&monitor->did[i], 0, memory_order_relaxed);
    atomic_store_explicit(&monitor->why, false, memory_order_relaxed);
    atomic_store_explicit(&monitor->is_running, true, memory_order_relaxed);
    end_change(monitor);
}

void hw_monitor_end(hw_monitor *monitor) {
    atomic_store_explicit(&monitor->is_running, false, memory_order_release);
}

void hw_monitor_ask(hw_monitor *monitor) { atomic_fetch_add(&monitor->asked, 1); }

bool hw_monitor_look(const hw_monitor *monitor, hw_monitored *out) {
    const unsigned before = atomic_load_explicit(&monitor->version, memory_order_acquire);
    *out = (hw_monitored){
        .is_running = atomic_load(&monitor->is_running), .number = monitor->number, .n_blocks = monitor->n_blocks,
        .began_ns = monitor->began_ns, .block_threads = monitor->block_threads};
    memcpy(out->kernel, monitor->kernel, sizeof out->kernel);
    out->kernel[sizeof out->kernel - 1] = '\0';
    for (int i = 0; i < HW_DIDS; i++) out->did[i] = atomic_load_explicit(&monitor->did[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return !(before & 1) && atomic_load_explicit(&monitor->version, memory_order_relaxed) == before;
}
