// The formats, one row each.
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "report/internal.h"

typedef struct format_row {
    const char *name;
    hw_status (*write)(const hw_report *report, const hw_report_look *look, FILE *out, hw_diag *diag);
} format_row;

static const format_row formats[HW_REPORT_FORMATS] = {
    [HW_REPORT_TABLE] = {"table", hw_report_write_table},
    [HW_REPORT_CSV] = {"csv", hw_report_write_csv},
    [HW_REPORT_JSON] = {"json", hw_report_write_json},
};

hw_report_format hw_report_find_format(const char *name) {
    for (int i = 0; i < HW_REPORT_FORMATS; i++)
        if (!strcmp(formats[i].name, name)) return (hw_report_format)i;
    return HW_REPORT_FORMATS;
}

const char *hw_report_format_name(hw_report_format format) {
    return (unsigned)format < HW_REPORT_FORMATS ? formats[format].name : NULL;
}

hw_status hw_report_write(const hw_report *report, hw_report_format format, const hw_report_look *look, FILE *out,
                          hw_diag *diag) {
    if ((unsigned)format >= HW_REPORT_FORMATS) return hw_diag_set(diag, HW_USAGE, "no such report format");
    hw_status status = formats[format].write(report, look, out, diag);
    if (!status && (fflush(out) != 0 || ferror(out)))
        return hw_diag_set(diag, HW_IO, "cannot write the report: %s", strerror(errno));
    return status;
}

const char *hw_report_ptx_by(const hw_report *report, const hw_report_kernel *kernel) {
    for (size_t i = 0; i < report->n_launches; i++)
        if (!strcmp(report->launches[i].mangled, kernel->mangled))
            return report->launches[i].ptx_by ? report->launches[i].ptx_by : "";
    return "";
}
