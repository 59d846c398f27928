/* All options at once: copies of a caller's, checks beyond the range of each one, differences. */
#ifndef DECANT_OPTIONS_OPTIONS_H
#define DECANT_OPTIONS_OPTIONS_H

#include "base/status.h"

/* A copy of a caller's options, whatever version of the header they are of; every public function
 * that takes options begins with this. */
decant_status decant__options_read(decant_options *copy, const decant_options *given);

/* EINVAL with a sentence when a value is out of its range or two do not go together. */
decant_status decant__options_check(const decant_options *options);

/* Options that change the result and differ between a and b: the name of the first, or NULL. */
const char *decant__options_difference(const decant_options *a, const decant_options *b);

#endif
