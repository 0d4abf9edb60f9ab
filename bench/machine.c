// What a measurement must say about where it was made.
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "speed.h"

// The value behind the first line of a /proc file that starts with the key; "" when there is none.
static void proc_value(const char *path, const char *key, char *out, size_t out_bytes) {
    char line[512];
    FILE *file = fopen(path, "r");
    out[0] = 0;
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !value) continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(out, out_bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (file) fclose(file);
}

json_t *machine_json(void) {
    char cpu[256], memory[64], system[256] = "";
    struct utsname name;
    proc_value("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    proc_value("/proc/meminfo", "MemTotal", memory, sizeof memory);
    if (uname(&name) == 0) snprintf(system, sizeof system, "%s %s %s", name.sysname, name.release, name.machine);
    return json_pack("{s:s, s:i, s:s, s:s}", "cpu", cpu, "processors", (int)sysconf(_SC_NPROCESSORS_ONLN), "memory",
                     memory, "system", system);
}
