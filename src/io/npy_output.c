// Making a .npy file that is there whole or not at all.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/npy.h"

enum { NAME_ROOM = 48, MAX_NAMES = 1000, WRITE_STEP = 1 << 30 };

static hw_status refuse_output(const hw_npy_output *output, const char *what, int failure, hw_diag *diag) {
    return hw_diag_set_at(diag, HW_IO, output->path, 0, "cannot be %s: %s", what, strerror(failure));
}

static void set_output_tensor(hw_npy_output *output, const hw_npy_header *header) {
    void *data = output->map ? (char *)output->map + output->header_bytes : output->memory;
    output->tensor = (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = header->rank, .dtype = header->dtype,
                                .shape = output->shape};
}

// ---- Beside its place -----------------------------------------------------------------------------------------------

static void name_temporary(hw_npy_output *output, int number) {
    size_t room = strlen(output->path) + NAME_ROOM;
    snprintf(output->temporary, room, "%s.%ld-%d.tmp", output->path, (long)getpid(), number);
}

// A file without a name in the output's folder: it vanishes with the process, however that ends. -1 where the file
// system has no such files.
static int open_nameless(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder) return -1;
    memcpy(folder, path, length);
    strcpy(folder + length, ".");
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

// A new file, with a name that begins with the output's if it must have one. An older output's permissions are kept.
static hw_status open_temporary(hw_npy_output *output, const struct stat *older, hw_diag *diag) {
    output->temporary = hw_malloc(strlen(output->path) + NAME_ROOM);
    if (!output->temporary) return hw_diag_no_memory(diag);
    name_temporary(output, 0);
    output->file = open_nameless(output->path);
    output->is_nameless = output->file >= 0;
    for (int i = 0; output->file < 0 && i < MAX_NAMES; i++) {
        name_temporary(output, i);
        output->file = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file < 0 && errno != EEXIST) break;
    }
    if (output->file < 0) {
        hw_status status = refuse_output(output, "made", errno, diag);
        hw_free(output->temporary);
        output->temporary = NULL;
        return status;
    }
    if (older && fchmod(output->file, older->st_mode & 07777) != 0) return refuse_output(output, "made", errno, diag);
    return HW_OK;
}

static hw_status take_space(hw_npy_output *output, size_t bytes, hw_diag *diag) {
    int failure;
    do failure = posix_fallocate(output->file, 0, (off_t)bytes);
    while (failure == EINTR);
    if (failure == ENOSPC || failure == EDQUOT)
        return hw_diag_set_at(diag, HW_IO, output->path, 0, "no space left for its %zu bytes", bytes);
    if (failure == EFBIG)
        return hw_diag_set_at(diag, HW_IO, output->path, 0, "its %zu bytes are more than a file may have here", bytes);
    return failure ? refuse_output(output, "given its size", failure, diag) : HW_OK;
}

static hw_status map_temporary(hw_npy_output *output, hw_diag *diag) {
    size_t bytes = output->header_bytes + output->data_bytes;
    hw_status status = take_space(output, bytes, diag);
    if (status) return status;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, output->file, 0);
    if (map == MAP_FAILED) return refuse_output(output, "mapped", errno, diag);
    output->map = map;
    memcpy(map, output->header, output->header_bytes);
    return HW_OK;
}

// A link stays, and what it points to is replaced. A link to nothing is replaced itself.
static hw_status follow_links(hw_npy_output *output, hw_diag *diag) {
    char *real = realpath(output->path, NULL);
    if (!real) return HW_OK;
    hw_free(output->path);
    size_t bytes = strlen(real) + 1;
    output->path = hw_malloc(bytes);
    if (output->path) memcpy(output->path, real, bytes);
    free(real);
    return output->path ? HW_OK : hw_diag_no_memory(diag);
}

static hw_status begin_file(hw_npy_output *output, const struct stat *older, hw_diag *diag) {
    // A file that may not be written is not replaced, though its folder would allow it.
    if (older && access(output->path, W_OK) != 0) return refuse_output(output, "written", errno, diag);
    hw_status status = older ? follow_links(output, diag) : HW_OK;
    if (!status) status = open_temporary(output, older, diag);
    return status ? status : map_temporary(output, diag);
}

// ---- Into a stream --------------------------------------------------------------------------------------------------

static hw_status begin_stream(hw_npy_output *output, bool is_stdout, hw_diag *diag) {
    output->file = is_stdout ? dup(STDOUT_FILENO) : open(output->path, O_WRONLY | O_CLOEXEC);
    if (output->file < 0) return refuse_output(output, "written", errno, diag);
    output->memory = hw_malloc(output->data_bytes);
    return output->memory ? HW_OK : hw_diag_no_memory(diag);
}

