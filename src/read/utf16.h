/* UTF-16, as spreadsheets write it, to UTF-8. */
#ifndef DECANT_READ_UTF16_H
#define DECANT_READ_UTF16_H

#include "base/input.h"

typedef enum decant__utf16 {
    DECANT__UTF16_NONE, /* some other encoding */
    DECANT__UTF16_LITTLE,
    DECANT__UTF16_BIG
} decant__utf16;

/* What the byte order mark at the beginning of a file says. */
decant__utf16 decant__utf16_mark(const char *bytes, size_t count);

/* Returns the length of what is written to out, at most 3/2 of count and 3 more; what is broken
 * becomes U+FFFD. *used: the bytes that were whole characters; last: no more will follow. */
size_t decant__utf16_recode(decant__utf16 order, const unsigned char *bytes, size_t count, int last,
                            char *out, size_t *used);

/* From now on the input gives UTF-8. order: that of its bytes, not DECANT__UTF16_NONE. */
decant_status decant__utf16_translate(decant__input *input, decant__utf16 order);

#endif
