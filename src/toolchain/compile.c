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
#include "toolchain/binary/fatbin.h"
#include "toolchain/binary/file_kind.h"
#include "toolchain/binary/producer.h"
#include "toolchain/cache/cache.h"
#include "toolchain/compilers/arguments.h"
#include "toolchain/compilers/clang_headers.h"
#include "toolchain/compilers/clang_route.h"
#include "toolchain/compilers/compilers.h"
#include "toolchain/process.h"
#include "toolchain/toolchain.h"
#include "toolchain/work_dir.h"

// One compilation under way. All strings are in the arena.
typedef struct compilation {
    const hw_toolchain_options *options;
    hw_arena *arena;
    hw_compiler compiler;
    hw_arguments arguments;
    int arch;
    bool is_host_code;                // a .cpp file: nothing in it is for the GPU
    hw_work_dir work_dir;
    const char *name, *program;       // of the executable: its file name, its path in work_dir
    const char *make_files[2];
    size_t make_file_count;
} compilation;

// Runs a compiler, whose own messages say what is wrong with the source.
static hw_status run_compiler(const compilation *job, const hw_args *args, hw_diag *diag) {
    int exit_status;
    char room[512];
    if (args->failed) return hw_diag_no_memory(diag);
    hw_status status = hw_process_run(args->items, job->work_dir.path, job->arena, NULL, &exit_status, diag);
    if (status != HW_OK || exit_status == 0) return status;
    if (exit_status > 128)
        return hw_diag_set_at(diag, HW_COMPILE, job->options->source, 0, "does not compile: %s ended by signal %d",
                              args->items[0], exit_status - 128);
    return hw_diag_set_at(diag, HW_COMPILE, job->options->source, 0, "does not compile (%s)%s", args->items[0],
                          hw_work_dir_room(&job->work_dir, room, sizeof room));
}

static const char *work_file(compilation *job, const char *name) {
    return hw_arena_printf(job->arena, "%s/%s", job->work_dir.path, name);
}

static hw_status compile_with_nvcc(compilation *job, hw_diag *diag) {
    hw_args args = {.arena = job->arena};
    hw_args_add(&args, job->compiler.path);
    hw_args_addf(&args, "-gencode=arch=compute_%d,code=compute_%d", job->arch, job->arch);
    hw_args_add_words(&args, "-cudart shared -Wno-deprecated-gpu-targets", ' ');
    if (!job->arguments.has_device_debug) hw_args_add(&args, "-lineinfo");
    if (!job->arguments.has_level) hw_args_add(&args, "-O3");
    // Line numbers of host code as well: a fault says where the memory was allocated.
    hw_args_add_words(&args, "-Xcompiler -g1", ' ');
    if (job->options->as_library) hw_args_add_words(&args, "-shared -Xcompiler -fPIC", ' ');
    job->make_files[job->make_file_count++] = work_file(job, "program.d");
    hw_args_add(&args, "-MD");
    hw_args_add(&args, "-MF");
    hw_args_add(&args, job->make_files[0]);
    hw_args_add_all(&args, &job->arguments.nvcc);
    hw_compiler_add_old_headers_of_nvcc(job->options->include_dir, &args);
    if (!job->is_host_code) hw_args_add_words(&args, "-include cuda_removed.h", ' ');
    hw_args_add_words(&args, job->is_host_code ? "-x c++ -o" : "-x cu -o", ' ');
    hw_args_add(&args, job->program);
    hw_args_add(&args, job->options->source);
    return run_compiler(job, &args, diag);
}

static void add_clang_source(compilation *job, hw_args *args, const char *make_file, const char *output) {
    hw_args_add_words(args, "-MD -MF", ' ');
    hw_args_add(args, make_file);
    hw_args_add(args, "-o");
    hw_args_add(args, output);
    hw_args_add_words(args, "-x cuda", ' ');
    hw_args_add(args, job->options->source);
    job->make_files[job->make_file_count++] = make_file;
}

