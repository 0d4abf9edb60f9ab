// Device code on disk: <cache>/<key>.code is one line,
//   halfwarp code 1 KEY ptx|cubin ARCH BYTES HASH
// and the code itself. HASH is of all that matters. A file that is not exactly what its line says counts as none, and
// is written again.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "toolchain/cache/cache.h"
#include "toolchain/device_code/device_code_internal.h"

static const char *path_of(const char *cache_dir, const hw_hash *key, hw_arena *arena) {
    char text[HW_HASH_TEXT];
    hw_hash_text(key, text);
    return hw_arena_printf(arena, "%s/%s.code", cache_dir, text);
}

// The line that belongs to this code, without its end.
static void describe_code(const hw_hash *key, const hw_code *code, char line[160]) {
    char key_text[HW_HASH_TEXT], hash_text[HW_HASH_TEXT];
    hw_hash hash = hw_hash_start();
    hw_hash_bytes(&hash, code->bytes, code->length);
    hw_hash_number(&hash, (uint64_t)code->arch);
    hw_hash_number(&hash, code->is_ptx);
    hw_hash_text(key, key_text);
    hw_hash_text(&hash, hash_text);
    snprintf(line, 160, "halfwarp code 1 %s %s %d %zu %s", key_text, code->is_ptx ? "ptx" : "cubin", code->arch,
             code->length, hash_text);
}

bool hw_code_cache_find(const char *cache_dir, const hw_hash *key, hw_arena *arena, hw_code *code) {
    const char *path = path_of(cache_dir, key, arena);
    size_t length = 0;
    char *text = path ? hw_cache_read_file(path, arena, &length) : NULL;
    char *end = text ? memchr(text, '\n', length) : NULL, kind[8] = "", expected[160];
    hw_code found = {.from_cache = true};
    if (!end) return false;
    *end = '\0';
    if (sscanf(text, "halfwarp code 1 %*32s %7s %d", kind, &found.arch) != 2) return false;
    found.is_ptx = !strcmp(kind, "ptx");
    found.bytes = end + 1;
    found.length = length - (size_t)(end + 1 - text);
    // Writing the line anew checks every word of it, the length and the hash among them.
    describe_code(key, &found, expected);
    if (strcmp(text, expected) != 0) return false;
    *code = found;
    return true;
}

void hw_code_cache_keep(const char *cache_dir, const hw_hash *key, hw_arena *arena, const hw_code *code) {
    char line[160];
    const char *path = path_of(cache_dir, key, arena);
    if (!path || hw_cache_prepare(cache_dir, NULL) != HW_OK) return;
    describe_code(key, code, line);
    size_t head = strlen(line) + 1;
    char *file = hw_arena_take(arena, head + code->length);
    if (!file) return;
    memcpy(file, line, head - 1);
    file[head - 1] = '\n';
    memcpy(file + head, code->bytes, code->length);
    hw_cache_write_file(path, file, head + code->length, arena);
}
