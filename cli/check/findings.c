// Findings, read from the lines that processes have written.
#include "check/findings.h"

#include <stdlib.h>
#include <string.h>

#include "check/suppressions.h"
#include "cli.h"

// ---- reading --------------------------------------------------------------------------------------------------------

static unsigned long long number_of(const json_t *object, const char *name) {
    return (unsigned long long)json_integer_value(json_object_get(object, name));
}

static const char *text_of(const json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

static void read_triple(const json_t *object, const char *name, unsigned out[3]) {
    const json_t *array = json_object_get(object, name);
    for (size_t i = 0; i < 3; i++) out[i] = (unsigned)json_integer_value(json_array_get(array, i));
}

static hw_cli_finding_side read_side(const json_t *object) {
    hw_cli_finding_side side = {.act = (hw_check_act)number_of(object, "act"),
                                .kernel = text_of(object, "kernel"),
                                .file = text_of(object, "file"),
                                .site = text_of(object, "site"),
                                .line = (unsigned)number_of(object, "line"),
                                .ptx_line = (unsigned)number_of(object, "ptx_line"),
                                .bytes = (unsigned)number_of(object, "bytes"),
                                .is_many = json_is_true(json_object_get(object, "many")),
                                .launch = number_of(object, "launch"),
                                .stream = number_of(object, "stream"),
                                .inlined = json_object_get(object, "inlined")};
    if (!side.file) side.file = "";
    read_triple(object, "block", side.block);
    read_triple(object, "thread", side.thread);
    return side;
}

static hw_cli_finding_subject read_subject(const json_t *object) {
    return (hw_cli_finding_subject){.reason = (hw_host_reason)number_of(object, "reason"),
                                    .object = (hw_host_object_kind)number_of(object, "object"),
                                    .leak = (hw_check_leak)number_of(object, "leak"),
                                    .kernel = text_of(object, "kernel"),
                                    .why = text_of(object, "why"),
                                    .variable = text_of(object, "variable"),
                                    .made_at = text_of(object, "made"),
                                    .begin = number_of(object, "begin"),
                                    .bytes = number_of(object, "bytes"),
                                    .memory = (unsigned)number_of(object, "memory")};
}

static hw_cli_finding_object read_object(const json_t *object) {
    if (!object) return (hw_cli_finding_object){.is_known = false};
    return (hw_cli_finding_object){.is_known = true,
                                   .is_out_of_reach = json_is_true(json_object_get(object, "out_of_reach")),
                                   .is_nearest = json_is_true(json_object_get(object, "nearest")),
                                   .address = number_of(object, "address"),
                                   .bytes = number_of(object, "bytes"),
                                   .name = text_of(object, "name"),
                                   .part = text_of(object, "part"),
                                   .site = text_of(object, "site")};
}

// False: no finding of this version's.
static bool read_finding(const json_t *object, hw_cli_finding *out) {
    const char *kind = text_of(object, "kind");
    const json_t *sides = json_object_get(object, "sides");
    *out = (hw_cli_finding){.kind = kind ? hw_check_find_kind(kind) : HW_CHECK_KINDS,
                            .missing = (hw_check_missing)number_of(object, "missing"),
                            .lacks = (unsigned)number_of(object, "lacks"),
                            .space = (hw_space)number_of(object, "space"),
                            .address = number_of(object, "address"),
                            .bytes = number_of(object, "bytes"),
                            .count = 1,
                            .seed = number_of(object, "seed"),
                            .n_sides = (unsigned)json_array_size(sides)};
    out->subject = read_subject(json_object_get(object, "subject"));
    if (out->kind == HW_CHECK_KINDS || out->n_sides > 2 || out->subject.leak >= HW_CHECK_LEAKS ||
        out->subject.object > HW_HOST_TEXTURE)
        return false;
    for (unsigned i = 0; i < out->n_sides; i++) out->sides[i] = read_side(json_array_get(sides, i));
    out->object = read_object(json_object_get(object, "allocation"));
    out->there = read_object(json_object_get(object, "there"));
    return true;
}

// Lines about one finding of one process: the finding, then its counts.
typedef struct known_finding {
    unsigned long long process, number;
} known_finding;

static hw_cli_finding *find_known(hw_cli_findings *f, const known_finding *known, const json_t *object) {
    const unsigned long long process = number_of(object, "process"), number = number_of(object, "number");
    for (size_t i = f->n; i-- > 0;)
        if (known[i].process == process && known[i].number == number) return &f->items[i];
    return NULL;
}

static bool add_finding(hw_cli_findings *f, known_finding **known, const json_t *object) {
    hw_cli_finding finding;
    if (!read_finding(object, &finding)) return true;
    hw_cli_finding *same = find_known(f, *known, object);    // which was found to lack more
    if (same) {
        *same = finding;
        return true;
    }
    hw_cli_finding *items = realloc(f->items, (f->n + 1) * sizeof *items);
    if (items) f->items = items;
    known_finding *more = items ? realloc(*known, (f->n + 1) * sizeof *more) : NULL;
    if (!more) return false;
    *known = more;
    more[f->n] = (known_finding){number_of(object, "process"), number_of(object, "number")};
    f->items[f->n++] = finding;
    return true;
}

// Names of files may be no UTF-8, which JSON has to be: every other byte is a '?' then.
static json_t *load_line(char *line) {
    json_t *object = json_loads(line, 0, NULL);
    for (char *at = line; !object && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    return object ? object : json_loads(line, 0, NULL);
}

static bool read_line(hw_cli_findings *f, known_finding **known, char *line) {
    json_t *object = load_line(line);
    if (!object) return true;
    bool good = json_array_append_new(f->root, object) == 0;
    if (json_object_get(object, "begins")) {
        f->processes++;
    } else if (json_object_get(object, "ran_out")) {
        f->ran_out = true;
    } else if (json_object_get(object, "left_out")) {
        f->left_out = true;
    } else if (json_object_get(object, "count")) {
        hw_cli_finding *finding = find_known(f, *known, object);
        if (finding) {
            finding->count = number_of(object, "count");
            finding->bytes = number_of(object, "bytes");
        }
    } else {
        good = good && add_finding(f, known, object);
    }
    return good;
}

static bool read_all(FILE *in, hw_cli_findings *f) {
    known_finding *known = NULL;
    char *line = NULL;
    size_t room = 0;
    bool good = (f->root = json_array()) != NULL;
    while (good && getline(&line, &room, in) > 0) good = read_line(f, &known, line);
    free(line);
    free(known);
    return good;
}

// ---- one of each ----------------------------------------------------------------------------------------------------

static bool are_equal_texts(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

// Of what one side does and another did, as one; false: two things. `x += 1` reads and writes.
static bool join_acts(hw_check_act *act, hw_check_act other) {
    const bool can_join = *act == HW_CHECK_READS || *act == HW_CHECK_WRITES || *act == HW_CHECK_UPDATES;
    if (*act == other) return true;
    if (!can_join || (other != HW_CHECK_READS && other != HW_CHECK_WRITES)) return false;
    *act = HW_CHECK_UPDATES;
    return true;
}

// By line alone, or with where its function was inlined and what is done there.
static bool are_of_one_place(const hw_cli_finding_side *a, const hw_cli_finding_side *b, bool by_line) {
    hw_check_act act = a->act;
    if (by_line ? !join_acts(&act, b->act) : a->act != b->act) return false;
    if (!by_line && a->inlined != b->inlined && !json_equal(a->inlined, b->inlined)) return false;
    if (a->line != b->line || (a->ptx_line != b->ptx_line && !(by_line && a->line))) return false;
    return are_equal_texts(a->kernel, b->kernel) && are_equal_texts(a->file, b->file) &&
           are_equal_texts(a->site, b->site) && (a->kernel || a->site);
}

// One access may leave two arrays, and one line read one and write the other.
static bool are_of_one_object(const hw_cli_finding *a, const hw_cli_finding *b, bool by_line) {
    const bool is_of_one = a->kind == HW_CHECK_BOUNDS || a->kind == HW_CHECK_FREED || a->kind == HW_CHECK_MISALIGNED;
    if (!is_of_one && !(by_line && a->kind == HW_CHECK_RACE)) return true;
    return a->space == b->space && are_equal_texts(a->object.name, b->object.name) &&
           are_equal_texts(a->object.site, b->object.site);
}

static bool have_equal_sides(const hw_cli_finding *a, const hw_cli_finding *b, bool by_line, bool swapped) {
    for (unsigned k = 0; k < a->n_sides; k++)
        if (!are_of_one_place(&a->sides[k], &b->sides[swapped ? a->n_sides - 1 - k : k], by_line)) return false;
    return true;
}

// What lanes of a warp lack at two lines, other threads of their block, or of other blocks, may lack as well.
static bool is_of_threads(const hw_cli_finding *f) {
    return f->kind == HW_CHECK_RACE && (f->missing == HW_CHECK_MISSING_WARP || f->missing == HW_CHECK_MISSING_BLOCK ||
                                        f->missing == HW_CHECK_MISSING_GRID);
}
static bool are_both_of_threads(const hw_cli_finding *a, const hw_cli_finding *b) {
    return is_of_threads(a) && is_of_threads(b);
}

// In another order the other side may come first, and threads of other blocks may meet.
static bool are_one(const hw_cli_finding *a, const hw_cli_finding *b, bool by_line, bool *swapped) {
    const bool may_swap = a->seed != b->seed || (by_line && a->kind == HW_CHECK_RACE);
    *swapped = false;
    if (a->kind != b->kind || a->n_sides != b->n_sides || !are_of_one_object(a, b, by_line)) return false;
    if (a->subject.reason != b->subject.reason || a->subject.leak != b->subject.leak) return false;
    if (a->seed == b->seed && a->missing != b->missing && !(by_line && are_both_of_threads(a, b))) return false;
    if (have_equal_sides(a, b, by_line, false)) return true;
    *swapped = true;
    return may_swap && have_equal_sides(a, b, by_line, true);
}

// Of two that lack different orders the one that lacks the wider has its threads told.
static void merge(hw_cli_finding *into, const hw_cli_finding *other, bool swapped) {
    into->lacks |= other->lacks;
    if (are_both_of_threads(into, other) && other->missing > into->missing) {
        const hw_cli_finding narrow = *into;
        *into = *other;
        into->lacks |= narrow.lacks;
        merge(into, &narrow, swapped);
        return;
    }
    for (unsigned k = 0; k < into->n_sides; k++)
        join_acts(&into->sides[k].act, other->sides[swapped ? into->n_sides - 1 - k : k].act);
    if (into->seed != other->seed) return;
    into->count += other->count;
    into->bytes += other->bytes;
}

// A call of the host that is inlined, or unrolled, has several addresses and one line; and a program several processes.
// Of runs in several orders the first that found it counts.
static void merge_equal(hw_cli_findings *f, bool by_line) {
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++) {
        size_t k = 0;
        bool swapped = false;
        while (k < kept && !are_one(&f->items[k], &f->items[i], by_line, &swapped)) k++;
        if (k == kept) f->items[kept++] = f->items[i];
        else merge(&f->items[k], &f->items[i], swapped);
    }
    f->n = kept;
}

// What is suppressed by a place at which a function was inlined is not so where it was inlined elsewhere.
int hw_cli_findings_read(FILE *in, const char *suppressions, hw_cli_findings *out) {
    *out = (hw_cli_findings){.n = 0};
    if (!read_all(in, out)) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    merge_equal(out, false);
    const int status = hw_cli_suppress(out, suppressions);
    merge_equal(out, true);
    for (size_t i = 0; i < out->n; i++) out->n_notes += hw_check_is_note(out->items[i].kind);
    return status;
}

void hw_cli_findings_free(hw_cli_findings *f) {
    free(f->items);
    json_decref(f->root);
    *f = (hw_cli_findings){.n = 0};
}
