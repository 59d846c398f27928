#include "data/notes.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

enum { SENTENCE = 1024 };

void decant__notes_add(decant__notes *notes, const char *format, ...) {
    char text[SENTENCE];
    va_list arguments;
    if (notes->count == DECANT__MOST_NOTES) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = decant__copy_text(text);
    if (copy != NULL) notes->sentence[notes->count++] = copy;
}

void decant__notes_free(decant__notes *notes) {
    for (size_t i = 0; i < notes->count; i++) decant__free(notes->sentence[i]);
    *notes = (decant__notes){0};
}
