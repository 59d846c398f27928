#ifndef DECANT_REPORT_BASE64_H
#define DECANT_REPORT_BASE64_H

#include "base/text.h"

/* RFC 4648, with padding. */
void decant__base64_put(decant__text *text, const void *bytes, size_t count);

#endif
