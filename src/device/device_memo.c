// What operations worked out for a device, by what it was for: plans with their kernels, so that a call that was made
// before costs a look-up.
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"

static hw_memo *place_of(hw_device *device, const void *key, size_t key_bytes, hw_hash *hash) {
    *hash = hw_hash_start();
    hw_hash_bytes(hash, key, key_bytes);
    return &device->memos[hash->low % HW_DEVICE_MEMOS];
}

bool hw_device_recall(hw_device *device, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
    hw_hash hash;
    hw_memo *memo = place_of(device, key, key_bytes, &hash);
    pthread_mutex_lock(&device->lock);
    bool found = memo->key && memo->key_bytes == key_bytes && memo->value_bytes == value_bytes &&
                 memo->hash.high == hash.high && !memcmp(memo->key, key, key_bytes);
    if (found) memcpy(value, memo->key + key_bytes, value_bytes);
    pthread_mutex_unlock(&device->lock);
    return found;
}

void hw_device_remember(hw_device *device, const void *key, size_t key_bytes, const void *value, size_t value_bytes) {
    hw_hash hash;
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
