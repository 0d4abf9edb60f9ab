// What operations worked out for a device, by what it was for: plans with their kernels, so that a call that was made
// before costs a look-up.
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"

// Eight bytes at a time, since a look-up is a large part of a small call; keys are compared in full afterwards. Mixed
// by a 64-bit product whose halves meet, as wyhash does.
static uint64_t mix(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static hw_memo *place_of(hw_device *device, const void *key, size_t key_bytes, uint64_t *hash) {
    const unsigned char *p = key;
    uint64_t value = key_bytes;
    for (size_t i = 0; i < key_bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, key_bytes - i < 8 ? key_bytes - i : 8);
        value = mix(value ^ word ^ 0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu);
    }
    *hash = value;
    return &device->memos[value % HW_DEVICE_MEMOS];
}

bool hw_device_recall(hw_device *device, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
    uint64_t hash;
    hw_memo *memo = place_of(device, key, key_bytes, &hash);
    pthread_mutex_lock(&device->lock);
    bool found = memo->key && memo->key_bytes == key_bytes && memo->value_bytes == value_bytes &&
                 memo->hash == hash && !memcmp(memo->key, key, key_bytes);
    if (found) memcpy(value, memo->key + key_bytes, value_bytes);
    pthread_mutex_unlock(&device->lock);
    return found;
}

void hw_device_remember(hw_device *device, const void *key, size_t key_bytes, const void *value, size_t value_bytes) {
    uint64_t hash;
    hw_memo *memo = place_of(device, key, key_bytes, &hash);
    char *bytes = hw_malloc(key_bytes + value_bytes);
    if (!bytes) return;
    memcpy(bytes, key, key_bytes);
    memcpy(bytes + key_bytes, value, value_bytes);
    pthread_mutex_lock(&device->lock);
    char *before = memo->key;
    *memo = (hw_memo){hash, bytes, key_bytes, value_bytes};
    pthread_mutex_unlock(&device->lock);
    hw_free(before);
}

void hw_device_forget(hw_device *device) {
    for (size_t i = 0; i < HW_DEVICE_MEMOS; i++) hw_free(device->memos[i].key);
}
