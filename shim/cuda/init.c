// The driver itself: its start, its version, and how programs find its entries.
#include <stdatomic.h>
#include <string.h>

#include "shim/cuda/driver.h"
#include "shim/process.h"

enum { VERSION = 13000 };

static atomic_bool is_initialized;

// The shared runtime of the same process initializes the driver, too.
bool hw_cuda_is_initialized(void) {
    if (atomic_load_explicit(&is_initialized, memory_order_acquire)) return true;
    bool has_one = false;
    for (int i = 0; hw_cuda_gpu(i); i++) has_one = has_one || hw_rt_had_context(hw_cuda_gpu(i));
    return hw_shim_process_get()->has_cudart && has_one;
}

HW_EXPORT CUresult cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    const hw_rt_status status = hw_rt_open(hw_shim_runtime());
    if (!status) atomic_store(&is_initialized, true);
    return hw_cuda_return(status);
}

HW_EXPORT CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = VERSION;
    return CUDA_SUCCESS;
}

// ---- entries by name ----

// Those of unsupported.c have no type of their own.
#define HW_CALL(...)
#define HW_CALL_ALSO(...)
#define HW_REFUSED(name, since) CUresult name(void);
#include "shim/cuda/entries.def"
#undef HW_CALL
#undef HW_CALL_ALSO
#undef HW_REFUSED

typedef struct entry {
    const char *name;                  // "cuMemAlloc_v2", "cuMemcpy_ptds"
    int since;
    void (*call)(void);
} entry;

static const entry entries[] = {
#define HW_CALL(name, since, note) {#name, since, (void (*)(void))name},
#define HW_CALL_ALSO(name, since, of) {#name, since, (void (*)(void))name},
#define HW_REFUSED(name, since) {#name, since, (void (*)(void))name},
#include "shim/cuda/entries.def"
};

static bool has_ending(const char *name, size_t length, const char *ending) {
    const size_t bytes = strlen(ending);
    return length > bytes && memcmp(name + length - bytes, ending, bytes) == 0;
}

// The length of a name without what tells its variants apart: _ptsz and _ptds, and before them _v2 and the like.
static size_t base_length(const char *name, bool *is_of_thread) {
    size_t length = strlen(name), digits = 0;
    *is_of_thread = has_ending(name, length, "_ptsz") || has_ending(name, length, "_ptds");
    if (*is_of_thread) length -= strlen("_ptsz");
    while (name[length - digits - 1] >= '0' && name[length - digits - 1] <= '9') digits++;
    return digits && has_ending(name, length - digits, "_v") ? length - digits - strlen("_v") : length;
}

// The newest entry of the base name that a program of this version knows; *is_known also where all are newer.
static const entry *find_entry(const char *symbol, int version, bool of_thread, bool *is_known) {
    const entry *found = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        bool is_of_thread;
        const size_t length = base_length(entries[i].name, &is_of_thread);
        if (is_of_thread != of_thread || strlen(symbol) != length || memcmp(symbol, entries[i].name, length) != 0)
            continue;
        *is_known = true;
        if (entries[i].since <= version && (!found || entries[i].since > found->since)) found = &entries[i];
    }
    return found;
}

HW_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
                                       CUdriverProcAddressQueryResult *result) {
    const cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !address || flags & ~known || flags == known) return CUDA_ERROR_INVALID_VALUE;
    bool is_known = false;
    const entry *found = NULL;
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) found = find_entry(symbol, version, true, &is_known);
    if (!found) found = find_entry(symbol, version, false, &is_known);
    *address = NULL;
    if (found) memcpy(address, &found->call, sizeof *address);
    if (result)
        *result = found      ? CU_GET_PROC_ADDRESS_SUCCESS
                  : is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// Programs before 12.0 call this one, and want its like from it.
HW_EXPORT CUresult cuGetProcAddress(const char *symbol, void **address, int version, cuuint64_t flags) {
    return cuGetProcAddress_v2(symbol, address, version, flags, NULL);
}

HW_EXPORT CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
HW_EXPORT CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
