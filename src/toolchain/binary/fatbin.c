// Reading fat binaries. Nothing in them is trusted: every offset and size is checked against what is there.
#define _GNU_SOURCE
#include "toolchain/binary/fatbin.h"

#include <stdio.h>
#include <string.h>

#include <lz4.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "toolchain/binary/producer.h"

enum {
    CONTAINER_BYTES = 16,
    ENTRY_BYTES = 64,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_OLD_PACKING = 0x1000,     // before CUDA 4; the method is not public
    FLAG_ARCH_SPECIFIC = 0x100000,
    FLAG_FAMILY_SPECIFIC = 0x200000,
};

// A header's word is believed up to this much PTX; a real program's is some megabytes.
#define MAX_UNPACKED ((uint64_t)256 << 20)

static uint16_t read16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t read32(const uint8_t *p) { return read16(p) | (uint32_t)read16(p + 2) << 16; }
static uint64_t read64(const uint8_t *p) { return read32(p) | (uint64_t)read32(p + 4) << 32; }

hw_status hw_fatbin_open(const void *data, size_t readable_bytes, hw_fatbin *fatbin, hw_diag *diag) {
    const uint8_t *p = data;
    if (readable_bytes < CONTAINER_BYTES)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: only %zu bytes", readable_bytes);
    if (read32(p) != HW_FATBIN_MAGIC)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: begins with 0x%08x and not with 0x%08x", read32(p),
                           HW_FATBIN_MAGIC);
    if (read16(p + 4) != 1)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: version %u, and only version 1 is known", read16(p + 4));
    size_t header_bytes = read16(p + 6);
    uint64_t bytes = read64(p + 8);
    if (header_bytes < CONTAINER_BYTES || header_bytes > readable_bytes || bytes > readable_bytes - header_bytes)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: says %llu bytes after a header of %zu, and %zu are there",
                           (unsigned long long)bytes, header_bytes, readable_bytes);
    *fatbin = (hw_fatbin){p + header_bytes, (size_t)bytes, header_bytes + (size_t)bytes};
    return HW_OK;
}

// The options are described by {offset, bytes} at the place that the entry's header names.
static void find_options(const uint8_t *head, size_t head_bytes, hw_fatbin_entry *entry) {
    size_t place = read32(head + 20);
    if (place < ENTRY_BYTES || place + 8 > head_bytes) return;
    size_t at = read32(head + place), bytes = read32(head + place + 4);
    if (at > head_bytes || bytes > head_bytes - at) return;
    entry->options = (const char *)head + at;
    entry->options_bytes = bytes;
}

static void find_name(const uint8_t *head, size_t head_bytes, hw_fatbin_entry *entry) {
    size_t at = read32(head + 32), bytes = read32(head + 36);
    if (at > head_bytes || bytes > head_bytes - at) return;
    entry->name = (const char *)head + at;
    entry->name_bytes = bytes;
}

static hw_fatbin_packing packing_of(uint64_t flags) {
    switch (flags & (FLAG_LZ4 | FLAG_ZSTD | FLAG_OLD_PACKING)) {
    case 0: return HW_FATBIN_PLAIN;
    case FLAG_LZ4: return HW_FATBIN_LZ4;
    case FLAG_ZSTD: return HW_FATBIN_ZSTD;
    default: return HW_FATBIN_UNKNOWN_PACKING;
    }
}

