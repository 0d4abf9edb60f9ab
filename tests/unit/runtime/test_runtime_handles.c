// Streams, events, arrays, pools, textures and settings of the runtime: what is alive, in which order, within which
// limits.
#include "runtime/array.h"
#include "runtime_test.h"

// An address that is a handle of no kind.
static void *stray(void) {
    static char bytes[64];
    return bytes;
}

static void test_streams(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_stream *streams[200];
    hw_rt_stream_info info, legacy, per_thread;
    unsigned long long last = 2;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(hw_rt_stream_create(runtime, i & 1, i - 100, &streams[i]), HW_RT_SUCCESS);
        assert_int_equal(hw_rt_stream_get_info(runtime, streams[i], &info), HW_RT_SUCCESS);
        assert_int_equal(info.flags, i & 1);
        assert_int_equal(info.priority, i < 95 ? -5 : i > 100 ? 0 : i - 100);
        assert_true(info.id > last);   // no two are equal
        last = info.id;
    }
    assert_int_equal(hw_rt_stream_create(runtime, 2, 0, &streams[0]), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_stream_create(runtime, 0, 0, NULL), HW_RT_INVALID_VALUE);
    // Every second one goes; the others stay.
    for (int i = 0; i < 200; i += 2) assert_int_equal(hw_rt_stream_destroy(runtime, streams[i]), HW_RT_SUCCESS);
    for (int i = 0; i < 200; i++) assert_int_equal(hw_rt_is_stream(runtime, streams[i]), i & 1);
    assert_int_equal(hw_rt_stream_destroy(runtime, streams[0]), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_synchronize(runtime, streams[0]), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_query(runtime, streams[0]), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_synchronize(runtime, stray()), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_synchronize(runtime), HW_RT_SUCCESS);
    // The three that nobody makes.
    assert_int_equal(hw_rt_stream_synchronize(runtime, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_get_info(runtime, HW_RT_STREAM_LEGACY, &legacy), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_get_info(runtime, HW_RT_STREAM_PER_THREAD, &per_thread), HW_RT_SUCCESS);
    assert_int_equal(legacy.id, 1);
    assert_int_equal(per_thread.id, 2);
    assert_int_equal(hw_rt_stream_destroy(runtime, NULL), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_destroy(runtime, HW_RT_STREAM_LEGACY), HW_RT_INVALID_HANDLE);
    hw_rt_destroy(runtime);
}

static void test_events(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_stream *stream;
    hw_rt_event *start, *end, *untimed, *refused;
    int64_t there, back;
    assert_int_equal(hw_rt_stream_create(runtime, 0, 0, &stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_create(runtime, 0, &start), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_create(runtime, HW_RT_EVENT_BLOCKING, &end), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_create(runtime, HW_RT_EVENT_NO_TIMING, &untimed), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_create(runtime, 8, &refused), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_event_create(runtime, HW_RT_EVENT_INTERPROCESS, &refused), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_event_create(runtime, 0, NULL), HW_RT_INVALID_VALUE);
    // One that was not recorded is done, and has no time.
    assert_int_equal(hw_rt_event_query(runtime, start), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, start, end, &there), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_record(runtime, start, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, start, end, &there), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_wait(runtime, NULL, start), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_record(runtime, end, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, start, end, &there), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, end, start, &back), HW_RT_SUCCESS);
    assert_true(there >= 0);
    assert_int_equal(back, -there);
    // Recorded again, the first is the later one.
    assert_int_equal(hw_rt_event_record(runtime, start, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, start, end, &there), HW_RT_SUCCESS);
    assert_true(there <= 0);
    assert_int_equal(hw_rt_event_record(runtime, untimed, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_elapsed(runtime, start, untimed, &there), HW_RT_INVALID_HANDLE);
    // A stream is no event, nor the other way round.
    assert_int_equal(hw_rt_event_record(runtime, (hw_rt_event *)stream, stream), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_record(runtime, start, (hw_rt_stream *)end), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_wait(runtime, stream, stray()), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_stream_wait(runtime, stray(), start), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_destroy(runtime, start), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_destroy(runtime, start), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_query(runtime, start), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_synchronize(runtime, start), HW_RT_INVALID_HANDLE);
    hw_rt_destroy(runtime);
}

static void assert_account(hw_runtime *runtime, hw_rt_pool *pool, uint64_t used, uint64_t most, uint64_t reserved) {
    const struct { unsigned attribute; uint64_t expected; } rows[] = {
        {HW_RT_POOL_USED_NOW, used}, {HW_RT_POOL_USED_MOST, most}, {HW_RT_POOL_RESERVED_NOW, reserved}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value;
        assert_int_equal(hw_rt_pool_get(runtime, pool, rows[i].attribute, &value), HW_RT_SUCCESS);
        assert_int_equal(value, rows[i].expected);
    }
}

