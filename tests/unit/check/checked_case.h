// The head of a file of tests each of which has a check of its own, which hears launches told by hand.
#ifndef HW_TESTS_CHECKED_CASE_H
#define HW_TESTS_CHECKED_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/checked_launch.h"
#include "check/internal.h"

static checked c;

static int begin(void **state) {
    (void)state;
    return checked_create(&c) != HW_OK;
}
static int end(void **state) {
    (void)state;
    hw_check_destroy(c.check);
    return 0;
}

#endif
