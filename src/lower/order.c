// What a note says of order, and which instructions access memory.
#include "lower/lowering.h"

void hw_order_write(const hw_ptx_inst *inst, hw_note *note) {
    const hw_order_words words = hw_inst_order(inst->op, &inst->mods);
    note->order = words.order;
    note->scope = words.scope;
    note->proxy = words.proxy;
    note->atomic = words.atomic;
}

void hw_order_number(hw_program_set *set) {
    for (uint32_t i = 0; i < set->n_notes; i++)
        if (hw_note_is_access(&set->notes[i])) set->notes[i].access = set->n_accesses++;
}