static void test_pools(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_pool *pool, *standard = hw_rt_default_pool(runtime);
    uint64_t value, address;
    assert_int_equal(hw_rt_pool_create(runtime, false, &pool), HW_RT_SUCCESS);
    assert_ptr_equal(hw_rt_current_pool(runtime), standard);
    assert_int_equal(hw_rt_set_current_pool(runtime, stray()), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_current_pool(runtime, pool), HW_RT_SUCCESS);
    assert_ptr_equal(hw_rt_current_pool(runtime), pool);
    assert_int_equal(hw_rt_pool_set(runtime, pool, 4, 1ull << 40), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_pool_get(runtime, pool, 4, &value), HW_RT_SUCCESS);
    assert_int_equal(value, 1ull << 40);
    assert_int_equal(hw_rt_pool_get(runtime, standard, 4, &value), HW_RT_SUCCESS);
    assert_int_equal(value, 0);
    // Its account has what it gives out in stream order, and no more; the most begins anew.
    const hw_rt_order in_stream = {.is_asynchronous = true};
    assert_int_equal(hw_rt_pool_set(runtime, pool, 4, 0), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_pool_alloc(runtime, pool, 100, in_stream, NULL, &address), HW_RT_SUCCESS);
    assert_account(runtime, pool, 100, 100, 32 << 20);
    uint64_t other;
    assert_int_equal(allocate(runtime, 512, &other), HW_RT_SUCCESS);
    assert_account(runtime, standard, 0, 0, 0);
    assert_int_equal(hw_rt_free(runtime, address, 1u << HW_ALLOC_DEVICE, in_stream, NULL), HW_RT_SUCCESS);
    assert_account(runtime, pool, 0, 100, 0);
    assert_int_equal(hw_rt_pool_set(runtime, pool, HW_RT_POOL_USED_MOST, 0), HW_RT_SUCCESS);
    assert_account(runtime, pool, 0, 0, 0);
    assert_int_equal(hw_rt_pool_get(runtime, pool, 0, &value), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_pool_set(runtime, pool, HW_RT_POOL_LAST + 1, 0), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_pool_destroy(runtime, standard), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_pool_destroy(runtime, pool), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_pool_destroy(runtime, pool), HW_RT_INVALID_VALUE);
    assert_ptr_equal(hw_rt_current_pool(runtime), standard);
    hw_rt_destroy(runtime);
}

static const hw_rt_channels FLOATS = {.bits = {32}, .kind = HW_TEXEL_FLOAT};

