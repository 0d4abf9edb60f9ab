// halfwarp bench: cases from a file, each measured with Halfwarp and with its peers in the same run. What a family adds
// is one hw_bench_family (bench_NAME.c): how a line becomes a case, and how that is verified and measured.
#ifndef HW_BENCH_OPERATIONS_H
#define HW_BENCH_OPERATIONS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli.h"
#include "operations/bench_times.h"

enum { HW_BENCH_RANK = 8, HW_BENCH_PEERS = 8, HW_BENCH_WORDS = 8 };

typedef struct hw_bench_family hw_bench_family;

// ---- Cases ----------------------------------------------------------------------------------------------------------

// A line of bench/cases/FAMILY.txt. The first word is its group: groups whose names begin with "gpu" are for GPUs
// alone.
typedef struct hw_bench_case {
    char group[16], name[80];        // name: as the table shows it
    char words[HW_BENCH_WORDS][64];  // of the line, the group among them
    int n_words;
    DLDataType dtype;
    int rank;                        // of shape; what it and axes mean is the family's
    int64_t shape[HW_BENCH_RANK];
    int n_axes, axes[HW_BENCH_RANK];
    uint32_t flags;                  // the family's
    double amount;                   // bytes or operations of one run: what its rate is counted in
    const char *unit, *rate_key;     // "GB/s", and what JSON calls such a rate
    double unit_per_ns;              // a rate in that unit is amount / ns / unit_per_ns
} hw_bench_case;

// "8192,6000" into at most HW_BENCH_RANK numbers from 0 to `most`. How many; -1: wrong. And "f32", "bf16".
int hw_bench_read_numbers(const char *text, int64_t most, int64_t numbers[HW_BENCH_RANK]);
bool hw_bench_read_dtype(const char *text, DLDataType *dtype);
// Product of n extents and bytes; false: it overflows.
bool hw_bench_size(const int64_t *shape, int n, size_t bytes_each, size_t *bytes);

// ---- Results --------------------------------------------------------------------------------------------------------

// What was measured of a case with Halfwarp, its limit or a peer.
typedef struct hw_bench_result {
    char who[24];
    char problem[200];   // not "": why the result has no times
    bool wrong;          // the problem is a wrong result
    char called[24];     // how it was called again and again: Halfwarp is called by a "C loop", others as
                         // bench/peers/peer.py says
    bool has_error;
    double error;        // the result's relative error, of families whose results are rounded
    hw_bench_times times;   // of one run, nanoseconds
} hw_bench_result;

typedef struct hw_bench_row {
    hw_bench_case what;
    hw_bench_result limit;       // what no such operation can beat; who "": there is none
    double limit_amount;         // its bytes
    hw_bench_result halfwarp, peers[HW_BENCH_PEERS];
    int n_peers;
} hw_bench_row;

// ---- Families -------------------------------------------------------------------------------------------------------

struct hw_bench_family {
    const char *name;
    const char *form;       // of a line, for complaints: "a group, a dtype, ... such as `peers f32 8192,6000 1,0`"
    const char *legend;     // what the table's rates are
    // Fills the case from what->words. False: the words are no case.
    bool (*read)(hw_bench_case *what);
    // The case as peers are asked (without the seconds; NULL: not at all), and as results keep it.
    json_t *(*question)(const hw_bench_case *what);
    json_t *(*record)(const hw_bench_case *what);
    // Verifies the operation of row->what on the device and measures it, by turns with the limit where there is one,
    // for about so many seconds each. Where a case fails, row->halfwarp.problem says why.
    void (*measure)(hw_device *device, double seconds, hw_bench_row *row);
};

// What the families' measure shares (bench_measure.c).
typedef hw_status hw_bench_run(void *context, hw_diag *diag);
typedef struct hw_bench_job {
    hw_device *device;
    void *context;
    hw_bench_run *open;          // makes what the case needs; the family frees it afterwards, also where this failed
    hw_bench_run *run, *limit;   // does the operation once, or queues it; limit NULL: none
    // Looks at what one run has left. HW_FAULT, and result->wrong, where that is wrong.
    hw_status (*verify)(void *context, hw_bench_result *result, hw_diag *diag);
} hw_bench_job;
// Opens, runs once, verifies, measures; row->halfwarp.problem says what failed.
void hw_bench_measure(const hw_bench_job *job, double seconds, hw_bench_row *row);

// A copy of so many bytes within the device: on the processors memcpy, a part for each, as a user would write it.
hw_status hw_bench_copy(hw_device *device, void *to, const void *from, size_t bytes, hw_diag *diag);
// Fills `bytes` bytes of the device with copies of a block of this machine's memory, block_bytes long.
hw_status hw_bench_fill(hw_device *device, void *to, size_t bytes, const void *block, size_t block_bytes,
                        hw_diag *diag);

// Numbers without a pattern, the same in every run and in bench/peers/peer.py.
uint32_t hw_bench_hash(uint32_t index);

// ---- Peers (bench_peer.c) -------------------------------------------------------------------------------------------

// Another library, used by a program of bench/peers.
typedef struct hw_bench_peer {
    char name[24], version[48];
    char absent[160];       // not "": why it cannot be asked
    pid_t process;
    FILE *to, *from;
} hw_bench_peer;

// Starts folder/FAMILY_*.py with this Python. Returns how many there are, those that are absent included.
int hw_bench_peers_start(const char *folder, const char *family, const char *python, const char *device,
                         hw_bench_peer *peers, int max_peers);
// question: of the family; taken. NULL: the peer is not asked.
void hw_bench_peer_ask(hw_bench_peer *peer, json_t *question, double seconds, hw_bench_result *result);
void hw_bench_peer_stop(hw_bench_peer *peer);

// ---- What comes out (bench_report.c) --------------------------------------------------------------------------------

typedef struct hw_bench_report {
    const hw_bench_family *family;
    const char *device_name;
    const hw_device_properties *device;
    const hw_bench_peer *peers;     // names and versions, of those that are there and absent
    int n_peers;
    char ptx_by[64];                // compiler and version that made the device's kernels; "": it has none
    hw_bench_row *rows;
    size_t n_rows, n_skipped;       // skipped: cases for GPUs alone
    int width;                      // characters that the table's lines fit
} hw_bench_report;

void hw_bench_print_header(const hw_bench_report *report, FILE *out);
// The last of report->rows.
void hw_bench_print_row(const hw_bench_report *report, FILE *out);
void hw_bench_print_summary(const hw_bench_report *report, FILE *out);
// NULL: out of memory.
json_t *hw_bench_json(const hw_bench_report *report);

#endif
