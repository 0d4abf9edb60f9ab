#include "output/sarif.h"

#include <string.h>
#include <unistd.h>

#include "output/json_output.h"
#include "report/fields.h"

enum { PLACE = 4200, DIGITS = 6 };

// RFC 3986: what is no letter of a path stands as its number. uri has room for three times as many bytes.
static void write_uri(const char *path, char *uri) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@=,$&!";
    for (size_t left = PLACE; *path && left > 1; path++, left--) {
        if (strchr(plain, *path)) *uri++ = *path;
        else uri += sprintf(uri, "%%%02X", (unsigned)(unsigned char)*path);
    }
    *uri = '\0';
}

// A path in the current folder as seen from there: code hosts know files by their places in the checkout.
static const char *relative(const char *file) {
    char folder[PLACE];
    const size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    return length > 1 && !strncmp(file, folder, length) && file[length] == '/' ? file + length + 1 : file;
}

json_t *hw_cli_sarif_location(const char *text, const char *file, unsigned line) {
    char uri[3 * PLACE];
    json_t *message = json_pack("{s:o}", "text", hw_json_text(text));
    if (!file || !line) return json_pack("{s:o}", "message", message);
    write_uri(relative(file), uri);
    return json_pack("{s:o,s:{s:{s:s},s:{s:i}}}", "message", message, "physicalLocation", "artifactLocation", "uri",
                     uri, "region", "startLine", (int)line);
}

bool hw_cli_sarif_add_rule(json_t *rules, const char *id, const char *text) {
    json_t *rule = json_pack("{s:o,s:{s:o}}", "id", hw_json_text(id), "shortDescription", "text", hw_json_text(text));
    return json_array_append_new(rules, rule) == 0;
}

bool hw_cli_sarif_add_result(json_t *results, const char *rule, const char *level, const char *text, json_t *places,
                             json_t *related, json_t *stacks, json_int_t count) {
    json_t *result = json_pack("{s:o,s:s,s:{s:o},s:o,s:o,s:o,s:I}", "ruleId", hw_json_text(rule), "level", level,
                               "message", "text", hw_json_text(text), "locations", places, "relatedLocations", related,
                               "stacks", stacks, "occurrenceCount", count);
    return json_array_append_new(results, result) == 0;
}

bool hw_cli_sarif_write(const char *tool, json_t *rules, json_t *results, bool good, FILE *out) {
    json_t *root = json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:o}},s:o}]}", "$schema",
                             "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                             "driver", "name", tool, "rules", rules, "results", results);
    return hw_cli_finish_json(root, good && root, DIGITS, out);
}
