// Instructions of machine code that a launch has executed: counts of PTX by basic block, over to the code that ptxas
// made of it (isa/machine.h).
#include "model/machine.h"

#include <string.h>

#include "base/alloc.h"
#include "prof/internal.h"

// Of one function, by its ranges.
typedef struct counted {
    const hw_machine_function *function;
    uint64_t *warps, *divergent;
    uint64_t *most, *copy;           // of the copy that is counted, and which that is: 1 + hw_note.function
} counted;

static const hw_machine_range *range_of(const hw_machine_function *f, uint32_t line) {
    uint32_t low = 0, high = f->n_ranges;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->ranges[middle].last < line) low = middle + 1;
        else high = middle;
    }
    return low < f->n_ranges && f->ranges[low].first <= line ? &f->ranges[low] : NULL;
}

// A range's instructions are executed equally often, but for those that lowering has dropped or moved. Copies of a
// function have the same lines, and are counted one by one.
static void count_ranges(const hw_prof *prof, const counted *c) {
    uint64_t warps = 0;
    for (uint32_t i = 0; i < prof->n_notes; i++) {
        uint64_t divergent = 0;
        for (uint32_t k = 0; k < prof->n_workers; k++) {
            warps += prof->workers[k].notes[i].warps;
            divergent += prof->workers[k].notes[i].divergent;
        }
        if (!warps && !divergent) continue;
        const hw_machine_range *range = range_of(c->function, prof->notes[i].ptx_line);
        if (!range) continue;
        const size_t at = (size_t)(range - c->function->ranges);
        const uint64_t copy = 1 + (uint64_t)prof->notes[i].function;
        c->divergent[at] += divergent;
        if (c->copy[at] != copy) c->copy[at] = copy, c->most[at] = 0;
        if (warps <= c->most[at]) continue;
        c->warps[at] += warps - c->most[at];
        c->most[at] = warps;
    }
}

static bool add_function(const hw_prof *prof, const hw_machine_function *f, double inst[HW_RATES]) {
    const size_t n = (size_t)f->n_ranges + 1;
    uint64_t *room = hw_calloc(4 * n + f->n_blocks, sizeof *room);
    _Static_assert(sizeof(double) == sizeof *room, "numbers of blocks lie behind those of ranges");
    if (!room) return false;
    const counted c = {f, room, room + n, room + 2 * n, room + 3 * n};
    count_ranges(prof, &c);
    hw_model_machine(f, c.warps, c.divergent, (double *)(void *)(room + 4 * n), inst);
    hw_free(room);
    return true;
}

bool hw_prof_count_machine(const hw_prof *prof, const hw_launch_info *info, double inst[HW_RATES]) {
    const hw_machine_module *machine = info->machine;
    bool has_kernel = false;
    memset(inst, 0, HW_RATES * sizeof *inst);
    for (uint32_t i = 0; machine && i < machine->n_functions; i++) {
        const hw_machine_function *f = &machine->functions[i];
        const bool is_launched = f->is_kernel && !strcmp(f->name, info->kernel);
        if (f->is_kernel && !is_launched) continue;
        if (!add_function(prof, f, inst)) return false;
        has_kernel |= is_launched;
    }
    return has_kernel;
}
