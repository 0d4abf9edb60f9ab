// What the tests of the toolchain share: a folder of their own, with a stand-in for the runtime library.
#ifndef TESTS_TOOLCHAIN_FOLDER_H
#define TESTS_TOOLCHAIN_FOLDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "toolchain/toolchain.h"

#ifndef HW_SOURCE_DIR
#define HW_SOURCE_DIR "."
#endif

static char folder[] = "/tmp/halfwarp-test.XXXXXX";

static const char *in_folder(const char *name) {
    static char paths[8][4096];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    usleep(20000);    // past the grain of file times, so that the cache may trust it
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...) {
    char command[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

static hw_toolchain_options options_for(const char *source) {
    static char cache[4096], include[4096];
    snprintf(cache, sizeof cache, "%s/cache/deep", folder);
    snprintf(include, sizeof include, "%s/include/cuda", HW_SOURCE_DIR);
    return (hw_toolchain_options){
        .source = source,
        .cc = 90,
        .include_dir = include,
        .shim_dir = folder,
        .search_path = getenv("PATH"),
        .cache_dir = cache,
    };
}

static int make_folder(void **state) {
    (void)state;
    // The runtime library that programs are linked with; nothing here runs them.
    static const char runtime[] =
        "#define F(name) int name(void) { return 0; }\n"
        "F(__cudaPushCallConfiguration) F(__cudaPopCallConfiguration) F(__cudaRegisterFatBinary)\n"
        "F(__cudaRegisterFatBinaryEnd) F(__cudaRegisterFunction) F(__cudaRegisterVar) F(__cudaUnregisterFatBinary)\n"
        "F(cudaLaunchKernel) F(cudaMalloc) F(cudaDeviceSynchronize)\n";
    if (!mkdtemp(folder)) return -1;
    FILE *file = fopen(in_folder("runtime.c"), "w");
    if (!file) return -1;
    fputs(runtime, file);
    fclose(file);
    return shell("cd %s && cc -shared -fPIC -w -Wl,-soname,libcudart.so.13 runtime.c -o libcudart.so", folder);
}

static int remove_folder(void **state) {
    (void)state;
    return shell("rm -rf '%s'", folder);
}

#endif
