// What is said of races: who lacks an order, and what would give it.
#include "check/findings.h"

#include <string.h>

static bool lacks(const hw_cli_finding *f, hw_check_missing what) { return f->lacks >> what & 1; }

// "threads of two blocks, also of one,": of the widest order that is missing, with the narrower ones.
static const char *who_races(const hw_cli_finding *f) {
    const bool in_warp = lacks(f, HW_CHECK_MISSING_WARP), in_block = in_warp || lacks(f, HW_CHECK_MISSING_BLOCK);
    switch (f->missing) {
    case HW_CHECK_MISSING_WARP: return "lanes of one warp";
    case HW_CHECK_MISSING_BLOCK: return in_warp ? "threads of one block, also lanes of one warp," :
                                                  "threads of one block";
    default: return in_block ? "threads of two blocks, also of one," : "threads of two blocks";
    }
}

// Does the copy, which nobody has waited for, read?
static bool is_of_copied(const hw_cli_finding *f) {
    return f->sides[0].act != HW_CHECK_COPIES && f->sides[1].act != HW_CHECK_COPIES;
}

const char *hw_cli_race_sentence(const hw_cli_finding *f, char *out, size_t bytes) {
    const char *space = hw_space_name(f->space);
    if (f->kind == HW_CHECK_STEP)
        snprintf(out, bytes, "lanes of one warp access the same bytes of %s memory, in order by the warp's step alone",
                 space);
    else if (f->missing == HW_CHECK_MISSING_WAIT || f->missing == HW_CHECK_MISSING_ROW)
        snprintf(out, bytes, "bytes of %s memory are %s them has been waited for", space,
                 is_of_copied(f) ? "written before the asynchronous copy that reads" :
                                   "accessed before the asynchronous copy that writes");
    else if (f->missing == HW_CHECK_MISSING_PROXY)
        snprintf(out, bytes, "bytes of %s memory are written, and then accessed by an asynchronous copy without a "
                             "fence between their proxies", space);
    else if (f->missing == HW_CHECK_MISSING_STREAMS)
        snprintf(out, bytes, "work in two streams accesses the same bytes of %s memory without an order between the "
                             "two", space);
    else if (f->missing == HW_CHECK_MISSING_LAUNCH || f->missing == HW_CHECK_MISSING_CHILD)
        snprintf(out, bytes, "a kernel and one that it has launched access the same bytes of %s memory without an "
                             "order between the two", space);
    else if (f->missing == HW_CHECK_MISSING_SIBLINGS)
        snprintf(out, bytes, "launches within a kernel access the same bytes of %s memory without an order between the "
                             "two", space);
    else
        snprintf(out, bytes, "%s access the same bytes of %s memory without an order between them", who_races(f),
                 space);
    return out;
}

// "between lines 4 and 8", whichever came first, where both sides are lines of one file.
static const char *where_between(const hw_cli_finding *f, char *out, size_t bytes) {
    const hw_cli_finding_side *a = &f->sides[0], *b = &f->sides[1];
    const bool has_lines = f->n_sides == 2 && a->kernel && b->kernel && a->line && b->line;
    if (has_lines && a->line != b->line && strcmp(a->file, b->file) == 0)
        snprintf(out, bytes, "between lines %u and %u", a->line < b->line ? a->line : b->line,
                 a->line < b->line ? b->line : a->line);
    else snprintf(out, bytes, "between the two");
    return out;
}

// The line that was executed first stands behind the other one: threads that ran ahead may have been there, or those of
// a loop, in which the order is missing at its end.
static const char *where_in_loop(const hw_cli_finding *f, char *out, size_t bytes) {
    const hw_cli_finding_side *a = &f->sides[0], *b = &f->sides[1];
    const bool has_lines = f->n_sides == 2 && a->kernel && b->kernel && a->line && b->line;
    *out = 0;
    if (has_lines && a->line > b->line && strcmp(a->file, b->file) == 0)
        snprintf(out, bytes, "; in a loop it may be missing behind line %u, before the next round", a->line);
    return out;
}

// Of accesses by two launches, copies or sets.
static const char *remedy_of_works(hw_check_missing missing) {
    switch (missing) {
    case HW_CHECK_MISSING_LAUNCH:
        return "before a launch comes what its thread has done, and what others did that it has met since, at "
               "__syncthreads(); after all of a kernel, only what it launches with cudaStreamTailLaunch";
    case HW_CHECK_MISSING_CHILD:
        return "cudaDeviceSynchronize() by the kernel's own thread gives one, and to others of its block "
               "__syncthreads() behind that";
    case HW_CHECK_MISSING_SIBLINGS:
        return "launches into one stream are in order, and those that an event stands between; each block has a "
               "default stream of its own; cudaStreamTailLaunch comes after all others";
    default: return "cudaStreamWaitEvent() or cudaStreamSynchronize() between the two gives one";
    }
}

const char *hw_cli_race_remedy(const hw_cli_finding *f, char *out, size_t bytes) {
    char between[64], loop[96];
    where_between(f, between, sizeof between);
    where_in_loop(f, loop, sizeof loop);
    if (f->kind == HW_CHECK_STEP) {
        snprintf(out, bytes, "GPUs since compute capability 7.0 have no such order: there __syncwarp() %s gives one; "
                             "without volatile the compiler may keep such values in registers on any GPU", between);
        return out;
    }
    switch (f->missing) {
    case HW_CHECK_MISSING_WARP:
        snprintf(out, bytes, "__syncwarp() %s gives one%s; since compute capability 7.0 lanes of a warp have none of "
                             "themselves, and before it only through volatile memory", between, loop);
        return out;
    case HW_CHECK_MISSING_BLOCK:
        snprintf(out, bytes, "__syncthreads() %s gives one%s%s", between,
                 lacks(f, HW_CHECK_MISSING_WARP) ? ", to lanes of one warp as well" : "", loop);
        return out;
    case HW_CHECK_MISSING_GRID:
        if (f->space == HW_SPACE_SHARED) {
            snprintf(out, bytes, "cluster.sync() %s gives one, and so do mbarriers", between);
            return out;
        }
        return lacks(f, HW_CHECK_MISSING_BLOCK) || lacks(f, HW_CHECK_MISSING_WARP) ?
                   "blocks have none of themselves: atomics, a flag behind __threadfence(), grid.sync() or two "
                   "launches give one; within a block __syncthreads() does" :
                   "blocks have none of themselves: atomics, a flag behind __threadfence(), grid.sync() or two "
                   "launches give one";
    case HW_CHECK_MISSING_WAIT:
        snprintf(out, bytes, "cp.async.wait_all, __pipeline_wait_prior() or pipeline.consumer_wait() %s waits for it",
                 between);
        return out;
    case HW_CHECK_MISSING_ROW:
        snprintf(out, bytes, "asking its mbarrier until it is there, or cp.async.bulk.wait_group, %s waits for it",
                 between);
        return out;
    case HW_CHECK_MISSING_PROXY:
        snprintf(out, bytes, "fence.proxy.async, cuda::ptx::fence_proxy_async(), %s gives one: by who writes, before "
                             "the barrier", between);
        return out;
    default: return remedy_of_works(f->missing);
    }
}
