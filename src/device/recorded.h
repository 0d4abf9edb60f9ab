// PTX of the library's own kernels that one compiler made, and that is part of the library (kernels/recorded/): what a
// simulated GPU counts of a ladder is then the same on every machine, with any compiler and with none. A kernel that
// nobody has recorded is compiled by what the machine has.
#ifndef HW_DEVICE_RECORDED_H
#define HW_DEVICE_RECORDED_H

#include "toolchain/cache/hash.h"
#include "toolchain/device_code/device_code.h"

// One of them. Made by cmake/embed_recorded.c; the last row is empty.
typedef struct hw_recorded {
    const char *key;                 // 32 hexadecimal digits: hw_recorded_key's
    int arch;                        // compute capability that it was compiled for
    const unsigned char *packed;     // by zstd
    size_t packed_bytes, bytes;
} hw_recorded;
extern const hw_recorded hw_recorded_table[];

// The architecture that the recording compiler would take for a GPU of capability cc.
int hw_recorded_arch(int cc);

// Stands for all that decides what the PTX is: the source, the headers of the request that it includes in turn, the
// defines, the architecture. Comments count.
hw_hash hw_recorded_key(const hw_code_request *request);

// HW_NOT_FOUND: nobody has recorded it. Otherwise *code is in the arena.
hw_status hw_recorded_find(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag);

// For tests, and for tools/record_kernels.sh by way of them: hears of every kernel that a simulated GPU asks for, until
// called again. Not for use while other threads ask for kernels.
typedef void hw_recorded_watcher(const hw_code_request *request, bool is_recorded);
void hw_recorded_watch(hw_recorded_watcher *watcher);
void hw_recorded_notice(const hw_code_request *request, bool is_recorded);

#endif
