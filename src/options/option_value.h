/* The text of one option's value, read and written. */
#ifndef DECANT_OPTIONS_OPTION_VALUE_H
#define DECANT_OPTIONS_OPTION_VALUE_H

#include "options/option_table.h"

/* Stores the value. Returns 0, and stores nothing, if it is not a value in the option's range. */
int decant__option_parse(const decant__option *option, const char *value, decant_options *options);

/* At most size bytes with the final 0. */
void decant__option_print(const decant_options *options, const decant__option *option, char *text,
                          size_t size);

#endif
