// A kernel that does nothing: what a launch takes by itself, beside which the ladder's times are seen.
extern "C" __global__ void nothing() {}
