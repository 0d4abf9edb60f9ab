// libstdc++ writes __attribute__((__noinline__)), and CUDA's __noinline__ is a macro for compilers older than clang 15.
#ifdef __clang__
#pragma clang system_header
#endif
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
