// What is said of the host program's own calls, and of arithmetic.
#include "check/findings.h"

#include <string.h>

#include "mem/mem.h"

static const char *const object_words[] = {
    [HW_HOST_STREAM] = "a stream", [HW_HOST_EVENT] = "an event", [HW_HOST_ARRAY] = "an array",
    [HW_HOST_TEXTURE] = "a texture object"};

static const struct {
    const char *what, *remedy;
} leaks[] = {
#define LEAK(id, what, remedy) {what, remedy},
#include "check/leaks.def"
#undef LEAK
};

bool hw_cli_is_about_calls(const hw_cli_finding *f) {
    switch (f->kind) {
    case HW_CHECK_FREE: case HW_CHECK_COPY: case HW_CHECK_HANDLE: case HW_CHECK_LAUNCH: case HW_CHECK_ERROR:
    case HW_CHECK_ARITHMETIC: case HW_CHECK_LEAK: return true;
    default: return f->missing == HW_CHECK_MISSING_HOST;
    }
}

// ---- what is wrong --------------------------------------------------------------------------------------------------

static bool is_set(const hw_cli_finding *f) {
    return f->n_sides && f->sides[f->n_sides - 1].act == HW_CHECK_SETS_BYTES;
}

static bool was_there(const hw_cli_finding *f) { return f->n_sides == 2; }

static void say_beyond(const hw_cli_finding *f, char *out, size_t bytes) {
    const hw_cli_finding_subject *s = &f->subject;
    const char *what = is_set(f) ? "set" : "copy";
    const unsigned long long end = s->begin + s->bytes, reach = f->address + f->bytes;
    if (f->bytes && s->bytes && reach > end)
        snprintf(out, bytes, "a %s of %llu bytes ends %llu bytes behind the end of an allocation", what, f->bytes,
                 reach - end);
    else snprintf(out, bytes, "a %s leaves an allocation", what);
}

static void say_object(const hw_cli_finding *f, char *out, size_t bytes) {
    const char *object = object_words[f->subject.object];
    const bool destroys = f->subject.reason == HW_HOST_NO_OBJECT_TO_DESTROY;
    const char *is_done = f->subject.object == HW_HOST_ARRAY && destroys ? "freed" : destroys ? "destroyed" : "used";
    if (!was_there(f)) snprintf(out, bytes, "%s is %s that nobody has created", object, is_done);
    else if (destroys) snprintf(out, bytes, "%s is %s for the second time", object, is_done);
    else snprintf(out, bytes, "%s is used after it has been %s", object,
                  f->subject.object == HW_HOST_ARRAY ? "freed" : "destroyed");
}

static void say_reason(const hw_cli_finding *f, char *out, size_t bytes) {
    const hw_cli_finding_subject *s = &f->subject;
    const char *goes = is_set(f) ? "set goes to" : "copy goes to or from";
    switch (s->reason) {
    case HW_HOST_NEVER_ALLOCATED: snprintf(out, bytes, "memory is freed that was never allocated"); break;
    case HW_HOST_FREED_BEFORE: snprintf(out, bytes, "memory is freed for the second time"); break;
    case HW_HOST_FREED_INSIDE:
        snprintf(out, bytes, "an address %llu bytes behind the begin of an allocation is freed", f->address - s->begin);
        break;
    case HW_HOST_FREED_BY_OTHER: snprintf(out, bytes, "memory is freed by a call for memory of another kind"); break;
    case HW_HOST_WRONG_DIRECTION:
        if (is_set(f)) snprintf(out, bytes, "host memory is set by a call for device memory");
        else snprintf(out, bytes, "the direction of a copy is not that of its addresses");
        break;
    case HW_HOST_BEYOND_END: say_beyond(f, out, bytes); break;
    case HW_HOST_IN_FREED: snprintf(out, bytes, "a %s memory that has been freed", goes); break;
    case HW_HOST_IN_NOTHING: snprintf(out, bytes, "a %s where there is no memory", goes); break;
    case HW_HOST_NO_TEXTURE:
        snprintf(out, bytes, "a kernel reads through a texture object %s",
                 s->bytes ? "whose memory has been freed" : was_there(f) ? "that has been destroyed"
                                                                        : "that nobody has created");
        break;
    case HW_HOST_NO_LAUNCH:
        snprintf(out, bytes, "a launch of %s is refused%s%s", s->kernel ? s->kernel : "a kernel", s->why ? ": " : "",
                 s->why ? s->why : "");
        break;
    default: say_object(f, out, bytes);
    }
}

