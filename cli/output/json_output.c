#include "output/json_output.h"

bool hw_cli_finish_json(json_t *object, bool is_whole, int digits, FILE *out) {
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(digits);
    const bool is_written = is_whole && json_dumpf(object, out, flags) == 0;
    json_decref(object);
    fputc('\n', out);
    return is_written;
}
