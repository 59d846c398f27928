/* Options and numbers as the string metadata of a tensor file, and back. */
#ifndef DECANT_DEC_SETTINGS_H
#define DECANT_DEC_SETTINGS_H

#include "dec/tensors.h"

/* Writers return non-zero when memory ran out. */
int decant__settings_put_options(json_t *metadata, const decant_options *options);
int decant__settings_put_count(json_t *metadata, const char *key, uint64_t value);
int decant__settings_put_real(json_t *metadata, const char *key, double value); /* exact */

decant_status decant__settings_get_options(const decant__tensor_file *file,
                                           decant_options *options);
decant_status decant__settings_get_count(const decant__tensor_file *file, const char *key,
                                         uint64_t *value);
decant_status decant__settings_get_real(const decant__tensor_file *file, const char *key,
                                        double *value);

#endif
