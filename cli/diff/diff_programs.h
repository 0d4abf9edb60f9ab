// The sides of a comparison: profiles, or programs that are profiled for it.
#ifndef HW_CLI_DIFF_PROGRAMS_H
#define HW_CLI_DIFF_PROGRAMS_H

#include "report/profile_file.h"
#include "run/launch.h"

// Is it a profile, by its name or its first character, and no program?
bool hw_diff_is_profile(const char *path);

// Reads a profile. 0, or the exit status after a complaint. Everything is in the arena.
int hw_diff_read(const char *path, hw_arena *arena, hw_profile *out);

// Runs the launch's program with its arguments and profiles it, with lines. What it prints goes to standard error, so
// that the comparison is alone on standard output. As above.
int hw_diff_run(const hw_cli_launch *launch, hw_arena *arena, hw_profile *out);

#endif
