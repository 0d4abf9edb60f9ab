// What a measurement must say about where it was made.
#include "base/machine.h"

#include "speed.h"

json_t *machine_json(void) {
    hw_machine machine;
    hw_machine_describe(&machine);
    return json_pack("{s:s, s:i, s:s, s:s}", "cpu", machine.cpu, "processors", machine.processors, "memory",
                     machine.memory, "system", machine.system);
}