hw_status hw_fatbin_next(const hw_fatbin *fatbin, size_t *cursor, hw_fatbin_entry *entry, hw_diag *diag) {
    if (*cursor >= fatbin->bytes) return HW_NOT_FOUND;
    const uint8_t *head = fatbin->entries + *cursor;
    size_t left = fatbin->bytes - *cursor;
    if (left < ENTRY_BYTES)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: %zu bytes after the last entry", left);
    size_t head_bytes = read32(head + 4);
    uint64_t room = read64(head + 8), packed = read32(head + 16), flags = read64(head + 40);
    if (head_bytes < ENTRY_BYTES || head_bytes > left || room > left - head_bytes || packed > room)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: the entry at byte %zu reaches beyond the end", *cursor);

    *entry = (hw_fatbin_entry){
        .kind = read16(head),
        .cc = read32(head + 28) <= 9999 ? (int)read32(head + 28) : 9999,
        .cc_only = (flags & (FLAG_ARCH_SPECIFIC | FLAG_FAMILY_SPECIFIC)) != 0,
        .isa_major = read16(head + 26),
        .isa_minor = read16(head + 24),
        .packing = packing_of(flags),
        .payload = head + head_bytes,
    };
    // Payloads are padded to a multiple of 8; only a compressed one says its true size.
    entry->payload_bytes = (size_t)(entry->packing == HW_FATBIN_PLAIN ? room : packed);
    uint64_t unpacked = entry->packing == HW_FATBIN_PLAIN ? room : read64(head + 56);
    entry->unpacked_bytes = unpacked < SIZE_MAX ? (size_t)unpacked : SIZE_MAX;
    find_name(head, head_bytes, entry);
    find_options(head, head_bytes, entry);
    *cursor += head_bytes + (size_t)room;
    return HW_OK;
}

static int unpack_into(const hw_fatbin_entry *entry, char *to) {
    size_t size = entry->unpacked_bytes;
    if (entry->packing == HW_FATBIN_PLAIN) {
        memcpy(to, entry->payload, size);
        return 1;
    }
    if (entry->packing == HW_FATBIN_ZSTD)
        return ZSTD_decompress(to, size, entry->payload, entry->payload_bytes) == size;
    return entry->payload_bytes <= LZ4_MAX_INPUT_SIZE &&
           LZ4_decompress_safe((const char *)entry->payload, to, (int)entry->payload_bytes, (int)size) == (int)size;
}

hw_status hw_fatbin_unpack(const hw_fatbin_entry *entry, char **text, size_t *length, hw_diag *diag) {
    if (entry->packing == HW_FATBIN_UNKNOWN_PACKING)
        return hw_diag_set(diag, HW_UNSUPPORTED, "fat binary: compressed neither with LZ4 nor with zstd");
    if (entry->unpacked_bytes > MAX_UNPACKED)
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: says that an entry unpacks to %zu bytes",
                           entry->unpacked_bytes);
    char *unpacked = hw_malloc(entry->unpacked_bytes + 1);
    if (!unpacked) return hw_diag_no_memory(diag);
    if (!unpack_into(entry, unpacked)) {
        hw_free(unpacked);
        return hw_diag_set(diag, HW_MALFORMED, "fat binary: an entry of %zu bytes does not unpack to %zu",
                           entry->payload_bytes, entry->unpacked_bytes);
    }
    size_t used = entry->unpacked_bytes;
    unpacked[used] = '\0';
    if (entry->kind == HW_FATBIN_PTX)
        while (used && !unpacked[used - 1]) used--;
    *text = unpacked;
    *length = used;
    return HW_OK;
}

// Lower is better. Entries for one GPU alone count only where nothing else does.
static int distance(const hw_fatbin_entry *entry, int cc) {
    int family = entry->cc / 10 == cc / 10;
    if (entry->cc_only && !family) return 30000 + entry->cc;
    return entry->cc <= cc ? cc - entry->cc : 10000 + entry->cc;
}

// By the first machine code beside the PTX, if there is any.
static bool infer_producer(const hw_fatbin *fatbin, const char *text, size_t length, char *name, size_t name_bytes) {
    hw_fatbin_entry entry;
    size_t cursor = 0, code_bytes = 0;
    char *code = NULL;
    while (!code && hw_fatbin_next(fatbin, &cursor, &entry, NULL) == HW_OK)
        if (entry.kind == HW_FATBIN_CUBIN && hw_fatbin_unpack(&entry, &code, &code_bytes, NULL)) code = NULL;
    bool is_inferred = hw_producer_infer(text, length, code, code_bytes, name, name_bytes);
    hw_free(code);
    return is_inferred;
}

