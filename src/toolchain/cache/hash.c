// FNV-1a over 128 bits (Fowler, Noll, Vo; constants from RFC 9923).
#include "toolchain/cache/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

hw_hash hw_hash_start(void) { return (hw_hash){0x6c62272e07bb0142u, 0x62b821756295c58du}; }

void hw_hash_bytes(hw_hash *hash, const void *bytes, size_t length) {
    const unsigned __int128 prime = (unsigned __int128)0x1000000 << 64 | 0x13b;
    unsigned __int128 value = (unsigned __int128)hash->high << 64 | hash->low;
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++) value = (value ^ p[i]) * prime;
    hash->high = (uint64_t)(value >> 64);
    hash->low = (uint64_t)value;
}

void hw_hash_string(hw_hash *hash, const char *string) {
    if (string) hw_hash_bytes(hash, string, strlen(string) + 1);
    else hw_hash_bytes(hash, "\xff", 1);
}

void hw_hash_number(hw_hash *hash, uint64_t number) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
    hw_hash_bytes(hash, bytes, sizeof bytes);
}

void hw_hash_text(const hw_hash *hash, char out[HW_HASH_TEXT]) {
    snprintf(out, HW_HASH_TEXT, "%016llx%016llx", (unsigned long long)hash->high, (unsigned long long)hash->low);
}

int hw_hash_file(const char *path, hw_hash *hash) {
    unsigned char buffer[32768];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) != 0) {
        if (got > 0) hw_hash_bytes(hash, buffer, (size_t)got);
        else if (errno != EINTR) break;
    }
    int failure = got < 0 ? errno : 0;
    close(file);
    return failure;
}
