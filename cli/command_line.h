/* Command lines as texts that a shell, and decant itself, can read back. */
#ifndef DECANT_CLI_COMMAND_LINE_H
#define DECANT_CLI_COMMAND_LINE_H

#include <stddef.h>

/* The words with blanks between, quoted where a shell needs it. New memory; NULL: memory ran out.
 */
char *words_join(const char *const *words, size_t count);

/* Splits such a text in place: the words point into it. Returns the number of words, at most
 * `capacity`, or -1 if a quote is not closed. */
int words_split(char *text, char **words, size_t capacity);

#endif