static void test_arrays(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_array *array, *other;
    hw_rt_array_info info;
    hw_rt_region region;
    uint64_t total, unused;
    const size_t size[3] = {10, 4, 0}, empty[3] = {0}, vast[3] = {SIZE_MAX / 2, 4, 4};
    const hw_rt_channels odd = {.bits = {3}}, none = {0};
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, empty, 0, NULL, &array), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_array_create(runtime, &odd, size, 0, NULL, &array), HW_RT_INVALID_CHANNELS);
    assert_int_equal(hw_rt_array_create(runtime, &none, size, 0, NULL, &array), HW_RT_INVALID_CHANNELS);
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, vast, 0, NULL, &array), HW_RT_NO_MEMORY);
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, size, 2, NULL, &array), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, size, 0, NULL, &other), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_array_get_info(runtime, array, &info), HW_RT_SUCCESS);
    assert_int_equal(info.size[2], 0);
    assert_int_equal(info.flags, 2);
    assert_true(info.element_bytes == 4 && info.row_bytes == 40 && info.rows == 4 && info.slices == 1);
    // Its last byte is within, the next is not; in no direction.
    assert_true(hw_rt_array_region(runtime, array, 39, 3, 0, 1, 1, 1, &region));
    assert_false(hw_rt_array_region(runtime, array, 40, 3, 0, 1, 1, 1, &region));
    assert_false(hw_rt_array_region(runtime, array, 0, 3, 0, 1, 2, 1, &region));
    assert_false(hw_rt_array_region(runtime, array, 0, 0, 1, 1, 1, 1, &region));
    assert_false(hw_rt_array_region(runtime, stray(), 0, 0, 0, 1, 1, 1, &region));
    assert_true(hw_rt_array_run(runtime, array, 20, 1, 100, &region));
    assert_false(hw_rt_array_run(runtime, array, 20, 1, 101, &region));
    float row[10] = {1, 2, 3}, back[10];
    assert_true(hw_rt_array_region(runtime, array, 0, 2, 0, 40, 1, 1, &region));
    assert_int_equal(copy_row(runtime, region, at(row), 40, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    assert_true(hw_rt_array_run(runtime, array, 0, 2, 40, &region));
    assert_int_equal(copy_row(runtime, at(back), region, 40, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    assert_memory_equal(row, back, 40);
    assert_int_equal(hw_rt_array_destroy(runtime, array, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_array_destroy(runtime, array, NULL), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_array_get_info(runtime, array, &info), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_array_destroy(runtime, other, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_memory_info(runtime, &total, &unused), HW_RT_SUCCESS);
    assert_int_equal(total, unused);
    hw_rt_destroy(runtime);
}

static void test_textures(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_array *array, *layers;
    uint64_t address, handle = 0;
    const size_t size[3] = {8, 8, 0};
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, size, 0, NULL, &array), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, size, HW_RT_ARRAY_LAYERED, NULL, &layers), HW_RT_SUCCESS);
    assert_int_equal(allocate(runtime, 1024, &address), HW_RT_SUCCESS);
    hw_rt_texture t = {.source = HW_RT_TEXTURE_ARRAY, .array = array};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_SUCCESS);
    assert_true(handle);
    assert_int_equal(hw_rt_texture_destroy(runtime, handle), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_texture_destroy(runtime, handle), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_texture_destroy(runtime, 0), HW_RT_SUCCESS);
    t.edge[1] = HW_TEXTURE_BORDER + 1;
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_VALUE);
    t = (hw_rt_texture){.source = HW_RT_TEXTURE_ARRAY, .array = layers};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_SUCCESS);
    t = (hw_rt_texture){.source = HW_RT_TEXTURE_ARRAY};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_HANDLE);
    t = (hw_rt_texture){.source = HW_RT_TEXTURE_LINEAR, .address = address, .channels = FLOATS, .bytes = 1024};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_SUCCESS);
    t.is_srgb = true;
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_NOT_SUPPORTED);
    t = (hw_rt_texture){.source = HW_RT_TEXTURE_LINEAR, .address = address, .channels = FLOATS, .bytes = 1028};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_VALUE);
    t = (hw_rt_texture){.source = HW_RT_TEXTURE_ROWS, .address = address, .channels = FLOATS, .width = 8, .height = 0,
                        .pitch_bytes = 32};
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_VALUE);
    t.height = 32;
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_SUCCESS);
    t.channels = (hw_rt_channels){.bits = {32}, .kind = HW_TEXEL_SIGNED};
    t.is_filtered = true;
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_FILTER);
    t.reads_fractions = true;
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_NORMALIZATION);
    t.channels = (hw_rt_channels){.bits = {8, 8, 8}};   // no texture has three
    assert_int_equal(hw_rt_texture_create(runtime, &t, &handle), HW_RT_INVALID_CHANNELS);
    hw_rt_destroy(runtime);
}

static hw_rt_status make_cubes(hw_runtime *runtime, size_t side, size_t other, size_t faces, unsigned flags) {
    hw_rt_array *array;
    const size_t size[3] = {side, other, faces};
    return hw_rt_array_create(runtime, &FLOATS, size, HW_RT_ARRAY_CUBE | flags, NULL, &array);
}

static void test_surfaces(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_array *array;
    uint64_t surface = 0, texture = 0;
    const size_t size[3] = {8, 8, 0};
    assert_int_equal(hw_rt_array_create(runtime, &FLOATS, size, HW_RT_ARRAY_SURFACE, NULL, &array), HW_RT_SUCCESS);
    const hw_rt_texture t = {.source = HW_RT_TEXTURE_ARRAY, .array = array};
    assert_int_equal(hw_rt_surface_create(runtime, NULL, &surface), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_surface_create(runtime, array, &surface), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_texture_create(runtime, &t, &texture), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_surface_destroy(runtime, texture), HW_RT_INVALID_VALUE);   // each by its own call
    assert_int_equal(hw_rt_texture_destroy(runtime, surface), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_surface_destroy(runtime, surface), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_surface_destroy(runtime, surface), HW_RT_INVALID_VALUE);
    assert_int_equal(make_cubes(runtime, 8, 8, 6, 0), HW_RT_SUCCESS);
    assert_int_equal(make_cubes(runtime, 8, 8, 12, HW_RT_ARRAY_LAYERED), HW_RT_SUCCESS);
    assert_int_equal(make_cubes(runtime, 8, 8, 12, 0), HW_RT_INVALID_VALUE);
    assert_int_equal(make_cubes(runtime, 8, 8, 5, 0), HW_RT_INVALID_VALUE);
    assert_int_equal(make_cubes(runtime, 8, 4, 6, 0), HW_RT_INVALID_VALUE);
    hw_rt_destroy(runtime);
}

