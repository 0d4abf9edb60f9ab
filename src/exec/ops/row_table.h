// Turns the rows of a file of isa/bodies/ into the table's; to be included behind row_bodies.h and the bodies.
#undef UNARY
#undef EACH
#undef BINARY
#undef TERNARY
#undef BINARY_OF
#undef TERNARY_OF
#undef QUATERNARY_OF
#undef FLOAT_1
#undef FLOAT_2
#undef FLOAT_3
#undef FASTER
#undef ROW
#undef BOTH
#undef MEMBERS_IN_C
#undef MEMBERS_IN_P
#define UNARY(name, function, ...) {function, function##_convoy},
#define EACH(name, function, ...) {function, NULL},
#define BINARY(name, function, ...) {function, function##_convoy},
#define TERNARY(name, function, ...) {function, function##_convoy},
#define BINARY_OF(name, function, ...) {function, function##_convoy},
#define TERNARY_OF(name, function, ...) {function, function##_convoy},
#define QUATERNARY_OF(name, function, ...) {function, function##_convoy},
#define FLOAT_1(name, function, ...) {function, function##_convoy},
#define FLOAT_2(name, function, ...) {function, function##_convoy},
#define FLOAT_3(name, function, ...) {function, function##_convoy},
#define FASTER(name, function, ...) {function, NULL},
#define ROW(name, function, ...) {function, NULL},
#define BOTH(name, function) {function, function##_convoy},
#define MEMBERS_IN_C(name, function, bytes) {function, NULL},
#define MEMBERS_IN_P(name, function, bytes) {function, function##_convoy},
