// MD2 (RFC 1319), and HMAC by it (RFC 2104) for keys of one block: what the CUDA runtime asks its driver for.
#ifndef HW_SHIM_CUDA_MD2_H
#define HW_SHIM_CUDA_MD2_H

#include <stddef.h>
#include <stdint.h>

enum { HW_MD2_BYTES = 16 };   // of a block, and of a digest

typedef struct hw_md2 {
    uint8_t state[HW_MD2_BYTES], checksum[HW_MD2_BYTES], block[HW_MD2_BYTES];
    size_t n;                     // bytes in block
} hw_md2;

// Begin with a zeroed one.
void hw_md2_add(hw_md2 *md2, const void *data, size_t bytes);
void hw_md2_end(hw_md2 *md2, uint8_t digest[HW_MD2_BYTES]);

void hw_md2_hmac(const uint8_t key[HW_MD2_BYTES], const void *data, size_t bytes, uint8_t digest[HW_MD2_BYTES]);

#endif
