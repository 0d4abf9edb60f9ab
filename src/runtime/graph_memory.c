// Memory that graphs give out. A block lies where it lies from its node's making on until the last copy of the node
// goes, so that kernels have its address; whether it is given out is all that a launch changes.
#include "base/alloc.h"
#include "base/integers.h"
#include "runtime/graph_node.h"
#include "runtime/tell.h"

enum { USED, MOST_USED, RESERVED, MOST_RESERVED };

static void count(hw_runtime *runtime, unsigned attribute, int64_t bytes) {
    uint64_t *at = &runtime->graph_memory[attribute];
    *at += (uint64_t)bytes;
    if (*at > at[1]) at[1] = *at;
}

// Told as the program's own calls are, and without their rules of captures.
hw_rt_status hw_rt_word_make(hw_runtime *runtime, uint64_t bytes, uint64_t *address) {
    enum { ALIGNMENT = 512 };
    const hw_mem_caller caller = {.is_in_order = true};
    return hw_rt_status_of(hw_mem_alloc_for(hw_rt_mem(runtime), &caller, bytes, ALIGNMENT, HW_ALLOC_DEVICE, address,
                                            NULL));
}

hw_rt_status hw_rt_graph_block_make(hw_runtime *runtime, uint64_t bytes, hw_rt_graph_block **out) {
    if (!bytes) return HW_RT_INVALID_VALUE;
    hw_rt_graph_block *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    const hw_rt_status status = hw_rt_word_make(runtime, bytes, &made->address);
    if (status) {
        hw_free(made);
        return status;
    }
    made->bytes = bytes;
    made->epoch = hw_rt_epoch(runtime);
    made->refs = 1;
    pthread_mutex_lock(&runtime->graph_lock);
    made->next = runtime->graph_blocks;
    *out = runtime->graph_blocks = made;
    atomic_fetch_add(&runtime->n_graph_blocks, 1);
    pthread_mutex_unlock(&runtime->graph_lock);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_graph_block_give(hw_runtime *runtime, hw_rt_graph_block *block) {
    pthread_mutex_lock(&runtime->graph_lock);
    const bool is_possible = !block->is_given && block->epoch == hw_rt_epoch(runtime);
    if (is_possible) {
        block->is_given = true;
        count(runtime, USED, (int64_t)block->bytes);
        if (runtime->graph_memory[RESERVED] < runtime->graph_memory[USED])
            count(runtime, RESERVED, (int64_t)(runtime->graph_memory[USED] - runtime->graph_memory[RESERVED]));
    }
    pthread_mutex_unlock(&runtime->graph_lock);
    return is_possible ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
}

static hw_rt_graph_block *find_block(hw_runtime *runtime, uint64_t address) {
    hw_rt_graph_block *at = runtime->graph_blocks;
    while (at && at->address != address) at = at->next;
    return at;
}

// With the lock held.
static void take_back(hw_runtime *runtime, hw_rt_graph_block *block) {
    if (block->is_given) count(runtime, USED, -(int64_t)block->bytes);
    block->is_given = false;
}

bool hw_rt_graph_free(hw_runtime *runtime, uint64_t address, hw_rt_status *status) {
    if (!address) return false;
    pthread_mutex_lock(&runtime->graph_lock);
    hw_rt_graph_block *block = find_block(runtime, address);
    if (block) {
        *status = block->is_given ? HW_RT_SUCCESS : HW_RT_INVALID_VALUE;
        take_back(runtime, block);
    }
    pthread_mutex_unlock(&runtime->graph_lock);
    return block != NULL;
}

bool hw_rt_graph_withholds(hw_runtime *runtime, uint64_t address) {
    runtime = hw_rt_of_address(runtime, address);
    if (!atomic_load(&runtime->n_graph_blocks)) return false;
    pthread_mutex_lock(&runtime->graph_lock);
    const hw_rt_graph_block *at = runtime->graph_blocks;
    while (at && address - at->address >= at->bytes) at = at->next;
    const bool is_withheld = at && !at->is_given && at->epoch == hw_rt_epoch(runtime);
    pthread_mutex_unlock(&runtime->graph_lock);
    return is_withheld;
}

void hw_rt_graph_block_release(hw_runtime *runtime, hw_rt_graph_block *block) {
    pthread_mutex_lock(&runtime->graph_lock);
    const bool is_last = --block->refs == 0;
    if (is_last) {
        hw_rt_graph_block **link = &runtime->graph_blocks;
        while (*link != block) link = &(*link)->next;
        *link = block->next;
        atomic_fetch_sub(&runtime->n_graph_blocks, 1);
        take_back(runtime, block);
    }
    pthread_mutex_unlock(&runtime->graph_lock);
    if (!is_last) return;
    const hw_mem_caller caller = {.is_in_order = true};
    if (block->epoch == hw_rt_epoch(runtime)) hw_mem_free_for(hw_rt_mem(runtime), &caller, block->address, NULL);
    hw_free(block);
}

void hw_rt_graph_blocks_free(hw_runtime *runtime) {
    while (runtime->graph_blocks) {
        hw_rt_graph_block *first = runtime->graph_blocks;
        runtime->graph_blocks = first->next;
        hw_free(first);
    }
    atomic_store(&runtime->n_graph_blocks, 0);
}

uint64_t hw_rt_graph_memory(hw_runtime *runtime, unsigned attribute) {
    pthread_mutex_lock(&runtime->graph_lock);
    const uint64_t bytes = runtime->graph_memory[attribute];
    pthread_mutex_unlock(&runtime->graph_lock);
    return hw_align_up(bytes, HW_RT_RESERVED_AT_ONCE);
}

void hw_rt_graph_memory_reset(hw_runtime *runtime, unsigned attribute) {
    pthread_mutex_lock(&runtime->graph_lock);
    if (attribute == MOST_USED || attribute == MOST_RESERVED)
        runtime->graph_memory[attribute] = runtime->graph_memory[attribute - 1];
    pthread_mutex_unlock(&runtime->graph_lock);
}

void hw_rt_graph_memory_trim(hw_runtime *runtime) {
    pthread_mutex_lock(&runtime->graph_lock);
    runtime->graph_memory[RESERVED] = runtime->graph_memory[USED];
    pthread_mutex_unlock(&runtime->graph_lock);
}
