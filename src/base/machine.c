// The machine, in words.
#include "base/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The value behind the first line of a /proc file that starts with the key; "" when there is none.
static void proc_value(const char *path, const char *key, char *out, size_t out_bytes) {
    char line[512];
    FILE *file = fopen(path, "r");
    out[0] = 0;
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !value) continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, out_bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (file) fclose(file);
}

void hw_machine_describe(hw_machine *machine) {
    struct utsname name;
    *machine = (hw_machine){.processors = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    proc_value("/proc/cpuinfo", "model name", machine->cpu, sizeof machine->cpu);
    proc_value("/proc/meminfo", "MemTotal", machine->memory, sizeof machine->memory);
    if (uname(&name) == 0)
        snprintf(machine->system, sizeof machine->system, "%.80s %.80s %.80s", name.sysname, name.release,
                 name.machine);
}
