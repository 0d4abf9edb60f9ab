// Modules, their functions and variables, and launches.
#ifndef HW_RUNTIME_MODULE_H
#define HW_RUNTIME_MODULE_H

#include "runtime/runtime.h"
#include "runtime/stream.h"

typedef struct hw_rt_module hw_rt_module;
typedef struct hw_rt_function hw_rt_function;

// ---- device code as programs carry it ----

// PTX out of a container (fatbin.h): what a GPU of capability cc would be given, with a NUL behind it.
typedef struct hw_rt_code {
    char *ptx;                         // freed with hw_free
    size_t ptx_bytes;
    char name[256];                    // the container's, for messages; "": it has none
    bool is_relocatable;               // one file's part of a whole
} hw_rt_code;

// HW_RT_NO_IMAGE: machine code only; diag says what the user should do. HW_RT_INVALID_PTX: no container;
// HW_RT_NOT_SUPPORTED, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_unpack(const void *container, size_t readable_bytes, int cc, hw_rt_code *out, hw_diag *diag);

// The texts of several files as one (ptx_link.h), which the caller frees with hw_free. HW_RT_NO_MEMORY.
hw_rt_status hw_rt_link(const char *const *texts, size_t count, char **ptx, size_t *ptx_bytes, hw_diag *diag);

// The PTX of PTX with a NUL behind it, or of a container: as much of data is read as it says of itself, and no more
// than readable_bytes. name: for messages. HW_RT_INVALID_IMAGE: neither; as hw_rt_unpack.
hw_rt_status hw_rt_read_code(hw_runtime *runtime, const void *data, size_t readable_bytes, const char *name,
                             hw_rt_code *out, hw_diag *diag);

// ---- modules ----

// PTX to be loaded.
typedef struct hw_rt_text {
    const char *ptx;                   // stays for as long as the module
    size_t ptx_bytes;
    const char *name;                  // for messages; copied
    // The fat binary that it came from, for the machine code beside it; stays as long as the module. NULL: none.
    const void *container;
    size_t container_bytes;            // that can be read
    // Where a variable is to lie, as hw_sim_options.place. May be NULL.
    uint64_t (*place)(void *context, const char *name, uint64_t bytes);
    void *place_context;
} hw_rt_text;

// A module goes with hw_rt_module_unload, or with its context: it is then no handle any more, and neither are its
// functions. HW_RT_INVALID_PTX, HW_RT_NOT_SUPPORTED, with the place in diag; HW_RT_NO_MEMORY.
hw_rt_status hw_rt_module_load(hw_runtime *runtime, const hw_rt_text *text, hw_rt_module **out, hw_diag *diag);
// What hw_rt_read_code takes, of which nothing is needed afterwards. Also HW_RT_NO_IMAGE, HW_RT_INVALID_IMAGE.
hw_rt_status hw_rt_module_load_data(hw_runtime *runtime, const void *data, size_t readable_bytes, const char *name,
                                    hw_rt_module **out, hw_diag *diag);
hw_rt_status hw_rt_module_unload(hw_runtime *runtime, hw_rt_module *module);   // HW_RT_INVALID_HANDLE

// By mangled names; a name has one function however often it is asked for. HW_RT_NOT_FOUND, HW_RT_INVALID_HANDLE.
hw_rt_status hw_rt_module_function(hw_runtime *runtime, hw_rt_module *module, const char *name, hw_rt_function **out);
hw_rt_status hw_rt_module_variable(hw_runtime *runtime, hw_rt_module *module, const char *name, uint64_t *address,
                                   uint64_t *bytes);

// The functions of a module, in no order: the first n into out. Returns how many there are; 0 where there is no module.
size_t hw_rt_module_functions(hw_runtime *runtime, hw_rt_module *module, hw_rt_function **out, size_t n);

// What a module was loaded from, with a NUL behind it; stays for as long as the module.
const char *hw_rt_module_ptx(const hw_rt_module *module, size_t *bytes);

// Takes registers and spills from ptxas, where the options say so and there is one; once for each module. Takes as long
// as ptxas does unless its answer is in the cache.
void hw_rt_module_ask_registers(hw_runtime *runtime, hw_rt_module *module);

// ---- functions ----

bool hw_rt_is_function(hw_runtime *runtime, const hw_rt_function *function);

typedef struct hw_rt_function_info {
    hw_sim_function_info sim;          // registers by ptxas, as hw_rt_module_ask_registers
    int carveout;                      // preferred share of shared memory in percent, -1 at first; remembered
    hw_rt_module *module;
} hw_rt_function_info;

// All: HW_RT_INVALID_HANDLE, and HW_RT_INVALID_VALUE for a value that the call does not take.
hw_rt_status hw_rt_function_get_info(hw_runtime *runtime, hw_rt_function *function, hw_rt_function_info *out);
hw_rt_status hw_rt_function_get_name(hw_runtime *runtime, hw_rt_function *function, const char **name);   // mangled
hw_rt_status hw_rt_function_get_param(hw_runtime *runtime, hw_rt_function *function, size_t index, size_t *offset,
                                      size_t *bytes);
hw_rt_status hw_rt_function_set_dynamic_shared(hw_runtime *runtime, hw_rt_function *function, int bytes);
hw_rt_status hw_rt_function_set_carveout(hw_runtime *runtime, hw_rt_function *function, int percent);
hw_rt_status hw_rt_function_set_cache_preference(hw_runtime *runtime, hw_rt_function *function, unsigned preference);
hw_rt_module *hw_rt_function_module(hw_runtime *runtime, const hw_rt_function *function);   // NULL: it is no function
hw_rt_status hw_rt_function_set_bank_preference(hw_runtime *runtime, hw_rt_function *function, unsigned preference);

// Blocks that one multiprocessor holds; 0 where no launch is possible.
hw_rt_status hw_rt_resident_blocks(hw_runtime *runtime, hw_rt_function *function, int block_threads,
                                   size_t dynamic_shared_bytes, int *blocks);
// The most dynamic shared memory that lets so many blocks be resident.
hw_rt_status hw_rt_available_shared(hw_runtime *runtime, hw_rt_function *function, int blocks, size_t *bytes);

// ---- launches ----

typedef struct hw_rt_launch_args {
    hw_rt_function *function;
    uint32_t grid[3], block[3];
    size_t dynamic_shared_bytes;
    void *const *params;               // one pointer per parameter
    hw_rt_stream *stream;
    bool cooperative;
    uint32_t cluster[3];               // blocks of a cluster; 0: as the kernel says
} hw_rt_launch_args;

// Runs to the end. A fault is told to options.faulted, becomes sticky, and leaves this call successful.
// HW_RT_INVALID_HANDLE, HW_RT_INVALID_VALUE (a parameter is missing); and, with a sentence in diag that says why the
// launch was refused: HW_RT_INVALID_CONFIGURATION, HW_RT_OUT_OF_RESOURCES, HW_RT_TOO_LARGE_TO_COOPERATE,
// HW_RT_INVALID_VALUE (shared memory, launch bounds), HW_RT_NO_MEMORY, HW_RT_NOT_SUPPORTED.
hw_rt_status hw_rt_launch(hw_runtime *runtime, const hw_rt_launch_args *args, hw_diag *diag);

#endif