// PTX that names no compiler gets a last line that does, where the compiler can be told.
static hw_status name_producer(const hw_fatbin *fatbin, char **text, size_t *length, hw_diag *diag) {
    enum { NAME = 64 };
    char name[NAME];
    if (hw_producer_of_ptx(*text, *length, name, sizeof name)) return HW_OK;
    if (!infer_producer(fatbin, *text, *length, name, sizeof name)) return HW_OK;
    const size_t room = *length + sizeof HW_PRODUCER_INFERRED_LINE + NAME;
    char *longer = hw_realloc_array(*text, room, 1);
    if (!longer) {
        hw_free(*text);
        *text = NULL;
        return hw_diag_no_memory(diag);
    }
    *length += (size_t)snprintf(longer + *length, room - *length, HW_PRODUCER_INFERRED_LINE, name);
    *text = longer;
    return HW_OK;
}

hw_status hw_fatbin_ptx(const hw_fatbin *fatbin, int cc, char **text, size_t *length, hw_fatbin_entry *entry,
                        hw_diag *diag) {
    hw_fatbin_entry candidate, best = {0};
    size_t cursor = 0;
    hw_status status;
    while ((status = hw_fatbin_next(fatbin, &cursor, &candidate, diag)) == HW_OK)
        if (candidate.kind == HW_FATBIN_PTX && (!best.payload || distance(&candidate, cc) < distance(&best, cc)))
            best = candidate;
    if (status != HW_NOT_FOUND) return status;
    if (!best.payload)
        return hw_diag_set(diag, HW_NOT_FOUND,
                           "the program holds machine code only; build it with PTX as well: "
                           "nvcc -gencode arch=compute_75,code=compute_75 ...");
    if (entry) *entry = best;
    status = hw_fatbin_unpack(&best, text, length, diag);
    return status ? status : name_producer(fatbin, text, length, diag);
}

// "Application compatibility": machine code runs on GPUs of the same major number whose minor number is not lower
// (CUDA C++ Programming Guide, "Binary Compatibility").
static bool runs_on(const hw_fatbin_entry *entry, int cc) {
    if (entry->kind != HW_FATBIN_CUBIN || !entry->payload_bytes) return false;
    return entry->cc_only ? entry->cc == cc : entry->cc / 10 == cc / 10 && entry->cc <= cc;
}

hw_status hw_fatbin_machine_code(const hw_fatbin *fatbin, int cc, char **code, size_t *length, hw_fatbin_entry *entry,
                                 hw_diag *diag) {
    hw_fatbin_entry candidate, best = {0};
    size_t cursor = 0;
    hw_status status;
    while ((status = hw_fatbin_next(fatbin, &cursor, &candidate, diag)) == HW_OK)
        if (runs_on(&candidate, cc) && (!best.payload || candidate.cc > best.cc)) best = candidate;
    if (status != HW_NOT_FOUND || !best.payload) return status;
    *entry = best;
    return hw_fatbin_unpack(&best, code, length, diag);
}

bool hw_fatbin_is_relocatable(const hw_fatbin_entry *entry) {
    static const char option[] = HW_FATBIN_RELOCATABLE;
    return entry->options && entry->options_bytes >= sizeof option - 1 &&
           memmem(entry->options, entry->options_bytes, option, sizeof option - 1);
}

static void write32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static void write64(uint8_t *p, uint64_t v) {
    write32(p, (uint32_t)v);
    write32(p + 4, (uint32_t)(v >> 32));
}

