// GPUs of users' own: a JSON object of a file, with the keys of gpu_fields.def, as `halfwarp gpus --format json` writes
// them. docs/how-to-add-a-gpu.md describes the format.
#ifndef HW_IO_GPU_FILE_H
#define HW_IO_GPU_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "isa/gpu.h"

typedef enum hw_gpu_kind { HW_GPU_TEXT, HW_GPU_CAPABILITY, HW_GPU_U32, HW_GPU_U64, HW_GPU_REAL } hw_gpu_kind;

// A row of gpu_fields.def.
typedef struct hw_gpu_field {
    const char *key;
    hw_gpu_kind kind;
    size_t offset;        // in hw_gpu
    double least, most;
} hw_gpu_field;

// In the order of the table, NULL past the end.
const hw_gpu_field *hw_gpu_field_at(size_t index);

// Does --gpu take the word for a file? It does when the word has a slash in it, or ends in ".json".
bool hw_gpu_is_file(const char *word);

// The GPU of a name (hw_gpu_find) or of a file. Close the GPU with hw_gpu_close when nothing uses it any more; for a
// row of gpus.def that does nothing. HW_USAGE: there is no such GPU; HW_IO: the file cannot be read; HW_MALFORMED: it
// is no GPU, with file, line and key in the sentence; HW_NO_MEMORY.
hw_status hw_gpu_open(const char *word, const hw_gpu **out, hw_diag *diag);
void hw_gpu_close(const hw_gpu *gpu);   // NULL is allowed

// The GPU that a file's text describes: length bytes, which need no NUL. path is for messages, and gives the GPU's id
// where the text has none. Reads nothing else; the same text gives the same GPU.
hw_status hw_gpu_parse(const char *text, size_t length, const char *path, const hw_gpu **out, hw_diag *diag);

// Writes an array of objects, one per GPU; hw_gpu_parse accepts an array of one object. Keys without a text are left
// out. False: out of memory. The caller checks `out` for errors of writing.
bool hw_gpu_write_json(const hw_gpu *const *gpus, size_t count, FILE *out);

#endif
