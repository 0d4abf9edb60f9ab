// Libraries of device code and their kernels, which outlive contexts: each context that they are used in has a module
// of theirs, which is loaded when it is first wanted there.
#ifndef HW_RUNTIME_LIBRARY_H
#define HW_RUNTIME_LIBRARY_H

#include "runtime/module.h"

typedef struct hw_rt_library hw_rt_library;
typedef struct hw_rt_kernel hw_rt_kernel;

// code->ptx becomes the library's where this succeeds. As hw_rt_module_load.
hw_rt_status hw_rt_library_load(hw_runtime *runtime, const hw_rt_code *code, const char *name, hw_rt_library **out,
                                hw_diag *diag);
// And its kernels, and its modules in all contexts. HW_RT_INVALID_HANDLE.
hw_rt_status hw_rt_library_unload(hw_runtime *runtime, hw_rt_library *library);
// Reports want the registers of its kernels from ptxas, in this context and in those that come to use it
// (hw_rt_module_ask_registers). Of a library that is alive and has its module here.
void hw_rt_library_ask_registers(hw_runtime *runtime, hw_rt_library *library);
bool hw_rt_is_library(hw_runtime *runtime, const hw_rt_library *library);

// Its module in this context. HW_RT_INVALID_HANDLE, HW_RT_NO_MEMORY.
hw_rt_status hw_rt_library_module(hw_runtime *runtime, hw_rt_library *library, hw_rt_module **out);
// By its mangled name; a name has one kernel. HW_RT_INVALID_HANDLE, HW_RT_NOT_FOUND.
hw_rt_status hw_rt_library_kernel(hw_runtime *runtime, hw_rt_library *library, const char *name, hw_rt_kernel **out);
// Its kernels by name, the first n into out. Returns how many there are; 0 where there is no library.
size_t hw_rt_library_kernels(hw_runtime *runtime, hw_rt_library *library, hw_rt_kernel **out, size_t n);

bool hw_rt_is_kernel(hw_runtime *runtime, const hw_rt_kernel *kernel);
// Of a kernel that is alive.
hw_rt_library *hw_rt_kernel_library(const hw_rt_kernel *kernel);
const char *hw_rt_kernel_name(const hw_rt_kernel *kernel);
// Its function in this context. Costs a comparison where it has been asked for there. As hw_rt_library_module.
hw_rt_status hw_rt_kernel_function(hw_runtime *runtime, hw_rt_kernel *kernel, hw_rt_function **out);

#endif
