// Bar charts: a gnuplot script; and gnuplot, to run any script.
#define _GNU_SOURCE
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "unfinished.h"

extern char **environ;

// ---- The script -----------------------------------------------------------------------------------------------------

enum { ROW_PIXELS = 30, HEAD_PIXELS = 84, FOOT_PIXELS = 66, CHARACTER_PIXELS = 9, RIGHT_PIXELS = 28, GAP_PIXELS = 44 };

// Of the two series of a panel, and of a panel's only one; faint ones behind.
static const char *const colours[HW_PLOT_SERIES + 1][2] = {
    {"#2f6db3", "#b4c7df"}, {"#e08a1e", "#f2d2a6"}, {"#3f8f6b", "#b5d6c6"}};

// In gnuplot's single quotes nothing is special but the quote.
void hw_cli_plot_text(const char *text, FILE *out) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        if (*text != '\n') fputc(*text, out);
    }
    fputc('\'', out);
}

static int n_series(const hw_plot_panel *panel) { return panel->series[1] ? 2 : 1; }

// Rows count from the bottom.
static double height_of(const hw_plot *plot, size_t bar) { return (double)(plot->n_bars - 1 - bar); }

// The bars of one colour as a data block: middle, value. Returns how many there are.
static size_t write_data(const hw_plot *plot, int panel, int series, bool is_faint, FILE *out) {
    double shift = n_series(&plot->panels[panel]) == 1 ? 0 : series ? -0.2 : 0.2;
    size_t count = 0;
    fprintf(out, "$data_%d_%d << EOD\n", series, is_faint);
    for (size_t i = 0; i < plot->n_bars; i++) {
        double value = plot->bars[i].value[panel][series];
        if (plot->bars[i].is_faint != is_faint || !(value >= 0)) continue;
        fprintf(out, "%g %.9g\n", height_of(plot, i) + shift, value);
        count++;
    }
    fputs("EOD\n", out);
    return count;
}

static double largest(const hw_plot *plot, int panel) {
    double most = plot->panels[panel].limit;
    for (size_t i = 0; i < plot->n_bars; i++)
        for (int s = 0; s < n_series(&plot->panels[panel]); s++)
            if (plot->bars[i].value[panel][s] > most) most = plot->bars[i].value[panel][s];
    return most > 0 ? most : 1;
}

static void write_row_names(const hw_plot *plot, bool is_first, FILE *out) {
    fputs("set ytics scale 0 tc rgb '#222222' (", out);
    for (size_t i = 0; i < plot->n_bars; i++) {
        fputs(i ? ", " : "", out);
        hw_cli_plot_text(is_first ? plot->bars[i].label : "", out);
        fprintf(out, " %g", height_of(plot, i));
    }
    fputs(")\n", out);
}

static void write_bars(const hw_plot *plot, int panel, FILE *out) {
    const hw_plot_panel *p = &plot->panels[panel];
    double half = n_series(p) == 1 ? 0.36 : 0.18;
    bool has[HW_PLOT_SERIES][2] = {{0}}, is_first = true;
    for (int s = 0; s < n_series(p); s++)
        for (int f = 0; f < 2; f++) has[s][f] = write_data(plot, panel, s, f, out) > 0;
    for (int s = 0; s < n_series(p); s++)
        for (int f = 0; f < 2; f++) {
            if (!has[s][f]) continue;
            const char *colour = colours[n_series(p) == 1 ? HW_PLOT_SERIES : s][f];
            fprintf(out, "%s $data_%d_%d using 2:1:(0):2:($1-%g):($1+%g) with boxxyerror fc rgb '%s' ",
                    is_first ? "plot" : ", \\\n    ", s, f, half, half, colour);
            if (p->series[s] && !f) {
                fputs("title ", out);
                hw_cli_plot_text(p->series[s], out);
            } else fputs("notitle", out);
            fprintf(out, ", \\\n     $data_%d_%d using 2:1:(sprintf('%%.%df', $2)) with labels left "
                    "offset character 0.4,0 font ',10' tc rgb '#444444' notitle", s, f, p->decimals);
            is_first = false;
        }
    fputs(is_first ? "plot NaN notitle\n" : "\n", out);
}

