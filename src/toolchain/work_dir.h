// Folders to compile in. Each is locked for as long as its process lives, and whoever makes the next one beside it
// removes those that nobody holds: of a process that was killed nothing stays.
#ifndef HW_TOOLCHAIN_WORK_DIR_H
#define HW_TOOLCHAIN_WORK_DIR_H

#include "base/arena.h"
#include "base/status.h"

typedef struct hw_work_dir {
    const char *path;   // in the arena; NULL: there is none
    int lock;           // a file descriptor; -1: none
} hw_work_dir;

// A new empty folder parent/NAME.XXXXXX, after those of this user that were left behind there. HW_IO, HW_NO_MEMORY.
hw_status hw_work_dir_begin(const char *parent, const char *name, hw_arena *arena, hw_work_dir *out, hw_diag *diag);

// "; only 12 kB are left in FOLDER, where compilers write", where that is so little that a compiler may have failed for
// it; else "". Cut to text_bytes; returns text.
const char *hw_work_dir_room(const hw_work_dir *work_dir, char *text, size_t text_bytes);

// Removes it with all that is in it. Allowed twice, and where none was begun.
void hw_work_dir_discard(hw_work_dir *work_dir);

// The folder has another name now, and is nobody's to remove.
void hw_work_dir_release(hw_work_dir *work_dir);

#endif
