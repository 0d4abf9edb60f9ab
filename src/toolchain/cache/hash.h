// 128-bit FNV-1a: names of cached files, and whether an included file is what it was. Not for secrets.
#ifndef HW_TOOLCHAIN_HASH_H
#define HW_TOOLCHAIN_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct hw_hash {
    uint64_t high, low;
} hw_hash;

hw_hash hw_hash_start(void);
void hw_hash_bytes(hw_hash *hash, const void *bytes, size_t length);

// The string and its end, so that ("ab", "c") is not ("a", "bc"). NULL counts as a string of its own.
void hw_hash_string(hw_hash *hash, const char *string);
void hw_hash_number(hw_hash *hash, uint64_t number);

// 32 lower-case hexadecimal digits and a NUL.
enum { HW_HASH_TEXT = 33 };
void hw_hash_text(const hw_hash *hash, char out[HW_HASH_TEXT]);

// The content of a file. Returns 0, or errno.
int hw_hash_file(const char *path, hw_hash *hash);

#endif
