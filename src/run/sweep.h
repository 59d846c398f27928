/* The nine values of a sweep, by the paper's protocol. */
#ifndef DECANT_RUN_SWEEP_H
#define DECANT_RUN_SWEEP_H

#include "base/status.h"

/* The option that a method's sweep varies. */
const char *decant__sweep_option(decant_method method);

/* Value `index` of it, as text. */
void decant__sweep_value(const decant_options *options, size_t index, char text[32]);

#endif
