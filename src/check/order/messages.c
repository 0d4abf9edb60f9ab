#include "check/order/messages.h"

#include <string.h>

#include "base/mix.h"
#include "isa/order.h"

enum { FIRST_BUCKETS = 64, FEW = 16 };

static hw_check_log **bucket_of(const hw_check_logs *logs, uint64_t key, uint32_t block) {
    return &logs->buckets[hw_mix_word(block, key) >> 32 & (logs->n_buckets - 1)];
}

hw_check_log *hw_check_logs_find(const hw_check_logs *logs, uint64_t key, uint32_t block) {
    hw_check_log *log = logs->n ? *bucket_of(logs, key, block) : NULL;
    while (log && (log->key != key || log->block != block)) log = log->next;
    return log;
}

static bool grow_buckets(hw_check_logs *logs, hw_arena *arena) {
    hw_check_logs bigger = *logs;
    bigger.n_buckets = logs->n_buckets ? 2 * logs->n_buckets : FIRST_BUCKETS;
    bigger.buckets = hw_arena_take(arena, bigger.n_buckets * sizeof *bigger.buckets);
    if (!bigger.buckets) return false;
    for (uint32_t i = 0; i < logs->n_buckets; i++)
        for (hw_check_log *log = logs->buckets[i], *next; log; log = next) {
            hw_check_log **bucket = bucket_of(&bigger, log->key, log->block);
            next = log->next;
            log->next = *bucket;
            *bucket = log;
        }
    *logs = bigger;
    return true;
}

hw_check_log *hw_check_logs_make(hw_check_logs *logs, hw_arena *arena, uint64_t key, uint32_t block) {
    hw_check_log *log = hw_check_logs_find(logs, key, block);
    if (log || (logs->n == logs->n_buckets && !grow_buckets(logs, arena))) return log;
    log = hw_arena_take(arena, sizeof *log);
    if (!log) return NULL;
    hw_check_log **bucket = bucket_of(logs, key, block);
    log->key = key;
    log->block = block;
    log->next = *bucket;
    *bucket = log;
    logs->n++;
    return log;
}

// ---- a log ----

// What message number n says of its writer, of whose lanes and of whose block.
static bool enter(hw_check_log *log, hw_arena *arena, const hw_check_message *m, uint32_t n) {
    hw_check_ledger *l = &log->ledger;
    const uint8_t every = HW_CHECK_EVERY, warp = (uint8_t)m->warp;
    if (m->barrier && !hw_check_ledger_add(l, arena, hw_check_key_of_party(m->block, every, every), m->barrier, n))
        return false;
    if (m->met > m->barrier && !hw_check_ledger_add(l, arena, hw_check_key_of_party(m->block, warp, every), m->met, n))
        return false;
    const bool says_more = m->own > m->met && m->own > m->barrier;
    return !says_more || hw_check_ledger_add(l, arena, hw_check_key_of_party(m->block, warp, m->lane), m->own, n);
}

static uint64_t key_of_source(const hw_check_log *log) { return (uintptr_t)log; }
static hw_check_log *source_of(const hw_check_account *account) {
    return (hw_check_log *)(uintptr_t)hw_check_account_key(account);
}

// What its writer had read. Neighbours in the log mostly have letters in common.
static bool enter_sources(hw_check_log *log, hw_arena *arena, const hw_check_message *m, uint32_t n) {
    for (int k = 0; k < 3; k++) {
        const hw_check_letters *known = m->known[k];
        if (!known || known == log->entered[k]) continue;
        for (uint32_t i = 0; i < known->n; i++)
            if (!hw_check_ledger_add(&log->sources, arena, key_of_source(known->items[i].log), known->items[i].n, n))
                return false;
        log->entered[k] = known;
    }
    return true;
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

static bool enter_all(hw_check_log *log, hw_arena *arena, const hw_check_message *messages, uint32_t first,
                      uint32_t n) {
    bool good = true;
    for (uint32_t i = 0; good && i < n; i++)
        good = enter(log, arena, &messages[i], first + i) && enter_sources(log, arena, &messages[i], first + i);
    return good;
}

bool hw_check_log_add(hw_check_log *log, hw_arena *arena, const hw_check_message *message) {
    if (log->n + 1 < FEW) {
        if (log->n == log->capacity && !grow_log(log, arena)) return false;
        log->messages[log->n++] = *message;
        return true;
    }
    if (log->n + 1 == FEW && !enter_all(log, arena, log->messages, 1, log->n)) return false;
    log->n++;
    return enter_all(log, arena, message, log->n, 1);
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
// asked before anything is followed. Of each log only the most that has been read of it counts: those who have read
// less know nothing that is not among that.
typedef struct search {
    uint32_t visit;
    hw_check_log *waiting;           // logs to be followed: what their messages up to `asked` say has been looked at
    const hw_check_author *author;
} search;

// As message_covers of one of the first n, by what the ledger has of them.
static bool ledger_covers(const hw_check_ledger *l, const hw_check_author *a, uint32_t n) {
    const uint8_t every = HW_CHECK_EVERY, warp = (uint8_t)a->warp;
    return hw_check_ledger_says(l, hw_check_key_of_party(a->block, every, every), a->time, n) ||
           hw_check_ledger_says(l, hw_check_key_of_party(a->block, warp, every), a->time, n) ||
           (!a->is_many && hw_check_ledger_says(l, hw_check_key_of_party(a->block, warp, a->lane), a->time, n));
}

static bool ask_log(search *s, hw_check_log *log, uint32_t n) {
    if (log->visit != s->visit) {
        log->visit = s->visit;
        log->asked = log->followed = 0;
        log->is_waiting = false;
    }
    const uint32_t from = log->asked;
    if (n <= from) return false;
    log->asked = n;
    if (!log->is_waiting) {
        log->is_waiting = true;
        log->waiting = s->waiting;
        s->waiting = log;
    }
    if (log->n >= FEW) return ledger_covers(&log->ledger, s->author, n);
    for (uint32_t i = from; i < n; i++)
        if (message_covers(&log->messages[i], s->author)) return true;
    return false;
}

static bool ask_letters(search *s, const hw_check_letters *letters) {
    for (uint32_t i = 0; letters && i < letters->n; i++)
        if (ask_log(s, letters->items[i].log, letters->items[i].n)) return true;
    return false;
}

static bool follow_log(search *s, hw_check_log *log) {
    const uint32_t from = log->followed, n = log->asked;
    log->followed = n;
    log->is_waiting = false;
    if (log->n >= FEW) {
        for (const hw_check_account *of = log->sources.last; of; of = hw_check_account_before(of))
            if (ask_log(s, source_of(of), hw_check_account_most(of, n))) return true;
        return false;
    }
    for (uint32_t i = n; i-- > from;)
        for (int k = 0; k < 3; k++)
            if (ask_letters(s, log->messages[i].known[k])) return true;
    return false;
}

bool hw_check_letters_have(hw_check_logs *logs, const hw_check_letters *letters, const hw_check_author *author) {
    search s = {.visit = ++logs->visits, .author = author};
    bool have = ask_letters(&s, letters);
    while (!have && s.waiting) {
        hw_check_log *log = s.waiting;
        s.waiting = log->waiting;
        have = follow_log(&s, log);
    }
    return have;
}
