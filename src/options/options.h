/* All options at once: a copy of the caller's struct, checks, and differences. */
#ifndef DECANT_OPTIONS_OPTIONS_H
#define DECANT_OPTIONS_OPTIONS_H

#include "base/status.h"

/* A copy of a caller's options, for any version of the header; every public function that takes
 * options calls this first. */
decant_status decant__options_read(decant_options *copy, const decant_options *given);

/* EINVAL with a sentence if a value is out of its range or k is missing. */
decant_status decant__options_check(const decant_options *options);

/* Has the option called `name` the value that its preset and method give it? An option does not
 * know who set it: one that was set to this very value has it, too. */
int decant__options_is_default(const decant_options *options, const char *name);

/* The name of the first option that changes the result and differs between a and b, or NULL. */
const char *decant__options_difference(const decant_options *a, const decant_options *b);

#endif
