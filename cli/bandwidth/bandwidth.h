// halfwarp bandwidth: what was measured, and how it is told.
#ifndef HW_CLI_BANDWIDTH_H
#define HW_CLI_BANDWIDTH_H

#include "cli.h"
#include "device/transfer.h"
#include "report/report.h"

enum { HW_BANDWIDTH_SIZES = 16, HW_BANDWIDTH_OVERLAPS = 4 };

typedef struct hw_bandwidth {
    const char *device, *name;           // "cuda:0", and what the driver calls it
    bool is_model;                       // nothing was measured
    int n_sizes;
    unsigned long long bytes[HW_BANDWIDTH_SIZES];
    double us[HW_HOST_KINDS][2][HW_BANDWIDTH_SIZES];   // [1]: to the device
    unsigned long long overlap_bytes;
    hw_overlap overlap[HW_BANDWIDTH_OVERLAPS];
    int width;                           // characters that the table's lines fit
} hw_bandwidth;

// 10^9 bytes per second; 0 where there is no time.
double hw_bandwidth_gbs(double bytes, double us);

// As hw_cli_text_writer.
bool hw_bandwidth_write(const void *bandwidth, hw_report_format format, bool colour, FILE *out);

// A picture: GB/s against bytes. 0, or HW_EXIT_USAGE after a complaint.
int hw_bandwidth_draw(const hw_bandwidth *bandwidth, const char *path);

#endif
