// Worker threads: each has its part of each run once, also where some come later.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pool.h"

enum { MOST = 8, RUNS = 2000 };

typedef struct run {
    hw_pool *pool;
    atomic_uint times[MOST];
    uint32_t n, more;            // more: join at once; no more than n: none do
} run;

static void work(void *context, uint32_t index) {
    run *r = context;
    if (index == 0 && r->more > r->n) hw_pool_join(r->pool, r->n, r->more);
    atomic_fetch_add(&r->times[index], 1);
}

// Those that begin with the first one may not have been awake when the others join.
static void test_each_once(void **state) {
    (void)state;
    hw_pool *pool = hw_pool_create(MOST);
    assert_non_null(pool);
    for (uint32_t k = 0; k < RUNS; k++) {
        run r = {.pool = pool, .n = 1 + k % MOST, .more = k / MOST % (MOST + 1)};
        hw_pool_run(pool, r.n, work, &r);
        const uint32_t end = r.more > r.n ? r.more : r.n;
        for (uint32_t i = 0; i < MOST; i++)
            if (atomic_load(&r.times[i]) != (i < end)) fail_msg("run %u: worker %u, %u times", k, i, r.times[i]);
    }
    hw_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