static hw_status wrap_ptx(compilation *job, const char *ptx_path, const char *fatbin_path, hw_diag *diag) {
    size_t length, fatbin_bytes;
    uint8_t *fatbin;
    const char *text = hw_cache_read_file(ptx_path, job->arena, &length);
    if (!text) return hw_diag_errno(diag, errno, "cannot read %s", ptx_path);
    const char *compiler = hw_compiler_name(&job->compiler, job->options->cache_dir, job->arena);
    const char *ptx = compiler ? hw_arena_printf(job->arena, "%s" HW_PRODUCER_LINE, text, compiler) : NULL;
    if (!ptx) return hw_diag_no_memory(diag);
    length = strlen(ptx);
    hw_status status = hw_fatbin_write(ptx, length, job->arch, job->name, &fatbin, &fatbin_bytes, diag);
    if (status != HW_OK) return status;
    int failure = hw_cache_write_file(fatbin_path, fatbin, fatbin_bytes, job->arena);
    hw_free(fatbin);
    return failure ? hw_diag_errno(diag, failure, "cannot write %s", fatbin_path) : HW_OK;
}

static void add_pass(const hw_clang_route *route, const compilation *job, bool is_host, hw_args *args) {
    // To the host any architecture is the same, and so one kept header.
    if (is_host) hw_clang_add_host(route, hw_compiler_clang_arch_after(&job->compiler, 0), args);
    else hw_clang_add_device(route, job->arch, args);
}

// What is kept of our headers for a pass; NULL: nothing. clang lists their files among the program's.
static const char *find_headers(const compilation *job, hw_clang_route route, bool is_host) {
    const hw_args *own = is_host ? &job->arguments.host : &job->arguments.device;
    hw_args pass = {.arena = job->arena};
    const hw_clang_headers wanted = {.cache_dir = job->options->cache_dir, .include_dir = job->options->include_dir,
                                     .clang = &job->compiler, .pass = &pass, .own = own};
    route.headers = "";
    route.fatbin = NULL;
    add_pass(&route, job, is_host, &pass);
    if (is_host) hw_args_add(&pass, "-c");
    if (is_host && job->options->as_library) hw_args_add(&pass, "-fPIC");
    return hw_clang_headers_find(&wanted, job->arena);
}

static hw_status compile_with_clang(compilation *job, hw_diag *diag) {
    const char *ptx = work_file(job, "device.ptx"), *fatbin = work_file(job, "device.fatbin");
    const char *device_d = work_file(job, "device.d"), *host_d = work_file(job, "host.d");
    hw_args device = {.arena = job->arena}, host = {.arena = job->arena};
    if (!ptx || !fatbin || !device_d || !host_d) return hw_diag_no_memory(diag);
    hw_clang_route route = {.arena = job->arena, .compiler = &job->compiler, .arguments = &job->arguments,
                            .include_dir = job->options->include_dir, .empty_dir = job->work_dir.path,
                            .fatbin = fatbin, .optimizes_host = true};

    route.headers = find_headers(job, route, false);
    add_pass(&route, job, false, &device);
    add_clang_source(job, &device, device_d, ptx);
    hw_status status = run_compiler(job, &device, diag);
    if (status == HW_OK) status = wrap_ptx(job, ptx, fatbin, diag);
    if (status != HW_OK) return status;

    route.headers = find_headers(job, route, true);
    add_pass(&route, job, true, &host);
    if (job->options->as_library) hw_args_add_words(&host, "-shared -fPIC", ' ');
    add_clang_source(job, &host, host_d, job->program);
    hw_args_add_words(&host, "-x none", ' ');
    hw_args_add_all(&host, &job->arguments.link);
    hw_args_addf(&host, "-L%s", job->options->shim_dir);
    hw_args_add(&host, "-lcudart");
    status = run_compiler(job, &host, diag);
    unlink(ptx);
    unlink(fatbin);
    return status;
}

