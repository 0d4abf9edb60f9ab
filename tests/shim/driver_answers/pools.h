// Questions on memory pools.
static void pools(void) {
    CUmemoryPool pool, preset, current;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUdeviceptr p = 0, q = 0;
    cuuint64_t value = 9;
    int flag = 9;
    ASK(cuDeviceGetDefaultMemPool(&preset, 0));
    ASK(cuDeviceGetMemPool(&current, 0));
    SAY(current == preset);
    ASK(cuMemPoolDestroy(preset));
    ASK(cuMemPoolCreate(&pool, &props));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    SAY(flag);
    ASK(cuMemAllocFromPoolAsync(&p, 100, pool, stream));
    ASK(cuMemAllocFromPoolAsync(&q, 1 << 20, pool, stream));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemFreeAsync(p, stream));
    ASK(cuMemFreeAsync(q, other));
    ASK(cuStreamSynchronize(stream));
    ASK(cuStreamSynchronize(other));
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value));
    SAY(value);
    ASK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    SAY(value);
    value = 5;
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    value = 0;
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    ASK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    ASK(cuMemPoolTrimTo(pool, 0));
    ASK(cuDeviceSetMemPool(0, pool));
    ASK(cuMemPoolDestroy(pool));
    ASK(cuDeviceGetMemPool(&current, 0));
    SAY(current == preset);
}

static void pool_misuse(void) {
    CUdeviceptr p = 0;
    ASK(cuMemAllocAsync(&p, 0, stream));
    ASK(cuMemAllocAsync(&p, 100, stream));
    ASK(cuMemFree(p));
    ASK(cuMemFreeAsync(word, stream));
    ASK(cuMemFreeAsync(0, stream));
    ASK(cuMemFreeAsync(0x1234, stream));
    ASK(cuMemAllocAsync(&p, (size_t)1 << 50, stream));
}

static void pool_access(void) {
    CUmemoryPool pool;
    CUmemAccess_flags flags = (CUmemAccess_flags)9;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, far = {CU_MEM_LOCATION_TYPE_DEVICE, 9};
    CUmemAccessDesc wrong = {.location = far, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    ASK(cuDeviceGetDefaultMemPool(&pool, 0));
    ASK(cuMemPoolGetAccess(&flags, pool, &here));
    SAY(flags);
    ASK(cuMemPoolGetAccess(&flags, pool, &far));
    ASK(cuMemPoolSetAccess(pool, &both, 1));
    ASK(cuMemPoolSetAccess(pool, &reading, 1));
    ASK(cuMemPoolSetAccess(pool, &nothing, 1));
    ASK(cuMemPoolSetAccess(pool, &wrong, 1));
}
