// Reading CUDA_VISIBLE_DEVICES.
#include "shim/visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NONE = -1 };

void hw_visible_make_uuid(const char *kind, uint32_t place, char out[HW_UUID_BYTES]) {
    memset(out, 0, HW_UUID_BYTES);
    snprintf(out, HW_UUID_BYTES, "sim-%s", kind);
    out[HW_UUID_BYTES - 1] = (char)place;
}

// "GPU-73696d2d-6832-3030-0000-000000000001"
static void write_uuid(const char *kind, uint32_t place, char text[48]) {
    char bytes[HW_UUID_BYTES], *to = text + sprintf(text, "GPU-");
    hw_visible_make_uuid(kind, place, bytes);
    for (int i = 0; i < HW_UUID_BYTES; i++)
        to += sprintf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", (unsigned char)bytes[i]);
}

static int find_uuid(const char *name, size_t length, const char *kind, uint32_t n) {
    int found = NONE;
    for (uint32_t i = 0; i < n && length > strlen("GPU-"); i++) {
        char text[48];
        write_uuid(kind, i, text);
        if (length > strlen(text) || strncasecmp(text, name, length) != 0) continue;
        if (found != NONE) return NONE;
        found = (int)i;
    }
    return found;
}

// As strtol reads it: what stands behind the digits does not matter.
static int find_place(const char *name, uint32_t n) {
    char *end;
    const long place = strtol(name, &end, 10);
    return end != name && place >= 0 && place < (long)n ? (int)place : NONE;
}

void hw_visible_read(const char *list, const char *kind, uint32_t n, hw_visible *out) {
    *out = (hw_visible){0};
    if (!list) {
        for (uint32_t i = 0; i < n; i++) out->places[out->n++] = (uint8_t)i;
        return;
    }
    const int by_uuid = !strncmp(list, "GPU-", 4);
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        const int place = by_uuid ? find_uuid(at, length, kind, n) : find_place(at, n);
        if (place == NONE) return;
        if (memchr(out->places, place, out->n)) {
            out->n = 0;
            return;
        }
        out->places[out->n++] = (uint8_t)place;
        at += length;
        if (!*at) return;
    }
}
