// The device of a group of tests, which opens it before the first of them and closes it behind the last.
#ifndef HW_TEST_GROUP_DEVICE_H
#define HW_TEST_GROUP_DEVICE_H

#include "op_test.h"

static hw_device *device;
static const hw_device_properties *properties;

static inline int open_group_device(void **state) {
    (void)state;
    device = open_device(usual_device());
    properties = hw_device_get_properties(device);
    return 0;
}

static inline int close_group_device(void **state) {
    (void)state;
    hw_device_close(device);
    return 0;
}

#endif
