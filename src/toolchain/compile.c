// .cu file -> executable: find it in the cache, or run one of the two routes and put the result there.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "toolchain/arguments.h"
#include "toolchain/cache.h"
#include "toolchain/compilers.h"
#include "toolchain/fatbin.h"
#include "toolchain/process.h"
#include "toolchain/producer.h"
#include "toolchain/toolchain.h"

// One compilation under way. All strings are in the arena.
typedef struct job {
    const hw_toolchain_options *options;
    hw_arena *arena;
    hw_compiler compiler;
    hw_arguments arguments;
    int arch;
    hw_work_dir work_dir;
    const char *name, *program;       // of the executable: its file name, its path in work_dir
    const char *make_files[2];
    size_t make_file_count;
} job;

// Runs a compiler, whose own messages say what is wrong with the source.
static hw_status run(const job *job, const hw_args *args, hw_diag *diag) {
    int exit_status;
    if (args->failed) return hw_diag_no_memory(diag);
    hw_status status = hw_process_run(args->items, job->work_dir.path, job->arena, NULL, &exit_status, diag);
    if (status != HW_OK || exit_status == 0) return status;
    if (exit_status > 128)
        return hw_diag_set_at(diag, HW_COMPILE, job->options->source, 0, "does not compile: %s ended by signal %d",
                              args->items[0], exit_status - 128);
    return hw_diag_set_at(diag, HW_COMPILE, job->options->source, 0, "does not compile (%s)", args->items[0]);
}

static const char *work_file(job *job, const char *name) {
    return hw_arena_printf(job->arena, "%s/%s", job->work_dir.path, name);
}

static hw_status compile_with_nvcc(job *job, hw_diag *diag) {
    hw_args args = {.arena = job->arena};
    hw_args_add(&args, job->compiler.path);
    hw_args_addf(&args, "-gencode=arch=compute_%d,code=compute_%d", job->arch, job->arch);
    hw_args_add_words(&args, "-cudart shared -Wno-deprecated-gpu-targets", ' ');
    if (!job->arguments.has_device_debug) hw_args_add(&args, "-lineinfo");
    if (!job->arguments.has_level) hw_args_add(&args, "-O3");
    // Line numbers of host code as well: a fault says where the memory was allocated.
    hw_args_add_words(&args, "-Xcompiler -g1", ' ');
    job->make_files[job->make_file_count++] = work_file(job, "program.d");
    hw_args_add(&args, "-MD");
    hw_args_add(&args, "-MF");
    hw_args_add(&args, job->make_files[0]);
    hw_args_add_all(&args, &job->arguments.nvcc);
    hw_args_add_words(&args, "-x cu -o", ' ');
    hw_args_add(&args, job->program);
    hw_args_add(&args, job->options->source);
    return run(job, &args, diag);
}

// What both of clang's passes are told. No toolkit is looked for: the headers are ours, and libdevice's functions stay
// calls. The SDK version makes launches go through cudaLaunchKernel.
static void add_clang_common(const job *job, hw_args *args) {
    hw_args_add(args, job->compiler.path);
    hw_args_add(args, "--driver-mode=g++");
    hw_args_add_words(args, "-nocudainc -nocudalib -Xclang -target-sdk-version=11.0 -Wno-unknown-cuda-version", ' ');
    hw_args_add(args, "-Wno-unused-command-line-argument");
    hw_args_addf(args, "--cuda-path=%s", job->work_dir.path);
    hw_args_addf(args, "--cuda-gpu-arch=sm_%d", job->arch);
    hw_args_addf(args, "-I%s", job->options->include_dir);
    hw_args_add(args, "-include");
    hw_args_addf(args, "%s/cuda_runtime.h", job->options->include_dir);
    if (!job->arguments.has_level) hw_args_add(args, "-O3");
    if (!job->arguments.has_standard) hw_args_add(args, "-std=gnu++17");
}

static void add_clang_source(job *job, hw_args *args, const char *make_file, const char *output) {
    hw_args_add_words(args, "-MD -MF", ' ');
    hw_args_add(args, make_file);
    hw_args_add(args, "-o");
    hw_args_add(args, output);
    hw_args_add_words(args, "-x cuda", ' ');
    hw_args_add(args, job->options->source);
    job->make_files[job->make_file_count++] = make_file;
}

static hw_status wrap_ptx(job *job, const char *ptx_path, const char *fatbin_path, hw_diag *diag) {
    size_t length, fatbin_bytes;
    uint8_t *fatbin;
    const char *text = hw_cache_read_file(ptx_path, job->arena, &length);
    if (!text) return hw_diag_errno(diag, errno, "cannot read %s", ptx_path);
    const char *compiler = hw_compiler_name(&job->compiler, job->arena);
    const char *ptx = compiler ? hw_arena_printf(job->arena, "%s" HW_PRODUCER_LINE, text, compiler) : NULL;
    if (!ptx) return hw_diag_no_memory(diag);
    length = strlen(ptx);
    hw_status status = hw_fatbin_write(ptx, length, job->arch, job->name, &fatbin, &fatbin_bytes, diag);
    if (status != HW_OK) return status;
    int failure = hw_cache_write_file(fatbin_path, fatbin, fatbin_bytes, job->arena);
    hw_free(fatbin);
    return failure ? hw_diag_errno(diag, failure, "cannot write %s", fatbin_path) : HW_OK;
}

