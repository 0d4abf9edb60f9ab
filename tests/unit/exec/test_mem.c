// Device memory: bounds, guards, limits, quarantine, registered ranges, readers beside writers.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "mem/bulk.h"
#include "mem/mem.h"
#include "mem/replace.h"

#define MIB ((uint64_t)1 << 20)

static hw_mem *open_mem(uint64_t limit) {
    hw_mem *mem = NULL;
    assert_int_equal(hw_mem_create(limit, &mem, NULL), HW_OK);
    return mem;
}

static uint64_t take(hw_mem *mem, uint64_t bytes) {
    uint64_t address = 0;
    assert_int_equal(hw_mem_alloc(mem, bytes, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_OK);
    assert_true(address != 0);
    return address;
}

static void test_bounds(void **state) {
    (void)state;
    hw_mem *mem = open_mem(4096 * MIB);
    static const uint64_t sizes[13] = {1, 255, 256, 511, 512, 513, 4096, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 4,
                                       300 * MIB};
    uint64_t at[13];
    hw_allocation a;
    for (int i = 0; i < 13; i++) at[i] = take(mem, sizes[i]);
    for (int i = 0; i < 13; i++) {
        assert_int_equal(at[i] % 512, 0);
        assert_true(hw_mem_find(mem, at[i], sizes[i], &a));
        assert_int_equal(a.address, at[i]);
        assert_int_equal(a.bytes, sizes[i]);
        assert_true(hw_mem_find(mem, at[i] + sizes[i] - 1, 1, &a));
        assert_false(hw_mem_find(mem, at[i] + sizes[i], 1, &a));
        assert_false(hw_mem_find(mem, at[i] - 1, 1, &a));
        assert_false(hw_mem_find(mem, at[i] + sizes[i] - 1, 2, &a));
        assert_false(hw_mem_find(mem, at[i], sizes[i] + 1, &a));
        assert_false(hw_mem_find(mem, at[i], UINT64_MAX, &a));
        memset(hw_mem_host(mem, at[i]), i, sizes[i] > MIB ? MIB : sizes[i]);
        if (sizes[i] >= MIB) assert_int_equal(at[i] % (2 * MIB), 0);
    }
    assert_true(hw_mem_owns(mem, at[0]) && hw_mem_owns(mem, at[0] + 5000));
    assert_false(hw_mem_owns(mem, 0) || hw_mem_owns(mem, (uint64_t)(uintptr_t)&a));
    assert_false(hw_mem_find(mem, 0, 1, &a));
    assert_false(hw_mem_find(mem, UINT64_MAX, 1, &a));
    assert_false(hw_mem_find(mem, (uint64_t)(uintptr_t)&a, 1, &a));
    hw_mem_destroy(mem);
}

// Can the program's own code touch the byte? The system copies it from there and back, and says so instead of a signal.
static bool host_reaches(uint64_t address) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 &&
           process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

// What is the host's as well lies at its own address; the bytes of the rest lie elsewhere, and none at its address.
static void test_host(void **state) {
    (void)state;
    hw_mem *mem = open_mem(64 * MIB);
    static const uint64_t sizes[] = {1, 5000, 3 * MIB};
    uint64_t at[HW_ALLOC_KINDS][3];
    hw_allocation a;
    for (int k = 0; k < HW_ALLOC_KINDS; k++) {
        bool is_hosts = k == HW_ALLOC_PINNED || k == HW_ALLOC_MANAGED;
        if (k == HW_ALLOC_REGISTERED) continue;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(hw_mem_alloc(mem, sizes[i], 256, (hw_alloc_kind)k, NULL, NULL, &at[k][i], NULL), HW_OK);
            uint64_t last = at[k][i] + sizes[i] - 1;
            assert_true(hw_mem_owns(mem, last) && hw_mem_find(mem, at[k][i], sizes[i], &a) && (int)a.kind == k);
            assert_int_equal(host_reaches(at[k][i]) && host_reaches(last), is_hosts);
            assert_int_equal(hw_mem_host(mem, last) == (void *)(uintptr_t)last, is_hosts);
            assert_int_equal((uint64_t)(uintptr_t)hw_mem_host(mem, at[k][i]) % (2 * MIB), at[k][i] % (2 * MIB));
            memset(hw_mem_host(mem, at[k][i]), 16 * k + i, sizes[i]);
        }
    }
    for (int k = 0; k < HW_ALLOC_KINDS; k++)
        for (int i = 0; i < 3 && k != HW_ALLOC_REGISTERED; i++)
            assert_int_equal(*(uint8_t *)hw_mem_host(mem, at[k][i] + sizes[i] - 1), 16 * k + i);
    assert_ptr_equal(hw_mem_host(mem, (uint64_t)(uintptr_t)&a), &a);
    hw_mem_destroy(mem);
}

