#include "model/partition.h"

double hw_partition_balance(const uint64_t *load, uint32_t count) {
    uint64_t total = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += load[i];
        most = load[i] > most ? load[i] : most;
    }
    return most ? (double)total / count / (double)most : 1;
}
