/* All options at once: a copy of the caller's struct, checks, and differences. */
#ifndef DECANT_OPTIONS_OPTIONS_H
#define DECANT_OPTIONS_OPTIONS_H

#include "base/status.h"

/* A copy of a caller's options, for any version of the header; every public function that takes
 * options calls this first. */
decant_status decant__options_read(decant_options *copy, const decant_options *given);

/* EINVAL with a sentence if a value is out of its range or k is missing. */
decant_status decant__options_check(const decant_options *options);

/* The name of the first option that changes the result and differs between a and b, or NULL. */
const char *decant__options_difference(const decant_options *a, const decant_options *b);

#endif
