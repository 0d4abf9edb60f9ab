// One source file to device code, or to an object file.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "toolchain/cache/cache.h"
#include "toolchain/compilers/clang_headers.h"
#include "toolchain/nvcc/nvcc_work.h"
#include "toolchain/process.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/binary/producer.h"

// ---- Passes ---------------------------------------------------------------------------------------------------------

static void add_device_pass(const hw_clang_route *route, int arch, hw_args *args) {
    hw_clang_add_device(route, arch, args);
    hw_args_add(args, "-D__NVCC__");
}

static void add_host_pass(hw_nvcc_work *w, const hw_clang_route *route, hw_args *args) {
    // Any that clang knows: host code sees nothing of it.
    int arch = hw_compiler_clang_arch_after(route->compiler, HW_NVCC_DEFAULT_ARCH - 1);
    hw_clang_add_host(route, arch, args);
    hw_args_add(args, "-D__NVCC__");
    hw_args_add_all(args, &w->command->forwarded);
}

// The route of a pass with what is kept of our headers for it, if anything is. Commands that are shown may be repeated
// elsewhere, and words that only the C++ compiler knows could say anything: such do without. arch 0: host code.
static hw_clang_route with_headers(hw_nvcc_work *w, int arch) {
    hw_clang_route route = w->route;
    hw_args pass = {.arena = w->arena};
    const hw_clang_headers wanted = {.cache_dir = w->settings->cache_dir, .include_dir = w->include_dir,
                                     .clang = route.compiler, .pass = &pass,
                                     .own = arch ? &w->arguments.device : &w->arguments.host};
    if (w->command->verbose || w->command->dry_run || (!arch && w->command->forwarded.count)) return route;
    route.headers = "";
    route.fatbin = NULL;
    if (arch) add_device_pass(&route, arch, &pass);
    else add_host_pass(w, &route, &pass);
    if (!arch) hw_args_add(&pass, "-c");
    route.headers = hw_clang_headers_find(&wanted, w->arena);
    route.fatbin = w->route.fatbin;
    return route;
}

// ---- Device code ----------------------------------------------------------------------------------------------------

hw_status hw_nvcc_make_ptx(hw_nvcc_work *w, const char *source, int arch, const char *output) {
    hw_args args = {.arena = w->arena};
    const hw_clang_route route = with_headers(w, arch);
    add_device_pass(&route, arch, &args);
    hw_nvcc_add_source(&args, "cuda", source, output);
    return hw_nvcc_run_tool(w, &args, source, "does not compile");
}

static hw_status write_file(hw_nvcc_work *w, const char *path, const void *bytes, size_t length) {
    int failure = hw_cache_write_file(path, bytes, length, w->arena);
    return failure ? hw_diag_set(w->diag, HW_IO, "cannot write %s: %s", path, strerror(failure)) : HW_OK;
}

static void set_piece(hw_nvcc_work *w, const char *source, int arch, const char *ptx, hw_fatbin_piece *piece) {
    *piece = (hw_fatbin_piece){.ptx = ptx, .length = ptx ? strlen(ptx) : 0, .cc = arch, .name = source,
                               .options = w->command->relocatable ? HW_FATBIN_RELOCATABLE : NULL};
}

static hw_status write_pieces(hw_nvcc_work *w, const hw_fatbin_piece *pieces, size_t count, const char *output) {
    uint8_t *bytes;
    size_t length;
    for (size_t i = 0; i < count; i++)
        if (!pieces[i].ptx) return hw_diag_no_memory(w->diag);
    hw_status status = hw_fatbin_write_all(pieces, count, &bytes, &length, w->diag);
    if (status) return status;
    status = write_file(w, output, bytes, length);
    hw_free(bytes);
    return status;
}

// What clang made, one file for each architecture, into a fat binary. pieces gets their texts, which name clang and its
// version, as reports do: clang itself leaves no version in them.
static hw_status wrap_own(hw_nvcc_work *w, const char *source, const char *const *ptx, const int *archs, size_t count,
                          hw_fatbin_piece *pieces, const char *output) {
    if (w->command->dry_run) return HW_OK;
    const char *maker = hw_compiler_name(w->route.compiler, w->settings->cache_dir, w->arena);
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *text = hw_cache_read_file(ptx[i], w->arena, &length);
        if (!text) return hw_diag_errno(w->diag, errno, "cannot read %s", ptx[i]);
        set_piece(w, source, archs[i], maker ? hw_arena_printf(w->arena, "%s" HW_PRODUCER_LINE, text, maker) : NULL,
                  &pieces[i]);
    }
    return write_pieces(w, pieces, count, output);
}

