// The layout of the public simulator's structs: what release 0.1 had stays where it was, and what comes later comes
// behind it. Members in the order of the header; a new one is put at the end of its list.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "halfwarp/sim.h"

typedef struct member {
    const char *name;
    size_t offset;
} member;

// What 0.1 had, on a machine with addresses of 64 bits: its last member, and the struct's size.
typedef struct layout {
    const char *name;
    size_t last, last_offset, bytes;
} layout;

// Each member lies behind the one before it, the first one is the size, and the last one of 0.1 where it was then. What
// has come since begins behind the whole struct of 0.1: in the padding at its end old programs have anything.
static void check_layout(layout old, const member *members, size_t count) {
    assert_string_equal(members[0].name, "struct_bytes");
    assert_int_equal(members[0].offset, 0);
    for (size_t i = 1; i < count; i++)
        if (members[i].offset <= members[i - 1].offset) fail_msg("%s: %s has moved", old.name, members[i].name);
    if (sizeof(void *) != 8) return;
    if (members[old.last].offset != old.last_offset)
        fail_msg("%s: %s was at byte %zu, and is at %zu", old.name, members[old.last].name, old.last_offset,
                 members[old.last].offset);
    if (count > old.last + 1 && members[old.last + 1].offset < old.bytes)
        fail_msg("%s: %s lies in what 0.1 had as padding", old.name, members[old.last + 1].name);
}

#define CHECK(type, last, last_offset, bytes)                                                                         \
    check_layout((layout){#type, last, last_offset, bytes}, type##_members,                                          \
                 sizeof type##_members / sizeof type##_members[0])

#define M(name) {#name, offsetof(hw_simulator_options, name)}
static const member hw_simulator_options_members[] = {
    M(struct_bytes), M(threads), M(max_registers), M(seed), M(max_instructions), M(poisons), M(poison),
    M(no_counters), M(lines), M(compiler), M(print), M(print_context), M(notice), M(notice_context)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_gpu, name)}
static const member hw_simulator_gpu_members[] = {
    M(struct_bytes), M(id), M(name), M(compute_capability), M(multiprocessors), M(clock_mhz), M(l2_kib),
    M(memory_bytes), M(memory_gbs), M(max_threads_per_block), M(threads_per_multiprocessor),
    M(warps_per_multiprocessor), M(blocks_per_multiprocessor), M(registers_per_multiprocessor),
    M(max_registers_per_thread), M(min_registers_per_thread), M(shared_bytes_per_multiprocessor),
    M(max_shared_bytes_per_block), M(banks), M(bank_bytes)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_kernel_info, name)}
static const member hw_simulator_kernel_info_members[] = {
    M(struct_bytes), M(name), M(registers), M(spill_bytes), M(is_estimated), M(uses_dynamic_shared),
    M(static_shared_bytes), M(constant_bytes), M(local_bytes), M(max_threads_per_block), M(max_dynamic_shared_bytes),
    M(parameters), M(compiler)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_shape, name)}
static const member hw_simulator_shape_members[] = {
    M(struct_bytes), M(grid), M(block), M(dynamic_shared_bytes), M(is_cooperative)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_fault, name)}
static const member hw_simulator_fault_members[] = {
    M(struct_bytes), M(kind), M(line), M(kernel), M(file), M(block), M(thread), M(is_write), M(width_bytes),
    M(address), M(text)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_counters, name)}
