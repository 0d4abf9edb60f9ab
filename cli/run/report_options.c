// The options of a report.
#include "run/report_options.h"

#include "arrays/array_file.h"
#include "html/html.h"
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

bool hw_cli_set_page(void *words, const char *value) {
    ((hw_cli_report_words *)words)->page = value;
    return hw_cli_html_check(value);
}

typedef struct json_part {
    hw_cli_text_writer *write;
    const void *context;
} json_part;

static bool write_part(const void *context, FILE *out) {
    const json_part *part = context;
    return part->write(part->context, HW_REPORT_JSON, false, out);
}

int hw_cli_page_deliver(const char *path, const char *title, const char *name, hw_cli_text_writer *write,
                        const void *context) {
    hw_cli_html_page page = {0};
    hw_cli_html_add(&page, name, write_part, &(json_part){write, context});
    return hw_cli_html_deliver(&page, path, title);
}