// Fresh memory holds the byte, memory that is used again too; variables are their module's to fill.
static void test_poison(void **state) {
    (void)state;
    hw_mem *mem = open_mem(8 * MIB);
    assert_int_equal(hw_mem_poison(mem), -1);
    hw_mem_set_poison(mem, 0xa5);
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < HW_ALLOC_KINDS; k++) {
            if (k == HW_ALLOC_REGISTERED) continue;
            uint64_t at, bytes = round % 2 ? 4 * MIB : 700;
            assert_int_equal(hw_mem_alloc(mem, bytes, 256, (hw_alloc_kind)k, NULL, NULL, &at, NULL), HW_OK);
            uint8_t *host = hw_mem_host(mem, at), wanted = k == HW_ALLOC_GLOBAL ? 0 : 0xa5;
            assert_int_equal(host[0], wanted);
            assert_int_equal(host[bytes - 1], wanted);
            memset(host, 0, bytes);
            assert_int_equal(hw_mem_free(mem, at, NULL), HW_OK);
        }
    }
    hw_mem_destroy(mem);
}

static void test_zero_bytes(void **state) {
    (void)state;
    hw_mem *mem = open_mem(16 * MIB);
    hw_allocation a;
    uint64_t one = take(mem, 0), other = take(mem, 0);
    assert_int_not_equal(one, other);
    assert_false(hw_mem_find(mem, one, 1, &a));
    assert_int_equal(hw_mem_free(mem, one, NULL), HW_OK);
    hw_mem_destroy(mem);
}

