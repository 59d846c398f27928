/* One cell of a CSV file, quoted as in RFC 4180 where it must be. */
#ifndef DECANT_CLI_CSV_H
#define DECANT_CLI_CSV_H

#include <stdio.h>

void csv_print_field(FILE *file, const char *field);

#endif