static void write_panel(const hw_plot *plot, int panel, double left, double right, double top, double bottom,
                        FILE *out) {
    const hw_plot_panel *p = &plot->panels[panel];
    fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", left, right);
    fprintf(out, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", top, bottom);
    fprintf(out, "set xrange [0:%.9g]\nset yrange [-0.6:%g]\n", largest(plot, panel) * 1.14,
            (double)plot->n_bars - 0.4);
    fputs("set xlabel ", out);
    hw_cli_plot_text(p->title, out);
    fputc('\n', out);
    write_row_names(plot, panel == 0, out);
    fputs(n_series(p) == 1 ? "unset key\n" : "set key at graph 1, graph 1.01 right bottom horizontal samplen 1\n", out);
    fputs("unset arrow\n", out);
    if (p->limit > 0)
        fprintf(out, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dt 2 lc rgb '#666666' front\n", p->limit,
                p->limit);
    write_bars(plot, panel, out);
}

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

void hw_cli_plot_begin(const char *path, int width, int height, const char *title, const char *subtitle, FILE *out) {
    if (has_ending(path, ".png"))
        fprintf(out, "set terminal pngcairo size %d,%d font 'Sans,11' background '#ffffff'\n", width, height);
    else fprintf(out, "set terminal svg size %d,%d font 'Helvetica,Arial,sans-serif,13' background '#ffffff'\n", width,
                 height);
    fputs("set termoption noenhanced\nset output ", out);
    hw_cli_plot_text(path, out);
    fputs("\nset style fill solid 1 noborder\nset border 1 lc rgb '#888888'\nset xtics nomirror out scale 0.5 tc rgb "
          "'#444444'\nset grid x lc rgb '#e4e4e4' lt 1\nset multiplot\nset label 1 ", out);
    hw_cli_plot_text(title, out);
    fprintf(out, " at screen %.4f, screen %.4f left font ',16'\nset label 2 ", 16.0 / width, 1 - 24.0 / height);
    hw_cli_plot_text(subtitle, out);
    fprintf(out, " at screen %.4f, screen %.4f left tc rgb '#555555'\n", 16.0 / width, 1 - 47.0 / height);
}

static void write_script(const void *context, const char *path, FILE *out) {
    const hw_plot *plot = context;
    size_t longest = 0;
    for (size_t i = 0; i < plot->n_bars; i++)
        if (strlen(plot->bars[i].label) > longest) longest = strlen(plot->bars[i].label);
    int width = plot->n_panels == 1 ? 900 : 1120, names = (int)longest * CHARACTER_PIXELS + 24;
    int height = HEAD_PIXELS + FOOT_PIXELS + ROW_PIXELS * (int)(plot->n_bars ? plot->n_bars : 1);
    hw_cli_plot_begin(path, width, height, plot->title, plot->subtitle, out);
    double room = width - names - RIGHT_PIXELS - GAP_PIXELS * (plot->n_panels - 1), each = room / plot->n_panels;
    for (int i = 0; i < plot->n_panels; i++) {
        double left = names + i * (each + GAP_PIXELS);
        write_panel(plot, i, left / width, (left + each) / width, 1 - (double)HEAD_PIXELS / height,
                    (double)FOOT_PIXELS / height, out);
        fputs("unset label\n", out);
    }
    fputs("unset multiplot\n", out);
}

// ---- gnuplot --------------------------------------------------------------------------------------------------------

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

int hw_cli_plot_check(const char *path) {
    if (!has_ending(path, ".svg") && !has_ending(path, ".png")) {
        hw_cli_complain("a plot is a .svg or a .png file, and '%s' is neither", path);
        return HW_EXIT_USAGE;
    }
    if (is_on_path("gnuplot")) return 0;
    hw_cli_complain("--plot draws with gnuplot, which is not on PATH (apt-get install gnuplot-nox)");
    return HW_EXIT_USAGE;
}

// Runs gnuplot on the script, silently. Its exit status, or -1.
static int run_gnuplot(FILE *script) {
    char *argv[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failure = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Draws into temporary, an empty file. 0 or errno; EIO when gnuplot drew nothing.
static int draw(hw_plot_script *write, const void *context, const char *temporary) {
    struct stat info;
    FILE *script = tmpfile();
    if (!script) return errno;
    write(context, temporary, script);
    fputs("unset output\n", script);
    int failure = fflush(script) == 0 && fseek(script, 0, SEEK_SET) == 0 ? 0 : errno;
    if (!failure && (run_gnuplot(script) != 0 || stat(temporary, &info) != 0 || !info.st_size)) failure = EIO;
    fclose(script);
    return failure;
}

int hw_cli_plot_run(hw_plot_script *script, const void *context, const char *path) {
    char *temporary = NULL;
    mode_t mask = umask(0);
    umask(mask);
    // The ending says what to draw.
    const char *ending = has_ending(path, ".png") ? ".png" : ".svg";
    if (asprintf(&temporary, "%s.XXXXXX%s", path, ending) < 0) temporary = NULL;
    hw_cli_hold_signals();
    int file = temporary ? mkstemps(temporary, (int)strlen(ending)) : -1, failure = file < 0 ? errno : 0;
    hw_cli_release_signals(file < 0 ? NULL : temporary, NULL);
    if (file >= 0) {
        failure = fchmod(file, 0666 & ~mask) ? errno : 0;
        close(file);
        if (!failure) failure = draw(script, context, temporary);
        hw_cli_hold_signals();
        if (!failure && rename(temporary, path) != 0) failure = errno;
        if (failure) unlink(temporary);
        hw_cli_release_signals(NULL, NULL);
    }
    free(temporary);
    if (!failure) return 0;
    if (failure == EIO) hw_cli_complain("gnuplot could not draw %s", path);
    else hw_cli_complain("cannot write %s: %s", path, strerror(failure));
    return HW_EXIT_USAGE;
}

int hw_cli_plot_write(const hw_plot *plot, const char *path) { return hw_cli_plot_run(write_script, plot, path); }