static hw_status compile_with_clang(job *job, hw_diag *diag) {
    const char *ptx = work_file(job, "device.ptx"), *fatbin = work_file(job, "device.fatbin");
    const char *device_d = work_file(job, "device.d"), *host_d = work_file(job, "host.d");
    hw_args device = {.arena = job->arena}, host = {.arena = job->arena};
    if (!ptx || !fatbin || !device_d || !host_d) return hw_diag_no_memory(diag);

    add_clang_common(job, &device);
    hw_args_add_words(&device, "--cuda-device-only -S -gline-tables-only", ' ');
    hw_args_add_words(&device, "-Xclang -target-feature -Xclang", ' ');
    hw_args_addf(&device, "+ptx%d", hw_compiler_clang_ptx(job->compiler.clang_major));
    hw_args_add_all(&device, &job->arguments.device);
    add_clang_source(job, &device, device_d, ptx);
    hw_status status = run(job, &device, diag);
    if (status == HW_OK) status = wrap_ptx(job, ptx, fatbin, diag);
    if (status != HW_OK) return status;

    add_clang_common(job, &host);
    // Both passes read the whole file; the first has printed the warnings.
    hw_args_add_words(&host, "--cuda-host-only -w -gline-tables-only -Xclang -fcuda-include-gpubinary -Xclang", ' ');
    hw_args_add(&host, fatbin);
    hw_args_add_all(&host, &job->arguments.host);
    add_clang_source(job, &host, host_d, job->program);
    hw_args_add_words(&host, "-x none", ' ');
    hw_args_add_all(&host, &job->arguments.link);
    hw_args_addf(&host, "-L%s", job->options->shim_dir);
    hw_args_add(&host, "-lcudart");
    status = run(job, &host, diag);
    unlink(ptx);
    unlink(fatbin);
    return status;
}

// To be changed with the options that this file gives the compilers: programs compiled otherwise are not used again.
enum { RECIPE = 3 };

// Everything that decides what comes out, apart from the files that are read.
static hw_hash key_of(const job *job) {
    const hw_toolchain_options *options = job->options;
    hw_hash key = hw_hash_start();
    hw_hash_number(&key, RECIPE);
    char *folder = getcwd(NULL, 0);
    hw_hash_string(&key, folder);
    free(folder);
    hw_hash_string(&key, options->source);
    hw_hash_number(&key, (uint64_t)options->cc);
    hw_hash_number(&key, (uint64_t)job->compiler.kind);
    hw_compiler_identify(job->compiler.path, &key);
    hw_compiler_identify(hw_process_find(options->search_path, "g++", job->arena), &key);
    if (job->compiler.kind == HW_COMPILER_CLANG) {
        hw_hash_string(&key, options->include_dir);
        hw_hash_string(&key, options->shim_dir);
    }
    for (size_t i = 0; i < options->argument_count; i++) hw_hash_string(&key, options->arguments[i]);
    hw_process_hash_environment(&key);
    return key;
}

// "dir/scan.cu" gives "scan": programs find their own name, and files beside it, in argv[0].
static const char *program_name(const char *source, hw_arena *arena) {
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    size_t length = strlen(name);
    if (length > 3 && !strcmp(name + length - 3, ".cu")) length -= 3;
    return hw_arena_string(arena, name, length);
}

static hw_status check_source(const char *source, hw_diag *diag) {
    int file = open(source, O_RDONLY | O_CLOEXEC);
    if (file < 0) return hw_diag_errno(diag, errno, "cannot read %s", source);
    close(file);
    return HW_OK;
}

static hw_status compile_in_cache(job *job, const hw_hash *key, hw_toolchain_result *result, hw_diag *diag) {
    const char *cache_dir = job->options->cache_dir;
    struct timespec started;
    // The clock that file times are taken from, which lags behind the precise one.
    clock_gettime(CLOCK_REALTIME_COARSE, &started);
    hw_status status = hw_compiler_arch(&job->compiler, job->options->cc, job->arena, &job->arch, diag);
    if (status == HW_OK) status = hw_work_dir_begin(cache_dir, "work", job->arena, &job->work_dir, diag);
    if (status != HW_OK) return status;
    job->program = work_file(job, job->name);
    if (!job->program) status = hw_diag_no_memory(diag);
    else if (job->compiler.kind == HW_COMPILER_NVCC) status = compile_with_nvcc(job, diag);
    else status = compile_with_clang(job, diag);
    result->arch = job->arch;
    if (status == HW_OK)
        status = hw_cache_publish(cache_dir, key, &job->work_dir, job->name, job->make_files, job->make_file_count,
                                  started, job->arena, result, diag);
    if (status != HW_OK) hw_work_dir_discard(&job->work_dir);
    return status;
}

hw_status hw_toolchain_compile(const hw_toolchain_options *options, hw_toolchain_result *result, hw_diag *diag) {
    job job = {.options = options, .arena = hw_arena_create()};
    *result = (hw_toolchain_result){0};
    if (!job.arena) return hw_diag_no_memory(diag);
    hw_status status = check_source(options->source, diag);
    if (status == HW_OK) status = hw_compiler_choose(options, job.arena, &job.compiler, diag);
    if (status == HW_OK)
        status = hw_arguments_sort(options->arguments, options->argument_count, job.arena, &job.arguments, diag);
    if (status == HW_OK) status = hw_cache_prepare(options->cache_dir, diag);
    if (status == HW_OK && !(job.name = program_name(options->source, job.arena))) status = hw_diag_no_memory(diag);
    if (status == HW_OK) {
        hw_hash key = key_of(&job);
        result->compiler = job.compiler.kind;
        const char *name = options->wants_name ? hw_compiler_name(&job.compiler, job.arena) : NULL;
        snprintf(result->compiler_name, sizeof result->compiler_name, "%s", name ? name : "");
        result->from_cache = hw_cache_find(options->cache_dir, &key, job.arena, result);
        if (!result->from_cache) status = compile_in_cache(&job, &key, result, diag);
    }
    hw_arena_destroy(job.arena);
    return status;
}
