// What nvcc's command line asks for; the table is nvcc.def.
#ifndef HW_TOOLCHAIN_NVCC_OPTIONS_H
#define HW_TOOLCHAIN_NVCC_OPTIONS_H

#include "base/status.h"
#include "toolchain/args.h"
#include "toolchain/toolchain.h"

typedef enum hw_nvcc_goal {
    HW_NVCC_PROGRAM,
    HW_NVCC_RUN,                 // a program, made or already there
    HW_NVCC_OBJECT,
    HW_NVCC_DEVICE_LINK,
    HW_NVCC_LIBRARY,
    HW_NVCC_PREPROCESSED,
    HW_NVCC_DEPENDENCIES,
    HW_NVCC_USER_DEPENDENCIES,   // without system headers
    HW_NVCC_PTX,
    HW_NVCC_FATBIN,
    HW_NVCC_CUBIN,               // a fat binary of one architecture, in its place
} hw_nvcc_goal;

enum { HW_NVCC_MAX_ARCHS = 16 };

// All strings are in the arena, or the caller's.
typedef struct hw_nvcc_command {
    hw_nvcc_goal goal;
    hw_toolchain_compiler compiler;
    const char *output, *output_dir;
    const char *language;              // "cu", "c++", "c", or NULL: by the file's name
    const char *host_compiler, *archiver;
    hw_args inputs;
    hw_args passed;                    // for hw_arguments_sort
    hw_args forwarded, linked;         // words that only the C++ compiler, or the linker, may know
    hw_args archiver_options, run_arguments;
    const char *depends;               // "-MD" or "-MMD"; NULL: no dependency file
    const char *depends_file;          // NULL: named after the output
    hw_args depends_words;             // -MT TARGET, -MP
    hw_args told;                      // "--keep is ignored: ...", one for each option
    int archs[HW_NVCC_MAX_ARCHS];      // the capabilities that PTX is wanted for, each once
    size_t n_archs;
    bool relocatable, shared, verbose, dry_run, has_runtime;
} hw_nvcc_command;

// Reads the words; those of an --options-file stand where it is named. HW_USAGE: a word that is not understood; HW_IO.
hw_status hw_nvcc_parse(const hw_args *words, hw_arena *arena, hw_nvcc_command *command, hw_diag *diag);

// Only what files are named, in inputs, output and output_dir: for a command that the real nvcc carries out, which may
// know options that we don't. HW_NO_MEMORY alone is a failure.
hw_status hw_nvcc_read_names(const hw_args *words, hw_arena *arena, hw_nvcc_command *command, hw_diag *diag);

// Adds the words of a text as a shell would split them: blanks, quotes, backslashes.
void hw_nvcc_add_text(hw_args *words, const char *text);

// Adds words, those of each --options-file in its place. HW_IO when one cannot be read, HW_USAGE when one names itself.
hw_status hw_nvcc_expand(hw_args *expanded, const char *const *words, size_t count, hw_diag *diag);

// What -o says; else "dir/scan.cu" and ".o" to "scan.o", in the output folder. NULL where memory ran out.
const char *hw_nvcc_output(const hw_nvcc_command *command, const char *input, const char *ending, hw_arena *arena);

// "compute_80", "sm_90a", "lto_75" to 80, 90, 75; 0: it is none.
int hw_nvcc_read_arch(const char *text);

#endif
