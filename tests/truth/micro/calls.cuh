// What calls of the host take, and what the GPU takes between two kernels.
__global__ void empty() {}
__global__ void empty_params(int4 a, int4 b, int4 c, int4 d) {}
__global__ void spin(long long cycles) {
    long long s = clock64();
    while (clock64() - s < cycles) {}
}

template <class F> static void cost(const char *name, int times, F f, int warm = 5) {
    std::vector<double> v;
    for (int i = 0; i < warm; i++) f();
    M(cudaDeviceSynchronize());
    for (int i = 0; i < times; i++) {
        double t = now_us();
        f();
        v.push_back(now_us() - t);
        if (i % 64 == 63) M(cudaDeviceSynchronize());
    }
    M(cudaDeviceSynchronize());
    std::vector<double> s = v;
    std::sort(s.begin(), s.end());
    printf("call,%s,median_us,%.3f,p10_us,%.3f,p90_us,%.3f\n", name, median(v), s[v.size() / 10], s[v.size() * 9 / 10]);
}

static void calls() {
    cudaEvent_t e, e2;
    cudaStream_t s;
    void *p, *h;
    float ms;
    M(cudaEventCreate(&e));
    M(cudaEventCreate(&e2));
    M(cudaStreamCreate(&s));
    M(cudaMalloc(&p, 1 << 20));
    M(cudaMallocHost(&h, 1 << 20));
    void *pageable = malloc(1 << 20);
    memset(pageable, 1, 1 << 20);
    cost("launch", 1000, [&] { empty<<<1, 32, 0, s>>>(); });
    cost("launch_default_stream", 1000, [&] { empty<<<1, 32>>>(); });
    cost("launch_params", 1000, [&] { empty_params<<<1, 32, 0, s>>>(int4(), int4(), int4(), int4()); });
    cost("launch_and_device_sync", 300, [&] {
        empty<<<1, 32, 0, s>>>();
        cudaDeviceSynchronize();
    });
    cost("launch_and_stream_sync", 300, [&] {
        empty<<<1, 32, 0, s>>>();
        cudaStreamSynchronize(s);
    });
    cost("event_record", 1000, [&] { cudaEventRecord(e, s); });
    cost("event_record_default_stream", 1000, [&] { cudaEventRecord(e); });
    M(cudaEventRecord(e2, s));
    M(cudaDeviceSynchronize());
    cost("event_query_done", 1000, [&] { cudaEventQuery(e); });
    cost("event_sync_done", 1000, [&] { cudaEventSynchronize(e); });
    cost("event_elapsed", 1000, [&] { cudaEventElapsedTime(&ms, e, e2); });
    cost("stream_query", 1000, [&] { cudaStreamQuery(s); });
    cost("stream_sync_idle", 1000, [&] { cudaStreamSynchronize(s); });
    cost("device_sync_idle", 1000, [&] { cudaDeviceSynchronize(); });
    cost("stream_wait_event", 1000, [&] { cudaStreamWaitEvent(s, e, 0); });
    cost("memcpy_async_h2d_4B_pinned", 500, [&] { cudaMemcpyAsync(p, h, 4, cudaMemcpyHostToDevice, s); });
    cost("memcpy_async_d2h_4B_pinned", 500, [&] { cudaMemcpyAsync(h, p, 4, cudaMemcpyDeviceToHost, s); });
    cost("memcpy_async_d2d_4B", 500, [&] { cudaMemcpyAsync(p, (char *)p + 1024, 4, cudaMemcpyDeviceToDevice, s); });
    cost("memcpy_d2d_4B", 500, [&] { cudaMemcpy(p, (char *)p + 1024, 4, cudaMemcpyDeviceToDevice); });
    cost("memcpy_h2d_4B_pinned", 300, [&] { cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice); });
    cost("memcpy_d2h_4B_pinned", 300, [&] { cudaMemcpy(h, p, 4, cudaMemcpyDeviceToHost); });
    cost("memcpy_h2d_4B_pageable", 300, [&] { cudaMemcpy(p, pageable, 4, cudaMemcpyHostToDevice); });
    cost("memcpy_d2h_4B_pageable", 300, [&] { cudaMemcpy(pageable, p, 4, cudaMemcpyDeviceToHost); });
    cost("memset_async_4B", 500, [&] { cudaMemsetAsync(p, 0, 4, s); });
    cost("memset_4B", 500, [&] { cudaMemset(p, 0, 4); });
    cost("malloc_free_4K", 200, [&] {
        void *q;
        cudaMalloc(&q, 4096);
        cudaFree(q);
    });
    cost("malloc_free_1M", 200, [&] {
        void *q;
        cudaMalloc(&q, 1 << 20);
        cudaFree(q);
    });
    cost("malloc_free_64M", 50, [&] {
        void *q;
        cudaMalloc(&q, 64 << 20);
        cudaFree(q);
    });
    {
        std::vector<double> a, f;
        for (int i = 0; i < 50; i++) {
            void *q;
            double t = now_us();
            cudaMalloc(&q, 64 << 20);
            double u = now_us();
            cudaFree(q);
            a.push_back(u - t);
            f.push_back(now_us() - u);
        }
        printf("call,malloc_64M,median_us,%.3f\ncall,free_64M,median_us,%.3f\n", median(a), median(f));
    }
    {
        std::vector<double> a, f;
        for (int i = 0; i < 100; i++) {
            void *q;
            double t = now_us();
            cudaMalloc(&q, 4096);
            double u = now_us();
            cudaFree(q);
            a.push_back(u - t);
            f.push_back(now_us() - u);
        }
        printf("call,malloc_4K,median_us,%.3f\ncall,free_4K,median_us,%.3f\n", median(a), median(f));
    }
    cost("malloc_async_free_async_1M", 200, [&] {
        void *q;
        cudaMallocAsync(&q, 1 << 20, s);
        cudaFreeAsync(q, s);
    });
    {
        std::vector<double> a, f;
        for (int i = 0; i < 20; i++) {
            void *q;
            double t = now_us();
            cudaMallocHost(&q, 1 << 20);
            double u = now_us();
            cudaFreeHost(q);
            a.push_back(u - t);
            f.push_back(now_us() - u);
        }
        printf("call,malloc_host_1M,median_us,%.3f\ncall,free_host_1M,median_us,%.3f\n", median(a), median(f));
    }
    cost("stream_create_destroy", 100, [&] {
        cudaStream_t q;
        cudaStreamCreate(&q);
        cudaStreamDestroy(q);
    });
    cost("event_create_destroy", 200, [&] {
        cudaEvent_t q;
        cudaEventCreate(&q);
        cudaEventDestroy(q);
    });
    cost("get_last_error", 1000, [&] { cudaGetLastError(); });
    cost("set_device", 1000, [&] { cudaSetDevice(0); });
    cost("func_attributes", 500, [&] {
        cudaFuncAttributes a;
        cudaFuncGetAttributes(&a, (const void *)empty);
    });
    {
        cudaGraph_t g;
        cudaGraphExec_t x;
        M(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < 10; i++) empty<<<1, 32, 0, s>>>();
        M(cudaStreamEndCapture(s, &g));
        M(cudaGraphInstantiate(&x, g, 0));
        cost("graph_launch_of_10", 200, [&] { cudaGraphLaunch(x, s); });
        M(cudaEventRecord(e, s));
        for (int i = 0; i < 100; i++) cudaGraphLaunch(x, s);
        M(cudaEventRecord(e2, s));
        M(cudaDeviceSynchronize());
        M(cudaEventElapsedTime(&ms, e, e2));
        printf("gpu,graph_of_10_empty,us,%.3f\n", ms * 10);
    }
    // what the GPU takes from the end of one kernel to the begin of the next, in one stream and by events
    M(cudaEventRecord(e, s));
    for (int i = 0; i < 1000; i++) empty<<<1, 32, 0, s>>>();
    M(cudaEventRecord(e2, s));
    M(cudaDeviceSynchronize());
    M(cudaEventElapsedTime(&ms, e, e2));
    printf("gpu,empty_kernels_back_to_back,us_each,%.3f\n", ms);
    for (int n : {0, 1, 2, 8, 64}) {
        std::vector<double> v;
        for (int k = 0; k < 21; k++) {
            M(cudaDeviceSynchronize());
            spin<<<1, 1, 0, s>>>(2000000);
            M(cudaEventRecord(e, s));
            for (int i = 0; i < n; i++) empty<<<1, 32, 0, s>>>();
            M(cudaEventRecord(e2, s));
            M(cudaDeviceSynchronize());
            M(cudaEventElapsedTime(&ms, e, e2));
            v.push_back(ms * 1e3);
        }
        printf("gpu,events_around_%d_queued_empty,us,%.3f\n", n, median(v));
    }
    for (int n : {0, 1}) {
        std::vector<double> v;
        for (int k = 0; k < 51; k++) {
            M(cudaDeviceSynchronize());
            M(cudaEventRecord(e, s));
            for (int i = 0; i < n; i++) empty<<<1, 32, 0, s>>>();
            M(cudaEventRecord(e2, s));
            M(cudaDeviceSynchronize());
            M(cudaEventElapsedTime(&ms, e, e2));
            v.push_back(ms * 1e3);
        }
        printf("gpu,events_around_%d_empty_idle,us,%.3f\n", n, median(v));
    }
    free(pageable);
    cudaFree(p);
    cudaFreeHost(h);
}
