/* Options and numbers as the string metadata of a tensor file, and back. */
#ifndef DECANT_STORE_SETTINGS_H
#define DECANT_STORE_SETTINGS_H

#include "store/tensors.h"

void decant__settings_put_options(decant__metadata *metadata, const decant_options *options);
void decant__settings_put_count(decant__metadata *metadata, const char *key, uint64_t value);
void decant__settings_put_real(decant__metadata *metadata, const char *key, double value);

/* The digest of the rows that a file belongs to, as two counts. */
void decant__settings_put_digest(decant__metadata *metadata, const uint64_t digest[2]);

decant_status decant__settings_get_options(const decant__tensor_file *file,
                                           decant_options *options);
decant_status decant__settings_get_count(const decant__tensor_file *file, const char *key,
                                         uint64_t *value);

/* The same; also EFORMAT for a count above max. */
decant_status decant__settings_get_limited(const decant__tensor_file *file, const char *key,
                                           uint64_t max, uint64_t *value);

/* *same: is the digest in the file this one? */
decant_status decant__settings_match_digest(const decant__tensor_file *file,
                                            const uint64_t digest[2], int *same);

/* Reals are stored exactly, including infinities and NaN. */
decant_status decant__settings_get_real(const decant__tensor_file *file, const char *key,
                                        double *value);

#endif