// nvcc labels the text with the architectures that are asked for, and ptxas refuses those that it is too new for.
hw_status hw_nvcc_wrap_ptx(hw_nvcc_work *w, const char *source, hw_fatbin_piece *pieces, size_t *count,
                           const char *output) {
    static const int unless_told[] = {HW_NVCC_DEFAULT_ARCH};
    const int *archs = w->command->n_archs ? w->command->archs : unless_told;
    size_t length;
    const char *text = hw_cache_read_file(source, w->arena, &length);
    *count = w->command->n_archs ? w->command->n_archs : 1;
    if (!text) return hw_diag_set(w->diag, HW_IO, "cannot read %s: %s", source, strerror(errno));
    const int target = hw_ptx_link_target(text, length);
    if (!target) return hw_diag_set(w->diag, HW_USAGE, "%s is no PTX: it has no line .target sm_NN", source);
    for (size_t i = 0; i < *count; i++) {
        if (target > archs[i])
            return hw_diag_set(w->diag, HW_USAGE,
                               "%s is for sm_%d, which is newer than compute_%d: -arch=sm_%d takes it", source, target,
                               archs[i], target);
        set_piece(w, source, archs[i], text, &pieces[i]);
    }
    return w->command->dry_run ? HW_OK : write_pieces(w, pieces, *count, output);
}

// Said once for each command, and only of what was asked for by name.
static void tell_nearest(hw_nvcc_work *w, int wanted, int arch) {
    if (w->has_told_nearest || !w->command->n_archs) return;
    const char *line = hw_arena_printf(w->arena, "clang %d has no compute_%d: compute_%d takes its place",
                                       w->route.compiler->clang_major, wanted, arch);
    if (line) w->settings->say(w->settings->user, line);
    w->has_told_nearest = true;
}

// What clang knows of the architectures that are wanted, each once.
hw_status hw_nvcc_choose_archs(hw_nvcc_work *w, int archs[HW_NVCC_MAX_ARCHS], size_t *count) {
    static const int unless_told[] = {HW_NVCC_DEFAULT_ARCH};
    const int *wanted = w->command->n_archs ? w->command->archs : unless_told;
    size_t n_wanted = w->command->n_archs ? w->command->n_archs : 1;
    *count = 0;
    for (size_t i = 0; i < n_wanted; i++) {
        int arch;
        size_t k = 0;
        hw_status status = hw_compiler_arch(w->route.compiler, wanted[i], w->arena, &arch, w->diag);
        if (status) return status;
        if (arch != wanted[i]) tell_nearest(w, wanted[i], arch);
        while (k < *count && archs[k] != arch) k++;
        if (k == *count) archs[(*count)++] = arch;
    }
    return HW_OK;
}

hw_status hw_nvcc_make_fatbin(hw_nvcc_work *w, const char *source, hw_fatbin_piece *pieces, size_t *count,
                              const char *output) {
    int archs[HW_NVCC_MAX_ARCHS];
    const char *ptx[HW_NVCC_MAX_ARCHS];
    hw_status status = hw_nvcc_choose_archs(w, archs, count);
    for (size_t i = 0; !status && i < *count; i++) {
        ptx[i] = hw_nvcc_work_file(w, ".ptx");
        status = hw_nvcc_make_ptx(w, source, archs[i], ptx[i]);
    }
    return status ? status : wrap_own(w, source, ptx, archs, *count, pieces, output);
}

// ---- Relocatable device code ----------------------------------------------------------------------------------------

