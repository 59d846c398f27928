/* Class names and their numbers, while labels are being read.
 *
 * A whole number has one spelling: "3", "3.0" and "+3" are the same class. A number with leading
 * zeros ("007") is taken for a name and kept as it is. */
#ifndef DECANT_DATA_CLASSES_H
#define DECANT_DATA_CLASSES_H

#include "features/names.h"

/* Zero-initialise. */
typedef decant__names decant__classes;

/* The number of a name; new ones get the next number. */
decant_status decant__classes_add(decant__classes *classes, const char *text, size_t length,
                                  int32_t *number);

/* rank[i]: the place of name i among all, by value if all are numbers, else by bytes. */
decant_status decant__classes_rank(const decant__classes *classes, int32_t *rank);

/* The names in the order of rank (NULL: as they are), pointers and text in one allocation. */
decant_status decant__classes_export(const decant__classes *classes, const int32_t *rank,
                                     char ***names);

#endif
