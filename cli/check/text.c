// Findings for people: one sentence, both sides with their source lines, and what gives the order that is missing.
#include "check/findings.h"
#include "report/source.h"

enum { WORDS = 1024, PLACE = 4200 };

static void write_source_line(const hw_cli_finding_side *side, bool colour, FILE *out) {
    char text[WORDS];
    hw_source *source = side->line ? hw_source_open(side->file) : NULL;
    const char *line = hw_source_line(source, side->line, text, sizeof text);
    if (*line) fprintf(out, colour ? "      \033[36m%s\033[m\n" : "      %s\n", line);
    hw_source_close(source);
}

static void write_side(const hw_cli_finding_side *side, bool colour, FILE *out) {
    char place[PLACE], text[PLACE];
    hw_cli_finding_place(side, place, sizeof place);
    fprintf(out, "  %s%s%s\n", place, *place ? ": " : "", hw_cli_finding_side_text(side, text, sizeof text));
    write_source_line(side, colour, out);
}

static void write_memory(const hw_cli_finding *f, FILE *out) {
    if (f->kind != HW_CHECK_RACE && f->kind != HW_CHECK_UNDEFINED) return;
    if (f->space == HW_SPACE_SHARED || f->space == HW_SPACE_LOCAL) {
        fprintf(out, "  %s memory, byte %llu\n", hw_space_name(f->space), f->address);
        return;
    }
    if (!f->has_allocation) return;
    fprintf(out, "  byte %llu of %llu", f->address - f->allocation_address, f->allocation_bytes);
    if (f->allocation_name) fprintf(out, " of the variable %s\n", f->allocation_name);
    else if (f->allocation_site) fprintf(out, ", allocated at %s\n", f->allocation_site);
    else fputc('\n', out);
}

bool hw_cli_findings_write_text(const hw_cli_findings *findings, bool colour, FILE *out) {
    char sentence[WORDS];
    for (size_t i = 0; i < findings->n; i++) {
        const hw_cli_finding *f = &findings->items[i];
        fprintf(out, colour ? "\033[1;31m%s\033[m: %s" : "%s: %s", hw_check_kind_name(f->kind),
                hw_cli_finding_sentence(f, sentence, sizeof sentence));
        if (f->count > 1) fprintf(out, " (%llu times)", f->count);
        fputc('\n', out);
        for (unsigned k = 0; k < f->n_sides; k++) write_side(&f->sides[k], colour, out);
        write_memory(f, out);
        fprintf(out, "  %s\n\n", hw_cli_finding_remedy(f));
    }
    if (findings->n)
        fprintf(out, "%zu hazard%s found", findings->n, findings->n == 1 ? "" : "s");
    if (findings->n && findings->n_suppressed) fprintf(out, ", %zu suppressed", findings->n_suppressed);
    if (findings->n) fputc('\n', out);
    return true;
}