static void test_limit(void **state) {
    (void)state;
    hw_mem *mem = open_mem(10 * MIB);
    uint64_t limit, used, address, a = take(mem, 4 * MIB);
    hw_mem_usage(mem, &limit, &used);
    assert_int_equal(limit, 10 * MIB);
    assert_int_equal(used, 4 * MIB);
    assert_int_equal(hw_mem_alloc(mem, 7 * MIB, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_NO_MEMORY);
    assert_int_equal(hw_mem_alloc(mem, 7 * MIB, 256, HW_ALLOC_PINNED, NULL, NULL, &address, NULL), HW_OK);
    assert_int_equal(hw_mem_alloc(mem, UINT64_MAX, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_NO_MEMORY);
    assert_int_equal(hw_mem_alloc(mem, UINT64_MAX, 256, HW_ALLOC_PINNED, NULL, NULL, &address, NULL), HW_NO_MEMORY);
    assert_int_equal(hw_mem_alloc(mem, 4, 3, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_USAGE);
    const uint64_t huge = (uint64_t)1 << 63;
    assert_int_equal(hw_mem_alloc(mem, 4, huge, HW_ALLOC_DEVICE, NULL, NULL, &address, NULL), HW_NO_MEMORY);
    take(mem, 6 * MIB);
    hw_diag diag = {0};
    assert_int_equal(hw_mem_alloc(mem, 1, 256, HW_ALLOC_DEVICE, NULL, NULL, &address, &diag), HW_NO_MEMORY);
    assert_true(strstr(diag.text, "no room") != NULL);
    assert_int_equal(hw_mem_free(mem, a, NULL), HW_OK);
    take(mem, 4 * MIB);
    hw_mem_destroy(mem);
}

static void test_freed(void **state) {
    (void)state;
    hw_mem *mem = open_mem(1024 * MIB);
    uint64_t small = take(mem, 100), large = take(mem, 3 * MIB), epoch = hw_mem_epoch(mem);
    hw_allocation a;
    memset(hw_mem_host(mem, large), 7, 3 * MIB);
    assert_int_equal(hw_mem_free(mem, small + 4, NULL), HW_USAGE);
    assert_int_equal(hw_mem_free(mem, 12345, NULL), HW_USAGE);
    assert_int_equal(hw_mem_free(mem, 0, NULL), HW_USAGE);
    assert_int_equal(hw_mem_epoch(mem), epoch);
    assert_int_equal(hw_mem_free(mem, small, NULL), HW_OK);
    assert_int_equal(hw_mem_free(mem, large, NULL), HW_OK);
    assert_true(hw_mem_epoch(mem) != epoch);
    hw_diag diag = {0};
    assert_int_equal(hw_mem_free(mem, large, &diag), HW_USAGE);
    assert_true(strstr(diag.text, "already") != NULL);
    assert_false(hw_mem_find(mem, small, 1, &a));
    assert_true(hw_mem_nearest(mem, small + 10, &a));
    assert_true(a.is_freed && a.address == small);
    assert_true(hw_mem_nearest(mem, large + 2 * MIB, &a));
    assert_true(a.is_freed && a.address == large && a.bytes == 3 * MIB);
    for (int i = 0; i < 100; i++) assert_int_not_equal(take(mem, 3 * MIB), large);   // the quarantine holds it back
    hw_mem_destroy(mem);
}

// Freed memory is used again before the address space ends, and freed large pages read as zero.
static void test_reuse(void **state) {
    (void)state;
    hw_mem *mem = open_mem(64 * MIB);
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t address = take(mem, 40 * MIB);
        unsigned char *bytes = hw_mem_host(mem, address);
        assert_int_equal(bytes[12345], 0);
        bytes[12345] = 1;
        if (address < lowest) lowest = address;
        if (address > highest) highest = address;
        assert_int_equal(hw_mem_free(mem, address, NULL), HW_OK);
    }
    assert_true(highest - lowest < 1024 * MIB);
    for (int i = 0; i < 200000; i++) assert_int_equal(hw_mem_free(mem, take(mem, 16 + i % 9000), NULL), HW_OK);
    hw_mem_destroy(mem);
}

// The number of an allocation's contents changes with each change, and is never one that it has been.
// Kept apart, allocations have as much as their own size between them and the next, and freed ones come back far later
// than else (test_reuse); where there are no addresses for that, memory is there all the same.
static void test_apart(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 512, 6000, 100000, MIB - 1, 3 * MIB, 5};
    enum { SIZES = sizeof sizes / sizeof *sizes, ROUNDS = 40000 };
    hw_mem *mem = open_mem(512 * MIB);
    uint64_t at[SIZES];
    hw_allocation a;
    hw_mem_keep_apart(mem);
    for (int i = 0; i < SIZES; i++) at[i] = take(mem, sizes[i]);
    for (int i = 0; i < SIZES; i++) {
        assert_int_equal(at[i] % 512, 0);
        for (int k = 0; k < SIZES; k++)
            if (at[k] > at[i])
                assert_true(at[k] - at[i] >= sizes[i] + (sizes[i] < 4096 ? 4096 : sizes[i]));
        assert_false(hw_mem_find(mem, at[i] + sizes[i], 1, &a));
    }
    const uint64_t first = take(mem, 100), medium = take(mem, 200000);
    memset(hw_mem_host(mem, medium), 1, 200000);
    assert_false(hw_mem_find_freed(mem, first, &a));
    assert_int_equal(hw_mem_free(mem, first, NULL), HW_OK);
    assert_int_equal(hw_mem_free(mem, medium, NULL), HW_OK);
    for (int i = 0; i < ROUNDS; i++) assert_int_equal(hw_mem_free(mem, take(mem, 100), NULL), HW_OK);
    assert_true(hw_mem_find_freed(mem, first + 99, &a) && a.address == first && a.is_freed);
    assert_false(hw_mem_find_freed(mem, first + 100, &a));
    assert_false(hw_mem_find_freed(mem, at[0], &a));
    hw_mem_destroy(mem);
    mem = open_mem(64 * MIB);
    hw_mem_keep_apart(mem);
    for (int i = 0; i < 64; i++) take(mem, MIB - 512);
    hw_mem_destroy(mem);
}

static void test_contents(void **state) {
    (void)state;
    hw_mem *mem = open_mem(16 * MIB);
    uint64_t one = take(mem, 100), other = take(mem, 2 * MIB), first = hw_mem_contents(mem, one);
    assert_true(first && hw_mem_contents(mem, other) > first);
    assert_int_equal(hw_mem_contents(mem, one + 4), 0);
    assert_int_equal(hw_mem_contents(mem, 12345), 0);
    assert_int_equal(hw_mem_set_changed(mem, 12345), 0);
    uint64_t second = hw_mem_set_changed(mem, one + 99);
    assert_true(second > hw_mem_contents(mem, other) && hw_mem_contents(mem, one) == second);
    assert_int_equal(hw_mem_changes(mem), second);
    hw_mem_set_all_changed(mem);
    assert_true(hw_mem_contents(mem, one) > second && hw_mem_contents(mem, other) == hw_mem_contents(mem, one));
    assert_true(hw_mem_set_changed(mem, other) == hw_mem_contents(mem, other));
    assert_true(hw_mem_contents(mem, other) > hw_mem_contents(mem, one));
    const uint64_t last = hw_mem_contents(mem, other);
    assert_int_equal(hw_mem_free(mem, other, NULL), HW_OK);
    assert_int_equal(hw_mem_contents(mem, other), 0);
    for (uint64_t again = 0; again != other; hw_mem_free(mem, again, NULL)) {
        again = take(mem, 2 * MIB);
        assert_true(hw_mem_contents(mem, again) > last);
    }
    hw_mem_destroy(mem);
}

// What the host can write by itself has no number.
static void test_hosts_contents(void **state) {
    (void)state;
    static char own[64];
    hw_mem *mem = open_mem(16 * MIB);
    static const hw_alloc_kind kinds[] = {HW_ALLOC_PINNED, HW_ALLOC_MANAGED};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t address;
        assert_int_equal(hw_mem_alloc(mem, 100, 256, kinds[i], NULL, NULL, &address, NULL), HW_OK);
        assert_int_equal(hw_mem_contents(mem, address), 0);
    }
    assert_int_equal(hw_mem_register(mem, (uintptr_t)own, sizeof own, NULL, NULL), HW_OK);
    assert_int_equal(hw_mem_contents(mem, (uintptr_t)own), 0);
    hw_mem_destroy(mem);
}

