/* Label files: a class for each row of a data file, in any of the data formats. */
#ifndef DECANT_READ_LABELS_H
#define DECANT_READ_LABELS_H

#include "base/watch.h"
#include "data/classes.h"

/* Reads a file of one column (or one dimension; of a CSV, `column`, or one with a usual name):
 * whole numbers, or in text files names. The first line of a text file is taken for a header if it
 * alone is not a number. The labels are numbers in classes; the caller frees them. */
decant_status decant__labels_read(const char *path, const char *column, decant__meter *meter,
                                  decant__classes *classes, int32_t **labels, size_t *count);

/* Fails: the label file does not fit the data file. about: "" or "more than ". */
decant_status decant__labels_mismatch(const char *path, size_t labels, const char *data_path,
                                      const char *about, size_t rows);

#endif
