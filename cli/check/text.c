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

// How far the byte is from what it should have stayed in, up to " of 400 bytes".
static void write_distance(const hw_cli_finding *f, FILE *out) {
    const unsigned long long begin = f->object.address, end = begin + f->object.bytes;
    const unsigned long long apart = f->address < begin ? begin - f->address : f->address - end;
    if (f->address >= begin && f->address < end) fprintf(out, "byte %llu of %llu", f->address - begin, end - begin);
    else if (f->address == end) fprintf(out, "right behind the end of %llu bytes", end - begin);
    else fprintf(out, "%llu bytes %s of %llu bytes", apart, f->address < begin ? "before the beginning"
                                                                               : "behind the end", end - begin);
}

static void write_origin(const hw_cli_finding_object *object, hw_space space, FILE *out) {
    if (object->name) fprintf(out, " of the variable %s\n", object->name);
    else if (object->site) fprintf(out, ", allocated at %s\n", object->site);
    else if (space != HW_SPACE_GLOBAL) fprintf(out, " of %s memory\n", hw_space_name(space));
    else fputc('\n', out);
}

static void write_memory(const hw_cli_finding *f, FILE *out) {
    const hw_cli_finding_object *there = &f->there;
    if (f->kind == HW_CHECK_RACE && f->space == HW_SPACE_SHARED) {
        fprintf(out, "  shared memory, byte %llu\n", f->address);
        return;
    }
    if (f->kind == HW_CHECK_BOUNDS && !f->object.is_known)
        fprintf(out, "  %s\n", hw_cli_finding_is_null(f) ? "a null pointer" : "nothing is there or near");
    if (!f->object.is_known) return;
    fputs("  ", out);
    write_distance(f, out);
    if (f->object.is_nearest) fputs(", what lies nearest", out);
    write_origin(&f->object, f->space, out);
    if (!there->is_known) return;
    fprintf(out, "  which is byte %llu of %llu", f->address - there->address, there->bytes);
    write_origin(there, f->space, out);
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
