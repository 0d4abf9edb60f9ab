// Which compilers are on this machine, and what they can aim at.
#ifndef HW_TOOLCHAIN_COMPILERS_H
#define HW_TOOLCHAIN_COMPILERS_H

#include "base/arena.h"
#include "base/status.h"
#include "toolchain/args.h"
#include "toolchain/cache/hash.h"
#include "toolchain/toolchain.h"

enum { HW_CLANG_OLDEST = 14 };

typedef struct hw_compiler {
    hw_toolchain_compiler kind;
    const char *path;      // in the arena
    int clang_major;       // clang only
} hw_compiler;

// The one that the options ask for; what compilers were asked is kept in their cache_dir. HW_NOT_FOUND with a sentence
// that says what to install.
hw_status hw_compiler_choose(const hw_toolchain_options *options, hw_arena *arena, hw_compiler *compiler,
                             hw_diag *diag);

// The first nvcc on the path that is NVIDIA's; NULL: there is none, or memory ran out.
const char *hw_compiler_find_nvcc(const char *search_path, hw_arena *arena);

// The path without the folders whose nvcc is Halfwarp's own: for a real nvcc, or what stands for it, that looks for the
// next nvcc there, as ccache does. Those that have a shell or a C++ compiler as well stay. In the arena; NULL: memory
// ran out.
const char *hw_compiler_path_of_others(const char *search_path, hw_arena *arena);

// Does this nvcc start? HW_NOT_FOUND with a sentence that says what happens instead: it cannot be executed, or
// something that it needs is missing. Takes some milliseconds.
hw_status hw_compiler_check_nvcc(const char *path, hw_arena *arena, hw_diag *diag);

// Can it compile a file that has nothing in it? HW_NOT_FOUND when it cannot, with what nvcc says to it: there is no C++
// compiler that it takes, for one. To be asked when a file did not compile; takes most of a second.
hw_status hw_compiler_check_compiles(const char *path, hw_arena *arena, hw_diag *diag);

// The compute capability to compile for: the newest that the compiler knows and that is not newer than cc, else its
// oldest. Asks nvcc, which takes some milliseconds.
hw_status hw_compiler_arch(const hw_compiler *compiler, int cc, hw_arena *arena, int *arch, hw_diag *diag);

// Keeps in *best the better of it (0: none yet) and candidate, by that rule.
void hw_compiler_prefer_arch(int *best, int candidate, int cc);

// The next compute capability above arch that this clang compiles for; 0: none.
int hw_compiler_clang_arch_after(const hw_compiler *clang, int arch);
// "clang 14.0.6", "nvcc 13.0.88", by asking the program; "clang", "nvcc" when it does not answer. Takes some
// milliseconds the first time: the answer is kept by this process, and in cache_dir unless that is NULL or "". In the
// arena, or NULL when memory ran out. Any thread.
const char *hw_compiler_name(const hw_compiler *compiler, const char *cache_dir, hw_arena *arena);

// NN of the +ptxNN that this clang is given.
int hw_compiler_clang_ptx(int clang_major);

// Adds what tells this program from another version of it: where it really lies, size and time.
void hw_compiler_identify(const char *path, hw_hash *hash);

// The same of the CUDA headers that belong to us: name, size and time of each. NULL adds nothing.
void hw_compiler_identify_headers(const char *include_dir, hw_hash *hash);

// Where headers of the first CUDA programs are found (include_dir/old: cutil.h), behind the user's own folders. For
// clang and host compilers; and for nvcc, which takes a folder for a list of them, unless it is in quotes.
void hw_compiler_add_old_headers(const char *include_dir, hw_args *args);
void hw_compiler_add_old_headers_of_nvcc(const char *include_dir, hw_args *args);

#endif
