// A file that is either whole or not there.
#ifndef HW_CLI_WHOLE_FILE_H
#define HW_CLI_WHOLE_FILE_H

#include <stddef.h>

// Writes bytes beside path and gives them its name when they are all there; what is no regular file (a device, a pipe)
// is written to as it is. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_write_file(const char *path, const char *bytes, size_t count);

#endif
