#include "report/condition.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/suggest.h"
#include "report/text.h"

typedef enum node_kind {
    NUMBER, COLUMN, TEXT, EXPRESSION,            // leaves
    NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE,     // of numbers
    LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL, MATCHES, MATCHES_NOT,   // comparisons
    AND, OR, NOT
} node_kind;

typedef struct node {
    node_kind kind;
    uint32_t left, right;                        // of nodes
    double number;
    const hw_column *column;
    char *text;                                  // TEXT
    regex_t *expression;                         // EXPRESSION
} node;

struct hw_condition {
    char *text;
    node *nodes;
    size_t n, capacity;
    uint32_t root;
};

// ---- Words ----------------------------------------------------------------------------------------------------------

typedef enum word_kind { END, A_NUMBER, A_NAME, A_TEXT, A_SIGN } word_kind;

typedef struct parser {
    hw_condition *condition;
    hw_diag *diag;
    hw_status status;
    const char *at;                              // behind the word
    const char *word;
    size_t length;
    word_kind kind;
    int depth;
} parser;

enum { MOST_DEPTH = 100, MOST_QUOTED = 60 };

static uint32_t fail(parser *p, const char *wanted) {
    const int length = p->length < MOST_QUOTED ? (int)p->length : MOST_QUOTED;
    if (p->status) return 0;
    p->status = p->kind == END
        ? hw_diag_set(p->diag, HW_MALFORMED, "'%s' ends where %s should stand", p->condition->text, wanted)
        : hw_diag_set(p->diag, HW_MALFORMED, "'%s' has '%.*s' where %s should stand", p->condition->text, length,
                      p->word, wanted);
    return 0;
}

static void run_out(parser *p) {
    if (!p->status) p->status = hw_diag_no_memory(p->diag);
}

static bool is_name_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t sign_length(const char *at) {
    static const char *const signs[] = {"<=", ">=", "==", "!=", "=~", "!~", "&&", "||"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(at, signs[i], 2) == 0) return 2;
    return 1;
}

static void next_word(parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
    const char *at = p->word = p->at;
    if (!*at) {
        p->kind = END;
    } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        p->kind = A_NUMBER;
        at += strspn(at, "0123456789.");
        if (*at == 'e' || *at == 'E') {
            at += 1 + strspn(at + 1, "+-");
            at += strspn(at, "0123456789");
        }
    } else if (is_name_letter(*at)) {
        p->kind = A_NAME;
        while (is_name_letter(*at)) at++;
    } else if (*at == '\'' || *at == '"') {
        p->kind = A_TEXT;
        const char *end = strchr(at + 1, *at);
        at = end ? end + 1 : at + strlen(at);
    } else {
        p->kind = A_SIGN;
        at += sign_length(at);
    }
    p->length = (size_t)(at - p->word);
    p->at = at;
}

static bool is_word(const parser *p, const char *word) {
    return p->kind != END && p->kind != A_TEXT && strlen(word) == p->length && !strncmp(p->word, word, p->length);
}

static bool take(parser *p, const char *word) {
    if (!is_word(p, word)) return false;
    next_word(p);
    return true;
}

static char *copy_text(parser *p, const char *at, size_t length) {
    char *copy = hw_malloc(length + 1);
    if (!copy) {
        run_out(p);
        return NULL;
    }
    memcpy(copy, at, length);
    copy[length] = '\0';
    return copy;
}

// ---- Parsing --------------------------------------------------------------------------------------------------------

static uint32_t add_node(parser *p, node n) {
    hw_condition *c = p->condition;
    if (!hw_grow((void **)&c->nodes, c->n, &c->capacity, sizeof *c->nodes)) {
        run_out(p);
        hw_free(n.text);
        return 0;
    }
    c->nodes[c->n] = n;
    return (uint32_t)c->n++;
}

static uint32_t add_pair(parser *p, node_kind kind, uint32_t left, uint32_t right) {
    return p->status ? 0 : add_node(p, (node){.kind = kind, .left = left, .right = right});
}

// Columns that a launch alone has no value of.
static bool is_of_launches(hw_column_id id) {
    static const uint8_t others[] = {HW_COLUMN_FILE, HW_COLUMN_LINE, HW_COLUMN_SOURCE, HW_COLUMN_LAUNCHES,
                                     HW_COLUMN_REUSED_LAUNCHES, HW_COLUMN_COMPLETED_LAUNCHES, HW_COLUMN_EST_US_MEAN,
                                     HW_COLUMN_EST_US_MIN, HW_COLUMN_EST_US_MAX, HW_COLUMN_SHARE_PCT, HW_COLUMN_GRID,
                                     HW_COLUMN_BLOCK, HW_COLUMN_EST_STALL_US, HW_COLUMN_EST_STALL_FOR};
    return *hw_columns[id].key && !memchr(others, (int)id, sizeof others);
}

