// The options of a report.
#include "run/report_options.h"

#include "arrays/array_file.h"
#include "picture/picture.h"
#include "output/text_output.h"
#include "output/whole_file.h"

bool hw_cli_set_format(void *words, const char *value) {
    hw_cli_report_words *report = words;
    report->format = hw_cli_read_format(value);
    return report->format != HW_REPORT_FORMATS;
}

bool hw_cli_set_output(void *words, const char *value) {
    ((hw_cli_report_words *)words)->output = value;
    return hw_cli_is_file_name("-o", value) && !hw_cli_try_file(value);
}

bool hw_cli_set_plot(void *words, const char *value) {
    ((hw_cli_report_words *)words)->plot = value;
    return !hw_cli_picture_check(value) && !hw_cli_try_file(value);
}
