// halfwarp bandwidth: copies between the host and a GPU, by kind of host memory and size, and how they overlap with
// kernels.
#include <string.h>

#include "bandwidth/bandwidth.h"
#include "run/report_options.h"
#include "output/text_output.h"

static const char bandwidth_help[] =
    "usage: halfwarp bandwidth [OPTIONS]\n"
    "\n"
    "How fast a GPU gets data from the host's memory and brings it there: pageable,\n"
    "pinned, write-combined and mapped memory, 4 KiB to 256 MiB. And what it saves to\n"
    "copy in chunks while a kernel works: in 1, 2, 4 and 8 streams, beside the\n"
    "formula execution + transfer / streams.\n"
    "\n"
    "  --device D        cuda:0 unless given. On sim:G there is no time: the numbers\n"
    "                    are a model's, of the link of that GPU, and the report says\n"
    "                    so\n"
    "  --max BYTES       the largest transfer, 256MiB unless given, at most 1GiB\n"
    "  --format F        table (as it is unless given), csv or json\n"
    "  -o FILE           write that to FILE and not to standard output\n"
    "  --plot FILE       a picture as well, .svg, or .png by rsvg-convert\n"
    "  --report FILE     write a page with it, FILE.html, for a browser\n";

enum { LEAST = 4 << 10, MOST = 1 << 30, OVERLAP_BYTES = 64 << 20 };

typedef struct bandwidth_words {
    hw_cli_report_words report;
    const char *device;
    unsigned long long most;
} bandwidth_words;

static bool set_device(void *options, const char *value) {
    ((bandwidth_words *)options)->device = value;
    return true;
}

static bool set_most(void *options, const char *value) {
    bandwidth_words *words = options;
    if (hw_cli_parse_bytes(value, &words->most) && words->most >= LEAST && words->most <= MOST) return true;
    hw_cli_complain("--max is a number of bytes from 4KiB to 1GiB, and not '%s'", value);
    return false;
}

static const hw_cli_option bandwidth_option_rows[] = {
    {"--device", true, set_device}, {"--max", true, set_most}, HW_CLI_REPORT_OPTIONS,
};

// Four times as much each time.
static hw_status measure_transfers(hw_device *device, unsigned long long most, hw_bandwidth *b, hw_diag *diag) {
    hw_status status = HW_OK;
    for (unsigned long long bytes = LEAST; bytes <= most; bytes *= 4) b->bytes[b->n_sizes++] = bytes;
    for (int k = 0; k < HW_HOST_KINDS; k++)
        for (int d = 1; d >= 0; d--)
            for (int i = 0; i < b->n_sizes && !status; i++)
                status = hw_transfer_time(device, (hw_host_kind)k, d, (size_t)b->bytes[i], &b->us[k][d][i], diag);
    b->overlap_bytes = most < OVERLAP_BYTES ? most : OVERLAP_BYTES;
    for (int i = 0; i < HW_BANDWIDTH_OVERLAPS && !status; i++)
        status = hw_transfer_overlap(device, (size_t)b->overlap_bytes, 1u << i, &b->overlap[i], diag);
    return status;
}

static int deliver_bandwidth(const bandwidth_words *words, hw_bandwidth *b) {
    const hw_cli_report_words *report = &words->report;
    b->width = hw_cli_table_width(report->output);
    int status = hw_cli_text_deliver(report->output, report->format, hw_bandwidth_write, b);
    if (!status && report->plot) status = hw_bandwidth_draw(b, report->plot);
    if (status || !report->page) return status;
    return hw_cli_page_deliver(report->page, "Bandwidth", "bandwidth", hw_bandwidth_write, b);
}

static int bandwidth_main(int argc, char **argv) {
    static const hw_cli_syntax syntax = {"bandwidth", bandwidth_option_rows,
                                         sizeof bandwidth_option_rows / sizeof bandwidth_option_rows[0], 0};
    bandwidth_words words = {.device = "cuda:0", .most = 256 << 20};
    hw_bandwidth bandwidth = {0};
    hw_device *device = NULL;
    hw_diag diag = {0};
    int n_words, status = hw_cli_parse(&syntax, &words, argc, argv, NULL, &n_words);
    if (!status) status = hw_cli_open_device(words.device, 0, &device);
    if (!status) {
        const hw_device_properties *p = hw_device_get_properties(device);
        bandwidth.device = words.device;
        bandwidth.name = p->name;
        bandwidth.is_model = p->kind == HW_DEVICE_SIM;
        hw_status measured = measure_transfers(device, words.most, &bandwidth, &diag);
        status = measured ? hw_cli_fail(measured, &diag) : deliver_bandwidth(&words, &bandwidth);
    }
    hw_device_close(device);
    return status;
}

const hw_command hw_cmd_bandwidth = {"bandwidth", "copies between the host and a GPU, and overlapping them",
                                     bandwidth_help, bandwidth_main};
