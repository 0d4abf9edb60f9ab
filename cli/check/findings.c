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
                                .stream = number_of(object, "stream")};
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
                                   .is_nearest = json_is_true(json_object_get(object, "nearest")),
                                   .address = number_of(object, "address"),
                                   .bytes = number_of(object, "bytes"),
                                   .name = text_of(object, "name"),
                                   .site = text_of(object, "site")};
}

// False: no finding of this version's.
static bool read_finding(const json_t *object, hw_cli_finding *out) {
    const char *kind = text_of(object, "kind");
    const json_t *sides = json_object_get(object, "sides");
    *out = (hw_cli_finding){.kind = kind ? hw_check_find_kind(kind) : HW_CHECK_KINDS,
                            .missing = (hw_check_missing)number_of(object, "missing"),
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

static bool are_of_one_place(const hw_cli_finding_side *a, const hw_cli_finding_side *b) {
    return a->act == b->act && are_equal_texts(a->kernel, b->kernel) && are_equal_texts(a->file, b->file) &&
           are_equal_texts(a->site, b->site) && a->line == b->line && a->ptx_line == b->ptx_line &&
           (a->kernel || a->site);
}

// One access may leave two arrays.
static bool are_of_one_object(const hw_cli_finding *a, const hw_cli_finding *b) {
    if (a->kind != HW_CHECK_BOUNDS && a->kind != HW_CHECK_FREED && a->kind != HW_CHECK_MISALIGNED) return true;
    return are_equal_texts(a->object.name, b->object.name) && are_equal_texts(a->object.site, b->object.site);
}

static bool have_equal_sides(const hw_cli_finding *a, const hw_cli_finding *b, bool swapped) {
    for (unsigned k = 0; k < a->n_sides; k++)
        if (!are_of_one_place(&a->sides[k], &b->sides[swapped ? a->n_sides - 1 - k : k])) return false;
    return true;
}

// In another order the other side may come first, and threads of other blocks may meet.
static bool are_one(const hw_cli_finding *a, const hw_cli_finding *b) {
    if (a->kind != b->kind || a->n_sides != b->n_sides || !are_of_one_object(a, b)) return false;
    if (a->subject.reason != b->subject.reason || a->subject.leak != b->subject.leak) return false;
    if (a->seed == b->seed) return a->missing == b->missing && have_equal_sides(a, b, false);
    return have_equal_sides(a, b, false) || have_equal_sides(a, b, true);
}

// A call of the host that is inlined, or unrolled, has several addresses and one line; and a program several processes.
// Of runs in several orders the first that found it counts.
static void merge_equal(hw_cli_findings *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++) {
        size_t k = 0;
        while (k < kept && !are_one(&f->items[k], &f->items[i])) k++;
        if (k == kept) {
            f->items[kept++] = f->items[i];
        } else if (f->items[k].seed == f->items[i].seed) {
            f->items[k].count += f->items[i].count;
            f->items[k].bytes += f->items[i].bytes;
        }
    }
    f->n = kept;
}

int hw_cli_findings_read(FILE *in, const char *suppressions, hw_cli_findings *out) {
    *out = (hw_cli_findings){.n = 0};
    if (!read_all(in, out)) {
        hw_cli_complain("out of memory");
        return HW_EXIT_USAGE;
    }
    merge_equal(out);
    return hw_cli_suppress(out, suppressions);
}

void hw_cli_findings_free(hw_cli_findings *f) {
    free(f->items);
    json_decref(f->root);
    *f = (hw_cli_findings){.n = 0};
}

// ---- words ----------------------------------------------------------------------------------------------------------

static const char *who_lacks(hw_check_missing missing) {
    switch (missing) {
    case HW_CHECK_MISSING_WARP: return "lanes of one warp access the same bytes of %s memory without an order between "
                                       "them";
    case HW_CHECK_MISSING_BLOCK: return "threads of one block access the same bytes of %s memory without an order "
                                        "between them";
    case HW_CHECK_MISSING_GRID: return "threads of two blocks access the same bytes of %s memory without an order "
                                       "between them";
    case HW_CHECK_MISSING_WAIT: return "bytes of %s memory are accessed before the asynchronous copy that writes them "
                                       "has been waited for";
    default: return "work in two streams accesses the same bytes of %s memory without an order between the two";
    }
}

// What depends on bytes that nobody wrote: the last side says.
static const char *what_depends(const hw_cli_finding *f) {
    switch (f->sides[f->n_sides ? f->n_sides - 1 : 0].act) {
    case HW_CHECK_ADDRESSES: return "an address depends on";
    case HW_CHECK_DECIDES: return "which way threads go depends on";
    case HW_CHECK_CHANGES: return "what an atomic does depends on";
    case HW_CHECK_PASSES: return "what is printed, or asked for, depends on";
    case HW_CHECK_WRITES: return "what is stored in memory of the host depends on";
    default: return f->sides[0].act == HW_CHECK_ALLOCATES ? "a copy to the host has nothing but" :
                                                            "a copy to the host has what depends on";
    }
}

static bool is_null(const hw_cli_finding *f) {
    enum { NULL_BYTES = 4096 };
    return f->kind == HW_CHECK_BOUNDS && f->space == HW_SPACE_GLOBAL && !f->object.is_known && f->address < NULL_BYTES;
}

const char *hw_cli_finding_sentence(const hw_cli_finding *f, char *out, size_t bytes) {
    if (hw_cli_is_about_calls(f)) return hw_cli_call_sentence(f, out, bytes);
    if (f->kind == HW_CHECK_UNDEFINED && f->space == HW_SPACE_REG) {
        snprintf(out, bytes, "%s a register that nothing has written", what_depends(f));
        return out;
    }
    if (f->kind == HW_CHECK_UNDEFINED) {
        snprintf(out, bytes, "%s bytes of %s memory that nothing has written", what_depends(f),
                 hw_space_name(f->space));
        return out;
    }
    const char *space = hw_space_name(f->space);
    switch (f->kind) {
    case HW_CHECK_BARRIER:
        snprintf(out, bytes, f->n_sides == 2 ? "threads of one block wait for each other at two barriers of the source"
                                             : "lanes meet others of their warp by a mask that does not name them");
        break;
    case HW_CHECK_DEADLOCK: snprintf(out, bytes, "threads of one block wait for each other for ever"); break;
    case HW_CHECK_LIVELOCK: snprintf(out, bytes, "threads go round, and nothing has changed for seconds"); break;
    case HW_CHECK_BOUNDS: snprintf(out, bytes, "%s memory is accessed out of bounds", space); break;
    case HW_CHECK_FREED: snprintf(out, bytes, "memory is accessed that has been freed"); break;
    case HW_CHECK_MISALIGNED: snprintf(out, bytes, "%s memory is accessed at a misaligned address", space); break;
    default: snprintf(out, bytes, who_lacks(f->missing), space); break;
    }
    return out;
}

const char *hw_cli_finding_remedy(const hw_cli_finding *f) {
    if (f->kind == HW_CHECK_LIVELOCK) return "what they poll has to be written by threads that run, or by the host; of "
                                             "a grid's blocks all do only in a cooperative launch";
    if (f->kind != HW_CHECK_RACE && f->missing == HW_CHECK_MISSING_WARP)
        return "a mask has to name all lanes that execute __syncwarp(), a shuffle or a vote together, and no other one";
    if (f->kind == HW_CHECK_BARRIER) return "all threads of a block have to reach the same __syncthreads()";
    if (f->kind == HW_CHECK_DEADLOCK)
        return "all threads that a barrier waits for have to reach it; those that have exited are not waited for";
    if (hw_cli_is_about_calls(f)) return hw_cli_call_remedy(f);
    if (is_null(f)) return "a pointer has to be set before it is used";
    if (f->kind == HW_CHECK_BOUNDS && f->space == HW_SPACE_GLOBAL && !f->object.is_known)
        return "kernels have device, managed, pinned and registered memory: is it a pointer to other memory of the "
               "host?";
    if (f->kind == HW_CHECK_BOUNDS) return "an index has to be compared with the number of elements before it is used";
    if (f->kind == HW_CHECK_FREED) return "it has to be freed after its last use";
    if (f->kind == HW_CHECK_MISALIGNED) return "an access needs an address that is a multiple of its size; where there "
                                               "is none, elements have to be accessed one by one";
    if (f->kind == HW_CHECK_UNDEFINED && f->space == HW_SPACE_GLOBAL)
        return "a kernel, a copy or cudaMemset() has to write them first";
    if (f->kind == HW_CHECK_UNDEFINED)
        return f->space == HW_SPACE_SHARED ? "each element that is used has to be written by some thread of the block"
                                           : "it has to be given a value on each way to its use";
    switch (f->missing) {
    case HW_CHECK_MISSING_WARP: return "__syncwarp() between the two gives one; since compute capability 7.0 lanes of "
                                       "a warp have none of themselves";
    case HW_CHECK_MISSING_BLOCK: return "__syncthreads() between the two gives one";
    case HW_CHECK_MISSING_GRID: return "blocks have none of themselves: atomics, a flag behind __threadfence(), "
                                       "grid.sync() or two launches give one";
    case HW_CHECK_MISSING_WAIT: return "cp.async.wait_all, __pipeline_wait_prior() or pipeline.consumer_wait() waits "
                                       "for it";
    default: return "cudaStreamWaitEvent() or cudaStreamSynchronize() between the two gives one";
    }
}

// How far the byte is from what it should have stayed in, up to "of 400 bytes".
static void write_distance(const hw_cli_finding *f, char *out, size_t bytes) {
    const unsigned long long begin = f->object.address, end = begin + f->object.bytes;
    const unsigned long long apart = f->address < begin ? begin - f->address : f->address - end;
    const char *side = f->address < begin ? "before the beginning" : "behind the end";
    if (f->address >= begin && f->address < end)
        snprintf(out, bytes, "byte %llu of %llu", f->address - begin, end - begin);
    else if (f->address == end) snprintf(out, bytes, "right behind the end of %llu bytes", end - begin);
    else snprintf(out, bytes, "%llu bytes %s of %llu bytes", apart, side, end - begin);
}

// " of the variable table", ", allocated at sum.cu:20": behind what is written already.
static void append_origin(const hw_cli_finding_object *object, hw_space space, char *out, size_t bytes) {
    const size_t n = strlen(out);
    if (object->is_nearest) snprintf(out + n, bytes - n, ", what lies nearest");
    const size_t m = strlen(out);
    if (object->name) snprintf(out + m, bytes - m, " of the variable %s", object->name);
    else if (object->site) snprintf(out + m, bytes - m, ", allocated at %s", object->site);
    else if (space != HW_SPACE_GLOBAL) snprintf(out + m, bytes - m, " of %s memory", hw_space_name(space));
}

const char *hw_cli_finding_memory(const hw_cli_finding *f, char *out, size_t bytes) {
    *out = 0;
    const bool is_own = f->space == HW_SPACE_SHARED || f->space == HW_SPACE_LOCAL;    // of the block, of the thread
    if (is_own && (f->kind == HW_CHECK_RACE || f->kind == HW_CHECK_UNDEFINED)) {
        snprintf(out, bytes, "%s memory, byte %llu", hw_space_name(f->space), f->address);
    } else if (f->object.is_known) {
        write_distance(f, out, bytes);
        append_origin(&f->object, f->space, out, bytes);
    } else if (f->kind == HW_CHECK_BOUNDS) {
        snprintf(out, bytes, is_null(f) ? "a null pointer" : "no allocation is there or near");
    }
    return out;
}

const char *hw_cli_finding_there(const hw_cli_finding *f, char *out, size_t bytes) {
    *out = 0;
    if (!f->there.is_known) return out;
    snprintf(out, bytes, "which is byte %llu of %llu", f->address - f->there.address, f->there.bytes);
    append_origin(&f->there, f->space, out, bytes);
    return out;
}

static const char *act_word(hw_check_act act) {
    static const char *const words[] = {
#define ACT(id, word) word,
#include "check/acts.def"
#undef ACT
    };
    return (size_t)act < sizeof words / sizeof words[0] ? words[act] : "accesses";
}

const char *hw_cli_finding_side_text(const hw_cli_finding_side *s, char *out, size_t bytes) {
    char what[32] = "", launch[64] = "";
    if (!s->kernel) {
        snprintf(out, bytes, "%s: a call of the host program", act_word(s->act));
        return out;
    }
    if (s->bytes) snprintf(what, sizeof what, " %u byte%s", s->bytes, s->bytes == 1 ? "" : "s");
    snprintf(launch, sizeof launch, "launch %llu", s->launch);
    snprintf(out, bytes, "%s%s: thread (%u,%u,%u) of block (%u,%u,%u)%s in %s, %s", act_word(s->act), what,
             s->thread[0], s->thread[1], s->thread[2], s->block[0], s->block[1], s->block[2],
             s->is_many ? " and others of its warp" : "", s->kernel, launch);
    return out;
}

bool hw_cli_finding_line(const hw_cli_finding_side *s, char *file, size_t bytes, unsigned *line) {
    const char *colon = s->kernel || !s->site ? NULL : strrchr(s->site, ':');
    char *end = NULL;
    *line = s->kernel ? s->line : colon ? (unsigned)strtoul(colon + 1, &end, 10) : 0;
    if (s->kernel) snprintf(file, bytes, "%s", s->file);
    else if (colon) snprintf(file, bytes, "%.*s", (int)(colon - s->site), s->site);
    return *line && (s->kernel || !*end);
}

const char *hw_cli_finding_place(const hw_cli_finding_side *s, char *out, size_t bytes) {
    if (!s->kernel) snprintf(out, bytes, "%s", s->site ? s->site : "");
    else if (s->line) snprintf(out, bytes, "%s:%u", s->file, s->line);
    else snprintf(out, bytes, "PTX line %u", s->ptx_line);
    return out;
}
