// The two passes of clang, as both `halfwarp run` and `halfwarp nvcc` make them.
#include "toolchain/compilers/clang_route.h"

#include "toolchain/compilers/clang_headers.h"

// The SDK version makes launches go through cudaLaunchKernel.
void hw_clang_add_common(const hw_compiler *clang, int arch, const char *include_dir, const char *empty_dir,
                         hw_args *args) {
    hw_args_add(args, clang->path);
    hw_args_add(args, "--driver-mode=g++");
    hw_args_add_words(args, "-nocudainc -nocudalib -Xclang -target-sdk-version=11.0 -Wno-unknown-cuda-version", ' ');
    // No errors of nvcc's: "register", whatever the standard, and constexpr functions that cannot be constant.
    hw_args_add_words(args, "-Wno-unused-command-line-argument -Wno-register -Wno-invalid-constexpr", ' ');
    hw_args_addf(args, "--cuda-path=%s", empty_dir);
    hw_args_addf(args, "--cuda-gpu-arch=sm_%d", arch);
    hw_args_addf(args, "-I%s", include_dir);
    hw_compiler_add_old_headers(include_dir, args);
}

void hw_clang_add_ptx(const hw_compiler *clang, hw_args *args) {
    hw_args_add_words(args, "--cuda-device-only -S -gline-tables-only -Xclang -target-feature -Xclang", ' ');
    hw_args_addf(args, "+ptx%d", hw_compiler_clang_ptx(clang->clang_major));
}

static void add_pass(const hw_clang_route *route, int arch, bool optimizes, hw_args *args) {
    hw_clang_add_common(route->compiler, arch, route->include_dir, route->empty_dir, args);
    if (!route->headers || *route->headers) hw_clang_headers_add(route->headers, route->include_dir, args);
    if (optimizes && !route->arguments->has_level) hw_args_add(args, "-O3");
    if (!route->arguments->has_standard) hw_args_add(args, "-std=gnu++17");
}

void hw_clang_add_device(const hw_clang_route *route, int arch, hw_args *args) {
    add_pass(route, arch, true, args);
    hw_clang_add_ptx(route->compiler, args);
    hw_args_add_all(args, &route->arguments->device);
}

void hw_clang_add_host(const hw_clang_route *route, int arch, hw_args *args) {
    add_pass(route, arch, route->optimizes_host, args);
    // Both passes read the whole file; the first has printed the warnings.
    hw_args_add_words(args, "--cuda-host-only -w -gline-tables-only", ' ');
    if (route->fatbin) {
        hw_args_add_words(args, "-Xclang -fcuda-include-gpubinary -Xclang", ' ');
        hw_args_add(args, route->fatbin);
    }
    hw_args_add_all(args, &route->arguments->host);
}