// Functions that Halfwarp brings are wanted of no file: libdevice's, and those that src/exec/warp/builtin.c has.
static bool is_provided(const char *name) {
    static const char *const beginnings[] = {"__nv_", "__assertfail", "vprintf", "malloc", "free", "cuda"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return true;
    return false;
}

static bool is_declared_before(const hw_ptx_link_symbol *symbols, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (!strcmp(symbols[k].name, symbols[i].name) && symbols[k].is_defined == symbols[i].is_defined) return true;
    return false;
}

static bool is_defined_here(const hw_ptx_link_symbol *symbols, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (symbols[i].is_defined && !strcmp(symbols[i].name, name)) return true;
    return false;
}

// Device symbols as symbols of the object file, so that the host's linker takes from libraries what device code needs,
// and says what is missing or there twice. They are hidden: device code is linked within a program or a shared library.
// A header for the host pass, in assembly.
static hw_status write_symbols(hw_nvcc_work *w, const hw_ptx_link_symbol *symbols, size_t count, const char *output) {
    hw_args lines = {.arena = w->arena};
    hw_args_add(&lines, "asm(\".pushsection .halfwarp.device,\\\"aw\\\"\\n\"\n");
    for (size_t i = 0; i < count; i++) {
        const char *name = symbols[i].name;
        const bool is_wanted = !symbols[i].is_defined && !is_provided(name) && !is_defined_here(symbols, count, name);
        if (is_declared_before(symbols, i) || symbols[i].scope == HW_PTX_LINK_LOCAL) continue;
        if (symbols[i].is_defined)
            hw_args_addf(&lines, "\"%s __device_code.%s\\n.hidden __device_code.%s\\n__device_code.%s: .byte 0\\n\"\n",
                         symbols[i].scope == HW_PTX_LINK_WEAK ? ".weak" : ".globl", name, name, name);
        else if (is_wanted) hw_args_addf(&lines, "\".balign 8\\n.quad __device_code.%s\\n\"\n", name);
    }
    hw_args_add(&lines, "\".popsection\");\n");
    // clang has a file register itself only for a kernel or a variable, and not for functions that others call.
    hw_args_add(&lines, "namespace { __attribute__((used)) __global__ void __halfwarp_part() {} }\n");
    const char *text = hw_args_join(&lines);
    return text ? write_file(w, output, text, strlen(text)) : hw_diag_no_memory(w->diag);
}

// Host code of other files names a variable of the device by its stand-in on the host, which clang hides in its file.
static hw_status show_variables(hw_nvcc_work *w, const char *source, const hw_ptx_link_symbol *symbols, size_t count,
                                const char *object) {
    hw_args args = {.arena = w->arena};
    const char *objcopy = hw_process_find(w->settings->search_path, "objcopy", w->arena);
    hw_args_add(&args, objcopy ? objcopy : "");
    for (size_t i = 0; i < count; i++)
        if (symbols[i].is_variable && symbols[i].is_defined && symbols[i].scope == HW_PTX_LINK_VISIBLE)
            hw_args_addf(&args, "--globalize-symbol=%s", symbols[i].name);
    if (args.count < 2) return args.failed ? hw_diag_no_memory(w->diag) : HW_OK;
    if (!objcopy)
        return hw_diag_set(w->diag, HW_NOT_FOUND, "there is no objcopy on PATH, which -rdc=true needs for %s: install "
                           "binutils", source);
    hw_args_add(&args, object);
    return hw_nvcc_run_tool(w, &args, source, "its variables cannot be shared");
}

// ---- Object files ---------------------------------------------------------------------------------------------------

// The dependency file by itself: that of a pass with a header of ours would name it, which is gone when make looks, and
// -MMD would name those that were kept.
static hw_status write_dependencies(hw_nvcc_work *w, const char *source, const char *output) {
    hw_args args = {.arena = w->arena};
    if (!w->command->depends) return HW_OK;
    add_host_pass(w, &w->route, &args);
    hw_nvcc_add_dependencies(w, strcmp(w->command->depends, "-MD") ? "-MM" : "-M", output, &args);
    hw_args_add_words(&args, "-x cuda", ' ');
    hw_args_add(&args, source);
    return hw_nvcc_run_tool(w, &args, source, "does not compile");
}

// Beside the symbols of its own device code the object gets those that make it linkable, before its lasting name.
// host: the source of its host code.
static hw_status compile_relocatable(hw_nvcc_work *w, const char *source, const char *host,
                                     const hw_fatbin_piece *piece, const char *output) {
    hw_args args = {.arena = w->arena};
    hw_ptx_link_symbol *symbols = NULL;
    size_t count = 0, length;
    const char *object = hw_nvcc_work_file(w, ".o"), *header = hw_nvcc_work_file(w, ".h");
    hw_status status = HW_OK;
    if (!object || !header) return hw_diag_no_memory(w->diag);
    if (!w->command->dry_run) status = hw_ptx_link_list(piece->ptx, w->arena, &symbols, &count, w->diag);
    if (!status && !w->command->dry_run) status = write_symbols(w, symbols, count, header);
    if (!status && host == source) status = write_dependencies(w, source, output);
    const hw_clang_route route = with_headers(w, 0);
    add_host_pass(w, &route, &args);
    hw_args_add_words(&args, "-c -include", ' ');
    hw_args_add(&args, header);
    hw_nvcc_add_source(&args, "cuda", host, object);
    if (!status) status = hw_nvcc_run_tool(w, &args, source, "does not compile");
    if (!status) status = show_variables(w, source, symbols, count, object);
    if (status || w->command->dry_run) return status;
    const char *bytes = hw_cache_read_file(object, w->arena, &length);
    return bytes ? write_file(w, output, bytes, length)
                 : hw_diag_set(w->diag, HW_IO, "cannot read %s: %s", object, strerror(errno));
}

static hw_status compile_cuda(hw_nvcc_work *w, const char *source, const char *output) {
    hw_fatbin_piece pieces[HW_NVCC_MAX_ARCHS];
    size_t count;
    hw_args args = {.arena = w->arena};
    const char *fatbin = hw_nvcc_work_file(w, ".fatbin");
    if (!fatbin) return hw_diag_no_memory(w->diag);
    hw_status status = hw_nvcc_make_fatbin(w, source, pieces, &count, fatbin);
    if (status) return status;
    w->route.fatbin = fatbin;
    if (w->command->relocatable) return compile_relocatable(w, source, source, &pieces[count - 1], output);
    const hw_clang_route route = with_headers(w, 0);
    add_host_pass(w, &route, &args);
    hw_args_add(&args, "-c");
    const bool names_kept = route.headers && w->command->depends && strcmp(w->command->depends, "-MD") != 0;
    if (!names_kept) hw_nvcc_add_dependencies(w, w->command->depends, output, &args);
    hw_nvcc_add_source(&args, "cuda", source, output);
    status = hw_nvcc_run_tool(w, &args, source, "does not compile");
    return !status && names_kept ? write_dependencies(w, source, output) : status;
}

// PTX that other files' device code is linked to, in an object file without host code of its own.
static hw_status compile_ptx(hw_nvcc_work *w, const char *source, const char *output) {
    hw_fatbin_piece pieces[HW_NVCC_MAX_ARCHS];
    size_t count;
    const char *fatbin = hw_nvcc_work_file(w, ".fatbin");
    if (!fatbin) return hw_diag_no_memory(w->diag);
    hw_status status = hw_nvcc_wrap_ptx(w, source, pieces, &count, fatbin);
    w->route.fatbin = fatbin;
    return status ? status : compile_relocatable(w, source, "/dev/null", &pieces[count - 1], output);
}

static hw_status compile_host(hw_nvcc_work *w, hw_file_kind kind, const char *source, const char *output) {
    hw_args args = {.arena = w->arena};
    hw_nvcc_add_host(w, &args);
    hw_nvcc_add_host_flags(w, &args);
    hw_nvcc_add_dependencies(w, w->command->depends, output, &args);
    hw_args_add(&args, "-c");
    hw_nvcc_add_source(&args, kind == HW_FILE_C ? "c" : "c++", source, output);
    return hw_nvcc_run_tool(w, &args, source, "does not compile");
}

hw_status hw_nvcc_compile(hw_nvcc_work *w, const char *source, const char *output) {
    hw_file_kind kind = hw_nvcc_kind_of(w->command, source);
    const bool is_part = kind == HW_FILE_PTX && w->command->goal == HW_NVCC_OBJECT && w->command->relocatable;
    if (kind > HW_FILE_C && !is_part) return hw_nvcc_refuse_file(w, kind, source);
    if (access(source, R_OK) != 0)
        return hw_diag_set(w->diag, HW_IO, "cannot read %s: %s", source, strerror(errno));
    if (is_part) return compile_ptx(w, source, output);
    if (kind == HW_FILE_CUDA) return compile_cuda(w, source, output);
    return compile_host(w, kind, source, output);
}

