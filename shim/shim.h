// What the doors to the runtime have in common.
//
// A door is a library that programs know by a name of NVIDIA's: shim/cudart/ makes libcudart. Its functions translate
// arguments, call src/runtime, and translate the status; what a process says to its user and to the halfwarp command
// is said here. Everything here is part of each door, and works on the one hw_shim_process that they share (process.h);
// doors are never unloaded, since the runtime keeps calling the first.
#ifndef HW_SHIM_SHIM_H
#define HW_SHIM_SHIM_H

#include "exec/monitor.h"
#include "runtime/module.h"
#include "shim/visible.h"

#define HW_EXPORT __attribute__((visibility("default")))

// A second name of a function of the same file.
#define HW_ALIAS(second, first) extern __typeof__(first) second __attribute__((alias(#first), visibility("default")))

// process.c: the GPU that is the thread's current one; never NULL. Ends the process where its kind is not known.
hw_runtime *hw_shim_runtime(void);

// process.c: of a module that has been loaded: reports want its registers from ptxas, before it is launched.
void hw_shim_module_loaded(hw_rt_module *module);
void hw_shim_finish_clock(void);         // before the process ends

// process.c: a call ends in HW_RT_NO_DEVICE; says once why, where it may be a mistake.
void hw_shim_tell_hidden(void);

// device.c: the place on the bus of a GPU that there is, "0000:01:00.0" for the second; and which GPU has it. False:
// there is no room for it, or no such GPU.
bool hw_shim_write_bus_id(int device, char *out, int out_bytes);
bool hw_shim_read_bus_id(const char *id, int *device);
// The unique number of a GPU that there is.
void hw_shim_make_uuid(int device, char out[HW_UUID_BYTES]);

// report.c
void hw_shim_report_fault(const hw_fault *fault);
void hw_shim_note(int exit_code, const char *message);   // one line for the halfwarp command; the first one counts
// The call's name goes to stderr the first time, and to the halfwarp command. HW_RT_NOT_SUPPORTED.
hw_rt_status hw_shim_unsupported(const char *call);
// A sentence on stderr, once for each place that calls; and to the halfwarp command unless exit_code is 0.
void hw_shim_complain(const char *sentence, int exit_code);
// Ends the process: its device code could not be loaded.
void hw_shim_refuse(const hw_diag *diag, hw_rt_status status) __attribute__((noreturn));
// Says why the launch that is being made was refused.
void hw_shim_explain_refusal(const hw_diag *diag);

// Ends the process, whose output until now is kept.
void hw_shim_end(int exit_code) __attribute__((noreturn));

// monitor.c: where launches of this process are seen, also by the halfwarp command; and from now on SIGUSR1 tells where
// blocks are, unless the program has a use of its own for it. Never NULL; another one after a fork.
hw_monitor *hw_shim_monitor(void);
bool hw_shim_is_stopped(void);           // the halfwarp command wants the process to end
void hw_monitor_on_signal(void);

// touch.c: a crash of the program's own code in this device memory is explained from now on; NULL: in none.
void hw_touch_watch(const hw_mem *mem);

// library.c: the file name of the shared library that an address lies in; NULL where that is the program itself, or
// nothing.
const char *hw_library_of(const void *address);

// site.c: who called. Sites live as long as the process.
const void *hw_shim_site(void);
// Between the two this thread makes the launch of the <<<>>> whose function returns there; NULL: it is no <<<>>>.
void hw_shim_begin_launch(void *return_address);
void hw_shim_end_launch(void);
const void *hw_shim_site_of(void *return_address);   // of one call
const void *hw_shim_site_of_fault(void *instruction);   // in a handler of the signal that it has caused
// "file.cu:12" or "name+0x12" into out; false when nothing is known.
bool hw_shim_describe_site(const void *site, char *out, size_t out_bytes);

static inline uint64_t hw_address(const void *p) { return (uint64_t)(uintptr_t)p; }

#endif
