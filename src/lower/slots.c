// Slots behind the four bases: constants, lifted values, temporaries. Registers of the body get theirs in live.c.
#include <string.h>

#include "lower/lowering.h"

hw_lane hw_lane_of(hw_type type) {
    switch (hw_type_bits(type)) {
    case 1: return HW_LANE_PRED;
    case 8: case 16: return HW_LANE_16;
    case 32: return HW_LANE_32;
    case 64: return HW_LANE_64;
    case 128: return HW_LANE_128;
    default: return HW_LANE_NONE;
    }
}

uint32_t hw_lane_slot_bytes(hw_lane lane) {
    static const uint32_t bytes[] = {4, 64, 128, 256, 512, 0};
    return bytes[lane];
}

uint32_t hw_lane_bytes(hw_lane lane) {
    static const uint32_t bytes[] = {0, 2, 4, 8, 16, 0};
    return bytes[lane];
}

bool hw_lower_grow(hw_arena *arena, void **items, uint32_t count, uint32_t *capacity, size_t elem_bytes) {
    if (count < *capacity) return true;
    if (*capacity > UINT32_MAX / 4) return false;
    uint32_t wanted = *capacity ? *capacity * 2 : 32;
    void *bigger = hw_arena_take(arena, wanted * elem_bytes);
    if (!bigger) return false;
    if (count) memcpy(bigger, *items, count * elem_bytes);
    *items = bigger;
    *capacity = wanted;
    return true;
}

static uint32_t *size_of(hw_program *program, hw_base base) {
    switch (base) {
    case HW_BASE_LAUNCH: return &program->launch_bytes;
    case HW_BASE_BLOCK: return &program->block_bytes;
    case HW_BASE_WARP: return &program->warp_bytes;
    default: return &program->frame_bytes;
    }
}

hw_status hw_slots_take(hw_lowering *lo, hw_base base, hw_lane lane, hw_slot *out) {
    uint32_t *size = size_of(lo->program, base), bytes = hw_lane_slot_bytes(lane);
    if (*size > (1u << 30)) return hw_lower_refuse(lo, HW_UNSUPPORTED, "the function has too many values");
    if (lane == HW_LANE_PRED) {
        // Sixteen predicates share 64 bytes, of which everything else is a multiple.
        uint32_t *next = &lo->next_pred[base];
        if (*next % 64 == 0) {
            *next = *size;
            *size += 64;
        }
        *out = *next | base;
        *next += bytes;
        return HW_OK;
    }
    *out = *size | base;
    *size += bytes;
    return HW_OK;
}

hw_status hw_slots_temporary(hw_lowering *lo, hw_lane lane, hw_slot *out) {
    if (lo->base != HW_BASE_FRAME || lo->n_scratch[lane] == HW_SCRATCH_MAX)
        return hw_slots_take(lo, lo->base, lane, out);
    hw_slot *slot = &lo->scratch_slots[lane][lo->n_scratch[lane]++];
    hw_status status = *slot == HW_NO_SLOT ? hw_slots_take(lo, HW_BASE_FRAME, lane, slot) : HW_OK;
    *out = *slot;
    return status;
}

// ---- constants ----

static uint32_t hash_of(uint64_t bits, hw_lane lane) {
    return (uint32_t)((bits + lane * 0x51ed2701u) * 0x9e3779b97f4a7c15ull >> 32);
}

static bool grow_immediates(hw_lowering *lo) {
    hw_immediate_table *table = &lo->immediates;
    const hw_program *program = lo->program;
    uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
    uint32_t *slots = hw_arena_take(lo->scratch, capacity * sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < program->n_immediates; i++) {
        const hw_immediate *immediate = &program->immediates[i];
        uint32_t k = hash_of(immediate->bits, (hw_lane)immediate->lane) & (capacity - 1);
        while (slots[k]) k = (k + 1) & (capacity - 1);
        slots[k] = i + 1;
    }
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

hw_status hw_slots_immediate(hw_lowering *lo, uint64_t bits, hw_lane lane, hw_slot *out) {
    hw_immediate_table *table = &lo->immediates;
    hw_program *program = lo->program;
    if (lane == HW_LANE_PRED) bits = bits ? 0xffffffffu : 0;
    else if (lane < HW_LANE_64) bits &= ((uint64_t)1 << 8 * hw_lane_bytes(lane)) - 1;
    if (2 * program->n_immediates >= table->capacity && !grow_immediates(lo)) return hw_diag_no_memory(lo->diag);
    uint32_t k = hash_of(bits, lane) & (table->capacity - 1);
    for (; table->slots[k]; k = (k + 1) & (table->capacity - 1)) {
        const hw_immediate *known = &program->immediates[table->slots[k] - 1];
        if (known->bits != bits || known->lane != lane) continue;
        *out = known->slot;
        return HW_OK;
    }
    hw_status status = hw_slots_take(lo, HW_BASE_LAUNCH, lane, out);
    if (status != HW_OK) return status;
    if (!hw_lower_grow(lo->arena, (void **)&program->immediates, program->n_immediates, &table->immediates_capacity,
                       sizeof *program->immediates))
        return hw_diag_no_memory(lo->diag);
    program->immediates[program->n_immediates++] = (hw_immediate){.bits = bits, .slot = *out, .lane = (uint8_t)lane};
    table->slots[k] = program->n_immediates;
    return HW_OK;
}

hw_status hw_slots_launch_image(hw_lowering *lo) {
    hw_program *program = lo->program;
    uint8_t *block = hw_arena_take(lo->arena, (size_t)program->launch_bytes + 64);
    if (!block) return hw_diag_no_memory(lo->diag);
    program->launch_image = block + (-(uintptr_t)block & 63);
    for (uint32_t i = 0; i < program->n_immediates; i++) {
        const hw_immediate *immediate = &program->immediates[i];
        uint8_t *at = program->launch_image + (immediate->slot & ~3u);
        uint32_t bytes = hw_lane_bytes((hw_lane)immediate->lane);
        if (!bytes) {
            memset(at, immediate->bits ? 0xff : 0, 4);
            continue;
        }
        uint64_t bits = immediate->bits;
        for (uint32_t lane = 0; lane < HW_WARP_LANES; lane++)
            for (uint32_t b = 0; b < bytes && b < 8; b++) at[lane * bytes + b] = (uint8_t)(bits >> 8 * b);
    }
    return HW_OK;
}
