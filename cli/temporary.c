// Files through which the program's process tells this one something.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

char *hw_cli_temporary_file(const char *what) {
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/halfwarp-%s.XXXXXX", folder && *folder == '/' ? folder : "/tmp", what) < 0) return NULL;
    int file = mkstemp(path);
    if (file >= 0) {
        close(file);
        return path;
    }
    hw_cli_complain("cannot create %s: %s", path, strerror(errno));
    free(path);
    return NULL;
}
