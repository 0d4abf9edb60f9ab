// "Did you mean": which of some names is meant by one that is none of them.
#ifndef HW_BASE_SUGGEST_H
#define HW_BASE_SUGGEST_H

#include <stddef.h>

// Of count names, the one that the user most likely meant, upper case or lower: one that begins as typed, or has it
// inside, or the other way round, or differs in a third of its letters at most. NULL when none is near.
const char *hw_suggest(const char *typed, const char *const *names, size_t count);

#endif
