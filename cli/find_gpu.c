// The GPU that --gpu names: a row of the table, however it is spelled, or a file of the user's.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli.h"
#include "io/gpu_file.h"

// Files that were asked for, each read once, until the program ends.
typedef struct gpu_file {
    struct gpu_file *next;
    const hw_gpu *gpu;
    char *path;   // absolute
} gpu_file;
static gpu_file *gpu_files;

static const hw_gpu *remember_gpu_file(char *path, const hw_gpu *gpu) {
    gpu_file *file = malloc(sizeof *file);
    if (!file) {
        hw_cli_complain("out of memory");
        hw_gpu_close(gpu);
        free(path);
        return NULL;
    }
    *file = (gpu_file){gpu_files, gpu, path};
    gpu_files = file;
    return gpu;
}

static const hw_gpu *open_file(const char *word) {
    const hw_gpu *gpu;
    hw_diag diag = {0};
    char *path = realpath(word, NULL);
    for (const gpu_file *file = gpu_files; path && file; file = file->next) {
        if (strcmp(file->path, path)) continue;
        free(path);
        return file->gpu;
    }
    hw_status status = hw_gpu_open(word, &gpu, &diag);
    if (!status && path) return remember_gpu_file(path, gpu);
    if (!status) hw_gpu_close(gpu);   // gone between the two
    free(path);
    hw_cli_fail(status ? status : HW_IO, &diag);
    return NULL;
}

const char *hw_cli_gpu_word(const hw_gpu *gpu) {
    for (const gpu_file *file = gpu_files; file; file = file->next)
        if (file->gpu == gpu) return file->path;
    return gpu->id;
}

// ---- Names that are none --------------------------------------------------------------------------------------------

enum { MOST_NAMES = 1024, MOST_TOLD = 8 };

// "a, b, c or d", of more than eight the first ones and how many there are.
static void list_names(const char *const *names, size_t count, char *text, size_t text_bytes) {
    const size_t told = count > MOST_TOLD ? MOST_TOLD : count;
    hw_text list = hw_text_in(text, text_bytes);
    for (size_t i = 0; i < told; i++)
        hw_text_put(&list, "%s%s", !i ? "" : i + 1 == count ? " or " : ", ", names[i]);
    if (told < count) hw_text_put(&list, " or %zu more", count - told);
}

static const char *skip_separators(const char *text) { return text + strspn(text, " -_"); }

static bool id_begins_with(const char *id, const char *word) {
    for (word = skip_separators(word); *word; id++, word = skip_separators(word + 1)) {
        id = skip_separators(id);
        if (tolower((unsigned char)*id) != tolower((unsigned char)*word)) return false;
    }
    return true;
}

// The ids that begin as typed; where few do, of all GPUs that have the words somewhere. Too few letters mean nothing.
static size_t find_candidates(const char *word, const char **names) {
    enum { LEAST_BEGUN = 2, LEAST_INSIDE = 3 };
    const hw_gpu *gpu;
    size_t count = 0;
    for (size_t i = 0; strlen(word) >= LEAST_BEGUN && count < MOST_NAMES && (gpu = hw_gpu_at(i)); i++)
        if (id_begins_with(gpu->id, word)) names[count++] = gpu->id;
    if (count > 1 || strlen(word) < LEAST_INSIDE) return count;
    count = 0;
    for (size_t i = 0; count < MOST_NAMES && (gpu = hw_gpu_at(i)); i++)
        if (hw_gpu_has_words(gpu, word)) names[count++] = gpu->id;
    return count;
}

static void complain_unknown_gpu(const char *word) {
    const char *names[MOST_NAMES], *near;
    char list[512];
    const hw_gpu *gpu;
    size_t count = find_candidates(word, names);
    if (count > 1) {
        list_names(names, count, list, sizeof list);
        hw_cli_complain("'%s' could be %s; `halfwarp gpus %s` lists them", word, list, word);
        return;
    }
    near = count ? names[0] : NULL;
    for (count = 0; !near && count < MOST_NAMES && (gpu = hw_gpu_at(count)); count++) names[count] = gpu->id;
    if (!near) near = hw_suggest(word, names, count);
    if (near) hw_cli_complain("there is no GPU '%s'; did you mean '%s'? `halfwarp gpus` lists them", word, near);
    else hw_cli_complain("there is no GPU '%s'; `halfwarp gpus` lists them", word);
}

const hw_gpu *hw_cli_find_gpu(const char *word) {
    if (hw_gpu_is_file(word)) return open_file(word);
    const hw_gpu *gpu = hw_gpu_find(word);
    if (!gpu) complain_unknown_gpu(word);
    return gpu;
}
