// --shards: which part of its cases a program is to do, told as test frameworks are told.
#ifndef HW_CLI_SHARD_H
#define HW_CLI_SHARD_H

#include <stdint.h>

#include "cli.h"

// Part `index`, from 1 on, of `count`; 0: the program is told nothing.
typedef struct hw_cli_shard {
    uint32_t index, count;
} hw_cli_shard;

// "K/N", K from 1 to N. False: it is none.
bool hw_cli_shard_parse(const char *text, hw_cli_shard *out);
// The same, or "auto": what the environment says of a Slurm array, of MPI or of a CI's parallel jobs. False after a
// complaint.
bool hw_cli_shard_read(const char *value, hw_cli_shard *out);

// Puts it into the environment of the program. *status: the file in which the program says that it has taken notice,
// to be closed. False after a complaint.
bool hw_cli_shard_tell(const hw_cli_shard *shard, hw_cli_temporary *status);
// After the program has ended: says so where it has taken no notice, since it has likely done everything.
void hw_cli_shard_check(const hw_cli_shard *shard, const char *program, const hw_cli_temporary *status);

#endif
