// Exact sums: against integers as wide as the floats' whole range, added bit by bit; recorded sums of Python's
// math.fsum; the order of terms, blocks and merges; infinities, NaNs, zeros; every level of the processor's vectors.
#include <math.h>

#include "bit_number.h"
#include "op/reduce/cpu/fold.h"
#include "op/reduce/exact_sum.h"
#include "op_test.h"

static double as_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t as_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float as_float(uint64_t bits) {
    const uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

// ---- What is tested -------------------------------------------------------------------------------------------------

enum { MOST = 10000 };
static float narrow[MOST];

static void add(hw_exact_sum *sum, const double *terms, size_t n) {
    for (size_t k = 0; k < n; k++) narrow[k] = (float)terms[k];
    if (sum->f64) hw_exact_add_f64(sum, terms, n);
    else hw_exact_add_f32(sum, narrow, n);
}

static double result(hw_exact_sum *sum, uint64_t count) {
    const bool f64 = sum->f64;
    const uint64_t bits = hw_exact_result(sum, count);
    return f64 ? as_double(bits) : (double)as_float(bits);
}

static double sum_of(const double *terms, size_t n, uint64_t count, bool f64) {
    hw_exact_sum sum;
    hw_exact_clear(&sum, f64);
    add(&sum, terms, n);
    return result(&sum, count);
}

static void shuffle_terms(double *terms, size_t n) {
    for (size_t k = n; k > 1; k--) {
        const size_t other = below((uint32_t)k);
        const double term = terms[k - 1];
        terms[k - 1] = terms[other];
        terms[other] = term;
    }
}

// The sum, the mean, the sum in another order, and in two halves.
static void check(double *terms, size_t n, bool f64) {
    const uint64_t counts[] = {1, n, 3, ((uint64_t)1 << 40) - below(1000)};
    for (int c = 0; c < 4; c++) {
        const double got = sum_of(terms, n, counts[c], f64), wanted = bit_number_sum(terms, n, counts[c], f64);
        if (as_bits(got) != as_bits(wanted) && (got != 0 || wanted != 0))
            fail_msg("%zu terms of f%d by %llu: %a instead of %a", n, f64 ? 64 : 32, (unsigned long long)counts[c], got,
                     wanted);
    }
    const uint64_t wanted = as_bits(sum_of(terms, n, 1, f64));
    shuffle_terms(terms, n);
    assert_int_equal(as_bits(sum_of(terms, n, 1, f64)), wanted);
    hw_exact_sum first, second;
    hw_exact_clear(&first, f64);
    hw_exact_clear(&second, f64);
    add(&first, terms, n / 3);
    add(&second, terms + n / 3, n - n / 3);
    hw_exact_merge(&first, &second);
    assert_int_equal(as_bits(result(&first, 1)), wanted);
}

static double any_number(bool f64) {
    for (;;) {
        const double value = f64 ? as_double(random_bits()) : (double)as_float(random_bits());
        if (isfinite(value)) return value;
    }
}

static double rounded(double value, bool f64) { return f64 ? value : (double)(float)value; }

static void all_magnitudes(void **state) {
    (void)state;
    double terms[MOST];
    for (int f64 = 0; f64 < 2; f64++)
        for (int i = 0; i < 300; i++) {
            const size_t n = 1 + below(i < 290 ? 40 : 5000);
            for (size_t k = 0; k < n; k++) terms[k] = any_number(f64);
            check(terms, n, f64);
        }
}

static void cancellation(void **state) {
    (void)state;
    double terms[MOST];
    for (int f64 = 0; f64 < 2; f64++)
        for (int i = 0; i < 200; i++) {
            const size_t pairs = 1 + below(i < 195 ? 30 : 4000);
            for (size_t k = 0; k < pairs; k++) {
                terms[2 * k] = i % 2 ? any_number(f64) : rounded(ldexp(1 + below(1000), (int)below(40)), f64);
                terms[2 * k + 1] = -terms[2 * k];
            }
            terms[2 * pairs] = f64 ? 5e-324 : 0x1p-149;
            check(terms, 2 * pairs + 1, f64);
        }
}

static void subnormal_numbers(void **state) {
    (void)state;
    double terms[100];
    for (int f64 = 0; f64 < 2; f64++)
        for (int i = 0; i < 300; i++) {
            const size_t n = 1 + below(100);
            for (size_t k = 0; k < n; k++)
                terms[k] = ldexp((double)below(1u << below(24)) * (below(2) ? 1 : -1), f64 ? -1074 : -149);
            check(terms, n, f64);
        }
    // Quotients about half of the smallest number, and halves of it.
    for (int f64 = 0; f64 < 2; f64++)
        for (int units = 1; units < 20; units++)
            for (uint64_t count = 1; count < 40; count++) {
                terms[0] = ldexp(units, f64 ? -1074 : -149);
                assert_true(sum_of(terms, 1, count, f64) == bit_number_sum(terms, 1, count, f64));
            }
}

// A half of the last bit, and a little more or less than it.
static void halfway_cases(void **state) {
    (void)state;
    for (int f64 = 0; f64 < 2; f64++)
        for (int i = 0; i < 500; i++) {
            const int bits = f64 ? 53 : 24, exponent = (int)below(200) - 100;
            double terms[4] = {ldexp(1 + (double)below(4) * ldexp(1, 1 - bits), exponent), ldexp(1, exponent - bits),
                               ldexp((int)below(3) - 1, exponent - bits - 1 - (int)below(20)),
                               ldexp((int)below(3) - 1, f64 ? -1074 : -149)};
            if (below(2))
                for (int k = 0; k < 4; k++) terms[k] = -terms[k];
            check(terms, 4, f64);
        }
    // Both ways, in numbers.
    double even[] = {1, 0x1p-53}, odd[] = {1 + 0x1p-52, 0x1p-53}, more[] = {1, 0x1p-53, 0x1p-1074};
    assert_true(sum_of(even, 2, 1, true) == 1);
    assert_true(sum_of(odd, 2, 1, true) == 1 + 0x1p-51);
    assert_true(sum_of(more, 3, 1, true) == 1 + 0x1p-52);
}

static void largest_numbers(void **state) {
    (void)state;
    double terms[64];
    for (int f64 = 0; f64 < 2; f64++) {
        const double most = f64 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
        for (int i = 0; i < 200; i++) {
            const size_t n = 1 + below(64);
            for (size_t k = 0; k < n; k++) terms[k] = below(2) ? most : -most;
            check(terms, n, f64);
        }
        double over[] = {most, most}, half[] = {most, f64 ? 0x1p970 : 0x1p103}, less[] = {most, most, -most};
        assert_true(sum_of(over, 2, 1, f64) == INFINITY);
        assert_true(sum_of(over, 2, 2, f64) == most);
        assert_true(sum_of(half, 2, 1, f64) == INFINITY);
        assert_true(sum_of(less, 3, 1, f64) == most);
    }
}

static void not_numbers(void **state) {
    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        double plus[] = {1, INFINITY, 3}, minus[] = {-INFINITY, 1e30, 1}, both[] = {INFINITY, 2, -INFINITY},
               nan[] = {NAN, INFINITY, 1};
        assert_true(sum_of(plus, 3, 1, f64) == INFINITY);
        assert_true(sum_of(minus, 3, 7, f64) == -INFINITY);
        assert_true(isnan(sum_of(both, 3, 1, f64)));
        assert_true(isnan(sum_of(nan, 3, 1, f64)));
    }
}

