// What the files share that do nvcc's work by clang: a command under way, its files and its processes.
#ifndef HW_TOOLCHAIN_NVCC_WORK_H
#define HW_TOOLCHAIN_NVCC_WORK_H

#include "toolchain/binary/fatbin.h"
#include "toolchain/binary/file_kind.h"
#include "toolchain/compilers/arguments.h"
#include "toolchain/compilers/clang_route.h"
#include "toolchain/nvcc/nvcc_route.h"
#include "toolchain/work_dir.h"

typedef struct hw_nvcc_work {
    const hw_nvcc_settings *settings;
    const hw_nvcc_command *command;
    hw_arena *arena;
    hw_arguments arguments;
    hw_clang_route route;
    hw_work_dir work_dir;          // goes when the command ends
    const char *host;              // the C++ compiler
    bool host_is_clang;            // under the name of a C compiler
    const char *include_dir, *lib_dir;
    bool has_told_nearest;         // of an architecture that clang does not know
    size_t n_files;                // made in work_dir
    int exit_status;               // of the last process
    hw_diag *diag;
} hw_nvcc_work;

// Shows the command if that is asked for, and runs it unless it is a dry run. HW_COMPILE where it fails.
hw_status hw_nvcc_run_tool(hw_nvcc_work *w, const hw_args *args, const char *file, const char *failed);

// A new name in work_dir. NULL where memory ran out.
const char *hw_nvcc_work_file(hw_nvcc_work *w, const char *ending);

// What a file is, by -x or its name; and why it is not what is wanted.
hw_file_kind hw_nvcc_kind_of(const hw_nvcc_command *command, const char *name);
hw_status hw_nvcc_refuse_file(hw_nvcc_work *w, hw_file_kind kind, const char *name);

// Sets w->host: what -ccbin names, a compiler or its folder; else g++, else clang.
hw_status hw_nvcc_find_host(hw_nvcc_work *w);

// Parts of command lines: option, which is -MD or the like, and its companions for what becomes `output`, where a
// dependency file is asked for; -x, the source and -o; the C++ compiler;
// what it is told of host code.
void hw_nvcc_add_dependencies(hw_nvcc_work *w, const char *option, const char *output, hw_args *args);
void hw_nvcc_add_source(hw_args *args, const char *language, const char *source, const char *output);
void hw_nvcc_add_host(hw_nvcc_work *w, hw_args *args);
void hw_nvcc_add_host_flags(hw_nvcc_work *w, hw_args *args);

// The architectures that PTX is made for: what clang knows of those that are wanted, each once.
hw_status hw_nvcc_choose_archs(hw_nvcc_work *w, int archs[HW_NVCC_MAX_ARCHS], size_t *count);

// A .cu file to PTX for one architecture; to a fat binary of all of them, whose texts are in pieces; a .ptx file to a
// fat binary; any source file to an object file.
hw_status hw_nvcc_make_ptx(hw_nvcc_work *w, const char *source, int arch, const char *output);
hw_status hw_nvcc_make_fatbin(hw_nvcc_work *w, const char *source, hw_fatbin_piece *pieces, size_t *count,
                              const char *output);
hw_status hw_nvcc_wrap_ptx(hw_nvcc_work *w, const char *source, hw_fatbin_piece *pieces, size_t *count,
                           const char *output);
hw_status hw_nvcc_compile(hw_nvcc_work *w, const char *source, const char *output);

#endif
