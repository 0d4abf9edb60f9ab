// For `make lint`: macros of other libraries' headers, which cppcheck does not read, as what they stand for.
#define json_array_foreach(array, i, value) for (i = 0; i < json_array_size(array); i++)
#define json_object_foreach(object, key, value) for (; key;)
