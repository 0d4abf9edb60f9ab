// Questions on between processes and devices.
static void ipc_by_itself(void) {
    CUipcMemHandle handle;
    CUipcEventHandle of_event;
    CUdeviceptr p = 0, pooled = 0;
    CUevent sharable, opened;
    void *host;
    cuMemAllocHost(&host, 64);
    cuMemAllocAsync(&pooled, 64, stream);
    ASK(cuIpcGetMemHandle(&handle, word));
    ASK(cuIpcGetMemHandle(&handle, word + 4));
    ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ASK(cuIpcCloseMemHandle(word));
    ASK(cuIpcGetMemHandle(&handle, (CUdeviceptr)host));
    ASK(cuIpcGetMemHandle(&handle, pooled));
    ASK(cuIpcGetMemHandle(&handle, 0x1234));
    memset(&handle, 5, sizeof handle);
    ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    ASK(cuIpcOpenMemHandle(&p, handle, 0));
    ASK(cuIpcGetEventHandle(&of_event, event));
    ASK(cuEventCreate(&sharable, CU_EVENT_INTERPROCESS));
    ASK(cuEventCreate(&sharable, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    ASK(cuIpcGetEventHandle(&of_event, sharable));
    ASK(cuIpcOpenEventHandle(&opened, of_event));
    memset(&of_event, 5, sizeof of_event);
    ASK(cuIpcOpenEventHandle(&opened, of_event));
}

// A parent's memory in a child: pipes carry the handle and say when.
static void ipc_between_two(void) {
    CUipcMemHandle handle;
    CUdeviceptr p = 0;
    char go = 1;
    int forth[2], back[2];
    if (pipe(forth) || pipe(back)) return;
    fflush(stdout);
    if (!fork()) {
        if (read(forth[0], &handle, sizeof handle) != (ssize_t)sizeof handle) _exit(1);
        set_up();
        ASK(cuIpcOpenMemHandle(&p, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        SAY(get(p));
        ASK(cuMemsetD32(p + 4, 6, 1));
        ASK(cuCtxSynchronize());
        SAY(get(p + 4));
        ASK(cuMemFree(p));
        ASK(cuIpcCloseMemHandle(p));
        ASK(cuIpcCloseMemHandle(p));
        fflush(stdout);
        if (write(back[1], &go, 1) != 1) _exit(1);
        _exit(0);
    }
    set_up();
    ASK(cuMemsetD32(word, 5, 1));
    ASK(cuIpcGetMemHandle(&handle, word));
    fflush(stdout);
    if (write(forth[1], &handle, sizeof handle) == (ssize_t)sizeof handle && read(back[0], &go, 1) == 1)
        SAY(get(word + 4));
    ASK(cuMemFree(word));
}

static void peers(void) {
    int can = 9;
    CUcontext context;
    ASK(cuDeviceCanAccessPeer(&can, 0, 0));
    SAY(can);
    cuCtxGetCurrent(&context);
    ASK(cuCtxEnablePeerAccess(context, 0));
    ASK(cuCtxEnablePeerAccess(context, 1));
    ASK(cuCtxDisablePeerAccess(context));
    ASK(cuMemcpyPeer(word, context, word + 16, context, 4));
    ASK(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    ASK(cuDeviceCanAccessPeer(&can, 0, 9));
}

typedef struct question {
    const char *name;
    void (*ask)(void);
    int sets_up_itself;
} question;