// Host code that calls the runtime.
static hw_status compile_host_with_clang(compilation *job, hw_diag *diag) {
    hw_args args = {.arena = job->arena};
    const char *make_file = work_file(job, "program.d");
    if (!make_file) return hw_diag_no_memory(diag);
    hw_args_add(&args, job->compiler.path);
    hw_args_add_words(&args, "--driver-mode=g++ -gline-tables-only -Wno-unused-command-line-argument", ' ');
    if (job->options->as_library) hw_args_add_words(&args, "-shared -fPIC", ' ');
    hw_args_addf(&args, "-I%s", job->options->include_dir);
    hw_compiler_add_old_headers(job->options->include_dir, &args);
    if (!job->arguments.has_level) hw_args_add(&args, "-O3");
    if (!job->arguments.has_standard) hw_args_add(&args, "-std=gnu++17");
    hw_args_add_all(&args, &job->arguments.host);
    hw_args_add_words(&args, "-MD -MF", ' ');
    hw_args_add(&args, make_file);
    job->make_files[job->make_file_count++] = make_file;
    hw_args_add(&args, "-o");
    hw_args_add(&args, job->program);
    hw_args_add_words(&args, "-x c++", ' ');
    hw_args_add(&args, job->options->source);
    hw_args_add_words(&args, "-x none", ' ');
    hw_args_add_all(&args, &job->arguments.link);
    hw_args_addf(&args, "-L%s", job->options->shim_dir);
    hw_args_add(&args, "-lcudart");
    return run_compiler(job, &args, diag);
}

// To be changed with the options that this file gives the compilers: programs compiled otherwise are not used again.
enum { RECIPE = 5 };

static void hash_words(const hw_args *words, hw_hash *key) {
    hw_hash_number(key, words->count);
    for (size_t i = 0; i < words->count; i++) hw_hash_string(key, words->items[i]);
}

// Everything that decides what comes out, apart from the files that are read: what the compiler is told, not what the
// user has said. To clang -maxrregcount is nothing, and GPUs that it does not know are their nearest relative.
static hw_hash key_of(const compilation *job) {
    const hw_toolchain_options *options = job->options;
    hw_hash key = hw_hash_start();
    hw_hash_number(&key, RECIPE);
    char *folder = getcwd(NULL, 0);
    hw_hash_string(&key, folder);
    free(folder);
    hw_hash_string(&key, options->source);
    hw_hash_number(&key, options->as_library);
    hw_hash_number(&key, (uint64_t)job->compiler.kind);
    hw_compiler_identify(job->compiler.path, &key);
    hw_compiler_identify(hw_process_find(options->search_path, "g++", job->arena), &key);
    hw_hash_string(&key, options->include_dir);
    if (job->compiler.kind == HW_COMPILER_CLANG) {
        int arch;
        hw_compiler_arch(&job->compiler, options->cc, job->arena, &arch, NULL);   // never fails for clang
        hw_hash_number(&key, (uint64_t)arch);
        hw_hash_string(&key, options->shim_dir);
        hash_words(&job->arguments.device, &key);
        hash_words(&job->arguments.host, &key);
        hash_words(&job->arguments.link, &key);
    } else {
        hw_hash_number(&key, (uint64_t)options->cc);   // nvcc would have to be started to say its nearest
        hash_words(&job->arguments.nvcc, &key);
    }
    hw_process_hash_environment(&key);
    return key;
}

// "dir/scan.cu" gives "scan": programs find their own name, and files beside it, in argv[0].
static const char *program_name(const char *source, hw_arena *arena, bool *is_host_code) {
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *ending;
    *is_host_code = hw_file_kind_of(source, &ending) == HW_FILE_CPP;
    return hw_arena_string(arena, name, (size_t)(ending - name));
}

static hw_status check_source(const char *source, hw_diag *diag) {
    int file = open(source, O_RDONLY | O_CLOEXEC);
    if (file < 0) return hw_diag_errno(diag, errno, "cannot read %s", source);
    close(file);
    return HW_OK;
}

