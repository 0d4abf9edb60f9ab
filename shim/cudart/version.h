// What other files ask about the version of the runtime that they are linked into.
#ifndef HW_SHIM_CUDART_VERSION_H
#define HW_SHIM_CUDART_VERSION_H

extern const int hw_version;   // 11, 12 or 13

#endif
