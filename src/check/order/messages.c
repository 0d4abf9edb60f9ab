#include "check/order/messages.h"

#include <string.h>

#include "base/mix.h"
#include "isa/order.h"

enum { BUCKETS = 1024, FEW = 16, LONGEST_CHAIN = 4096 };

static hw_check_log **bucket_of_log(hw_check_logs *logs, uint64_t key) {
    return &logs->buckets[hw_mix_word(0, key) >> 32 & (BUCKETS - 1)];
}

hw_check_log *hw_check_logs_find(hw_check_logs *logs, hw_arena *arena, uint64_t key, bool make) {
    hw_check_log **bucket = bucket_of_log(logs, key), *log = logs->n ? *bucket : NULL;
    while (log && log->key != key) log = log->next;
    if (log || !make) return log;
    log = hw_arena_take(arena, sizeof *log);
    if (!log) return NULL;
    log->key = key;
    log->next = *bucket;
    *bucket = log;
    logs->n++;
    return log;
}

// ---- a log ----

static bool is_far(const hw_check_message *m) { return m->scope >= HW_SCOPE_CLUSTER; }

// What message number n says of its writer, of whose lanes and of whose block.
static bool enter(hw_check_log *log, hw_arena *arena, uint32_t n) {
    const hw_check_message *m = &log->messages[n - 1];
    hw_check_party party = {m->block, HW_CHECK_EVERY, HW_CHECK_EVERY, is_far(m)};
    if (m->barrier && !hw_check_ledger_add(&log->ledger, arena, party, m->barrier, n)) return false;
    party.warp = (uint8_t)m->warp;
    if (m->met > m->barrier && !hw_check_ledger_add(&log->ledger, arena, party, m->met, n)) return false;
    party.lane = m->lane;
    const bool says_more = m->own > m->met && m->own > m->barrier;
    return !says_more || hw_check_ledger_add(&log->ledger, arena, party, m->own, n);
}

static bool grow_log(hw_check_log *log, hw_arena *arena) {
    const uint32_t capacity = log->capacity ? 2 * log->capacity : 2;
    hw_check_message *messages = hw_arena_take(arena, capacity * sizeof *messages);
    if (!messages) return false;
    if (log->n) memcpy(messages, log->messages, log->n * sizeof *messages);
    log->messages = messages;
    log->capacity = capacity;
    return true;
}

bool hw_check_log_add(hw_check_log *log, hw_arena *arena, const hw_check_message *message) {
    if (log->n == log->capacity && !grow_log(log, arena)) return false;
    log->messages[log->n++] = *message;
    if (log->n < FEW) return true;
    bool good = true;
    for (uint32_t n = log->n == FEW ? 1 : log->n; good && n <= log->n; n++) good = enter(log, arena, n);
    return good;
}

// ---- letters ----

bool hw_check_letters_join(const hw_check_letters **letters, hw_arena *arena, const hw_check_letters *other) {
    const hw_check_letters *old = *letters;
    if (!other || other == old) return true;
    if (!old) {
        *letters = other;
        return true;
    }
    hw_check_letters *both = hw_arena_take(arena, sizeof *both + (old->n + other->n) * sizeof both->items[0]);
    if (!both) return false;
    *both = (hw_check_letters){.n = old->n};
    memcpy(both->items, old->items, old->n * sizeof old->items[0]);
    for (uint32_t i = 0; i < other->n; i++) {
        uint32_t k = 0;
        while (k < old->n && both->items[k].log != other->items[i].log) k++;
        if (k == old->n) both->items[both->n++] = other->items[i];
        else if (both->items[k].n < other->items[i].n) both->items[k].n = other->items[i].n;
    }
    *letters = both;
    return true;
}

bool hw_check_letters_add(const hw_check_letters **letters, hw_arena *arena, hw_check_log *log) {
    const hw_check_letters *old = *letters;
    for (uint32_t i = 0; old && i < old->n; i++)
        if (old->items[i].log == log && old->items[i].n == log->n) return true;
    hw_check_letters *one = hw_arena_take(arena, sizeof *one + sizeof one->items[0]);
    if (!one) return false;
    one->n = 1;
    one->items[0].log = log;
    one->items[0].n = log->n;
    return hw_check_letters_join(letters, arena, one);
}

static bool message_covers(const hw_check_message *m, const hw_check_author *a) {
    if (m->block != a->block) return false;
    if (a->time < m->barrier) return true;
    return m->warp == a->warp && (a->time < m->met || (!a->is_many && a->lane == m->lane && a->time < m->own));
}

// A search through logs and what their writers had read. What is read mostly says it itself, so that all of that is
// asked before anything is followed. Each log is gone through once: its messages up to `asked`, and what the writers of
// those up to `followed` had read, have been looked at.
typedef struct search {
    uint32_t visit, left;
    const hw_check_author *author;
} search;

// Is it a message for threads of the block `reader`?
static bool is_for(const hw_check_message *m, uint32_t reader) {
    return m->block == reader || m->scope >= HW_SCOPE_CLUSTER;
}

// As message_covers of one of the first n, by what the ledger has of them.
static bool ledger_covers(const hw_check_log *log, const hw_check_author *a, uint32_t n, bool is_far) {
    hw_check_party party = {a->block, HW_CHECK_EVERY, HW_CHECK_EVERY, is_far};
    if (hw_check_ledger_says(&log->ledger, party, a->time, n)) return true;
    party.warp = (uint8_t)a->warp;
    if (hw_check_ledger_says(&log->ledger, party, a->time, n)) return true;
    party.lane = a->lane;
    return !a->is_many && hw_check_ledger_says(&log->ledger, party, a->time, n);
}

static bool ask_log(const search *s, hw_check_log *log, uint32_t n, uint32_t reader) {
    if (log->visit != s->visit) log->visit = s->visit, log->asked = log->followed = 0;
    const uint32_t from = log->asked;
    if (n <= from) return false;
    log->asked = n;
    if (log->n >= FEW)
        return ledger_covers(log, s->author, n, true) ||
               (s->author->block == reader && ledger_covers(log, s->author, n, false));
    for (uint32_t i = from; i < n; i++)
        if (is_for(&log->messages[i], reader) && message_covers(&log->messages[i], s->author)) return true;
    return false;
}

static bool search_letters(search *s, const hw_check_letters *letters, uint32_t reader);

static bool follow_log(search *s, hw_check_log *log, uint32_t n, uint32_t reader) {
    const uint32_t from = log->followed;
    if (n <= from) return false;
    log->followed = n;
    for (uint32_t i = n; i-- > from;) {
        const hw_check_message *m = &log->messages[i];
        if ((!m->known[0] && !m->known[1] && !m->known[2]) || !is_for(m, reader)) continue;
        if (!s->left--) return true;
        for (int k = 0; k < 3; k++)
            if (m->known[k] && search_letters(s, m->known[k], m->block)) return true;
    }
    return false;
}

static bool search_letters(search *s, const hw_check_letters *letters, uint32_t reader) {
    for (uint32_t i = 0; i < letters->n; i++)
        if (ask_log(s, letters->items[i].log, letters->items[i].n, reader)) return true;
    for (uint32_t i = 0; i < letters->n; i++)
        if (follow_log(s, letters->items[i].log, letters->items[i].n, reader)) return true;
    return false;
}

bool hw_check_letters_have(hw_check_logs *logs, const hw_check_letters *letters, const hw_check_author *author) {
    search s = {.visit = ++logs->visits, .left = LONGEST_CHAIN, .author = author};
    const bool have = letters && search_letters(&s, letters, author->reader);
    logs->was_cut |= s.left == UINT32_MAX;
    return have;
}
