// The transfers as a table, CSV and JSON.
#include "bandwidth/bandwidth.h"
#include "output/json_output.h"
#include "report/fields.h"
#include "report/sheet.h"
#include "report/text.h"

// ---- Samples --------------------------------------------------------------------------------------------------------

// A transfer, or one that overlaps with a kernel: a line of CSV, an object of JSON. They are numbered: by kind of
// memory, to the device and from it, by size; behind them those that overlap, by streams.
typedef struct sample {
    const char *memory, *direction;
    uint64_t bytes;
    double us;
    bool overlaps;
    hw_overlap overlap;          // all 0 of a transfer alone
} sample;

static size_t first_overlap(const hw_bandwidth *b) { return (size_t)b->n_sizes * 2 * HW_HOST_KINDS; }

static sample sample_at(const hw_bandwidth *b, size_t index) {
    const size_t size = index % (size_t)b->n_sizes, way = index / (size_t)b->n_sizes;
    if (index >= first_overlap(b)) {
        const hw_overlap *overlap = &b->overlap[index - first_overlap(b)];
        return (sample){"overlap", "to", b->overlap_bytes, overlap->us, true, *overlap};
    }
    const hw_host_kind kind = (hw_host_kind)(way / 2);
    const int to_device = !(way % 2);
    return (sample){.memory = hw_host_kind_name(kind), .direction = to_device ? "to" : "from", .bytes = b->bytes[size],
                    .us = b->us[kind][to_device][size]};
}

double hw_bandwidth_gbs(double bytes, double us) { return us > 0 ? bytes / us / 1e3 : 0; }

// ---- Columns --------------------------------------------------------------------------------------------------------

// A reader that takes nothing of its column. A row is a sample.
#define READER(reader, value)                                                                                         \
    static hw_value reader(const hw_column *column, const void *subject) {                                            \
        const hw_row *row = subject;                                                                                  \
        const hw_bandwidth *b = row->of;                                                                              \
        const sample s = sample_at(b, row->index);                                                                    \
        (void)column, (void)s;                                                                                        \
        return value;                                                                                                 \
    }

READER(read_device, hw_value_text(b->device))
READER(read_is_model, hw_value_flag(b->is_model))
READER(read_memory, hw_value_text(s.memory))
READER(read_direction, hw_value_text(s.direction))
READER(read_bytes, hw_value_integer(s.bytes))
READER(read_us, hw_value_real(s.us))
READER(read_gbs, hw_value_real(hw_bandwidth_gbs((double)s.bytes, s.us)))
READER(read_streams, hw_value_where(s.overlaps, hw_value_integer(s.overlap.streams)))
READER(read_execution, hw_value_where(s.overlaps, hw_value_real(s.overlap.execution_us)))
READER(read_transfer, hw_value_where(s.overlaps, hw_value_real(s.overlap.transfer_us)))
READER(read_formula, hw_value_where(s.overlaps, hw_value_real(s.overlap.formula_us)))

enum { DEVICE, MODEL, MEMORY, DIRECTION, BYTES, US, GBS, STREAMS, EXECUTION, TRANSFER, FORMULA };
enum { RIGHT = 0, SIZES = HW_GRID_KEY | HW_LOOK_BINARY, TENTHS = HW_LOOK_FIXED(1), HUNDREDTHS = HW_LOOK_FIXED(2) };

// HW_COLUMN(id, key, bottom, looks, unit, read): as in ladders/ladder_columns.def
#define HW_COLUMN(id, key, bottom, looks, unit, read)                                                                 \
    [id] = {key, {"", bottom, looks}, 0, 0, HW_UNIT_##unit, read, {{0}}, ""},
static const hw_column bandwidth_columns[] = {
    HW_COLUMN(DEVICE, "device", "", RIGHT, NONE, read_device)
    HW_COLUMN(MODEL, "model", "", RIGHT, NONE, read_is_model)
    HW_COLUMN(MEMORY, "memory", "", RIGHT, NONE, read_memory)
    HW_COLUMN(DIRECTION, "direction", "", RIGHT, NONE, read_direction)
    HW_COLUMN(BYTES, "bytes", "bytes", SIZES, BYTES, read_bytes)
    HW_COLUMN(US, "us", "together us", TENTHS, US, read_us)
    HW_COLUMN(GBS, "gbs", "", HUNDREDTHS, GBS, read_gbs)
    HW_COLUMN(STREAMS, "streams", "streams", RIGHT, COUNT, read_streams)
    HW_COLUMN(EXECUTION, "execution_us", "execution us", TENTHS, US, read_execution)
    HW_COLUMN(TRANSFER, "transfer_us", "transfer us", TENTHS, US, read_transfer)
    HW_COLUMN(FORMULA, "formula_us", "formula us", TENTHS, US, read_formula)
};
#undef HW_COLUMN
#define C(id) &bandwidth_columns[id]
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

// ---- Table ----------------------------------------------------------------------------------------------------------

enum { N_WAYS = 2 * HW_HOST_KINDS };
_Static_assert(1 + (int)N_WAYS <= (int)HW_GRID_COLUMNS, "columns fit a grid");

// The rate of the row's size in the column's kind of memory and direction.
static hw_value read_way(const hw_column *column, const void *subject) {
    const hw_row *row = subject;
    const hw_bandwidth *b = row->of;
    const uint8_t kind = column->of[0][0], to_device = column->of[0][1];
    return hw_value_real(hw_bandwidth_gbs((double)b->bytes[row->index], b->us[kind][to_device][row->index]));
}

// A row for each size, which the first samples have; to the device first.
static void write_rates(const hw_bandwidth *b, bool colour, FILE *out) {
    const hw_column *columns[1 + N_WAYS] = {C(BYTES)};
    hw_column ways[N_WAYS];
    for (uint8_t w = 0; w < N_WAYS; w++) {
        const uint8_t kind = w % HW_HOST_KINDS, to_device = w < HW_HOST_KINDS;
        ways[w] = (hw_column){"", {to_device ? "to device" : "from device", hw_host_kind_name((hw_host_kind)kind),
                                   HUNDREDTHS},
                              0, 0, HW_UNIT_GBS, read_way, {{kind, to_device}}, ""};
        columns[1 + w] = &ways[w];
    }
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = 1 + N_WAYS, .width = b->width,
                               .n_rows = (size_t)b->n_sizes, .of = b},
                   colour, out);
}

