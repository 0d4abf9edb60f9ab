// What the kinds of kernels of bench/kernels work on, for programs that do the same without CUDA: loops.c (C) and
// opencl.c. Each is called as PROGRAM NAME SIZE LAUNCHES and prints what bench/kernels/plain.h says.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// A row for each kind; `problem.c` has them. SIZE is elements, or a side where is_square says so.
typedef struct {
    const char *name;
    bool is_square;
    int block_x, block_y;   // threads of a block; threads are side x side where it has two dimensions
    int per_thread;         // elements of a thread, of a column where the block has two dimensions
    int table;              // elements of in, where there are more than the threads'
    int random;             // random words for each element
    bool has_rows;          // a sparse matrix, or a graph
    bool is_words;          // the result is `words`, not `out`
    int more;               // results for each element
    int fewer;              // elements for each result
} kind;

// What a kernel gets; each uses what it needs, as in bench/kernels. second: in from its end to its beginning.
typedef struct {
    const kind *kind;
    int n, elements, table;       // n: SIZE; elements: of the launch; table: of in, for those that read it at random
    size_t in_count, factor_count, random_count, row_count, column_count, result_count;
    float *in, *second, *factors, *out;
    unsigned *random, *rows, *columns, *words;
} problem;

// Fills a problem by the program's arguments; result arrays are zero. Ends the program where an argument is wrong or
// memory is short. Freed by the end of the program.
problem problem_of(int argc, char **argv, int *launches);

// Prints what the launches made.
void print_result(const problem *p);
