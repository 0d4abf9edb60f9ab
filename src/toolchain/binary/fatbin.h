// The container that device code travels in. Layout found by looking at what nvcc 13 writes, and read the same way from
// CUDA 11 and 12 programs; every multi-byte field is little-endian:
//   container  u32 magic 0xBA55ED50, u16 version 1, u16 header bytes (16), u64 bytes of entries
//   entry      u16 kind, u16, u32 header bytes, u64 payload bytes, u32 compressed bytes, u32 offset of the options,
//              u16 minor, u16 major (of the PTX ISA), u32 compute capability, u32 name offset, u32 name bytes,
//              u64 flags, u64, u64 uncompressed bytes, then name, options {u32 offset, u32 bytes}, then the payload
#ifndef HW_TOOLCHAIN_FATBIN_H
#define HW_TOOLCHAIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define HW_FATBIN_MAGIC 0xBA55ED50u

// A container in the caller's memory, which must outlive it.
typedef struct hw_fatbin {
    const uint8_t *entries;
    size_t bytes;            // of all entries
    size_t total_bytes;      // with the header
} hw_fatbin;

typedef enum hw_fatbin_kind { HW_FATBIN_PTX = 1, HW_FATBIN_CUBIN = 2 } hw_fatbin_kind;   // others exist: skip them

typedef enum hw_fatbin_packing {
    HW_FATBIN_PLAIN,
    HW_FATBIN_LZ4,
    HW_FATBIN_ZSTD,
    HW_FATBIN_UNKNOWN_PACKING,
} hw_fatbin_packing;

typedef struct hw_fatbin_entry {
    unsigned kind;                     // hw_fatbin_kind or another number
    int cc;                            // 90 for compute_90
    bool cc_only;                      // compute_90a, compute_100f: for that GPU (family) alone
    int isa_major, isa_minor;
    hw_fatbin_packing packing;
    const uint8_t *payload;
    size_t payload_bytes, unpacked_bytes;
    const char *name, *options;        // of that many bytes, without a NUL; options are ptxas's
    size_t name_bytes, options_bytes;
} hw_fatbin_entry;

// Checks the header and that the whole container lies in the readable bytes. HW_MALFORMED otherwise.
hw_status hw_fatbin_open(const void *data, size_t readable_bytes, hw_fatbin *fatbin, hw_diag *diag);

// The entry at *cursor (0 to begin), and moves on. HW_NOT_FOUND, without a message, after the last; HW_MALFORMED.
hw_status hw_fatbin_next(const hw_fatbin *fatbin, size_t *cursor, hw_fatbin_entry *entry, hw_diag *diag);

// An entry's payload, unpacked, with a NUL behind it; the caller frees *text with hw_free. For PTX, *length is without
// the NULs that end the text.
hw_status hw_fatbin_unpack(const hw_fatbin_entry *entry, char **text, size_t *length, hw_diag *diag);

// The PTX that a GPU of capability cc would be given: the newest that is not newer than it; where all are newer, the
// oldest. Text that names no compiler gets a last line with the one that likely made it (producer.h). HW_NOT_FOUND,
// with the sentence for the user, when there is machine code only. entry may be NULL.
hw_status hw_fatbin_ptx(const hw_fatbin *fatbin, int cc, char **text, size_t *length, hw_fatbin_entry *entry,
                        hw_diag *diag);

// The machine code that a GPU of capability cc would be given: the newest of its generation that is not newer than it.
// The caller frees *code with hw_free. HW_NOT_FOUND, without a message: there is none.
hw_status hw_fatbin_machine_code(const hw_fatbin *fatbin, int cc, char **code, size_t *length, hw_fatbin_entry *entry,
                                 hw_diag *diag);

// Was this entry compiled to be linked to other files' code (HW_FATBIN_RELOCATABLE)?
bool hw_fatbin_is_relocatable(const hw_fatbin_entry *entry);

// PTX to be put into a container. name and options may be NULL.
typedef struct hw_fatbin_piece {
    const char *ptx;
    size_t length;
    int cc;
    const char *name, *options;        // options: as ptxas would be given them; HW_FATBIN_RELOCATABLE or none
} hw_fatbin_piece;

// The option of ptxas with which code is compiled that other files' code is to be linked to.
#define HW_FATBIN_RELOCATABLE "--compile-only"

// A container with the PTX of one file, for one capability or several; *out is freed with hw_free.
hw_status hw_fatbin_write_all(const hw_fatbin_piece *pieces, size_t count, uint8_t **out, size_t *out_bytes,
                              hw_diag *diag);

// The same of one piece without options.
hw_status hw_fatbin_write(const char *ptx, size_t length, int cc, const char *name, uint8_t **out, size_t *out_bytes,
                          hw_diag *diag);

#endif
