// Finding recorded PTX by what it was made of.
#include "device/recorded.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "toolchain/binary/producer.h"

static hw_recorded_watcher *watcher;

void hw_recorded_watch(hw_recorded_watcher *wanted) { watcher = wanted; }

void hw_recorded_notice(const hw_code_request *request, bool is_recorded) {
    if (watcher) watcher(request, is_recorded);
}

// NVRTC 13.0 compiles for 7.5 and newer.
int hw_recorded_arch(int cc) { return cc < 75 ? 75 : cc; }

static const hw_source_file *find_header(const hw_code_request *request, const char *name, size_t length) {
    for (size_t i = 0; i < request->n_headers; i++)
        if (strlen(request->headers[i].path) == length && !memcmp(request->headers[i].path, name, length))
            return &request->headers[i];
    return NULL;
}

// A header that is included twice counts twice: none includes itself, so this ends.
static void add_source(const hw_code_request *request, const hw_source_file *source, hw_hash *key) {
    static const char word[] = "#include \"";
    hw_hash_string(key, source->path);
    hw_hash_string(key, source->text);
    for (const char *at = source->text; (at = strstr(at, word)); at++) {
        const char *name = at + sizeof word - 1;
        const hw_source_file *header = find_header(request, name, strcspn(name, "\"\n"));
        if (header && header != source) add_source(request, header, key);
    }
}

hw_hash hw_recorded_key(const hw_code_request *request) {
    hw_hash key = hw_hash_start();
    add_source(request, &request->source, &key);
    for (size_t i = 0; i < request->n_defines; i++) hw_hash_string(&key, request->defines[i]);
    hw_hash_number(&key, (uint64_t)hw_recorded_arch(request->cc));
    return key;
}

hw_status hw_recorded_find(const hw_code_request *request, hw_arena *arena, hw_code *code, hw_diag *diag) {
    char key[HW_HASH_TEXT];
    const hw_hash hash = hw_recorded_key(request);
    const hw_recorded *row = hw_recorded_table;
    hw_hash_text(&hash, key);
    while (row->key && strcmp(row->key, key) != 0) row++;
    if (!row->key) return HW_NOT_FOUND;
    char *text = hw_arena_take(arena, row->bytes + 1);
    if (!text) return hw_diag_no_memory(diag);
    size_t length = ZSTD_decompress(text, row->bytes, row->packed, row->packed_bytes);
    if (ZSTD_isError(length) || length != row->bytes) return HW_NOT_FOUND;   // the decompressor's lack of memory
    text[length] = '\0';
    *code = (hw_code){.bytes = text, .length = length, .is_ptx = true, .arch = row->arch, .from_cache = true};
    hw_producer_of_ptx(text, length, code->made_by, sizeof code->made_by);
    return HW_OK;
}