static hw_status compile_in_cache(compilation *job, const hw_hash *key, hw_toolchain_result *result, hw_diag *diag) {
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
    else if (job->is_host_code) status = compile_host_with_clang(job, diag);
    else status = compile_with_clang(job, diag);
    result->arch = job->arch;
    if (status == HW_OK)
        status = hw_cache_publish(cache_dir, key, &job->work_dir, job->name, job->make_files, job->make_file_count,
                                  started, job->arena, result, diag);
    if (status != HW_OK) hw_work_dir_discard(&job->work_dir);
    return status;
}

// By the compiler that is chosen: from the cache, or anew.
static hw_status compile_by(compilation *job, hw_toolchain_result *result, hw_diag *diag) {
    hw_hash key = key_of(job);
    job->make_file_count = 0;
    result->compiler = job->compiler.kind;
    const char *name = NULL;
    if (job->options->wants_name) name = hw_compiler_name(&job->compiler, job->options->cache_dir, job->arena);
    snprintf(result->compiler_name, sizeof result->compiler_name, "%s", name ? name : "");
    result->from_cache = hw_cache_find(job->options->cache_dir, &key, job->arena, result);
    if (result->from_cache) return HW_OK;
    hw_diag why = {0};
    hw_status status = HW_OK;
    if (job->compiler.kind == HW_COMPILER_NVCC) status = hw_compiler_check_nvcc(job->compiler.path, job->arena, &why);
    if (!status) status = compile_in_cache(job, &key, result, &why);
    // What nvcc says of a file is about the file only if it can compile at all.
    if (status == HW_COMPILE && job->compiler.kind == HW_COMPILER_NVCC) {
        hw_diag broken = {0};
        if (hw_compiler_check_compiles(job->compiler.path, job->arena, &broken) == HW_NOT_FOUND) {
            status = HW_NOT_FOUND;
            why = broken;
        }
    }
    return status ? hw_diag_set_at(diag, status, *why.file ? why.file : NULL, why.line, "%s", why.text) : HW_OK;
}

// An nvcc that does not work is told, and clang takes its place unless nvcc was asked for.
static hw_status compile_without_nvcc(compilation *job, hw_toolchain_result *result, const hw_diag *why,
                                      hw_diag *diag) {
    hw_toolchain_options options = *job->options;
    options.compiler = HW_COMPILER_CLANG;
    if (hw_compiler_choose(&options, job->arena, &job->compiler, NULL))
        return hw_diag_set(diag, HW_NOT_FOUND, "%s; and there is no clang to take its place (apt-get install clang)",
                           why->text);
    snprintf(result->note, sizeof result->note, "%.900s; clang compiles it", why->text);
    return compile_by(job, result, diag);
}

hw_status hw_toolchain_compile(const hw_toolchain_options *options, hw_toolchain_result *result, hw_diag *diag) {
    compilation job = {.options = options, .arena = hw_arena_create()};
    *result = (hw_toolchain_result){0};
    if (!job.arena) return hw_diag_no_memory(diag);
    hw_status status = check_source(options->source, diag);
    if (status == HW_OK) status = hw_compiler_choose(options, job.arena, &job.compiler, diag);
    if (status == HW_OK)
        status = hw_arguments_sort(options->arguments, options->argument_count, job.arena, &job.arguments, diag);
    if (status == HW_OK) status = hw_cache_prepare(options->cache_dir, diag);
    if (status == HW_OK && !(job.name = program_name(options->source, job.arena, &job.is_host_code)))
        status = hw_diag_no_memory(diag);
    if (status == HW_OK) {
        hw_diag why = {0};
        status = compile_by(&job, result, &why);
        if (status == HW_NOT_FOUND && job.compiler.kind == HW_COMPILER_NVCC && options->compiler == HW_COMPILER_AUTO)
            status = compile_without_nvcc(&job, result, &why, diag);
        else if (status) hw_diag_set_at(diag, status, *why.file ? why.file : NULL, why.line, "%s", why.text);
    }
    hw_arena_destroy(job.arena);
    return status;
}