static void write_overlaps(const hw_bandwidth *b, bool colour, FILE *out) {
    static const hw_column *const columns[] = {C(STREAMS), C(EXECUTION), C(TRANSFER), C(US), C(FORMULA)};
    hw_sheet_write(&(hw_sheet){.columns = columns, .n_columns = (int)N_OF(columns), .width = b->width,
                               .first_row = first_overlap(b), .n_rows = HW_BANDWIDTH_OVERLAPS, .of = b},
                   colour, out);
}

static void write_table(const hw_bandwidth *b, bool colour, FILE *out) {
    static const char *const legend[][2] = {
        {"combined", "write-combined pinned memory"},
        {"mapped", "read and written by a kernel, without a copy"},
        {"formula", "execution + transfer / streams, where execution takes longer"},
        {"together", "chunk by chunk, each copy with its latency; on 1.0 nothing overlaps"},
    };
    char text[32], line[256];
    snprintf(line, sizeof line, "%s (%s): host memory, GB/s (10^9 bytes per second)%s", b->name, b->device,
             b->is_model ? "; a model, nothing was measured" : "");
    hw_grid_write_wrapped(line, b->width, 0, 0, out);
    fputc('\n', out);
    write_rates(b, colour, out);
    fprintf(out, "\n%s copied to the device and worked on, in chunks in as many streams\n\n",
            hw_report_binary(b->overlap_bytes, text, sizeof text));
    write_overlaps(b, colour, out);
    fputc('\n', out);
    // What the last one says is of the model alone.
    for (size_t i = 0; i < N_OF(legend) - !b->is_model; i++)
        fprintf(out, "  %-8s  %s\n", legend[i][0], legend[i][1]);
}

// ---- CSV and JSON ---------------------------------------------------------------------------------------------------

#define F(id, ...) {C(id), __VA_ARGS__}
enum { PADDED = HW_FIELD_PADDED };

// One table: of a transfer streams, execution_us, transfer_us and formula_us are empty.
static void write_csv(const hw_bandwidth *b, FILE *out) {
    static const hw_field fields[] = {
        F(DEVICE, 0, 0), F(MODEL, 0, 0), F(MEMORY, 0, 0), F(DIRECTION, 0, 0), F(BYTES, 0, 0), F(US, 3, PADDED),
        F(GBS, 3, PADDED), F(STREAMS, 0, 0), F(EXECUTION, 3, PADDED), F(TRANSFER, 3, PADDED), F(FORMULA, 3, PADDED)};
    hw_csv_write_keys(fields, N_OF(fields), out);
    for (size_t i = 0; i < first_overlap(b) + HW_BANDWIDTH_OVERLAPS; i++)
        hw_csv_write_row(fields, N_OF(fields), &(hw_row){b, i, NULL}, out);
}

// The samples from `first` to before `end`. NULL: out of memory.
static json_t *samples_array(const hw_bandwidth *b, const hw_field *fields, size_t n_fields, size_t first,
                             size_t end) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = first; i < end && !failed; i++) {
        json_t *object = json_object();
        failed = hw_json_put_row(object, fields, n_fields, &(hw_row){b, i, NULL}) |
                 json_array_append_new(array, object);
    }
    if (!failed) return array;
    json_decref(array);
    return NULL;
}

static bool write_json(const hw_bandwidth *b, FILE *out) {
    enum { DIGITS = 15 };   // a double's, so that no decimal is made up
    static const hw_field device[] = {F(DEVICE, 0, 0), F(MODEL, 0, 0)};
    static const hw_field transfer[] = {F(MEMORY, 0, 0), F(DIRECTION, 0, 0), F(BYTES, 0, 0), F(US, 3, 0),
                                        F(GBS, 3, 0)};
    static const hw_field overlap[] = {F(BYTES, 0, 0), F(STREAMS, 0, 0), F(US, 3, 0), F(EXECUTION, 3, 0),
                                       F(TRANSFER, 3, 0), F(FORMULA, 3, 0)};
    const size_t end = first_overlap(b);
    json_t *object = json_object();
    int failed = hw_json_put_row(object, device, N_OF(device), &(hw_row){b, 0, NULL});
    failed |= json_object_set_new(object, "transfers", samples_array(b, transfer, N_OF(transfer), 0, end));
    failed |= json_object_set_new(object, "overlap", samples_array(b, overlap, N_OF(overlap), end,
                                                                   end + HW_BANDWIDTH_OVERLAPS));
    return hw_cli_finish_json(object, !failed, DIGITS, out);
}

bool hw_bandwidth_write(const void *bandwidth, hw_report_format format, bool colour, FILE *out) {
    if (format == HW_REPORT_JSON) return write_json(bandwidth, out);
    if (format == HW_REPORT_CSV) write_csv(bandwidth, out);
    else write_table(bandwidth, colour, out);
    return true;
}