static const hw_column *find_column(const char *name, size_t length) {
    for (int i = 0; i < HW_COLUMNS; i++) {
        const char *key = hw_columns[i].key;
        if (strlen(key) == length && !strncmp(key, name, length) && is_of_launches((hw_column_id)i))
            return &hw_columns[i];
    }
    return NULL;
}

// Of a column's name as it was written; NULL: none is like it.
static const char *suggest_column(const parser *p) {
    const char *names[HW_COLUMNS];
    char word[MOST_QUOTED + 1];
    size_t n = 0;
    for (int i = 0; i < HW_COLUMNS; i++)
        if (is_of_launches((hw_column_id)i)) names[n++] = hw_columns[i].key;
    snprintf(word, sizeof word, "%.*s", (int)p->length, p->word);
    return p->length < sizeof word ? hw_suggest(word, names, n) : NULL;
}

static uint32_t fail_by_name(parser *p) {
    const char *near = suggest_column(p);
    if (!near) return fail(p, "a number, or a column of a launch (`halfwarp help columns`),");
    p->status = hw_diag_set(p->diag, HW_MALFORMED, "'%s': there is no column '%.*s' of a launch; did you mean '%s'?",
                            p->condition->text, (int)p->length, p->word, near);
    return 0;
}

static bool is_text_column(const hw_column *column) {
    return column == &hw_columns[HW_COLUMN_KERNEL] || column == &hw_columns[HW_COLUMN_MANGLED] ||
           column == &hw_columns[HW_COLUMN_EST_BOUND] || column == &hw_columns[HW_COLUMN_PTX_BY];
}

static bool is_text(const parser *p, uint32_t index) {
    const node *n = &p->condition->nodes[index];
    return n->kind == TEXT || (n->kind == COLUMN && is_text_column(n->column));
}

static uint32_t parse_number(parser *p) {
    char digits[64], *end;
    snprintf(digits, sizeof digits, "%.*s", (int)p->length, p->word);
    const double number = strtod(digits, &end);
    if (*end || p->length >= sizeof digits || !isfinite(number)) return fail(p, "a number");
    next_word(p);
    return add_node(p, (node){.kind = NUMBER, .number = number});
}

static uint32_t parse_column(parser *p) {
    const hw_column *column = find_column(p->word, p->length);
    if (!column) return fail_by_name(p);
    next_word(p);
    return add_node(p, (node){.kind = COLUMN, .column = column});
}

static uint32_t parse_text(parser *p) {
    if (p->length < 2 || p->word[p->length - 1] != *p->word) return fail(p, "a text with a quote behind it");
    char *text = copy_text(p, p->word + 1, p->length - 2);
    if (!text) return 0;
    next_word(p);
    return add_node(p, (node){.kind = TEXT, .text = text});
}

static uint32_t parse_sum(parser *p);
static uint32_t parse_condition(parser *p);

static bool goes_deeper(parser *p) {
    if (p->depth++ < MOST_DEPTH) return true;
    if (!p->status) p->status = hw_diag_set(p->diag, HW_MALFORMED, "a condition has too many brackets in each other");
    return false;
}

static uint32_t parse_factor(parser *p) {
    uint32_t inner = 0;
    if (p->kind == A_NUMBER) return parse_number(p);
    if (p->kind == A_NAME) return parse_column(p);
    if (p->kind == A_TEXT) return parse_text(p);
    if (!goes_deeper(p)) return 0;
    if (take(p, "-")) {
        inner = add_pair(p, NEGATE, parse_factor(p), 0);
    } else if (take(p, "(")) {
        inner = parse_sum(p);
        if (!p->status && !take(p, ")")) fail(p, "a closing bracket");
    } else fail(p, "a number or a column");
    p->depth--;
    return inner;
}

// Reckoning with a text has no meaning; neither has comparing one with a number.
static uint32_t join_numbers(parser *p, node_kind kind, uint32_t left, uint32_t right) {
    if (!p->status && (is_text(p, left) || is_text(p, right)))
        p->status = hw_diag_set(p->diag, HW_MALFORMED, "'%s' takes a text for a number", p->condition->text);
    return add_pair(p, kind, left, right);
}