static void test_replace(void **state) {
    (void)state;
    enum { BYTES = 10000 };
    static const size_t places[] = {0, 1, 4095, 4096, 8191, 8192, BYTES - 1};
    char old[BYTES], new[BYTES];
    for (int i = 0; i < BYTES; i++) old[i] = new[i] = (char)(i * 7);
    assert_false(hw_mem_replace(old, new, BYTES));
    assert_false(hw_mem_replace(old, new + 1, 0));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        new[places[i]]++;
        assert_true(hw_mem_replace(old, new, BYTES));
        assert_memory_equal(old, new, BYTES);
        memset(new, 3, BYTES);
        assert_true(hw_mem_refill(new, 3, BYTES) == false);
        new[places[i]] = 0;
        assert_true(hw_mem_refill(new, 3, BYTES));
        assert_false(hw_mem_refill(new, 3, BYTES));
        memcpy(new, old, BYTES);
    }
    assert_true(hw_mem_replace(old + 100, old, BYTES - 100));    // the two may overlap
    assert_memory_equal(old + 100, new, BYTES - 100);
    assert_true(hw_mem_replace(new, new + 100, BYTES - 100));
}

// Copies and sets of the length by so many threads. The last byte alone is new, then all are.
static void check_bulk(uint32_t threads, char *old, char *new, size_t bytes) {
    hw_bulk *bulk = hw_bulk_create(threads);
    assert_non_null(bulk);
    for (size_t i = 0; i < bytes; i++) new[i] = (char)(i * 7 + i / 65521);
    memcpy(old, new, bytes);
    assert_false(hw_bulk_copy(bulk, old, new, bytes, true));
    assert_true(hw_bulk_copy(bulk, old, new, bytes, false));
    new[bytes - 1]++;
    assert_true(hw_bulk_copy(bulk, old, new, bytes, true));
    assert_memory_equal(old, new, bytes);
    assert_true(hw_bulk_set(bulk, new, 3, bytes, true));
    assert_false(hw_bulk_set(bulk, new, 3, bytes, true));
    assert_true(hw_bulk_set(bulk, new, 3, bytes, false));
    new[bytes / 2] = 0;
    assert_true(hw_bulk_set(bulk, new, 3, bytes, true));
    for (size_t i = 0; i < bytes; i++)
        if (new[i] != 3) fail_msg("byte %zu of %zu", i, bytes);
    memcpy(new, old, bytes);
    assert_true(hw_bulk_copy(bulk, old + 100, old, bytes - 100, true));    // the two may overlap
    assert_memory_equal(old + 100, new, bytes - 100);
    assert_true(hw_bulk_copy(bulk, new, new + 100, bytes - 100, false));
    assert_memory_equal(new, old + 200, bytes - 200);
    hw_bulk_destroy(bulk);
}

