/* What is written in a text but is not one of its words: tags, entities and addresses. */
#ifndef DECANT_FEATURES_MARKUP_H
#define DECANT_FEATURES_MARKUP_H

#include <stddef.h>

/* The bytes of the tag, comment, entity, web or mail address that begins at `at`; 0 if none does.
 * `at` is not inside a word. */
size_t decant__markup(const char *at, const char *end);

#endif
