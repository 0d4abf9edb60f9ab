// Device code that a program gives the driver: PTX, containers, the structs around them; in memory or a file.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "shim/container.h"
#include "shim/cuda/driver.h"
#include "shim/environment.h"

// Names of what is not in a file; messages begin with the program's.
extern char *program_invocation_short_name;

static void name_image(hw_rt_code *code) {
    if (!code->name[0]) snprintf(code->name, sizeof code->name, "%s.ptx", program_invocation_short_name);
}

hw_rt_status hw_cuda_read_image(const void *image, hw_rt_code *code, hw_diag *diag) {
    hw_runtime *runtime = hw_shim_runtime();
    hw_rt_status status;
    if (!image) return HW_RT_INVALID_VALUE;
    if (hw_shim_is_wrapper(image)) status = hw_shim_unpack(image, hw_rt_gpu(runtime)->arch->cc, code, diag);
    else
        status = hw_rt_read_code(runtime, image, hw_shim_readable_bytes(image), program_invocation_short_name, code,
                                 diag);
    if (status) hw_cuda_tell_bad_image(image, status, diag);
    else name_image(code);
    return status;
}

// A file's bytes with a NUL behind them, freed with hw_free; NULL: it cannot be read.
static char *read_bytes(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    const bool can_seek = fseek(file, 0, SEEK_END) == 0;
    const long length = can_seek ? ftell(file) : -1;
    char *data = length >= 0 ? hw_malloc((size_t)length + 1) : NULL;
    rewind(file);
    *bytes = data ? fread(data, 1, (size_t)length, file) : 0;
    if (data) data[*bytes] = '\0';
    fclose(file);
    return data;
}

hw_rt_status hw_cuda_read_file(const char *path, hw_rt_code *code, hw_diag *diag) {
    size_t bytes;
    if (!path) return HW_RT_INVALID_VALUE;
    char *data = read_bytes(path, &bytes);
    if (!data) return HW_RT_NO_FILE;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const hw_rt_status status = hw_rt_read_code(hw_shim_runtime(), data, bytes + 1, name, code, diag);
    hw_free(data);
    if (status) hw_cuda_tell_bad_image(NULL, status, diag);
    else if (!code->name[0]) snprintf(code->name, sizeof code->name, "%s", name);
    return status;
}

// What Halfwarp cannot do takes the run's credibility; what is no PTX is the program's own mistake.
void hw_cuda_tell_bad_image(const void *image, hw_rt_status status, const hw_diag *diag) {
    char text[sizeof *diag + 32], message[sizeof text + 300];
    if (!diag->text[0]) return;
    hw_diag_format(diag, text, sizeof text);
    const char *library = image ? hw_library_of(image) : NULL;
    snprintf(message, sizeof message, "%s%s%s", library ? library : "", library ? ": " : "", text);
    hw_shim_complain(message, status == HW_RT_NO_IMAGE || status == HW_RT_NOT_SUPPORTED ? HW_EXIT_UNSUPPORTED : 0);
}
