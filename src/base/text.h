/* A string that grows while it is printed to. */
#ifndef DECANT_BASE_TEXT_H
#define DECANT_BASE_TEXT_H

#include "base/status.h"

/* Zero-initialise. Running out of memory is sticky: print as often as you like, take says whether
 * all of it is there. */
typedef struct decant__text {
    char *bytes;
    size_t length, capacity;
    int failed;
} decant__text;

void decant__text_put(decant__text *text, const char *bytes, size_t count);
void decant__text_print(decant__text *text, const char *format, ...) DECANT_PRINTF(2, 3);

/* Hands the string over (free with decant__free) and empties the buffer; ENOMEM if any of it was
 * lost. */
decant_status decant__text_take(decant__text *text, char **out);

void decant__text_free(decant__text *text);

/* FOLDER/NAME in new memory, freed with decant__free. */
decant_status decant__path_join(const char *folder, const char *name, char **out);

#endif
