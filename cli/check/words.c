// What is said of findings: what is wrong, where, and what would mend it.
#include "check/findings.h"

#include <string.h>

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

// The address names a block of the cluster.
static bool is_of_cluster(const hw_cli_finding *f) { return f->space == HW_SPACE_SHARED && hw_has_rank(f->address); }

static bool go_past(const hw_cli_finding *f) { return f->n_sides == 2 && f->sides[1].act == HW_CHECK_GOES_PAST; }

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
    if (f->kind == HW_CHECK_RACE || f->kind == HW_CHECK_STEP) return hw_cli_race_sentence(f, out, bytes);
    const char *space = hw_space_name(f->space);
    switch (f->kind) {
    case HW_CHECK_BARRIER:
        if (go_past(f)) return "threads wait at a barrier in a branch that others of their warp do not take";
        snprintf(out, bytes, f->n_sides == 2 ? "threads of one block wait for each other at two barriers of the source"
                                             : "lanes meet others of their warp by a mask that does not name them");
        break;
    case HW_CHECK_DEADLOCK: snprintf(out, bytes, "threads of one block wait for each other for ever"); break;
    case HW_CHECK_LIVELOCK: snprintf(out, bytes, "threads go round, and nothing has changed for seconds"); break;
    case HW_CHECK_BOUNDS:
        if (is_of_cluster(f)) return "shared memory of another block of the cluster is accessed where there is none";
        if (f->object.is_out_of_reach) return "memory of another GPU is accessed without peer access";
        snprintf(out, bytes, "%s memory is accessed out of bounds", space); break;
    case HW_CHECK_FREED: snprintf(out, bytes, "memory is accessed that has been freed"); break;
    case HW_CHECK_MISALIGNED: snprintf(out, bytes, "%s memory is accessed at a misaligned address", space); break;
    default: *out = 0;
    }
    return out;
}

const char *hw_cli_finding_remedy(const hw_cli_finding *f, char *out, size_t bytes) {
    if (hw_cli_is_about_calls(f)) return hw_cli_call_remedy(f);
    if (f->kind == HW_CHECK_RACE || f->kind == HW_CHECK_STEP) return hw_cli_race_remedy(f, out, bytes);
    if (f->kind == HW_CHECK_LIVELOCK) return "what they poll has to be written by threads that run, or by the host; of "
                                             "a grid's blocks all do only in a cooperative launch";
    if (f->missing == HW_CHECK_MISSING_WARP)
        return "a mask has to name all lanes that execute __syncwarp(), a shuffle or a vote together, and no other one";
    if (go_past(f))
        return "all threads of a block have to reach the same __syncthreads(): it belongs behind the branch, or before "
               "it";
    if (f->kind == HW_CHECK_BARRIER) return "all threads of a block have to reach the same __syncthreads()";
    if (f->kind == HW_CHECK_DEADLOCK)
        return "all threads that a barrier waits for have to reach it; those that have exited are not waited for";
    if (is_null(f)) return "a pointer has to be set before it is used";
    if (f->kind == HW_CHECK_BOUNDS && f->space == HW_SPACE_GLOBAL && !f->object.is_known)
        return "kernels have device, managed, pinned and registered memory: is it a pointer to other memory of the "
               "host?";
    if (f->kind == HW_CHECK_BOUNDS && is_of_cluster(f))
        return "a block must not end before others have accessed its shared memory: cluster.sync() behind the last "
               "access; ranks and offsets have to be below their numbers";
    if (f->kind == HW_CHECK_BOUNDS && f->object.is_out_of_reach)
        return "cudaDeviceEnablePeerAccess() on the kernel's GPU lets it reach the other's memory";
    if (f->kind == HW_CHECK_BOUNDS) return "an index has to be compared with the number of elements before it is used";
    if (f->kind == HW_CHECK_FREED) return "it has to be freed after its last use";
    if (f->kind == HW_CHECK_MISALIGNED) return "an access needs an address that is a multiple of its size; where there "
                                               "is none, elements have to be accessed one by one";
    if (f->kind == HW_CHECK_UNDEFINED && f->space == HW_SPACE_GLOBAL)
        return "a kernel, a copy or cudaMemset() has to write them first";
    if (f->kind == HW_CHECK_UNDEFINED)
        return f->space == HW_SPACE_SHARED ? "each element that is used has to be written by some thread of the block"
                                           : "it has to be given a value on each way to its use";
    return "";
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

// " of the variable table", ", allocated at sum.cu:20", " of first in the variable pairs": behind what is written
// already.
static void append_origin(const hw_cli_finding_object *object, hw_space space, char *out, size_t bytes) {
    const size_t n = strlen(out);
    if (object->is_nearest) snprintf(out + n, bytes - n, ", what lies nearest");
    const size_t k = strlen(out);
    if (object->part) snprintf(out + k, bytes - k, " of %s", object->part);
    const size_t m = strlen(out);
    const char *word = object->part ? "in" : "of";
    if (object->name) snprintf(out + m, bytes - m, " %s the variable %s", word, object->name);
    else if (object->site) snprintf(out + m, bytes - m, ", allocated at %s", object->site);
    else if (space != HW_SPACE_GLOBAL) snprintf(out + m, bytes - m, " %s %s memory", word, hw_space_name(space));
}

const char *hw_cli_finding_memory(const hw_cli_finding *f, char *out, size_t bytes) {
    *out = 0;
    const bool is_race = f->kind == HW_CHECK_RACE || f->kind == HW_CHECK_STEP;
    const bool is_own = f->space == HW_SPACE_SHARED || f->space == HW_SPACE_LOCAL;    // of the block, of the thread
    if (is_own && !f->object.is_known && (is_race || f->kind == HW_CHECK_UNDEFINED)) {
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

bool hw_cli_finding_inlined(const hw_cli_finding_side *s, size_t index, hw_cli_inlined *out) {
    const json_t *at = json_array_get(s->inlined, index);
    const char *file = json_string_value(json_object_get(at, "file"));
    *out = (hw_cli_inlined){.file = file ? file : "", .line = (unsigned)json_integer_value(json_object_get(at, "line")),
                            .function = json_string_value(json_object_get(at, "function"))};
    return at != NULL;
}

const char *hw_cli_finding_place(const hw_cli_finding_side *s, char *out, size_t bytes) {
    if (!s->kernel) snprintf(out, bytes, "%s", s->site ? s->site : "");
    else if (s->line) snprintf(out, bytes, "%s:%u", s->file, s->line);
    else snprintf(out, bytes, "PTX line %u", s->ptx_line);
    return out;
}
