// Copies of 4 bytes to 64 MB by kind of memory.
static void copies() {
    const size_t most = 64 << 20;
    char *d, *d2;
    M(cudaMalloc(&d, most));
    M(cudaMalloc(&d2, most));
    cudaEvent_t a, b;
    M(cudaEventCreate(&a));
    M(cudaEventCreate(&b));
    for (int kind = 0; kind < 3; kind++) {
        const char *names[] = {"pageable", "pinned", "write_combined"};
        char *h;
        if (kind == 0) {
            h = (char *)malloc(most);
        } else M(cudaHostAlloc(&h, most, kind == 1 ? cudaHostAllocDefault : cudaHostAllocWriteCombined));
        if (kind != 2) memset(h, 1, most);
        else {
            memset(h, 1, most);
        }
        for (int up = 0; up < 2; up++)
            for (size_t n = 4; n <= most; n *= 4) {
                if (kind == 2 && !up && 0) continue;
                std::vector<double> host, gpu;
                int times = n > (4 << 20) ? 7 : 31;
                float ms;
                for (int i = 0; i < times; i++) {
                    M(cudaDeviceSynchronize());
                    double t = now_us();
                    if (up) cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
                    else cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
                    host.push_back(now_us() - t);
                    M(cudaEventRecord(a));
                    if (up) cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice);
                    else cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost);
                    M(cudaEventRecord(b));
                    M(cudaEventSynchronize(b));
                    M(cudaEventElapsedTime(&ms, a, b));
                    gpu.push_back(ms * 1e3);
                }
                printf("copy,%s,%s,%zu,host_us,%.3f,event_us,%.3f\n", names[kind], up ? "h2d" : "d2h", n, median(host),
                       median(gpu));
            }
        if (kind == 0) {
            double t = now_us();
            volatile long long x = 0;
            for (size_t i = 0; i < most; i += 8) x += *(long long *)(h + i);
            printf("host,read_pageable_64M,us,%.1f\n", now_us() - t);
            free(h);
        } else {
            if (kind == 2) {
                double t = now_us();
                volatile long long x = 0;
                for (size_t i = 0; i < (1 << 20); i += 8) x += *(long long *)(h + i);
                printf("host,read_write_combined_1M,us,%.1f\n", now_us() - t);
                t = now_us();
                memset(h, 3, most);
                printf("host,memset_write_combined_64M,us,%.1f\n", now_us() - t);
            } else {
                double t = now_us();
                memset(h, 3, most);
                printf("host,memset_pinned_64M,us,%.1f\n", now_us() - t);
            }
            cudaFreeHost(h);
        }
    }
    for (size_t n = 4; n <= most; n *= 4) {
        std::vector<double> c, s;
        float ms;
        for (int i = 0; i < 15; i++) {
            M(cudaEventRecord(a));
            cudaMemcpyAsync(d2, d, n, cudaMemcpyDeviceToDevice);
            M(cudaEventRecord(b));
            M(cudaEventSynchronize(b));
            M(cudaEventElapsedTime(&ms, a, b));
            c.push_back(ms * 1e3);
            M(cudaEventRecord(a));
            cudaMemsetAsync(d2, 0, n);
            M(cudaEventRecord(b));
            M(cudaEventSynchronize(b));
            M(cudaEventElapsedTime(&ms, a, b));
            s.push_back(ms * 1e3);
        }
        printf("copy,device,d2d,%zu,event_us,%.3f\ncopy,set,set,%zu,event_us,%.3f\n", n, median(c), n, median(s));
    }
    cudaFree(d);
    cudaFree(d2);
}
