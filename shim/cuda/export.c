// Tables that the CUDA runtime asks the driver for by number: what a program that holds the static runtime needs, and
// no more. NVIDIA does not document them; what is known is known from another look-alike (ZLUDA, dark_api).
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "shim/cuda/driver.h"
#include "shim/cuda/md2.h"

typedef void (*table_entry)(void);

// ---- modules, as the runtime before 12.0 registered them, and the primary context ----

static CUresult load_wrapped(CUmodule *module, const void *wrapper) { return cuModuleLoadFatBinary(module, wrapper); }

static CUresult load_wrapped_more(CUmodule *module, const void *wrapper, void *options, void *values, unsigned count) {
    return cuModuleLoadDataEx(module, wrapper, options && values ? count : 0, options, values);
}

static CUresult load_container(const void *container, CUmodule *module, void *options, void *values, unsigned count) {
    return cuModuleLoadDataEx(module, container, options && values ? count : 0, options, values);
}

static CUresult get_primary(CUcontext *context, CUdevice device) {
    const hw_rt_status status = context ? hw_rt_check_device(hw_shim_runtime(), device) : HW_RT_INVALID_VALUE;
    if (!status) *context = hw_cuda_primary(device);
    return hw_cuda_return(status);
}

static void note_number(size_t number) { (void)number; }
static CUresult load_compilers(void) { return CUDA_SUCCESS; }

static const struct { size_t bytes; table_entry calls[12]; } runtime_table = {
    sizeof runtime_table,
    {[0] = (table_entry)load_wrapped, [1] = (table_entry)get_primary, [5] = (table_entry)load_wrapped_more,
     [6] = (table_entry)note_number, [7] = (table_entry)load_container, [11] = (table_entry)load_compilers},
};

// ---- callbacks of tools: nobody listens ----

static void get_callbacks(void **buffer, size_t *count) {
    static uint32_t nobody[1024];
    *buffer = nobody;
    *count = sizeof nobody / sizeof *nobody;
}

static void get_more_callbacks(void **buffer, size_t *count) {
    static uint32_t nobody[14];
    *buffer = nobody;
    *count = sizeof nobody / sizeof *nobody;
}

static const struct { size_t bytes; table_entry calls[6]; } hooks_table = {
    sizeof hooks_table, {[1] = (table_entry)get_callbacks, [5] = (table_entry)get_more_callbacks},
};

// ---- tables of which no call is served ----

static CUresult refuse_entry(void) {
    return hw_cuda_unsupported("a table of the driver's that NVIDIA's libraries use");
}

// Of threads.
static const struct { size_t bytes; table_entry calls[3]; } thread_table = {
    sizeof thread_table, {(table_entry)refuse_entry, (table_entry)refuse_entry, (table_entry)refuse_entry},
};

// ---- values kept with a context; NULL is the current one ----

static CUcontext context_or_current(CUcontext context) { return context ? context : hw_cuda_current(); }

static CUresult put_value(CUcontext context, void *key, void *value, hw_cuda_forget forget) {
    CUcontext of = context_or_current(context);
    return hw_cuda_return(of ? hw_cuda_storage_put(of, key, value, forget) : HW_RT_INVALID_CONTEXT);
}

static CUresult remove_value(CUcontext context, void *key) {
    CUcontext of = context_or_current(context);
    return hw_cuda_return(of ? hw_cuda_storage_remove(of, key) : HW_RT_INVALID_CONTEXT);
}

static CUresult get_value(void **value, CUcontext context, void *key) {
    CUcontext of = context_or_current(context);
    return hw_cuda_return(of ? hw_cuda_storage_get(of, key, value) : HW_RT_INVALID_CONTEXT);
}

static const table_entry storage_table[4] = {(table_entry)put_value, (table_entry)remove_value, (table_entry)get_value};

// ---- of contexts: nothing is wrong with one ----

static CUresult check_context(CUcontext context, uint32_t *flags, const void **more) {
    (void)context;
    *flags = 0;
    if (more) *more = NULL;
    return CUDA_SUCCESS;
}

static uint32_t check_nothing(void) { return 0; }

static const struct { size_t bytes; table_entry calls[3]; } check_table = {
    sizeof check_table, {[1] = (table_entry)check_context, [2] = (table_entry)check_nothing},
};

// ---- devices ----

