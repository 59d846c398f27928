/* A float32 array in NPY format whose number of rows is known at its end. */
#ifndef DECANT_CLI_NPY_H
#define DECANT_CLI_NPY_H

#include <stdio.h>

/* 128 bytes: written first, and again when the rows are counted. */
void npy_write_head(FILE *file, size_t rows, size_t columns);
void npy_write_values(FILE *file, const float *values, size_t count);

#endif
