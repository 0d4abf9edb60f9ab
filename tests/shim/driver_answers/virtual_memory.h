// Questions on virtual memory.
static const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                         .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc both = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                     .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc reading = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_READ};
static const CUmemAccessDesc nothing = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                        .flags = CU_MEM_ACCESS_FLAGS_PROT_NONE};
static CUdeviceptr va;
static CUmemGenericAllocationHandle h, h2;
static size_t g;

static void reserve(void) {
    ASK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemAddressReserve(&va, 4 * g, 0, 0, 0));
    ASK(cuMemCreate(&h, g, &prop, 0));
    ASK(cuMemCreate(&h2, 2 * g, &prop, 0));
}

static void granularity(void) {
    CUmemAllocationProp host = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_HOST, 0}};
    CUmemAllocationProp wrong = {.type = (CUmemAllocationType)77, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAllocationProp far = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 9}};
    size_t n = 0;
    ASK(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    SAY(n);
    ASK(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    SAY(n);
    ASK(cuMemGetAllocationGranularity(&n, &prop, (CUmemAllocationGranularity_flags)5));
    ASK(cuMemGetAllocationGranularity(&n, &host, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemGetAllocationGranularity(&n, &wrong, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ASK(cuMemGetAllocationGranularity(&n, &far, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

static void reservations(void) {
    CUdeviceptr p = 0, q = 0;
    reserve();
    ASK(cuMemAddressReserve(&p, 4096, 0, 0, 0));
    ASK(cuMemAddressReserve(&p, 0, 0, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 3, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 4096, 0, 0));
    ASK(cuMemAddressReserve(&p, g, 8 * g, 0, 0));
    SAY(p % (8 * g));
    ASK(cuMemAddressReserve(&q, g, 0, p, 0));   // where something is
    SAY(p != q);
    ASK(cuMemAddressReserve(&q, g, 0, 0, 1));
    ASK(cuMemAddressFree(p, 2 * g));
    ASK(cuMemAddressFree(p, g));
    ASK(cuMemAddressFree(p, g));
    ASK(cuMemAddressFree(va, g));
    ASK(cuMemAddressFree(va, 4 * g));
}

static void creations(void) {
    CUmemGenericAllocationHandle made = 0;
    CUmemAllocationProp back;
    reserve();
    ASK(cuMemCreate(&made, 4096, &prop, 0));
    ASK(cuMemCreate(&made, 0, &prop, 0));
    ASK(cuMemCreate(&made, g, &prop, 1));
    ASK(cuMemGetAllocationPropertiesFromHandle(&back, h));
    ASK(cuMemRelease(h));
    ASK(cuMemRelease(h2));
}

static void released_twice(void) {
    reserve();
    ASK(cuMemRelease(h));
    ASK(cuMemRelease(h));
}

static void mappings(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va, g, 0, h2, 0));
    ASK(cuMemMap(va + g, g, g, h2, 0));
    ASK(cuMemMap(va + g, g, 0, h2, 0));
    ASK(cuMemMap(va + 2 * g, 2 * g, 0, h, 0));
    ASK(cuMemMap(va + 2 * g, 2 * g, 0, h2, 0));
    ASK(cuMemMap(va + 4 * g, g, 0, h, 0));
    ASK(cuMemMap(word, g, 0, h, 0));
    ASK(cuMemUnmap(va + 2 * g, g));
    ASK(cuMemUnmap(va, g / 2));
    ASK(cuMemUnmap(va, 4 * g));
    ASK(cuMemUnmap(va, 4 * g));
    ASK(cuMemUnmap(va, g));
}

static void without_access(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemsetD8(va, 1, 16));
    ASK(cuCtxSynchronize());
    ASK(cuMemcpyDtoH(&(unsigned){0}, va, 4));
}

static void kernel_without_access(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    word = va;
    ASK(launch(stream, 1));
    ASK(cuStreamSynchronize(stream));
}

static void kernel_writes_what_it_may_read(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &reading, 1));
    word = va;
    ASK(launch(stream, 1));
    ASK(cuStreamSynchronize(stream));
}

static void access_rights(void) {
    unsigned long long flags = 9;
    CUmemAccessDesc host = {.location = {CU_MEM_LOCATION_TYPE_HOST, 0}, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    reserve();
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g, &reading, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g, &nothing, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va));
    SAY(flags);
    ASK(cuMemSetAccess(va, g / 2, &both, 1));
    ASK(cuMemSetAccess(va, g, &both, 0));
    ASK(cuMemSetAccess(va, g, &host, 1));
    ASK(cuMemGetAccess(&flags, &both.location, va + g));
}

static void one_memory_at_two_places(void) {
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va + g, g, 0, h, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD32(va, 77, 4));
    SAY(get(va + g));
    ASK(cuMemUnmap(va, g));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &both, 1));
    SAY(get(va));
}

static void released_while_mapped(void) {
    CUmemGenericAllocationHandle again = 0;
    reserve();
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemSetAccess(va, g, &both, 1));
    ASK(cuMemRelease(h));
    ASK(cuMemsetD32(va, 5, 4));
    SAY(get(va));
    ASK(cuMemRetainAllocationHandle(&again, (void *)va));
    SAY(again == h);
    ASK(cuMemRelease(again));
    ASK(cuMemAddressFree(va, 4 * g));
    ASK(cuMemFree(va));
    ASK(cuMemUnmap(va, g));
    ASK(cuMemRetainAllocationHandle(&again, (void *)va));
    ASK(cuMemRetainAllocationHandle(&again, (void *)word));
    ASK(cuMemAddressFree(va, 4 * g));
}

static void across_two_mappings(void) {
    static unsigned char bytes[64];
    CUmemGenericAllocationHandle h3;
    CUdeviceptr base = 0;
    size_t size = 0;
    reserve();
    ASK(cuMemCreate(&h3, g, &prop, 0));
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuMemMap(va + g, g, 0, h3, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD8(va + g - 32, 3, 64));
    ASK(cuMemcpyDtoH(bytes, va + g - 32, 64));
    SAY(bytes[0]);
    SAY(bytes[63]);
    ASK(cuMemsetD8(va, 3, 3 * g));
    ASK(cuMemGetAddressRange(&base, &size, va + 5));
    SAY(base - va);
    SAY(size / g);
}

static void pointer_attributes_of_mappings(void) {
    CUdeviceptr p = 0;
    size_t size = 0;
    unsigned type = 9;
    int mapped = 9;
    reserve();
    p = va + 9;
    ASK(cuMemMap(va, g, 0, h, 0));
    ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, va));
    SAY(type);
    ASK(cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, va + 4));
    SAY(p - va);
    ASK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, va + 4));
    SAY(size / g);
    ASK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, va));
    SAY(mapped);
    ASK(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, va + g));
    SAY(mapped);
    ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, va + g));
}

static void exports(void) {
    CUmemAllocationProp file = prop;
    CUmemGenericAllocationHandle shared = 0, imported = 0;
    int fd = -1;
    reserve();
    ASK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    file.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ASK(cuMemCreate(&shared, g, &file, 0));
    ASK(cuMemExportToShareableHandle(&fd, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    ASK(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    SAY(imported == shared);
    ASK(cuMemMap(va, g, 0, shared, 0));
    ASK(cuMemMap(va + g, g, 0, imported, 0));
    ASK(cuMemSetAccess(va, 2 * g, &both, 1));
    ASK(cuMemsetD32(va, 42, 4));
    SAY(get(va + g));
    ASK(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)999, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}
