// The two passes of clang, as both `halfwarp run` and `halfwarp nvcc` make them.
#include "toolchain/clang_route.h"

// What both passes are told. No toolkit is looked for: the headers are ours, and libdevice's functions stay calls. The
// SDK version makes launches go through cudaLaunchKernel.
static void add_common(const hw_clang_route *route, int arch, bool optimizes, hw_args *args) {
    hw_args_add(args, route->compiler->path);
    hw_args_add(args, "--driver-mode=g++");
    hw_args_add_words(args, "-nocudainc -nocudalib -Xclang -target-sdk-version=11.0 -Wno-unknown-cuda-version", ' ');
    hw_args_add(args, "-Wno-unused-command-line-argument");
    hw_args_addf(args, "--cuda-path=%s", route->empty_dir);
    hw_args_addf(args, "--cuda-gpu-arch=sm_%d", arch);
    hw_args_addf(args, "-I%s", route->include_dir);
    hw_args_add(args, "-include");
    hw_args_addf(args, "%s/cuda_runtime.h", route->include_dir);
    if (optimizes && !route->arguments->has_level) hw_args_add(args, "-O3");
    if (!route->arguments->has_standard) hw_args_add(args, "-std=gnu++17");
}

void hw_clang_add_device(const hw_clang_route *route, int arch, hw_args *args) {
    add_common(route, arch, true, args);
    hw_args_add_words(args, "--cuda-device-only -S -gline-tables-only", ' ');
    hw_args_add_words(args, "-Xclang -target-feature -Xclang", ' ');
    hw_args_addf(args, "+ptx%d", hw_compiler_clang_ptx(route->compiler->clang_major));
    hw_args_add_all(args, &route->arguments->device);
}

void hw_clang_add_host(const hw_clang_route *route, int arch, hw_args *args) {
    add_common(route, arch, route->optimizes_host, args);
    // Both passes read the whole file; the first has printed the warnings.
    hw_args_add_words(args, "--cuda-host-only -w -gline-tables-only", ' ');
    if (route->fatbin) {
        hw_args_add_words(args, "-Xclang -fcuda-include-gpubinary -Xclang", ' ');
        hw_args_add(args, route->fatbin);
    }
    hw_args_add_all(args, &route->arguments->host);
}
