// NumPy's .npy files: an array in, memory-mapped, and an array out, whole or not at all.
// Source: numpy/lib/format.py (NEP 1), format versions 1.0, 2.0 and 3.0.
#ifndef HW_IO_NPY_H
#define HW_IO_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "halfwarp.h"

enum {
    HW_NPY_MAX_RANK = 32,
    HW_NPY_HEADER_BYTES = 1024,   // more than any header that hw_npy_header_format writes
};

// What a file says of its array.
typedef struct hw_npy_header {
    char descr[40];          // the dtype as NumPy writes it: "<f4", "|S8", ">M8[ns]"
    DLDataType dtype;        // S, U and V: unsigned integers of their size
    uint32_t elem_bytes;     // 1, 2, 4, 8 or 16
    uint32_t swap_bytes;     // bytes of each number when they are not in this machine's order (a complex number is two,
                             // text one for each letter); 0: they are
    bool fortran_order;      // the first axis varies fastest
    int rank;
    int64_t shape[HW_NPY_MAX_RANK];
    uint64_t data_offset, data_bytes;   // in the file; their sum fits a size_t
} hw_npy_header;

// Reads the header at the beginning of n_bytes; the data need not be there. name: the file's, for messages.
// HW_MALFORMED: not such a file, cut short, or a size that overflows; HW_UNSUPPORTED, naming it: a dtype with fields or
// Python objects, elements of other sizes, more axes than HW_NPY_MAX_RANK, a newer format.
hw_status hw_npy_header_parse(const void *bytes, size_t n_bytes, const char *name, hw_npy_header *header,
                              hw_diag *diag);

// How much of a file must be there for hw_npy_header_parse; given its first 12 bytes. Same errors.
hw_status hw_npy_header_length(const void *bytes, size_t n_bytes, const char *name, size_t *length, hw_diag *diag);

// Writes what np.save (NumPy 1.23 to 2) puts before an array in C order; descr and shape are read. Returns the length,
// a multiple of 64.
size_t hw_npy_header_format(const hw_npy_header *header, char text[HW_NPY_HEADER_BYTES]);

// ---- In -------------------------------------------------------------------------------------------------------------

// An open file. Points into itself: not to be copied.
typedef struct hw_npy {
    hw_npy_header header;
    DLTensor tensor;                      // over the data, read only, kDLCPU; strides NULL in C order
    int64_t strides[HW_NPY_MAX_RANK];
    void *map;                            // of the whole file; NULL: the data was read into memory
    size_t map_bytes;
    void *memory;
    uint64_t file_device, file_inode;     // which file it is
} hw_npy;

// Maps a regular file (data at an odd place in it is copied), reads anything else to its end. "-": standard input.
// Zero-initialised on failure. HW_IO, HW_NO_MEMORY, and hw_npy_header_parse's; HW_MALFORMED: the data is cut short, or
// something follows it. Free with hw_npy_close. A file that another process cuts short later gives SIGBUS.
hw_status hw_npy_open(const char *path, hw_npy *npy, hw_diag *diag);
void hw_npy_close(hw_npy *npy);

// ---- Out ------------------------------------------------------------------------------------------------------------

// A file being made. Points into itself: not to be copied.
typedef struct hw_npy_output {
    DLTensor tensor;                      // to be filled: C order, kDLCPU, its data at a multiple of 16 bytes
    int64_t shape[HW_NPY_MAX_RANK];
    char *path;                           // to be
    char *temporary;                      // the file's name until hw_npy_commit; NULL: nothing is written before
                                          // hw_npy_commit
    bool is_nameless;                     // with temporary NULL: the file exists without a name until hw_npy_commit
    char header[HW_NPY_HEADER_BYTES];
    size_t header_bytes, data_bytes;
    int file;
    void *map, *memory;
} hw_npy_output;

// Begins an array of header's dtype and shape (its other members are not read). A regular file gets its whole size now,
// under a temporary name in its folder, and is mapped; "-" (standard output), a pipe or a device gets everything from
// memory in hw_npy_commit. input, which may be NULL, is refused as the output by whatever name (HW_USAGE). HW_IO: the
// file cannot be made, or the disk is too small for it; HW_NO_MEMORY. Nothing is left behind on failure.
hw_status hw_npy_create(const char *path, const hw_npy_header *header, const hw_npy *input, hw_npy_output *output,
                        hw_diag *diag);
// The array is complete: gives the file its name, in place of an older one. HW_IO. Frees everything, also on failure,
// when no file is left behind.
hw_status hw_npy_commit(hw_npy_output *output, hw_diag *diag);
// The array is not wanted: removes the temporary file, frees everything. Allowed twice, and after hw_npy_commit.
void hw_npy_discard(hw_npy_output *output);

#endif
