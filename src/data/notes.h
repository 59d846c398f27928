/* What a reader of raw files has to say besides the rows: what was left out, and why. */
#ifndef DECANT_DATA_NOTES_H
#define DECANT_DATA_NOTES_H

#include "base/status.h"

enum { DECANT__MOST_NOTES = 100 };

/* Zero-initialise. */
typedef struct decant__notes {
    size_t skipped; /* items left out because they could not be read */
    char *sentence[DECANT__MOST_NOTES];
    size_t count;
} decant__notes;

/* Keeps a sentence; those beyond the most are not kept, and neither is one without memory. */
void decant__notes_add(decant__notes *notes, const char *format, ...) DECANT_PRINTF(2, 3);
void decant__notes_free(decant__notes *notes);

#endif