static const member hw_simulator_counters_members[] = {
    M(struct_bytes), M(inst), M(thread_inst), M(gld_requests), M(gst_requests), M(gld_sectors), M(gst_sectors),
    M(l2_sectors), M(l2_sectors_ideal), M(lds_inst), M(sts_inst), M(lds_wavefronts), M(sts_wavefronts),
    M(smem_wavefronts), M(smem_wavefronts_ideal), M(lld_requests), M(lld_sectors), M(lst_requests), M(lst_sectors),
    M(branches), M(branches_divergent), M(barriers), M(atomics), M(gld_coalesced), M(gld_uncoalesced),
    M(gst_coalesced), M(gst_uncoalesced), M(gld_request), M(gst_request), M(gld_32b), M(gld_64b), M(gld_128b),
    M(gst_32b), M(gst_64b), M(gst_128b), M(gld_transactions), M(gst_transactions), M(gld_bytes), M(gst_bytes),
    M(local_load), M(local_store), M(const_requests), M(const_passes), M(warp_serialize), M(branch),
    M(divergent_branch), M(instructions), M(cta_launched), M(sm_cta_launched), M(gld_sectors_ideal),
    M(gst_sectors_ideal), M(memory_waits), M(shared_waits)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_launch_row, name)}
static const member hw_simulator_launch_row_members[] = {
    M(struct_bytes), M(kernel), M(mangled), M(grid), M(block), M(registers), M(spill_bytes), M(is_estimated),
    M(static_shared_bytes), M(dynamic_shared_bytes), M(limit_blocks), M(limit_registers), M(limit_shared),
    M(limit_warps), M(occupancy_percent), M(status), M(est_bound), M(est_us), M(est_gbs), M(est_us_memory),
    M(est_us_shared), M(est_us_issue), M(est_us_latency), M(est_us_launch), M(load_partition_percent),
    M(store_partition_percent), M(host_ms), M(compiler)};
#undef M

#define M(name) {#name, offsetof(hw_simulator_line_row, name)}
static const member hw_simulator_line_row_members[] = {
    M(struct_bytes), M(kernel), M(mangled), M(file), M(line), M(launches)};
#undef M

static void members_stay(void **state) {
    (void)state;
    CHECK(hw_simulator_options, 13, 72, 80);
    CHECK(hw_simulator_gpu, 19, 96, 104);
    CHECK(hw_simulator_kernel_info, 12, 56, 64);
    CHECK(hw_simulator_shape, 4, 36, 40);
    CHECK(hw_simulator_fault, 10, 568, 1592);
    CHECK(hw_simulator_counters, 50, 400, 408);
    CHECK(hw_simulator_launch_row, 27, 184, 192);
    CHECK(hw_simulator_line_row, 5, 40, 48);
}

// Numbers that programs have in them.
static void numbers_stay(void **state) {
    (void)state;
    static const int numbers[][2] = {
        {HW_OK, 0}, {HW_NO_MEMORY, 1}, {HW_USAGE, 2}, {HW_IO, 3}, {HW_MALFORMED, 4}, {HW_COMPILE, 5},
        {HW_UNSUPPORTED, 6}, {HW_FAULT, 7}, {HW_DEADLOCK, 8}, {HW_NOT_FOUND, 9},
        {HW_SIMULATOR_FAULT_NONE, 0}, {HW_SIMULATOR_FAULT_ADDRESS, 1}, {HW_SIMULATOR_FAULT_MISALIGNED, 2},
        {HW_SIMULATOR_FAULT_STACK, 3}, {HW_SIMULATOR_FAULT_TRAP, 4}, {HW_SIMULATOR_FAULT_ASSERT, 5},
        {HW_SIMULATOR_FAULT_INVALID_CALL, 6}, {HW_SIMULATOR_FAULT_LANES_MISSING, 7}, {HW_SIMULATOR_FAULT_DEADLOCK, 8},
        {HW_SIMULATOR_FAULT_NO_MEMORY, 9}, {HW_SIMULATOR_BOUND_NONE, 0}, {HW_SIMULATOR_BOUND_MEMORY, 1},
        {HW_SIMULATOR_BOUND_SHARED, 2}, {HW_SIMULATOR_BOUND_ISSUE, 3}, {HW_SIMULATOR_BOUND_LATENCY, 4},
        {HW_SIMULATOR_BOUND_LAUNCH, 5}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) assert_int_equal(numbers[i][0], numbers[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_stay), cmocka_unit_test(numbers_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
