// Conditions on the columns of a launch: "bank_passes > 1.1", "kernel =~ /tile/ and gst_sectors > 2 * gst_requests".
//
//   condition   = all { "or" all }            also "||"
//   all         = not { "and" not }           also "&&"
//   not         = [ "not" | "!" ] ( comparison | "(" condition ")" )
//   comparison  = sum ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum | text ( "==" | "!=" ) text |
//                 text ( "=~" | "!~" ) /REGEX/
//   sum         = product { ( "+" | "-" ) product }
//   product     = factor { ( "*" | "/" ) factor }
//   factor      = NUMBER | COLUMN | "-" factor | "(" sum ")"
//   text        = COLUMN | 'TEXT' | "TEXT"
//
// COLUMN is a key of a profile's CSV, or one of its ratios (man/halfwarp-columns.7). REGEX is a POSIX extended regular
// expression that has to match somewhere; a slash in it is \/. There is a language of our own because none that Debian
// packages for C has names, texts and regular expressions in one condition that a user can write from memory: jq's
// would be '.bank_passes > 1.1 and (.kernel | test("tile"))'.
#ifndef HW_REPORT_CONDITION_H
#define HW_REPORT_CONDITION_H

#include "report/columns.h"

typedef struct hw_condition hw_condition;

// HW_MALFORMED with a sentence that quotes what is wrong and says what could stand there; HW_NO_MEMORY. *out is NULL
// then. The text is copied.
hw_status hw_condition_parse(const char *text, hw_condition **out, hw_diag *diag);
void hw_condition_free(hw_condition *condition);
const char *hw_condition_text(const hw_condition *condition);

// Is it true of a launch? A comparison with what was not counted, or estimated, is false.
bool hw_condition_holds(const hw_condition *condition, const hw_subject *subject);

// The columns of the comparisons that make it true, with their values: "bank_passes is 16.5 and the limit 1.1". ""
// where there are only texts. Returns out.
const char *hw_condition_explain(const hw_condition *condition, const hw_subject *subject, char *out, size_t bytes);

// The columns that those comparisons name, at most `most`. Returns how many.
size_t hw_condition_columns(const hw_condition *condition, const hw_subject *subject, const hw_column **columns,
                            size_t most);

#endif