static void test_bulk(void **state) {
    (void)state;
    static const size_t lengths[] = {1000, 8 * MIB - 1, 8 * MIB, 21 * MIB + 4097};
    char *old = malloc(lengths[3]), *new = malloc(lengths[3]);
    assert_true(old && new);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint32_t threads = 1; threads <= 3; threads++) check_bulk(threads, old, new, lengths[i]);
    free(old);
    free(new);
}

static void test_nearest(void **state) {
    (void)state;
    hw_mem *mem = open_mem(64 * MIB);
    hw_allocation a;
    assert_false(hw_mem_nearest(mem, 1, &a));
    uint64_t x = 0, y = 0;
    assert_int_equal(hw_mem_alloc(mem, 1000, 256, HW_ALLOC_GLOBAL, &x, "table", &x, NULL), HW_OK);
    y = take(mem, 2000);
    assert_true(hw_mem_nearest(mem, x + 1000, &a));
    assert_string_equal(a.name, "table");
    assert_ptr_equal(a.site, &x);
    assert_int_equal(a.kind, HW_ALLOC_GLOBAL);
    assert_true(hw_mem_nearest(mem, 0, &a) && a.address == (x < y ? x : y));
    assert_true(hw_mem_nearest(mem, UINT64_MAX, &a) && a.address == (x < y ? y : x));
    hw_mem_destroy(mem);
}

static void test_registered(void **state) {
    (void)state;
    hw_mem *mem = open_mem(64 * MIB);
    static char own[4][1000];
    uint64_t at = (uint64_t)(uintptr_t)own[1], limit, used;
    hw_allocation a;
    assert_int_equal(hw_mem_register(mem, at, 1000, NULL, NULL), HW_OK);
    assert_int_equal(hw_mem_register(mem, at, 1000, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, at + 999, 5, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, at - 999, 1000, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, at, 0, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, at, UINT64_MAX, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, take(mem, 100), 10, NULL, NULL), HW_USAGE);
    assert_int_equal(hw_mem_register(mem, at + 1000, 1000, NULL, NULL), HW_OK);
    assert_int_equal(hw_mem_register(mem, at - 1000, 1000, NULL, NULL), HW_OK);
    assert_true(hw_mem_find(mem, at + 5, 995, &a));
    assert_int_equal(a.kind, HW_ALLOC_REGISTERED);
    assert_false(hw_mem_find(mem, at + 5, 996, &a));
    assert_true(hw_mem_nearest(mem, at + 2003, &a) && a.address == at + 1000);
    hw_mem_set_flags(mem, at + 7, 3);
    assert_true(hw_mem_find(mem, at, 1, &a) && a.flags == 3);
    hw_mem_usage(mem, &limit, &used);
    assert_int_equal(used, 512);
    assert_int_equal(hw_mem_free(mem, at, NULL), HW_OK);
    assert_false(hw_mem_find(mem, at, 1, &a));
    assert_true(hw_mem_find(mem, at - 1000, 1000, &a) && hw_mem_find(mem, at + 1000, 1000, &a));
    assert_int_equal(hw_mem_free(mem, at, NULL), HW_USAGE);
    hw_mem_destroy(mem);
}