static void say_race(const hw_cli_finding *f, char *out, size_t bytes) {
    const hw_check_act act = f->sides[1].act;
    if (f->sides[0].kernel) snprintf(out, bytes, "memory is freed that work of a stream may still access");
    else if (act == HW_CHECK_FREES) snprintf(out, bytes, "memory is freed that an asynchronous copy may still access");
    else snprintf(out, bytes, "the host program has written bytes of an asynchronous copy before it has waited for it");
}

static const struct {
    const char *what, *remedy;
} arithmetic[] = {
    [HW_ARITHMETIC_NAN] = {"a result is NaN, and no operand is NaN or infinite",
                           "zero over zero gives NaN, and functions do where they have no value"},
    [HW_ARITHMETIC_INFINITY] = {"a result is infinite, and no operand is",
                                "a number over zero is infinite, and so is what the type has no room for"},
    [HW_ARITHMETIC_DIVISION] = {"an integer is divided by zero", "C leaves open what that gives"},
    [HW_ARITHMETIC_SHIFT] = {"an integer is shifted by as many bits as it has, or more",
                             "C leaves open what that gives"},
    [HW_ARITHMETIC_OVERFLOW] = {"an int that goes into an address has no room for its value",
                                "a product or sum of size_t, or of long long, has"},
};

static unsigned arithmetic_of(const hw_cli_finding *f) {
    const unsigned what = (unsigned)f->subject.reason;
    return what <= HW_ARITHMETIC_OVERFLOW ? what : HW_ARITHMETIC_NAN;
}

static void say_error(const hw_cli_finding *f, char *out, size_t bytes) {
    const char *name = f->subject.why ? f->subject.why : "";
    if (was_there(f)) snprintf(out, bytes, "the error that is asked for is that of an earlier call: %s", name);
    else snprintf(out, bytes, "a call has failed, and nobody has asked for its error: %s", name);
}

const char *hw_cli_call_sentence(const hw_cli_finding *f, char *out, size_t bytes) {
    const char *leaves = leaks[f->subject.leak].what;
    if (f->kind == HW_CHECK_ARITHMETIC) snprintf(out, bytes, "%s", arithmetic[arithmetic_of(f)].what);
    else if (f->kind == HW_CHECK_RACE) say_race(f, out, bytes);
    else if (f->kind == HW_CHECK_ERROR) say_error(f, out, bytes);
    else if (f->kind != HW_CHECK_LEAK) say_reason(f, out, bytes);
    else if (f->bytes) snprintf(out, bytes, "%llu %s", f->bytes, leaves);
    else snprintf(out, bytes, "%s", leaves);
    return out;
}

// ---- what would mend it ---------------------------------------------------------------------------------------------

static const char *remedy_of_kind(unsigned memory) {
    switch (memory) {
    case HW_ALLOC_PINNED: return "cudaFreeHost() frees what cudaMallocHost() and cudaHostAlloc() gave";
    case HW_ALLOC_REGISTERED: return "cudaHostUnregister() ends what cudaHostRegister() began";
    case HW_ALLOC_GLOBAL: return "variables of the device are there as long as their module";
    default: return "cudaFree() frees what cudaMalloc() and cudaMallocManaged() gave";
    }
}

const char *hw_cli_call_remedy(const hw_cli_finding *f) {
    if (f->kind == HW_CHECK_ARITHMETIC) return arithmetic[arithmetic_of(f)].remedy;
    if (f->kind == HW_CHECK_LEAK) return leaks[f->subject.leak].remedy;
    if (f->kind == HW_CHECK_RACE) return "cudaStreamSynchronize(), or cudaEventSynchronize(), before that waits for it";
    if (f->kind == HW_CHECK_ERROR)
        return "what the call returns says so, and cudaGetLastError() right behind it, which takes the error away";
    switch (f->subject.reason) {
    case HW_HOST_NEVER_ALLOCATED: return "only what cudaMalloc() or one of its kind gave can be freed";
    case HW_HOST_FREED_BEFORE: return "a pointer that is set to NULL when it is freed can be freed again";
    case HW_HOST_FREED_INSIDE: return "the address that cudaMalloc() gave frees it";
    case HW_HOST_FREED_BY_OTHER: return remedy_of_kind(f->subject.memory);
    case HW_HOST_WRONG_DIRECTION: return is_set(f) ? "memset() sets host memory"
                                                   : "cudaMemcpyDefault goes by the addresses";
    case HW_HOST_BEYOND_END: return "sizes are in bytes, on both sides";
    case HW_HOST_IN_FREED: case HW_HOST_IN_NOTHING: return "the memory has to be there when the call is made";
    case HW_HOST_NO_LAUNCH:
        return "cudaGetLastError() behind the launch says so; `halfwarp occupancy` knows what fits";
    default: return "a handle is good from its creation until it is destroyed";
    }
}