static void test_functions(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_module *module = load_kernels(runtime);
    hw_rt_function *fill = find_function(runtime, module, "fill");
    hw_rt_function_info info;
    size_t offset, bytes;
    int blocks;
    assert_int_equal(hw_rt_function_get_info(runtime, fill, &info), HW_RT_SUCCESS);
    assert_ptr_equal(info.module, module);
    assert_int_equal(info.carveout, -1);
    assert_true(info.sim.regs_estimated);   // no ptxas was allowed
    assert_int_equal(hw_rt_function_get_param(runtime, fill, 1, &offset, &bytes), HW_RT_SUCCESS);
    assert_true(offset == 8 && bytes == 4);
    assert_int_equal(hw_rt_function_get_param(runtime, fill, 2, &offset, &bytes), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_function_set_carveout(runtime, fill, 101), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_function_set_carveout(runtime, fill, 50), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_function_set_dynamic_shared(runtime, fill, -1), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_function_set_dynamic_shared(runtime, fill, 1 << 20), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_function_set_dynamic_shared(runtime, fill, 200 << 10), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_function_get_info(runtime, fill, &info), HW_RT_SUCCESS);
    assert_int_equal(info.carveout, 50);
    assert_int_equal(info.sim.max_dynamic_shared_bytes, 200 << 10);
    assert_int_equal(hw_rt_resident_blocks(runtime, fill, 1024, 0, &blocks), HW_RT_SUCCESS);
    assert_int_equal(blocks, 2);
    assert_int_equal(hw_rt_resident_blocks(runtime, fill, 64, 100 << 10, &blocks), HW_RT_SUCCESS);
    assert_int_equal(blocks, 2);
    assert_int_equal(hw_rt_resident_blocks(runtime, fill, 64, 201 << 10, &blocks), HW_RT_SUCCESS);
    assert_int_equal(blocks, 0);
    assert_int_equal(hw_rt_resident_blocks(runtime, fill, 0, 0, &blocks), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_available_shared(runtime, fill, 2, &bytes), HW_RT_SUCCESS);
    assert_int_equal(bytes, (228 / 2 - 1) << 10);
    assert_int_equal(hw_rt_available_shared(runtime, fill, 0, &bytes), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_function_get_info(runtime, stray(), &info), HW_RT_INVALID_HANDLE);
    hw_rt_destroy(runtime);
}

static void test_device(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    const hw_gpu *gpu = hw_rt_gpu(runtime);
    int value;
    size_t bytes;
    assert_true(hw_rt_attribute(gpu, 16, &value));   // multiprocessors
    assert_int_equal(value, (int)gpu->sms);
    assert_false(hw_rt_attribute(gpu, 0, &value));
    assert_false(hw_rt_attribute(gpu, 100000, &value));
    assert_int_equal(hw_rt_check_device(runtime, 0), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_check_device(runtime, 1), HW_RT_INVALID_DEVICE);
    assert_int_equal(hw_rt_set_limit(runtime, HW_RT_LIMIT_STACK, 1025), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_get_limit(runtime, HW_RT_LIMIT_STACK, &bytes), HW_RT_SUCCESS);
    assert_int_equal(bytes, 1040);
    assert_int_equal(hw_rt_set_limit(runtime, HW_RT_LIMIT_STACK, 1 << 30), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_limit(runtime, HW_RT_LIMIT_HEAP, SIZE_MAX), HW_RT_NO_MEMORY);
    assert_int_equal(hw_rt_set_limit(runtime, HW_RT_LIMIT_L2_KEPT, 12345), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_get_limit(runtime, HW_RT_LIMIT_L2_KEPT, &bytes), HW_RT_SUCCESS);
    assert_int_equal(bytes, 12345);
    assert_int_equal(hw_rt_set_limit(runtime, HW_RT_LIMIT_SYNC_DEPTH, 1), HW_RT_UNSUPPORTED_LIMIT);
    assert_int_equal(hw_rt_get_limit(runtime, HW_RT_LIMITS, &bytes), HW_RT_UNSUPPORTED_LIMIT);
    assert_int_equal(hw_rt_set_cache_preference(runtime, 4), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set_cache_preference(runtime, 3), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_cache_preference(runtime), 3);
    assert_int_equal(hw_rt_set_bank_preference(runtime, HW_RT_BANKS_OF_8), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_bank_bytes(runtime, HW_RT_BANKS_DEFAULT), 4);   // only 3.x has a choice
    assert_int_equal(hw_rt_enable_peer(runtime, 0), HW_RT_PEER_UNSUPPORTED);
    assert_int_equal(hw_rt_disable_peer(runtime, 0), HW_RT_PEER_NOT_ENABLED);
    assert_int_equal(hw_rt_enable_peer(runtime, 1), HW_RT_INVALID_DEVICE);
    hw_rt_destroy(runtime);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_events), cmocka_unit_test(test_pools),
        cmocka_unit_test(test_arrays), cmocka_unit_test(test_textures), cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
