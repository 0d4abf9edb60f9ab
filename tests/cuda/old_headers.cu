// What include/cuda/old gives programs of CUDA 1 to 4: each function once, and what a failure says.
#include <cutil.h>

#include <cutil_inline.h>

__global__ void twice(float *data) { data[threadIdx.x] *= 2; }

static void check_arguments(int argc, const char **argv) {
    int whole = 0;
    float real = 0;
    char *text = NULL;
    CUT_CONDITION(cutCheckCmdLineFlag(argc, argv, "flag") == CUTTrue);
    CUT_CONDITION(cutCheckCmdLineFlag(argc, argv, "fla") == CUTFalse);
    CUT_CONDITION(cutCheckCmdLineFlag(argc, argv, "word") == CUTFalse);
    CUT_SAFE_CALL(cutGetCmdLineArgumenti(argc, argv, "n", &whole));
    CUT_SAFE_CALL(cutGetCmdLineArgumentf(argc, argv, "x", &real));
    CUT_SAFE_CALL(cutGetCmdLineArgumentstr(argc, argv, "name", &text));
    CUT_CONDITION(cutGetCmdLineArgumenti(argc, argv, "flag", &whole) == CUTFalse);
    CUT_CONDITION(whole == 12 && real == 0.5f && !strcmp(text, "a=b"));
    cutFree(text);
}

static void check_timers() {
    unsigned int first = 99, second = 99;
    CUT_SAFE_CALL(cutCreateTimer(&first));
    CUT_SAFE_CALL(cutCreateTimer(&second));
    CUT_CONDITION(first != second && cutGetTimerValue(second) == 0 && cutGetAverageTimerValue(second) == 0);
    CUT_SAFE_CALL(cutStartTimer(first));
    while (cutGetTimerValue(first) < 2) continue;
    CUT_SAFE_CALL(cutStopTimer(first));
    const float once = cutGetTimerValue(first);
    CUT_SAFE_CALL(cutStartTimer(first));
    CUT_SAFE_CALL(cutStopTimer(first));
    CUT_CONDITION(once >= 2 && cutGetTimerValue(first) >= once);
    CUT_CONDITION(cutGetAverageTimerValue(first) < cutGetTimerValue(first));
    CUT_SAFE_CALL(cutResetTimer(first));
    CUT_CONDITION(cutGetTimerValue(first) == 0);
    CUT_SAFE_CALL(cutDeleteTimer(first));
    CUT_CONDITION(cutStartTimer(first) == CUTFalse && cutDeleteTimer(first) == CUTFalse);
}

static void check_comparisons() {
    const float a[] = {1, 2, 3}, b[] = {1, 2, 3.25f}, nan[] = {1, 2, NAN};
    const int i[] = {1, 2}, j[] = {1, 3};
    CUT_CONDITION(cutComparef(a, a, 3) && !cutComparef(a, b, 3) && cutComparef(a, b, 2));
    CUT_CONDITION(cutComparefe(a, b, 3, 0.25f) && !cutComparefe(a, b, 3, 0.125f) && !cutComparefe(a, nan, 3, 9));
    CUT_CONDITION(cutComparei(i, i, 2) && !cutComparei(i, j, 2));
    CUT_CONDITION(cutCompareL2fe(a, b, 3, 0.07f) && !cutCompareL2fe(a, b, 3, 0.06f) && !cutCompareL2fe(a, nan, 3, 9));
}

int main(int argc, char **argv) {
    float host[32], *data;
    CUT_DEVICE_INIT(argc, argv);
    cudaSetDevice(cutGetMaxGflopsDeviceId());
    check_arguments(argc, (const char **)argv);
    check_timers();
    check_comparisons();
    for (int i = 0; i < 32; i++) host[i] = (float)i;
    CUDA_SAFE_CALL(cudaMalloc((void **)&data, sizeof host));
    cutilSafeMalloc(data);
    cutilSafeCall(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    twice<<<1, 32>>>(data);
    CUT_CHECK_ERROR("twice");
    cutilCheckMsg("twice");
    cutilSafeThreadSync();
    cutilSafeCallNoSync(cudaThreadSynchronize());
    cutilSafeCall(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    cutilCondition(CUT_BANK_CHECKER(host, 31) == 62);
    if (cutCheckCmdLineFlag(argc, (const char **)argv, "refused")) cutilSafeCall(cudaFree(host));
    if (cutCheckCmdLineFlag(argc, (const char **)argv, "false")) cutilCheckError(CUTFalse);
    CUDA_SAFE_CALL(cudaFree(data));
    puts("all hold");
    cudaThreadExit();
    CUT_EXIT(argc, argv);
}
