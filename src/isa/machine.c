#include "isa/machine.h"

static const hw_machine_op rows[] = {
#define HW_MACHINE_ROW(number, name, kind, rate, slots) {number, name, HW_MACHINE_##kind, HW_RATE_##rate, slots},
#include "isa/machine.def"
#undef HW_MACHINE_ROW
};

const hw_machine_op *hw_machine_op_of(uint64_t first_word) {
    static const hw_machine_op unknown = {0, "", HW_MACHINE_PLAIN, HW_RATE_ISSUE, 1};
    const uint16_t number = first_word & 0x1ff;
    size_t low = 0, high = sizeof rows / sizeof rows[0];
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (rows[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < sizeof rows / sizeof rows[0] && rows[low].number == number ? &rows[low] : &unknown;
}
