// Findings for programs: JSON and SARIF.
#include <string.h>

#include "check/findings.h"
#include "output/json_output.h"
#include "output/sarif.h"

enum { WORDS = 1024, PLACE = 4200, DIGITS = 6 };

// Adds a member to an object, both taken; false where memory ran out.
static bool put(json_t *object, const char *name, json_t *value) {
    return value && json_object_set_new(object, name, value) == 0;
}

static bool put_text(json_t *object, const char *name, const char *text) {
    return !text || put(object, name, json_string(text));
}

static json_t *triple_of(const unsigned numbers[3]) {
    return json_pack("[i,i,i]", (int)numbers[0], (int)numbers[1], (int)numbers[2]);
}

static json_t *chain_of(const hw_cli_finding_side *side) {
    json_t *chain = json_array();
    hw_cli_inlined at;
    bool good = true;
    for (size_t i = 0; hw_cli_finding_inlined(side, i, &at); i++) {
        json_t *object = json_object();
        good = put_text(object, "file", at.file) && put(object, "line", json_integer(at.line)) &&
               put_text(object, "function", at.function) && good;
        good = json_array_append_new(chain, object) == 0 && good;
    }
    if (good) return chain;
    json_decref(chain);
    return NULL;
}

static bool append_side(json_t *to, const hw_cli_finding_side *side) {
    char text[PLACE];
    json_t *object = json_object();
    bool good = put_text(object, "text", hw_cli_finding_side_text(side, text, sizeof text));
    if (side->kernel) {
        good = good && put_text(object, "kernel", side->kernel) && put_text(object, "file", side->file) &&
               put(object, "line", json_integer(side->line)) &&
               put(object, "launch", json_integer((json_int_t)side->launch)) &&
               put(object, "bytes", json_integer(side->bytes)) && put(object, "block", triple_of(side->block)) &&
               put(object, "thread", triple_of(side->thread)) && put(object, "inlined_at", chain_of(side));
    } else {
        good = good && put_text(object, "site", side->site);
    }
    return json_array_append_new(to, object) == 0 && good;
}

static bool append_finding(json_t *to, const hw_cli_finding *f) {
    char sentence[WORDS], remedy[WORDS], memory[PLACE], there[PLACE];
    json_t *object = json_object(), *sides = json_array();
    bool good = put_text(object, "kind", hw_check_kind_name(f->kind)) &&
                put_text(object, "sentence", hw_cli_finding_sentence(f, sentence, sizeof sentence)) &&
                put_text(object, "remedy", hw_cli_finding_remedy(f, remedy, sizeof remedy)) &&
                put(object, "count", json_integer((json_int_t)f->count)) &&
                (!f->seed || put(object, "seed", json_integer((json_int_t)f->seed))) &&
                put_text(object, "space", f->space == HW_SPACE_GENERIC ? "global" : hw_space_name(f->space)) &&
                put(object, "address", json_integer((json_int_t)f->address)) &&
                put_text(object, "memory", hw_cli_finding_memory(f, memory, sizeof memory)) &&
                put_text(object, "there", hw_cli_finding_there(f, there, sizeof there));
    for (unsigned k = 0; k < f->n_sides; k++) good = append_side(sides, &f->sides[k]) && good;
    good = put(object, "sides", sides) && good;
    return json_array_append_new(to, object) == 0 && good;
}

bool hw_cli_findings_write_json(const hw_cli_findings *findings, FILE *out) {
    json_t *root = json_object(), *list = json_array();
    bool good = true;
    for (size_t i = 0; i < findings->n; i++) good = append_finding(list, &findings->items[i]) && good;
    good = put(root, "findings", list) && put(root, "suppressed", json_integer((json_int_t)findings->n_suppressed)) &&
           good;
    return hw_cli_finish_json(root, good, DIGITS, out);
}

// ---- SARIF ----------------------------------------------------------------------------------------------------------

static json_t *location_of(const hw_cli_finding_side *side) {
    char text[PLACE], file[PLACE];
    unsigned line = 0;
    const bool has_line = hw_cli_finding_line(side, file, sizeof file, &line);
    return hw_cli_sarif_location(hw_cli_finding_side_text(side, text, sizeof text), has_line ? file : NULL, line);
}

static json_t *inlining_location(const hw_cli_inlined *at) {
    char text[PLACE];
    snprintf(text, sizeof text, "inlined here%s%s", at->function ? ", in " : "", at->function ? at->function : "");
    return hw_cli_sarif_location(text, at->file, at->line);
}

static bool append_frame(json_t *frames, json_t *location) {
    return json_array_append_new(frames, json_pack("{s:o}", "location", location)) == 0;
}

// SARIF 3.44: the innermost frame first. Code hosts do not show stacks, but what is related.
static bool append_chain(json_t *stacks, json_t *related, const hw_cli_finding_side *side) {
    hw_cli_inlined at;
    if (!hw_cli_finding_inlined(side, 0, &at)) return true;
    json_t *frames = json_array();
    bool good = append_frame(frames, location_of(side));
    for (size_t i = 0; hw_cli_finding_inlined(side, i, &at); i++) {
        good = append_frame(frames, inlining_location(&at)) && good;
        good = json_array_append_new(related, inlining_location(&at)) == 0 && good;
    }
    return json_array_append_new(stacks, json_pack("{s:o}", "frames", frames)) == 0 && good;
}

static bool append_result(json_t *to, const hw_cli_finding *f) {
    char sentence[WORDS], remedy[WORDS], memory[PLACE], text[PLACE + 2 * WORDS];
    json_t *places = json_array(), *related = json_array(), *stacks = json_array();
    hw_cli_finding_memory(f, memory, sizeof memory);
    snprintf(text, sizeof text, "%s%s%s; %s", hw_cli_finding_sentence(f, sentence, sizeof sentence),
             *memory ? ": " : "", memory, hw_cli_finding_remedy(f, remedy, sizeof remedy));
    bool good = places && related && stacks;
    // The later access is where the finding is shown; the earlier one is related to it.
    for (unsigned k = 0; k < f->n_sides; k++) {
        json_t *location = location_of(&f->sides[k]);
        good = json_array_append_new(k + 1 == f->n_sides ? places : related, location) == 0 && good;
        good = append_chain(stacks, related, &f->sides[k]) && good;
    }
    const char *level = hw_check_is_note(f->kind) ? "note" : "error";
    return hw_cli_sarif_add_result(to, hw_check_kind_name(f->kind), level, text, places, related, stacks,
                                   (json_int_t)f->count) && good;
}

bool hw_cli_findings_write_sarif(const hw_cli_findings *findings, FILE *out) {
    json_t *rules = json_array(), *results = json_array();
    bool good = true;
    for (int kind = 0; kind < HW_CHECK_KINDS; kind++)
        good = hw_cli_sarif_add_rule(rules, hw_check_kind_name((hw_check_kind)kind),
                                     hw_check_kind_rule((hw_check_kind)kind)) && good;
    for (size_t i = 0; i < findings->n; i++) good = append_result(results, &findings->items[i]) && good;
    return hw_cli_sarif_write("halfwarp check", rules, results, good, out);
}
