// Opening a .npy file: a map of it where that can be, its bytes in memory otherwise.
#include "io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum { FIRST_BYTES = 12, MAX_HEADER_BYTES = 1 << 20, READ_STEP = 1 << 20 };

static void set_strides(hw_npy *npy) {
    int64_t stride = 1;
    for (int i = 0; i < npy->header.rank; i++) {
        npy->strides[i] = stride;
        if (npy->header.shape[i]) stride *= npy->header.shape[i];
    }
}

static void set_input_tensor(hw_npy *npy, void *data) {
    set_strides(npy);
    npy->tensor = (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = npy->header.rank, .dtype = npy->header.dtype,
                             .shape = npy->header.shape,
                             .strides = npy->header.fortran_order && npy->header.rank > 1 ? npy->strides : NULL};
}

static hw_status check_size(const hw_npy *npy, uint64_t file_bytes, const char *name, hw_diag *diag) {
    uint64_t wanted = npy->header.data_bytes, there = file_bytes - npy->header.data_offset;
    if (there == wanted) return HW_OK;
    if (there < wanted)
        return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "cut short: %llu byte%s of data, and its header says %llu",
                              (unsigned long long)there, there == 1 ? "" : "s", (unsigned long long)wanted);
    const bool is_one = there - wanted == 1;
    return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "%llu byte%s its array", (unsigned long long)(there - wanted),
                          is_one ? " follows" : "s follow");
}

// ---- A regular file -------------------------------------------------------------------------------------------------

// Elements at addresses that their size does not divide are copied to where it does.
static hw_status copy_odd_data(hw_npy *npy, hw_diag *diag) {
    const char *data = (const char *)npy->map + npy->header.data_offset;
    npy->memory = hw_malloc(npy->header.data_bytes);
    if (!npy->memory) return hw_diag_no_memory(diag);
    memcpy(npy->memory, data, npy->header.data_bytes);
    munmap(npy->map, npy->map_bytes);
    npy->map = NULL;
    set_input_tensor(npy, npy->memory);
    return HW_OK;
}

static hw_status open_map(int file, uint64_t bytes, const char *name, hw_npy *npy, hw_diag *diag) {
    // Nothing cannot be mapped.
    if (bytes == 0) return hw_npy_header_parse(NULL, 0, name, &npy->header, diag);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) return hw_diag_set_at(diag, HW_IO, name, 0, "cannot be mapped: %s", strerror(errno));
    npy->map = map;
    npy->map_bytes = bytes;
    hw_status status = hw_npy_header_parse(map, bytes, name, &npy->header, diag);
    if (!status) status = check_size(npy, bytes, name, diag);
    if (status) return status;
    if (npy->header.data_offset % npy->header.elem_bytes) return copy_odd_data(npy, diag);
    set_input_tensor(npy, (char *)map + npy->header.data_offset);
    return HW_OK;
}

// ---- A stream -------------------------------------------------------------------------------------------------------

// Reads up to `bytes` bytes of the file; fewer at its end.
static hw_status read_some(int file, void *to, size_t bytes, const char *name, size_t *got, hw_diag *diag) {
    *got = 0;
    while (*got < bytes) {
        ssize_t n = read(file, (char *)to + *got, bytes - *got);
        if (n == 0) break;
        if (n > 0) *got += (size_t)n;
        else if (errno != EINTR)
            return hw_diag_set_at(diag, HW_IO, name, 0, "cannot be read: %s", strerror(errno));
    }
    return HW_OK;
}

static hw_status read_npy_header(int file, const char *name, hw_npy *npy, hw_diag *diag) {
    uint8_t first[FIRST_BYTES];
    size_t got, length;
    hw_status status = read_some(file, first, sizeof first, name, &got, diag);
    if (!status) status = hw_npy_header_length(first, got, name, &length, diag);
    if (status) return status;
    if (length < sizeof first || length > MAX_HEADER_BYTES)
        return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "its header is no .npy header: its length is %zu", length);
    uint8_t *header = hw_malloc(length);
    if (!header) return hw_diag_no_memory(diag);
    memcpy(header, first, sizeof first);
    status = read_some(file, header + sizeof first, length - sizeof first, name, &got, diag);
    if (!status) status = hw_npy_header_parse(header, sizeof first + got, name, &npy->header, diag);
    hw_free(header);
    return status;
}

// Memory grows with what has come: a header may promise more than there is.
static hw_status read_data(int file, const char *name, hw_npy *npy, hw_diag *diag) {
    size_t wanted = npy->header.data_bytes, have = 0, room = 0;
    bool ended = false;
    while (have < wanted && !ended) {
        if (have == room) {
            room = wanted - room > room + READ_STEP ? 2 * room + READ_STEP : wanted;
            void *bigger = hw_realloc_array(npy->memory, room, 1);
            if (!bigger) return hw_diag_no_memory(diag);
            npy->memory = bigger;
        }
        size_t got, step = room - have < READ_STEP ? room - have : READ_STEP;
        hw_status status = read_some(file, (char *)npy->memory + have, step, name, &got, diag);
        if (status) return status;
        have += got;
        ended = got < step;
    }
    char more;
    size_t extra = 0;
    hw_status status = have == wanted ? read_some(file, &more, 1, name, &extra, diag) : HW_OK;
    if (status) return status;
    if (extra) return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "something follows its array");
    set_input_tensor(npy, npy->memory);
    return check_size(npy, npy->header.data_offset + have, name, diag);
}

// ---- Either ---------------------------------------------------------------------------------------------------------

static hw_status open_file(int file, const char *name, hw_npy *npy, hw_diag *diag) {
    struct stat info;
    if (fstat(file, &info) != 0) return hw_diag_set_at(diag, HW_IO, name, 0, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(info.st_mode)) return hw_diag_set_at(diag, HW_IO, name, 0, "is a folder");
    npy->file_device = info.st_dev;
    npy->file_inode = info.st_ino;
    // Standard input may be a file of which the beginning has been read.
    if (S_ISREG(info.st_mode) && lseek(file, 0, SEEK_CUR) == 0)
        return open_map(file, (uint64_t)info.st_size, name, npy, diag);
    hw_status status = read_npy_header(file, name, npy, diag);
    return status ? status : read_data(file, name, npy, diag);
}

hw_status hw_npy_open(const char *path, hw_npy *npy, hw_diag *diag) {
    *npy = (hw_npy){0};
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    int file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return hw_diag_set_at(diag, HW_IO, name, 0, "cannot be read: %s", strerror(errno));
    hw_status status = open_file(file, name, npy, diag);
    if (!is_stdin) close(file);
    if (status) hw_npy_close(npy);
    return status;
}

void hw_npy_close(hw_npy *npy) {
    if (npy->map) munmap(npy->map, npy->map_bytes);
    hw_free(npy->memory);
    *npy = (hw_npy){0};
}
