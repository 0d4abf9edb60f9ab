// What a file is by its name: one table of endings (file_kind.def) for the driver, the compilations and the command.
#ifndef HW_TOOLCHAIN_FILE_KIND_H
#define HW_TOOLCHAIN_FILE_KIND_H

typedef enum hw_file_kind {
    HW_FILE_CUDA,
    HW_FILE_CPP,
    HW_FILE_C,
    HW_FILE_OBJECT,      // object files and libraries, "libx.so.1" among them
    HW_FILE_PTX,
    HW_FILE_FATBIN,
    HW_FILE_CUBIN,
    HW_FILE_UNKNOWN,
} hw_file_kind;

// *ending, unless that is NULL: where the ending begins in name; name's end for HW_FILE_UNKNOWN. A name that is an
// ending alone (".cu") is unknown.
hw_file_kind hw_file_kind_of(const char *name, const char **ending);

#endif
