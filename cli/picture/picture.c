// A drawing into a file; a .png by rsvg-convert, as a child process.
#define _GNU_SOURCE
#include "picture/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "output/whole_file.h"

extern char **environ;

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

static bool is_on_path(const char *program) {
    const char *at = getenv("PATH");
    char file[4096];
    while (at && *at) {
        int length = (int)strcspn(at, ":");
        if (length && snprintf(file, sizeof file, "%.*s/%s", length, at, program) < (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

int hw_cli_picture_check(const char *path) {
    if (!has_ending(path, ".svg") && !has_ending(path, ".png")) {
        hw_cli_complain("a plot is a .svg or a .png file, and '%s' is neither", path);
        return HW_EXIT_USAGE;
    }
    if (has_ending(path, ".svg") || is_on_path("rsvg-convert")) return 0;
    hw_cli_complain("a .png is made by rsvg-convert, which is not on PATH (apt-get install librsvg2-bin); a .svg needs "
                    "nothing");
    return HW_EXIT_USAGE;
}

// From one file to the other, both at their beginning. False: it could not.
static bool convert_to_png(FILE *svg, FILE *png) {
    char *argv[] = {"rsvg-convert", "--format=png", "--zoom=1.5", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_adddup2(&actions, fileno(svg), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(png), 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failure = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What has been written to a file, to be freed; NULL.
static char *read_all(FILE *file, size_t *bytes) {
    off_t end = lseek(fileno(file), 0, SEEK_END);
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    rewind(file);
    *bytes = text ? fread(text, 1, (size_t)end, file) : 0;
    if (text && *bytes == (size_t)end) return text;
    free(text);
    return NULL;
}

// The .png of a .svg, to be freed; NULL.
static char *make_png(const char *svg, size_t svg_bytes, size_t *bytes) {
    FILE *from = tmpfile(), *to = tmpfile();
    char *png = NULL;
    if (from && to && fwrite(svg, 1, svg_bytes, from) == svg_bytes && fflush(from) == 0 &&
        fseek(from, 0, SEEK_SET) == 0 && convert_to_png(from, to))
        png = read_all(to, bytes);
    if (from) fclose(from);
    if (to) fclose(to);
    return png;
}

int hw_cli_picture_write(hw_cli_drawing *draw, const void *context, const char *path) {
    char *svg = NULL, *png = NULL;
    size_t svg_bytes = 0, png_bytes = 0;
    int status = HW_EXIT_USAGE;
    FILE *out = open_memstream(&svg, &svg_bytes);
    if (out) draw(context, out);
    if (!out || fclose(out) != 0) {
        hw_cli_complain("out of memory");
        goto done;
    }
    if (has_ending(path, ".svg")) {
        status = hw_cli_write_file(path, svg, svg_bytes);
        goto done;
    }
    png = make_png(svg, svg_bytes, &png_bytes);
    if (png) status = hw_cli_write_file(path, png, png_bytes);
    else hw_cli_complain("rsvg-convert could not draw %s", path);
done:
    free(svg);
    free(png);
    return status;
}
