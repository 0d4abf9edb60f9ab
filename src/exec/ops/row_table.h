// Turns the rows of an ops_*.def file into the table's; to be included behind row_bodies.h and the bodies.
#undef UNARY
#undef EACH
#undef BINARY
#undef TERNARY
#undef BINARY_OF
#undef TERNARY_OF
#undef ROW
#undef BOTH
#define UNARY(name, function, ...) {name, function, function##_convoy},
#define EACH(name, function, ...) {name, function, NULL},
#define BINARY(name, function, ...) {name, function, function##_convoy},
#define TERNARY(name, function, ...) {name, function, function##_convoy},
#define BINARY_OF(name, function, ...) {name, function, function##_convoy},
#define TERNARY_OF(name, function, ...) {name, function, function##_convoy},
#define ROW(name, function) {name, function, NULL},
#define BOTH(name, function) {name, function, function##_convoy},
