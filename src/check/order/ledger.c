#include "check/order/ledger.h"

#include <string.h>

#include "base/mix.h"

enum { FIRST_BUCKETS = 16, FIRST_LINES = 2 };

typedef struct line {
    uint32_t until, n;
} line;

struct hw_check_account {
    hw_check_account *next, *before;
    uint64_t key;
    line *lines;
    uint32_t n, capacity;
    line first[FIRST_LINES];         // most have no more
};

static hw_check_account **bucket_of(const hw_check_ledger *l, uint64_t key) {
    return &l->buckets[hw_mix_word(0, key) >> 32 & (l->n_buckets - 1)];
}

static hw_check_account *find_account(const hw_check_ledger *l, uint64_t key) {
    hw_check_account *account = l->n ? *bucket_of(l, key) : NULL;
    while (account && account->key != key) account = account->next;
    return account;
}

static bool grow_buckets(hw_check_ledger *l, hw_arena *arena) {
    hw_check_ledger bigger = {.last = l->last, .n = l->n, .n_buckets = l->n_buckets ? 2 * l->n_buckets : FIRST_BUCKETS};
    bigger.buckets = hw_arena_take(arena, bigger.n_buckets * sizeof *bigger.buckets);
    if (!bigger.buckets) return false;
    for (uint32_t i = 0; i < l->n_buckets; i++)
        for (hw_check_account *account = l->buckets[i], *next; account; account = next) {
            hw_check_account **bucket = bucket_of(&bigger, account->key);
            next = account->next;
            account->next = *bucket;
            *bucket = account;
        }
    *l = bigger;
    return true;
}

static hw_check_account *open_account(hw_check_ledger *l, hw_arena *arena, uint64_t key) {
    if (l->n == l->n_buckets && !grow_buckets(l, arena)) return NULL;
    hw_check_account *account = hw_arena_take(arena, sizeof *account), **bucket = bucket_of(l, key);
    if (!account) return NULL;
    account->key = key;
    account->lines = account->first;
    account->capacity = FIRST_LINES;
    account->next = *bucket;
    *bucket = account;
    account->before = l->last;
    l->last = account;
    l->n++;
    return account;
}

static bool grow_lines(hw_check_account *account, hw_arena *arena) {
    line *bigger = hw_arena_take(arena, 2 * account->capacity * sizeof *bigger);
    if (!bigger) return false;
    memcpy(bigger, account->lines, account->n * sizeof *bigger);
    account->lines = bigger;
    account->capacity *= 2;
    return true;
}

bool hw_check_ledger_add(hw_check_ledger *l, hw_arena *arena, uint64_t key, uint32_t until, uint32_t n) {
    hw_check_account *account = find_account(l, key);
    if (!account) account = open_account(l, arena, key);
    if (!account) return false;
    if (account->n && account->lines[account->n - 1].until >= until) return true;
    if (account->n == account->capacity && !grow_lines(account, arena)) return false;
    account->lines[account->n++] = (line){until, n};
    return true;
}

bool hw_check_ledger_says(const hw_check_ledger *l, uint64_t key, uint32_t time, uint32_t n) {
    const hw_check_account *account = find_account(l, key);
    uint32_t from = 0, to = account ? account->n : 0;
    // The first line that says so: all before `from` say less, and all from `to` on say it.
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (account->lines[middle].until <= time) from = middle + 1;
        else to = middle;
    }
    return account && from < account->n && account->lines[from].n <= n;
}

const hw_check_account *hw_check_account_before(const hw_check_account *account) { return account->before; }
uint64_t hw_check_account_key(const hw_check_account *account) { return account->key; }

uint32_t hw_check_account_most(const hw_check_account *account, uint32_t n) {
    uint32_t from = 0, to = account->n;
    // All lines before `from` are of the first n messages, and none from `to` on.
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (account->lines[middle].n <= n) from = middle + 1;
        else to = middle;
    }
    return from ? account->lines[from - 1].until : 0;
}
