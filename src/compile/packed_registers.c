// Whether the lanes of a region may be packed (exec/packed.c), and the registers that go with them.
#include "compile/regions.h"
#include "compile/usage.h"

// A body takes steps warp by warp, with the registers of a load or store: in a loop that would cost what packing saves.
static bool is_fit(const hw_program *program, const hw_region_item *item, uint32_t loops) {
    const hw_inst *in = &program->insts[item->index];
    if (item->kind == HW_REGION_PIECE) {
        for (uint32_t i = item->index; i < item->index + item->count; i++) {
            const hw_body_id id = program->bodies[i];
            if ((id == HW_BODY_LD || id == HW_BODY_ST) && program->insts[i].space == HW_SPACE_LOCAL) return false;
        }
        return true;
    }
    if (item->kind != HW_REGION_STEP) return true;
    const hw_body_id id = program->bodies[item->index];
    return !loops && (id == HW_BODY_LD || id == HW_BODY_ST) && in->vector == 1 && in->space != HW_SPACE_LOCAL;
}

static bool are_fit(const hw_program *program, const hw_region_item *items, uint32_t n_items) {
    uint32_t loops = 0;
    for (uint32_t k = 0; k < n_items; k++) {
        if (items[k].kind == HW_REGION_LOOP) loops++;
        if (items[k].kind == HW_REGION_LATCH) loops--;
        if (!is_fit(program, &items[k], loops)) return false;
    }
    return true;
}

static bool note(hw_region_register *registers, uint32_t *n, hw_slot slot, uint8_t bytes, bool is_written) {
    uint32_t k = 0;
    if ((slot & 3) != HW_BASE_FRAME && (slot & 3) != HW_BASE_WARP) return true;
    while (k < *n && registers[k].slot != slot) k++;
    if (k == HW_REGION_REGISTERS || (bytes && bytes != 2 && bytes != 4 && bytes != 8)) return false;
    if (k == *n) registers[(*n)++] = (hw_region_register){.slot = slot, .bytes = bytes};
    registers[k].is_written |= is_written;
    return registers[k].bytes == bytes;
}

static bool note_all(const hw_program *program, uint32_t index, hw_region_register *registers, uint32_t *n) {
    hw_usage u;
    hw_usage_of(program, index, &u);
    bool is_known = u.is_known;
    for (uint32_t k = 0; k < u.n_reads && is_known; k++)
        is_known = note(registers, n, u.reads[k], u.read_bytes[k], false);
    for (uint32_t k = 0; k < u.n_writes && is_known; k++)
        is_known = note(registers, n, u.writes[k], u.write_bytes[k], true);
    return is_known;
}

bool hw_compile_note_registers(const hw_program *program, uint32_t first, uint32_t end, hw_region_register *registers,
                               uint32_t *n) {
    bool is_known = true;
    for (uint32_t i = first; i < end && is_known; i++) is_known = note_all(program, i, registers, n);
    return is_known;
}

static hw_inst *packed_steps(const hw_inst *steps, uint32_t n_steps, hw_arena *arena) {
    hw_inst *packed = hw_arena_take(arena, (2 * (size_t)n_steps + 1) * sizeof *packed);
    for (uint32_t k = 0; packed && k < n_steps; k++) {
        packed[2 * k] = steps[2 * k];
        packed[2 * k].body = hw_region_step_packed;
    }
    return packed;
}

void hw_compile_find_packed(const hw_program *program, const hw_region_plan *plan, uint32_t n_steps, hw_arena *arena) {
    hw_region *region = plan->region;
    region->packed_steps = packed_steps(region->steps, n_steps, arena);
    hw_region_register *registers = hw_arena_take(arena, HW_REGION_REGISTERS * sizeof *registers);
    bool is_known = registers && are_fit(program, plan->items, plan->n_items);
    is_known = is_known && hw_compile_note_registers(program, region->first + 1, region->end, registers,
                                                     &region->n_registers);
    if (is_known && region->packed_steps) region->registers = registers;
}