static void zeros(void **state) {
    (void)state;
    for (int f64 = 0; f64 < 2; f64++) {
        double negative[] = {-0.0, -0.0}, mixed[] = {-0.0, 0.0}, difference[] = {-1, 1, -0.0};
        assert_true(signbit(sum_of(negative, 2, 1, f64)));
        assert_true(signbit(sum_of(negative, 2, 2, f64)));
        assert_false(signbit(sum_of(mixed, 2, 1, f64)));
        assert_false(signbit(sum_of(difference, 3, 1, f64)));
    }
}

// 2^27 terms from a few that are added again and again: carries, groups and their limits.
static void many_terms(void **state) {
    (void)state;
    double terms[MOST], wanted = 0;
    for (int f64 = 0; f64 < 2; f64++)
        for (int wide = 0; wide < 2; wide++) {
            hw_exact_sum sum;
            hw_exact_clear(&sum, f64);
            const size_t n = 8192, times = wide ? 100 : 1000;
            wanted = 0;
            for (size_t k = 0; k < n; k++) {
                terms[k] = k % 2 && wide ? ldexp(1, 70) * (k % 4 == 1 ? 1 : -1) : -1 - ldexp((double)(k % 7), -20);
                if (fabs(terms[k]) < 3) wanted += terms[k];
            }
            for (size_t t = 0; t < times; t++) add(&sum, terms, n);
            assert_true(result(&sum, 1) == rounded(wanted * (double)times, f64));
        }
}