// ".version 8.5" as major << 16 | minor; 0 when the text has none.
static uint32_t isa_version_of(const char *ptx, size_t length) {
    static const char word[] = ".version";
    uint32_t number[2] = {0, 0};
    size_t at = 0;
    while (at + sizeof word < length && memcmp(ptx + at, word, sizeof word - 1) != 0) at++;
    if (at + sizeof word >= length) return 0;
    for (at += sizeof word - 1; at < length && (ptx[at] == ' ' || ptx[at] == '\t'); at++) {}
    for (int part = 0; part < 2; part++, at++)
        for (; at < length && ptx[at] >= '0' && ptx[at] <= '9' && number[part] < 1000; at++)
            number[part] = number[part] * 10 + (uint32_t)(ptx[at] - '0');
    return number[0] << 16 | number[1];
}

static size_t bytes_of(const char *text) { return text ? strlen(text) : 0; }

// The bytes of an entry's header, and those of its text with at least one NUL.
static size_t head_bytes_of(const hw_fatbin_piece *piece, size_t *options_at) {
    size_t name_bytes = bytes_of(piece->name), options_bytes = bytes_of(piece->options);
    *options_at = hw_align_up(ENTRY_BYTES + name_bytes, 8);
    return hw_align_up(*options_at + 8 + options_bytes + 1, 8);
}
static size_t room_of(const hw_fatbin_piece *piece) { return hw_align_up(piece->length + 1, 8); }

// The name, then the options {where they are, how many bytes}: cuobjdump insists on them, empty or not.
static void write_entry(const hw_fatbin_piece *piece, uint8_t *head) {
    size_t options_at, head_bytes = head_bytes_of(piece, &options_at);
    size_t name_bytes = bytes_of(piece->name), options_bytes = bytes_of(piece->options);
    write32(head, 0x0101u << 16 | HW_FATBIN_PTX);
    write32(head + 4, (uint32_t)head_bytes);
    write64(head + 8, room_of(piece));
    write32(head + 20, (uint32_t)options_at);
    write32(head + options_at, (uint32_t)options_at + 8);
    write32(head + options_at + 4, (uint32_t)options_bytes);
    write32(head + 24, isa_version_of(piece->ptx, piece->length));
    write32(head + 28, (uint32_t)piece->cc);
    write32(head + 32, name_bytes ? ENTRY_BYTES : 0);
    write32(head + 36, (uint32_t)name_bytes);
    write64(head + 40, 0x11);    // 64-bit, Linux
    if (name_bytes) memcpy(head + ENTRY_BYTES, piece->name, name_bytes);
    if (options_bytes) memcpy(head + options_at + 8, piece->options, options_bytes);
    memcpy(head + head_bytes, piece->ptx, piece->length);
}

hw_status hw_fatbin_write_all(const hw_fatbin_piece *pieces, size_t count, uint8_t **out, size_t *out_bytes,
                              hw_diag *diag) {
    size_t bytes = 0, options_at;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].length > MAX_UNPACKED || (pieces[i].name && strlen(pieces[i].name) > 4096))
            return hw_diag_set(diag, HW_USAGE, "fat binary: %zu bytes of PTX are too many", pieces[i].length);
        bytes += head_bytes_of(&pieces[i], &options_at) + room_of(&pieces[i]);
    }
    uint8_t *made = hw_calloc(1, CONTAINER_BYTES + bytes);
    if (!made) return hw_diag_no_memory(diag);
    write32(made, HW_FATBIN_MAGIC);
    write32(made + 4, CONTAINER_BYTES << 16 | 1);
    write64(made + 8, bytes);
    uint8_t *at = made + CONTAINER_BYTES;
    for (size_t i = 0; i < count; i++) {
        write_entry(&pieces[i], at);
        at += head_bytes_of(&pieces[i], &options_at) + room_of(&pieces[i]);
    }
    *out = made;
    *out_bytes = CONTAINER_BYTES + bytes;
    return HW_OK;
}

hw_status hw_fatbin_write(const char *ptx, size_t length, int cc, const char *name, uint8_t **out, size_t *out_bytes,
                          hw_diag *diag) {
    const hw_fatbin_piece piece = {.ptx = ptx, .length = length, .cc = cc, .name = name};
    return hw_fatbin_write_all(&piece, 1, out, out_bytes, diag);
}