static hw_status write_all(hw_npy_output *output, const void *bytes, size_t count, hw_diag *diag) {
    const char *at = bytes;
    while (count) {
        ssize_t n = write(output->file, at, count < WRITE_STEP ? count : WRITE_STEP);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return refuse_output(output, "written", errno, diag);
        at += n;
        count -= (size_t)n;
    }
    return HW_OK;
}

// ---- Either ---------------------------------------------------------------------------------------------------------

static hw_status open_npy_output(const hw_npy *input, bool is_stdout, hw_npy_output *output, hw_diag *diag) {
    struct stat info;
    bool exists = (is_stdout ? fstat(STDOUT_FILENO, &info) : stat(output->path, &info)) == 0;
    if (exists && S_ISDIR(info.st_mode)) return hw_diag_set_at(diag, HW_IO, output->path, 0, "is a folder");
    if (exists && S_ISREG(info.st_mode) && input && input->file_device == info.st_dev &&
        input->file_inode == info.st_ino)
        return hw_diag_set_at(diag, HW_USAGE, output->path, 0, "is the input, and the output must be another file");
    if (is_stdout || (exists && !S_ISREG(info.st_mode))) return begin_stream(output, is_stdout, diag);
    return begin_file(output, exists ? &info : NULL, diag);
}

hw_status hw_npy_create(const char *path, const hw_npy_header *header, const hw_npy *input, hw_npy_output *output,
                        hw_diag *diag) {
    bool is_stdout = strcmp(path, "-") == 0;
    const char *name = is_stdout ? "standard output" : path;
    *output = (hw_npy_output){.file = -1, .data_bytes = header->elem_bytes};
    for (int i = 0; i < header->rank; i++) {
        output->shape[i] = header->shape[i];
        if (__builtin_mul_overflow(output->data_bytes, (size_t)header->shape[i], &output->data_bytes))
            return hw_diag_set_at(diag, HW_USAGE, name, 0, "the size of its shape overflows");
    }
    output->header_bytes = hw_npy_header_format(header, output->header);
    output->path = hw_malloc(strlen(name) + 1);
    if (!output->path) return hw_diag_no_memory(diag);
    memcpy(output->path, name, strlen(name) + 1);
    hw_status status = *path ? open_npy_output(input, is_stdout, output, diag)
                             : hw_diag_set_at(diag, HW_USAGE, NULL, 0, "the output's name is empty");
    if (status) hw_npy_discard(output);
    else set_output_tensor(output, header);
    return status;
}

// A nameless file cannot replace another: it gets a name of its own for a moment. 0 or errno.
static int give_name(hw_npy_output *output) {
    char file[64];
    int failure = EEXIST;
    snprintf(file, sizeof file, "/proc/self/fd/%d", output->file);
    for (int i = 0; failure == EEXIST && i < MAX_NAMES; i++) {
        name_temporary(output, i);
        failure = linkat(AT_FDCWD, file, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    output->is_nameless = failure != 0;
    return failure;
}

static hw_status finish_file(hw_npy_output *output, hw_diag *diag) {
    int unnamed = output->is_nameless ? give_name(output) : 0;
    if (unnamed) return refuse_output(output, "written", unnamed, diag);
    int closed = close(output->file);   // where a file system over a network tells of what it could not write
    output->file = -1;
    if (closed != 0) return refuse_output(output, "written", errno, diag);
    if (rename(output->temporary, output->path) != 0) return refuse_output(output, "written", errno, diag);
    hw_free(output->temporary);
    output->temporary = NULL;
    return HW_OK;
}

hw_status hw_npy_commit(hw_npy_output *output, hw_diag *diag) {
    hw_status status;
    if (output->temporary) {
        munmap(output->map, output->header_bytes + output->data_bytes);
        output->map = NULL;
        status = finish_file(output, diag);
    } else {
        status = write_all(output, output->header, output->header_bytes, diag);
        if (!status) status = write_all(output, output->memory, output->data_bytes, diag);
    }
    hw_npy_discard(output);
    return status;
}

void hw_npy_discard(hw_npy_output *output) {
    if (!output->path) return;
    if (output->map) munmap(output->map, output->header_bytes + output->data_bytes);
    if (output->file >= 0) close(output->file);
    if (output->temporary && !output->is_nameless) unlink(output->temporary);
    hw_free(output->temporary);
    hw_free(output->memory);
    hw_free(output->path);
    *output = (hw_npy_output){.file = -1};
}