static void test_no_memory(void **state) {
    (void)state;
    for (long n = 0; n < 4; n++) {
        hw_mem *mem = NULL;
        hw_alloc_fail_after(n);
        hw_status status = hw_mem_create(MIB, &mem, NULL);
        hw_alloc_fail_after(-1);
        assert_true((status == HW_OK) == (mem != NULL));
        if (n == 0) assert_int_equal(status, HW_NO_MEMORY);
        hw_mem_destroy(mem);
    }
}

// Random allocations against a plain list kept by the test.
static void test_against_list(void **state) {
    (void)state;
    enum { N = 300 };
    hw_mem *mem = open_mem(4096 * MIB);
    uint64_t at[N] = {0}, bytes[N] = {0}, seed = 12345;
    for (int step = 0; step < 60000; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int i = (int)(seed >> 33) % N;
        if (at[i]) {
            hw_allocation a;
            assert_true(hw_mem_find(mem, at[i] + bytes[i] / 2, bytes[i] - bytes[i] / 2, &a));
            assert_true(a.address == at[i] && a.bytes == bytes[i]);
            assert_int_equal(hw_mem_free(mem, at[i], NULL), HW_OK);
            at[i] = 0;
        } else {
            bytes[i] = 1 + (seed >> 20) % ((uint64_t)1 << (seed >> 40) % 24);
            at[i] = take(mem, bytes[i]);
            for (int j = 0; j < N; j++)
                if (j != i && at[j]) assert_true(at[i] + bytes[i] < at[j] || at[j] + bytes[j] < at[i]);
        }
    }
    hw_mem_destroy(mem);
}

typedef struct shared_state {
    hw_mem *mem;
    uint64_t fixed[64];
    atomic_int stop, wrong;
} shared_state;

static void *reader(void *p) {
    shared_state *s = p;
    hw_allocation a;
    for (int i = 0; !atomic_load(&s->stop); i++) {
        uint64_t size = 100 + 700 * (uint64_t)(i & 63), at = s->fixed[i & 63];
        bool found = hw_mem_find(s->mem, at + 1, size - 1, &a) && a.address == at && a.bytes == size;
        if (!found) atomic_store(&s->wrong, 1);
        if (hw_mem_find(s->mem, at, size + 1, &a)) atomic_store(&s->wrong, 1);
    }
    return NULL;
}

static void *writer(void *p) {
    shared_state *s = p;
    static _Thread_local char own[64];
    for (int i = 0; i < 20000; i++) {
        uint64_t address;
        if (hw_mem_alloc(s->mem, 10 + (uint64_t)i * 37 % 5000, 256, HW_ALLOC_HEAP, NULL, NULL, &address, NULL)) {
            atomic_store(&s->wrong, 1);
            break;
        }
        if (hw_mem_register(s->mem, (uint64_t)(uintptr_t)own, 64, NULL, NULL)) atomic_store(&s->wrong, 1);
        if (hw_mem_free(s->mem, address, NULL)) atomic_store(&s->wrong, 1);
        if (hw_mem_free(s->mem, (uint64_t)(uintptr_t)own, NULL)) atomic_store(&s->wrong, 1);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    shared_state s = {.mem = open_mem(1024 * MIB)};
    for (int i = 0; i < 64; i++) s.fixed[i] = take(s.mem, 100 + 700 * (uint64_t)i);
    pthread_t readers[2], writers[2];
    for (int i = 0; i < 2; i++) pthread_create(&readers[i], NULL, reader, &s);
    for (int i = 0; i < 2; i++) pthread_create(&writers[i], NULL, writer, &s);
    for (int i = 0; i < 2; i++) pthread_join(writers[i], NULL);
    atomic_store(&s.stop, 1);
    for (int i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    assert_false(atomic_load(&s.wrong));
    hw_mem_destroy(s.mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_host), cmocka_unit_test(test_poison),
        cmocka_unit_test(test_zero_bytes), cmocka_unit_test(test_limit), cmocka_unit_test(test_contents),
        cmocka_unit_test(test_hosts_contents), cmocka_unit_test(test_replace),
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_freed), cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_apart), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_registered), cmocka_unit_test(test_no_memory), cmocka_unit_test(test_against_list),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
