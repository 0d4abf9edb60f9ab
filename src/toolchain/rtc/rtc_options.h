// NVRTC's options; the table is rtc_options.def.
#ifndef HW_TOOLCHAIN_RTC_OPTIONS_H
#define HW_TOOLCHAIN_RTC_OPTIONS_H

#include "base/status.h"
#include "toolchain/args.h"

typedef struct hw_rtc_options {
    hw_args words;            // for clang
    const char *macros;       // lines before the source and behind our headers, which know none of these macros
    const char *includes;     // likewise, behind those
    int cc;                   // compute capability asked for, 75 unless told
    bool is_default_device;   // what is not marked is the device's
    bool no_source_folder;    // #include does not look beside the source
    bool has_debug, has_optimization;
} hw_rtc_options;

// Strings are in the arena, or the caller's. HW_USAGE, and HW_UNSUPPORTED where only NVIDIA's can do it, name the
// option.
hw_status hw_rtc_options_read(const char *const *options, size_t count, hw_arena *arena, hw_rtc_options *out,
                              hw_diag *diag);

#endif
