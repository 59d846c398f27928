/* "Did you mean": the known word nearest to what was typed, if one is near at all. */
#ifndef DECANT_CLI_SUGGEST_H
#define DECANT_CLI_SUGGEST_H

#include <stddef.h>

/* Set typed; best stays NULL until a word is near. */
typedef struct cli_guess {
    const char *typed;
    const char *best;
    size_t distance;
} cli_guess;

void guess_consider(cli_guess *guess, const char *word);

/* Every word of "a|b|c"; best then points into it and ends at the next bar. */
void guess_consider_choices(cli_guess *guess, const char *choices);

/* What other tools call one of our options ("clusters": k); NULL: not known. */
const char *suggest_option(const char *typed);

#endif