static uint32_t parse_product(parser *p) {
    uint32_t left = parse_factor(p);
    while (!p->status && (is_word(p, "*") || is_word(p, "/"))) {
        const node_kind kind = is_word(p, "*") ? MULTIPLY : DIVIDE;
        next_word(p);
        left = join_numbers(p, kind, left, parse_factor(p));
    }
    return left;
}

static uint32_t parse_sum(parser *p) {
    uint32_t left = parse_product(p);
    while (!p->status && (is_word(p, "+") || is_word(p, "-"))) {
        const node_kind kind = is_word(p, "+") ? ADD : SUBTRACT;
        next_word(p);
        left = join_numbers(p, kind, left, parse_product(p));
    }
    return left;
}

// /REGEX/, whose first slash is the word; next_word has read no further.
static uint32_t parse_expression(parser *p) {
    char *text = NULL, why[128];
    size_t length = 0;
    if (!is_word(p, "/")) return fail(p, "a regular expression between slashes");
    while (p->at[length] && p->at[length] != '/') length += p->at[length] == '\\' && p->at[length + 1] ? 2 : 1;
    if (p->at[length] != '/') return fail(p, "a regular expression with a slash behind it");
    text = copy_text(p, p->at, length);
    p->at += length + 1;
    regex_t *expression = text ? hw_calloc(1, sizeof *expression) : NULL;
    if (text && !expression) run_out(p);
    for (char *from = text, *to = text; text; from++) {    // \/ is a slash
        if (*from == '\\' && from[1] == '/') from++;
        *to++ = *from;
        if (!*from) break;
    }
    const int failure = expression ? regcomp(expression, text, REG_EXTENDED | REG_NOSUB) : 0;
    if (failure) {
        regerror(failure, expression, why, sizeof why);
        p->status = hw_diag_set(p->diag, HW_MALFORMED, "'%s' is no extended regular expression: %s", text, why);
        hw_free(expression);
        expression = NULL;
    }
    hw_free(text);
    if (!expression) return 0;
    next_word(p);
    const uint32_t index = add_node(p, (node){.kind = EXPRESSION, .expression = expression});
    if (p->status) regfree(expression), hw_free(expression);
    return index;
}

static const struct {
    const char *sign;
    node_kind kind;
} comparisons[] = {{"<", LESS},   {"<=", AT_MOST}, {">", MORE},     {">=", AT_LEAST},
                   {"==", EQUAL}, {"!=", UNEQUAL}, {"=~", MATCHES}, {"!~", MATCHES_NOT}};
