// A file that is either whole or not there.
#ifndef HW_CLI_WHOLE_FILE_H
#define HW_CLI_WHOLE_FILE_H

#include <stddef.h>

// Could path be written, as far as that can be known now? A folder, or a name in a folder that is not there or takes no
// files, could not: better known before the work than after it. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_try_file(const char *path);

// Writes bytes beside path and gives them its name when they are all there; what is no regular file (a device, a pipe)
// is written to as it is. 0, or HW_EXIT_USAGE after a complaint.
int hw_cli_write_file(const char *path, const char *bytes, size_t count);

#endif
