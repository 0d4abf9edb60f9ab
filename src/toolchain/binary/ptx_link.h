// Device code that is PTX: what a file defines and wants of others, several files put into one, and a part of one.
#ifndef HW_TOOLCHAIN_PTX_LINK_H
#define HW_TOOLCHAIN_PTX_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

typedef enum hw_ptx_link_scope {
    HW_PTX_LINK_LOCAL,
    HW_PTX_LINK_VISIBLE,
    HW_PTX_LINK_WEAK,
    HW_PTX_LINK_EXTERN,
} hw_ptx_link_scope;

// A function, kernel or variable (.global or .const) that a text declares outside of functions.
typedef struct hw_ptx_link_symbol {
    const char *name;            // in the arena
    hw_ptx_link_scope scope;      // LOCAL also for what C++ keeps to its file, whatever the text says of it
    bool is_variable, is_defined;
} hw_ptx_link_symbol;

// Every declaration of the text, in its order; a name may come twice. Of text that is no PTX something or nothing is
// found: the parser refuses it later. HW_NO_MEMORY.
hw_status hw_ptx_link_list(const char *ptx, hw_arena *arena, hw_ptx_link_symbol **symbols, size_t *count,
                           hw_diag *diag);

// 75 of a text's line ".target sm_75"; 0: it has none.
int hw_ptx_link_target(const char *ptx, size_t length);

// One text of several, in the arena, with a NUL behind it. Texts without a kernel or variable, and NVIDIA's cudadevrt,
// are left out unless another wants a function of theirs. Local names that another text has as well are renamed
// (hw_ptx_link_name), of weak definitions the first stays, files of .loc are numbered anew, sections of debuggers are
// left out. The version and target are the newest. HW_NO_MEMORY.
hw_status hw_ptx_link(const char *const *texts, size_t count, hw_arena *arena, char **linked, size_t *length,
                      hw_diag *diag);

// Is this kernel, by its mangled name, wanted?
typedef bool hw_ptx_link_filter(void *user, const char *kernel);

// The text with those kernels that are wanted alone, and with the functions and variables that these name, and those
// name in turn; in the arena, with a NUL behind it. *kernels: how many are wanted; with none the part is of no use.
// Comments stay, sections of debuggers do not, but for the names that .loc refers to. HW_NO_MEMORY.
hw_status hw_ptx_link_select(const char *ptx, hw_ptx_link_filter *is_wanted, void *user, hw_arena *arena, char **part,
                             size_t *length, size_t *kernels, hw_diag *diag);

// What a local name of text `part` is called if it was renamed. In out, cut to its size.
void hw_ptx_link_name(const char *name, size_t part, char *out, size_t out_bytes);

#endif
