// halfwarp bench: cases from a file, each measured with Halfwarp and with its peers in the same run.
#ifndef HW_CLI_BENCH_H
#define HW_CLI_BENCH_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli.h"

enum { HW_BENCH_RANK = 8, HW_BENCH_SAMPLES = 256, HW_BENCH_PEERS = 8 };

// ---- Cases (bench_case.c) -------------------------------------------------------------------------------------------

// A row of bench/cases/transpose.txt.
typedef struct hw_bench_case {
    char group[16], dtype[8], shape_text[64], axes_text[32];
    uint32_t elem_bytes;
    int rank, axes[HW_BENCH_RANK];
    int64_t shape[HW_BENCH_RANK];
    size_t bytes;      // of the array
    bool in_place;     // of group "inplace"
} hw_bench_case;

// Reads a line. 1: a case; 0: a comment or nothing; -1: wrong.
int hw_bench_case_read(const char *line, hw_bench_case *out);

// ---- Times (bench_times.c) ------------------------------------------------------------------------------------------

typedef struct hw_bench_times {
    double ns[HW_BENCH_SAMPLES];    // of one run, a sample each
    int n;
    double median, minimum, maximum;
    double spread_pct;              // between the quartiles, of the median
} hw_bench_times;

void hw_bench_times_add(hw_bench_times *times, double ns);
void hw_bench_times_finish(hw_bench_times *times);   // sorts

// What was measured of a case by one of those compared.
typedef struct hw_bench_result {
    char who[24];
    char problem[200];   // not "": it has no times, and why
    bool wrong;          // the problem is a wrong result
    hw_bench_times times;
} hw_bench_result;

typedef struct hw_bench_row {
    hw_bench_case what;
    hw_bench_result copy, halfwarp, peers[HW_BENCH_PEERS];
    int n_peers;
} hw_bench_row;

// ---- Halfwarp and the copy (bench_transpose.c) ----------------------------------------------------------------------

// Verifies the transpose of row->what on the device, every element, and measures it by turns with a copy of the same
// bytes, for about so many seconds each. A case that fails has that in row->halfwarp.problem.
void hw_bench_transpose(hw_device *device, double seconds, hw_bench_row *row);

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
void hw_bench_peer_ask(hw_bench_peer *peer, const hw_bench_case *what, double seconds, hw_bench_result *result);
void hw_bench_peer_stop(hw_bench_peer *peer);

// ---- What comes out (bench_report.c) --------------------------------------------------------------------------------

typedef struct hw_bench_report {
    const char *family, *device_name, *commit;
    const hw_device_properties *device;
    const hw_bench_peer *peers;     // names and versions, of those that are there and absent
    int n_peers;
    hw_bench_row *rows;
    size_t n_rows;
} hw_bench_report;

void hw_bench_print_header(const hw_bench_report *report, FILE *out);
void hw_bench_print_row(const hw_bench_report *report, const hw_bench_row *row, FILE *out);
void hw_bench_print_summary(const hw_bench_report *report, FILE *out);
// NULL: out of memory.
json_t *hw_bench_json(const hw_bench_report *report);

#endif
