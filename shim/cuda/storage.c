// Values that programs' own runtimes keep with a context.
#include <pthread.h>

#include "base/alloc.h"
#include "shim/cuda/driver.h"

typedef struct kept_value {
    struct kept_value *next;
    CUcontext context;
    void *key, *value;
    hw_cuda_forget forget;             // or NULL
} kept_value;

static kept_value *kept_values;
static pthread_mutex_t storage_lock = PTHREAD_MUTEX_INITIALIZER;

// With the lock held: where the value is linked, or the end of the list.
static kept_value **find_value(CUcontext context, const void *key) {
    kept_value **link = &kept_values;
    while (*link && ((*link)->context != context || (*link)->key != key)) link = &(*link)->next;
    return link;
}

hw_rt_status hw_cuda_storage_put(CUcontext context, void *key, void *value, hw_cuda_forget forget) {
    kept_value *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    pthread_mutex_lock(&storage_lock);
    kept_value **link = find_value(context, key), *before = *link;
    *made = (kept_value){before ? before->next : NULL, context, key, value, forget};
    *link = made;
    pthread_mutex_unlock(&storage_lock);
    hw_free(before);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_cuda_storage_get(CUcontext context, void *key, void **value) {
    pthread_mutex_lock(&storage_lock);
    const kept_value *found = *find_value(context, key);
    *value = found ? found->value : NULL;
    pthread_mutex_unlock(&storage_lock);
    return found ? HW_RT_SUCCESS : HW_RT_INVALID_HANDLE;
}

hw_rt_status hw_cuda_storage_remove(CUcontext context, void *key) {
    pthread_mutex_lock(&storage_lock);
    kept_value **link = find_value(context, key), *found = *link;
    if (found) *link = found->next;
    pthread_mutex_unlock(&storage_lock);
    hw_free(found);
    return HW_RT_SUCCESS;
}

// With the lock held: one value of the context, taken out; NULL at the end.
static kept_value *take_value(CUcontext context) {
    kept_value **link = &kept_values;
    while (*link && (*link)->context != context) link = &(*link)->next;
    kept_value *found = *link;
    if (found) *link = found->next;
    return found;
}

void hw_cuda_storage_clear(CUcontext context) {
    for (;;) {
        pthread_mutex_lock(&storage_lock);
        kept_value *found = take_value(context);
        pthread_mutex_unlock(&storage_lock);
        if (!found) return;
        if (found->forget) found->forget(context, found->key, found->value);
        hw_free(found);
    }
}
