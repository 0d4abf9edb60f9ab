// What a file of figures has to say of where they were taken.
#ifndef HW_CLI_ORIGIN_H
#define HW_CLI_ORIGIN_H

#include <jansson.h>

// Adds "commit" and "compiler" of this program, and "machine". 0, or not when memory ran out.
int hw_cli_put_origin(json_t *object);

#endif