static CUresult get_nothing(unsigned char *out, CUdevice device) {
    (void)device;
    *out = 0;
    return CUDA_SUCCESS;
}

static const struct { size_t bytes; table_entry calls[25]; } device_table = {
    sizeof device_table, {[12] = (table_entry)get_nothing},
};

// ---- the runtime's question whether runtime and driver see the same process, thread, time and devices ----
// The answer is HMAC-MD2 of them; the runtime compares it with its own.

typedef struct handshake_device {
    char uuid[16];
    int32_t domain, bus, slot;
} handshake_device;

typedef struct handshake {
    uint32_t driver_version, runtime_version, process, thread;
    const void *runtime_table, *handshake_table;
    table_entry asked;
    uint64_t seconds;
    handshake_device devices[HW_MEM_GPUS];   // as many as there are
} handshake;

typedef struct handshake_table {
    size_t bytes;
    table_entry calls[2];
} handshake_table;

static const handshake_table the_handshake_table;

static CUresult answer_handshake(uint32_t version, uint64_t seconds, uint64_t answer[2]) {
    static const uint8_t key[HW_MD2_BYTES] = {0x14, 0x6a, 0xdd, 0xae, 0x53, 0xa9, 0xa7, 0x52,
                                              0xaa, 0x08, 0x41, 0x36, 0x0b, 0xf5, 0x5a, 0x9f};
    // What runtimes whose version ends in 0 and 1 expect, whatever there is.
    static const uint64_t fixed[2][2] = {{0x3341181c03cb675c, 0x8ed383aa1f4cd1e8},
                                         {0x1841181c03cb675c, 0x8ed383aa1f4cd1e8}};
    if (version % 10 < 2) {
        memcpy(answer, fixed[version % 10], sizeof fixed[0]);
        return CUDA_SUCCESS;
    }
    handshake seen = {
        .runtime_version = version, .process = (uint32_t)getpid(), .thread = (uint32_t)(uintptr_t)pthread_self(),
        .runtime_table = &runtime_table, .handshake_table = &the_handshake_table,
        .asked = (table_entry)answer_handshake, .seconds = seconds,
    };
    int driver_version = 0, devices = 0;
    CUresult result = cuDriverGetVersion(&driver_version);
    if (!result) result = cuDeviceGetCount(&devices);
    if (result) return result;
    seen.driver_version = (uint32_t)driver_version;
    for (int i = 0; i < devices; i++) {
        hw_shim_make_uuid(i, seen.devices[i].uuid);
        seen.devices[i].bus = (int32_t)hw_rt_place(hw_cuda_gpu(i));
    }
    const size_t bytes = offsetof(handshake, devices) + (size_t)devices * sizeof seen.devices[0];
    hw_md2_hmac(key, &seen, bytes, (uint8_t *)answer);
    return CUDA_SUCCESS;
}

static const handshake_table the_handshake_table = {
    sizeof the_handshake_table, {[0] = (table_entry)answer_handshake},
};

// ---- the tables by their numbers ----

typedef struct numbered_table {
    unsigned char number[16];
    const void *table;
} numbered_table;

static const numbered_table numbered_tables[] = {
    {{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9}, &runtime_table},
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc}, &thread_table},
    {{0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66}, &hooks_table},
    {{0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93}, &storage_table},
    {{0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2},
     &the_handshake_table},
    {{0x26, 0x3e, 0x88, 0x60, 0x7c, 0xd2, 0x61, 0x43, 0x92, 0xf6, 0xbb, 0xd5, 0x00, 0x6d, 0xfa, 0x7e}, &check_table},
    {{0xb1, 0x05, 0x41, 0xe1, 0xf7, 0xc7, 0xc7, 0x4a, 0x9f, 0x64, 0xf2, 0x23, 0xbe, 0x99, 0xf1, 0xe2}, &device_table},
};

HW_EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *number) {
    if (!table || !number) return hw_cuda_return(HW_RT_INVALID_VALUE);
    for (size_t i = 0; i < sizeof numbered_tables / sizeof *numbered_tables; i++) {
        if (memcmp(number->bytes, numbered_tables[i].number, sizeof numbered_tables[i].number) != 0) continue;
        *table = numbered_tables[i].table;
        return CUDA_SUCCESS;
    }
    return hw_cuda_return(HW_RT_INVALID_VALUE);
}
