// Where figures come from: the same words in the JSON of benchmarks and of ladders.
#include "origin.h"

#include "base/machine.h"
#include "cli.h"

int hw_cli_put_origin(json_t *object) {
    hw_machine machine;
    hw_machine_describe(&machine);
    return json_object_set_new(object, "commit", json_string(hw_cli_commit)) |
           json_object_set_new(object, "compiler", json_string(__VERSION__)) |
           json_object_set_new(object, "machine",
                               json_pack("{s:s, s:i, s:s, s:s}", "cpu", machine.cpu, "processors", machine.processors,
                                         "memory", machine.memory, "system", machine.system));
}
