// Turns the rows of an ops_*.def file into the table's; to be included behind row_bodies.h and the bodies.
#undef UNARY
#undef EACH
#undef BINARY
#undef TERNARY
#undef BINARY_OF
#undef TERNARY_OF
#undef ROW
#define UNARY(name, function, ...) {name, function},
#define EACH(name, function, ...) {name, function},
#define BINARY(name, function, ...) {name, function},
#define TERNARY(name, function, ...) {name, function},
#define BINARY_OF(name, function, ...) {name, function},
#define TERNARY_OF(name, function, ...) {name, function},
#define ROW(name, function) {name, function},
