// Findings for people: one sentence, both sides with their source lines, and what gives the order that is missing.
#include "base/text.h"
#include "check/findings.h"
#include "report/source.h"

enum { WORDS = 1024, PLACE = 4200 };

static void write_source_line(const hw_cli_finding_side *side, bool colour, FILE *out) {
    char text[WORDS], file[PLACE];
    unsigned number;
    hw_source *source = hw_cli_finding_line(side, file, sizeof file, &number) ? hw_source_open(file) : NULL;
    const char *line = hw_source_line(source, number, text, sizeof text);
    if (*line) fprintf(out, colour ? "      \033[36m%s\033[m\n" : "      %s\n", line);
    hw_source_close(source);
}

static void write_side(const hw_cli_finding_side *side, bool colour, FILE *out) {
    char place[PLACE], text[PLACE];
    hw_cli_finding_place(side, place, sizeof place);
    fprintf(out, "  %s%s%s\n", place, *place ? ": " : "", hw_cli_finding_side_text(side, text, sizeof text));
    write_source_line(side, colour, out);
    hw_cli_inlined at;
    for (size_t i = 0; hw_cli_finding_inlined(side, i, &at); i++)
        fprintf(out, "    inlined at %s:%u%s%s\n", at.file, at.line, at.function ? " in " : "",
                at.function ? at.function : "");
}

static void write_memory(const hw_cli_finding *f, FILE *out) {
    const hw_cli_finding_subject *s = &f->subject;
    if (hw_cli_is_about_calls(f) && s->bytes) {
        fprintf(out, "  %llu bytes%s%s", s->bytes, s->variable ? " of the variable " : "",
                s->variable ? s->variable : "");
        if (s->made_at) fprintf(out, ", allocated at %s", s->made_at);
        fputc('\n', out);
    }
    char text[PLACE];
    if (*hw_cli_finding_memory(f, text, sizeof text)) fprintf(out, "  %s\n", text);
    if (*hw_cli_finding_there(f, text, sizeof text)) fprintf(out, "  %s\n", text);
}

static void write_finding(const hw_cli_finding *f, bool colour, FILE *out) {
    char sentence[WORDS], remedy[WORDS];
    const char *look = !colour ? "" : hw_check_is_note(f->kind) ? "\033[1;36m" : "\033[1;31m";
    fprintf(out, "%s%s%s: %s", look, hw_check_kind_name(f->kind), colour ? "\033[m" : "",
            hw_cli_finding_sentence(f, sentence, sizeof sentence));
    if (f->count > 1) fprintf(out, " (%llu times)", f->count);
    fputc('\n', out);
    for (unsigned k = 0; k < f->n_sides; k++) write_side(&f->sides[k], colour, out);
    write_memory(f, out);
    if (f->seed) fprintf(out, "  found with --seed %llu\n", f->seed);
    fprintf(out, "  %s\n\n", hw_cli_finding_remedy(f, remedy, sizeof remedy));
}

// "5 hazards found, 1 suppressed: 4 race (2 shown), 1 free"; by kind where that says more than their number.
static void write_summary(const hw_cli_findings *findings, const size_t *of_kind, FILE *out) {
    bool is_begun = false;
    size_t n_kinds = 0, most = 0;
    for (int kind = 0; kind < HW_CHECK_KINDS; kind++) {
        n_kinds += of_kind[kind] > 0;
        if (of_kind[kind] > most) most = of_kind[kind];
    }
    const size_t n = findings->n - findings->n_notes;
    if (findings->n_notes)
        fprintf(out, "%zu note%s, %s", findings->n_notes, hw_text_plural(findings->n_notes),
                n ? "" : "no hazards found");
    if (n || !findings->n_notes) fprintf(out, "%zu hazard%s found", n, hw_text_plural(n));
    if (findings->n_suppressed) fprintf(out, ", %zu suppressed", findings->n_suppressed);
    for (int kind = 0; (n_kinds > 1 || most > findings->most_shown) && kind < HW_CHECK_KINDS; kind++) {
        if (!of_kind[kind]) continue;
        fprintf(out, "%s %zu %s", is_begun ? "," : ":", of_kind[kind], hw_check_kind_name((hw_check_kind)kind));
        if (of_kind[kind] > findings->most_shown) fprintf(out, " (%zu shown)", findings->most_shown);
        is_begun = true;
    }
    fputc('\n', out);
}

bool hw_cli_findings_write_text(const hw_cli_findings *findings, bool colour, FILE *out) {
    size_t of_kind[HW_CHECK_KINDS] = {0};
    for (size_t i = 0; i < findings->n; i++)
        if (of_kind[findings->items[i].kind]++ < findings->most_shown) write_finding(&findings->items[i], colour, out);
    if (findings->n) write_summary(findings, of_kind, out);
    return true;
}