enum { N_COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static uint32_t parse_right_side(parser *p, node_kind kind, uint32_t left) {
    if (kind == MATCHES || kind == MATCHES_NOT) {
        if (!is_text(p, left))
            p->status = hw_diag_set(p->diag, HW_MALFORMED, "'%s' matches what is no text; kernel is one",
                                    p->condition->text);
        return add_pair(p, kind, left, p->status ? 0 : parse_expression(p));
    }
    const uint32_t right = parse_sum(p);
    const bool are_texts = !p->status && is_text(p, left) && is_text(p, right);
    if (are_texts && (kind == EQUAL || kind == UNEQUAL)) return add_pair(p, kind, left, right);
    return join_numbers(p, kind, left, right);
}

static uint32_t parse_comparison(parser *p) {
    const uint32_t left = parse_sum(p);
    for (int i = 0; i < N_COMPARISONS && !p->status; i++) {
        if (!is_word(p, comparisons[i].sign)) continue;
        // What begins with a slash behind =~ is no division: the expression is read from the text itself.
        next_word(p);
        return parse_right_side(p, comparisons[i].kind, left);
    }
    return fail(p, "a comparison (<, <=, >, >=, ==, !=, =~ or !~)");
}

// A bracket begins a condition or a sum: it is the one in which the closing bracket is reached.
static bool is_condition_in_brackets(const parser *p) {
    int open = 0;
    char quote = 0;
    for (const char *at = p->word; *at; at++) {
        if (quote) {
            if (*at == quote) quote = 0;
        } else if (*at == '\'' || *at == '"') quote = *at;
        else if (*at == '(') open++;
        else if (*at == ')' && --open == 0) return false;
        else if (strchr("<>=!~&|", *at)) return true;
    }
    return false;
}

static uint32_t parse_not(parser *p) {
    uint32_t inner;
    if (!goes_deeper(p)) return 0;
    if (take(p, "not") || take(p, "!")) {
        inner = add_pair(p, NOT, parse_not(p), 0);
    } else if (is_word(p, "(") && is_condition_in_brackets(p)) {
        next_word(p);
        inner = parse_condition(p);
        if (!p->status && !take(p, ")")) fail(p, "a closing bracket");
    } else inner = parse_comparison(p);
    p->depth--;
    return inner;
}

static uint32_t parse_all(parser *p) {
    uint32_t left = parse_not(p);
    while (!p->status && (take(p, "and") || take(p, "&&"))) left = add_pair(p, AND, left, parse_not(p));
    return left;
}

static uint32_t parse_condition(parser *p) {
    uint32_t left = parse_all(p);
    while (!p->status && (take(p, "or") || take(p, "||"))) left = add_pair(p, OR, left, parse_all(p));
    return left;
}

hw_status hw_condition_parse(const char *text, hw_condition **out, hw_diag *diag) {
    parser p = {.condition = hw_calloc(1, sizeof *p.condition), .diag = diag, .at = text};
    *out = NULL;
    if (!p.condition) return hw_diag_no_memory(diag);
    p.condition->text = copy_text(&p, text, strlen(text));
    if (!p.status) {
        next_word(&p);
        p.condition->root = parse_condition(&p);
    }
    if (!p.status && p.kind != END) fail(&p, "'and', 'or' or the end");
    if (p.status) hw_condition_free(p.condition);
    else *out = p.condition;
    return p.status;
}

void hw_condition_free(hw_condition *condition) {
    if (!condition) return;
    for (size_t i = 0; i < condition->n; i++) {
        node *n = &condition->nodes[i];
        if (n->expression) regfree(n->expression);
        hw_free(n->expression);
        hw_free(n->text);
    }
    hw_free(condition->nodes);
    hw_free(condition->text);
    hw_free(condition);
}

const char *hw_condition_text(const hw_condition *condition) { return condition->text; }

// ---- Evaluation -----------------------------------------------------------------------------------------------------

typedef struct question {
    const hw_condition *condition;
    const hw_subject *subject;
} question;

// NAN: there is none.
static double number_of(question q, uint32_t index) {
    const node *n = &q.condition->nodes[index];
    if (n->kind == NUMBER) return n->number;
    if (n->kind == NEGATE) return -number_of(q, n->left);
    if (n->kind == COLUMN) {
        const hw_value value = hw_column_value(n->column, q.subject);
        const bool is_real = value.kind == HW_VALUE_REAL || value.kind == HW_VALUE_PAIR;
        return value.is_absent ? NAN : is_real ? value.real : (double)value.integer;
    }
    const double left = number_of(q, n->left), right = number_of(q, n->right);
    if (n->kind == ADD) return left + right;
    if (n->kind == SUBTRACT) return left - right;
    return n->kind == MULTIPLY ? left * right : right == 0 ? NAN : left / right;
}

static bool is_text_node(const node *n) {
    return n->kind == TEXT || (n->kind == COLUMN && is_text_column(n->column));
}

// NULL: there is none.
static const char *text_of(question q, uint32_t index) {
    const node *n = &q.condition->nodes[index];
    if (n->kind == TEXT) return n->text;
    const hw_value value = hw_column_value(n->column, q.subject);
    return value.is_absent ? NULL : value.text;
}

static bool compare_texts(question q, const node *n) {
    const char *left = text_of(q, n->left);
    if (!left) return false;
    if (n->kind == MATCHES || n->kind == MATCHES_NOT) {
        const regex_t *expression = q.condition->nodes[n->right].expression;
        return (regexec(expression, left, 0, NULL, 0) == 0) == (n->kind == MATCHES);
    }
    const char *right = text_of(q, n->right);
    return right && (strcmp(left, right) == 0) == (n->kind == EQUAL);
}

static bool compare_numbers(question q, const node *n) {
    const double left = number_of(q, n->left), right = number_of(q, n->right);
    if (isnan(left) || isnan(right)) return false;
    switch (n->kind) {
    case LESS: return left < right;
    case AT_MOST: return left <= right;
    case MORE: return left > right;
    case AT_LEAST: return left >= right;
    case EQUAL: return left == right;
    default: return left != right;
    }
}

static bool holds(question q, uint32_t index) {
    const node *n = &q.condition->nodes[index];
    if (n->kind == AND) return holds(q, n->left) && holds(q, n->right);
    if (n->kind == OR) return holds(q, n->left) || holds(q, n->right);
    if (n->kind == NOT) return !holds(q, n->left);
    return is_text_node(&q.condition->nodes[n->left]) ? compare_texts(q, n) : compare_numbers(q, n);
}

bool hw_condition_holds(const hw_condition *condition, const hw_subject *subject) {
    return holds((question){condition, subject}, condition->root);
}

// ---- What is told ---------------------------------------------------------------------------------------------------

static bool is_comparison_of_numbers(const hw_condition *c, const node *n) {
    return n->kind >= LESS && n->kind <= UNEQUAL && !is_text_node(&c->nodes[n->left]);
}

// Columns below a node, in their order.
static size_t list_columns(const hw_condition *c, uint32_t index, const hw_column **columns, size_t n, size_t most) {
    const node *at = &c->nodes[index];
    if (at->kind == NUMBER || at->kind == TEXT || at->kind == EXPRESSION) return n;
    if (at->kind != COLUMN) {
        n = list_columns(c, at->left, columns, n, most);
        return at->kind == NEGATE || at->kind == NOT ? n : list_columns(c, at->right, columns, n, most);
    }
    for (size_t i = 0; i < n; i++)
        if (columns[i] == at->column) return n;
    if (n < most) columns[n++] = at->column;
    return n;
}

enum { MOST_TOLD = 16 };

// The comparisons of numbers that make the condition true, or below a "not" by being false. Returns how many, of
// `told` in all.
static size_t list_told(question q, uint32_t index, bool is_negated, uint32_t told[MOST_TOLD], size_t n) {
    const node *at = &q.condition->nodes[index];
    if (at->kind == NOT) return list_told(q, at->left, !is_negated, told, n);
    if (at->kind == AND || at->kind == OR)
        return list_told(q, at->right, is_negated, told, list_told(q, at->left, is_negated, told, n));
    const bool is_told = is_comparison_of_numbers(q.condition, at) && compare_numbers(q, at) != is_negated;
    if (is_told && n < MOST_TOLD) told[n++] = index;
    return n;
}

size_t hw_condition_columns(const hw_condition *condition, const hw_subject *subject, const hw_column **columns,
                            size_t most) {
    uint32_t told[MOST_TOLD];
    const size_t n_told = list_told((question){condition, subject}, condition->root, false, told, 0);
    size_t n = 0;
    for (size_t i = 0; i < n_told; i++) n = list_columns(condition, told[i], columns, n, most);
    return n;
}

static const char *digits_of(double number, char out[HW_REPORT_NUMBER]) {
    enum { EXACT = 1000000000, DIGITS = 4 };
    const bool is_short = number == floor(number) && fabs(number) < EXACT;
    if (number < 0 || is_short) snprintf(out, HW_REPORT_NUMBER, is_short ? "%.0f" : "%g", number);
    else hw_report_significant(number, DIGITS, out, HW_REPORT_NUMBER);
    return out;
}

// "bank_passes is 16.5, regs is 40": of one comparison.
static size_t explain_columns(question q, const hw_column *const *columns, size_t n, char *out, size_t bytes) {
    char number[HW_REPORT_NUMBER];
    size_t used = 0;
    for (size_t i = 0; i < n && used < bytes; i++) {
        const hw_condition one = {.nodes = &(node){.kind = COLUMN, .column = columns[i]}, .n = 1};
        used += (size_t)snprintf(out + used, bytes - used, "%s%s is %s", used ? ", " : "", columns[i]->key,
                                 digits_of(number_of((question){&one, q.subject}, 0), number));
    }
    return used;
}

// A comparison of a column alone has a limit.
static size_t explain_comparison(question q, uint32_t index, char *out, size_t bytes) {
    enum { MOST = 4 };
    const node *nodes = q.condition->nodes, *n = &nodes[index];
    const hw_column *columns[MOST];
    char number[HW_REPORT_NUMBER];
    const size_t n_columns = list_columns(q.condition, index, columns, 0, MOST);
    size_t used = explain_columns(q, columns, n_columns, out, bytes);
    const bool is_left = nodes[n->left].kind == COLUMN, is_right = nodes[n->right].kind == COLUMN;
    if (n_columns == 1 && is_left != is_right && used < bytes)
        used += (size_t)snprintf(out + used, bytes - used, " and the limit %s",
                                 digits_of(number_of(q, is_left ? n->right : n->left), number));
    return used;
}

const char *hw_condition_explain(const hw_condition *condition, const hw_subject *subject, char *out, size_t bytes) {
    const question q = {condition, subject};
    uint32_t told[MOST_TOLD];
    const size_t n_told = list_told(q, condition->root, false, told, 0);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n_told && used < bytes; i++) {
        if (i) used += (size_t)snprintf(out + used, bytes - used, ", ");
        if (used < bytes) used += explain_comparison(q, told[i], out + used, bytes - used);
    }
    return out;
}
