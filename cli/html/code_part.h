// The device code that a page shows beside the source: PTX, and machine code where ptxas and nvdisasm are installed.
#ifndef HW_CLI_CODE_PART_H
#define HW_CLI_CODE_PART_H

#include "run/launch.h"

typedef struct hw_cli_code_part {
    const hw_cli_launch *launch;     // whose program was run
    const hw_report *report;         // whose kernels are wanted
} hw_cli_code_part;

// Writes {"kernel's mangled name": {"ptx": text, "sass": text}} of the kernels whose code the program has loaded or has
// with it, up to about a megabyte; without sass where it cannot be made. A hw_cli_html_writer.
bool hw_cli_code_write(const void *code_part, FILE *out);

#endif