// Sums that math.fsum of Python 3.11 gave for these terms.
static void recorded_sums(void **state) {
    (void)state;
    static const struct {
        size_t n;
        int spread;   // of exponents
        double sum;
    } recorded[] = {
        {10, 10, 0x1.2e2cf2abddb8ap+3},        {100, 100, -0x1.25bc684a9ff21p+48},
        {1000, 600, -0x1.f3340570edf61p+295},  {5000, 1900, -0x1.506ebad36f717p+950},
        {10000, 40, -0x1.4ac08a57f33c4p+23},
    };
    double terms[MOST];
    for (size_t r = 0; r < sizeof recorded / sizeof recorded[0]; r++) {
        uint64_t s = 12345;
        for (size_t k = 0; k < recorded[r].n; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            const int spread = recorded[r].spread, exponent = (int)((s >> 3) % (uint64_t)spread) - spread / 2;
            terms[k] = ldexp((double)((int64_t)(s >> 11) - ((int64_t)1 << 52)), exponent - 52);
        }
        assert_true(sum_of(terms, recorded[r].n, 1, true) == recorded[r].sum);
    }
}

// Is a[0] + a[1] = b[0] + b[1]? Ties are rounded by the sum so far, which lanes do not share.
static bool same_sum(const double a[2], const double b[2]) { return a[0] - b[0] == b[1] - a[1]; }

// Every level finds the same sum, or none.
static void levels(void **state) {
    (void)state;
    static float single[HW_FOLD_BLOCK];
    static double terms[HW_FOLD_BLOCK];
    for (int i = 0; i < 300; i++) {
        const size_t n = 1 + below(i % 3 ? 200 : HW_FOLD_BLOCK);
        const int spread = (int)below(120) + 1;
        for (size_t k = 0; k < n; k++) {
            terms[k] = ldexp((double)(random_bits() >> 11), (int)below((uint32_t)spread) - 60) * (below(2) ? 1 : -1);
            single[k] = (float)terms[k];
        }
        for (unsigned l = 1; hw_fold_level_at(l); l++) {
            const hw_fold_level *base = hw_fold_level_at(0), *level = hw_fold_level_at(l);
            double a[2], b[2];
            bool minus_a, minus_b;
            const bool exact = base->exact_f32(single, n, a, &minus_a);
            assert_int_equal(level->exact_f32(single, n, b, &minus_b), exact);
            if (exact) assert_true(same_sum(a, b));
            const bool exact64 = base->exact_f64(terms, n, a, &minus_a);
            assert_int_equal(level->exact_f64(terms, n, b, &minus_b), exact64);
            if (exact64) assert_true(same_sum(a, b));
            assert_int_equal(minus_a, minus_b);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_magnitudes), cmocka_unit_test(cancellation), cmocka_unit_test(subnormal_numbers),
        cmocka_unit_test(halfway_cases),  cmocka_unit_test(largest_numbers), cmocka_unit_test(not_numbers),
        cmocka_unit_test(zeros),          cmocka_unit_test(many_terms),  cmocka_unit_test(recorded_sums),
        cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
