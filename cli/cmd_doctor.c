// halfwarp doctor: what is installed, what that enables, and what to type next.
#include <string.h>

#include "doctor/doctor.h"
#include "options.h"
#include "output/json_output.h"
#include "output/text_output.h"
#include "report/fields.h"
#include "report/grid.h"

static const char doctor_help[] =
    "usage: halfwarp doctor [--format F]\n"
    "\n"
    "Says what of this machine Halfwarp uses: compilers, ptxas, the processor's\n"
    "vectors, a GPU, where it keeps what it has compiled; what each is good for, and\n"
    "what to type where it is missing. Changes nothing.\n"
    "\n"
    "  --format F        text (as it is unless given) or json, to go with a report of\n"
    "                    a mistake\n"
    "\n"
    "Exit status: 0 programs can be run; 1 something is missing for that.\n";

enum { MOST_ROWS = 32, FOUND = 512 };

// What was found of each row.
typedef struct visit {
    bool is_there[MOST_ROWS];
    char found[MOST_ROWS][FOUND];
} visit;

static const char *const format_names[] = {"text", "json"};

static bool set_format(void *options, const char *value) {
    for (int i = 0; i < 2; i++)
        if (strcmp(value, format_names[i]) == 0) {
            *(int *)options = i;
            return true;
        }
    hw_cli_complain("--format is text or json, and not '%s'", value);
    return false;
}

static bool is_there(const visit *v, const char *what) {
    for (size_t i = 0; i < hw_doctor_n_rows; i++)
        if (strcmp(hw_doctor_rows[i].what, what) == 0) return v->is_there[i];
    return false;
}

static bool compiles(const visit *v) { return is_there(v, "nvcc") || is_there(v, "clang"); }

// Nothing that every run needs is missing. Executables need no compiler.
static bool is_well(const visit *v) {
    for (size_t i = 0; i < hw_doctor_n_rows; i++)
        if (hw_doctor_rows[i].need == HW_DOCTOR_NEEDED && !v->is_there[i]) return false;
    return compiles(v);
}

static const char *advice(const visit *v) {
    if (!compiles(v)) return "halfwarp ladder transpose, for which kernels are at hand; then apt-get install clang";
    return "halfwarp profile PROG.cu, or without a program of your own halfwarp ladder transpose";
}

static void write_entry(const char *text, int width, bool colour, FILE *out) {
    enum { INDENT = 6 };
    fprintf(out, "%*s%s", INDENT, "", colour ? "\033[2m" : "");
    hw_grid_write_wrapped(text, width, INDENT, INDENT, out);
    if (colour) fputs("\033[0m", out);
}

static void write_text(const visit *v, FILE *out) {
    const bool colour = hw_cli_wants_colour(NULL, HW_REPORT_TABLE);
    const int width = hw_cli_table_width(NULL);
    fprintf(out, "Halfwarp " HW_VERSION "\n\n");
    for (size_t i = 0; i < hw_doctor_n_rows; i++) {
        const hw_doctor_row *row = &hw_doctor_rows[i];
        char line[FOUND + 64];
        const char *mark = v->is_there[i] ? "ok" : row->need == HW_DOCTOR_NEEDED ? "!!" : "--";
        const char *code = !colour ? "" : v->is_there[i] ? "\033[32m" : "\033[31m";
        snprintf(line, sizeof line, "%s: %s", row->what, v->found[i]);
        fprintf(out, "  %s%s%s  ", code, mark, colour ? "\033[0m" : "");
        hw_grid_write_wrapped(line, width, 6, 6, out);
        write_entry(row->enables, width, colour, out);
        if (!v->is_there[i]) write_entry(row->remedy, width, false, out);
    }
    fprintf(out, "\nnext: %s\n", advice(v));
}

static bool write_json(const visit *v, FILE *out) {
    enum { DIGITS = 6 };
    json_t *rows = json_array();
    int failed = 0;
    for (size_t i = 0; i < hw_doctor_n_rows; i++) {
        const hw_doctor_row *row = &hw_doctor_rows[i];
        failed |= json_array_append_new(rows, json_pack("{s:s,s:b,s:b,s:o,s:s,s:s}", "what", row->what, "is_there",
                                                        v->is_there[i], "is_needed", row->need == HW_DOCTOR_NEEDED,
                                                        "found", hw_json_text(v->found[i]), "enables", row->enables,
                                                        "remedy", row->remedy));
    }
    json_t *root = json_pack("{s:s,s:b,s:o}", "version", HW_VERSION, "can_run", is_well(v), "rows", rows);
    return hw_cli_finish_json(root, root && !failed, DIGITS, out);
}

static int doctor_main(int argc, char **argv) {
    static const hw_cli_option options[] = {{"--format", true, set_format}};
    static const hw_cli_syntax syntax = {"doctor", options, 1, 0};
    static visit v;
    int format = 0, n_words;
    if (hw_cli_parse(&syntax, &format, argc, argv, NULL, &n_words)) return HW_EXIT_USAGE;
    hw_arena *arena = hw_arena_create();
    for (size_t i = 0; arena && i < hw_doctor_n_rows && i < MOST_ROWS; i++)
        v.is_there[i] = hw_doctor_rows[i].look(arena, v.found[i], FOUND);
    const bool is_visited = arena != NULL;
    hw_arena_destroy(arena);
    if (is_visited && !format) write_text(&v, stdout);
    if (!is_visited || (format && !write_json(&v, stdout))) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    return is_well(&v) ? 0 : HW_EXIT_FOUND;
}

const hw_command hw_cmd_doctor = {"doctor", "what is installed, and what that enables", doctor_help, doctor_main};
