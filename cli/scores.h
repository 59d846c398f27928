/* Scores as text and as JSON. */
#ifndef DECANT_CLI_SCORES_H
#define DECANT_CLI_SCORES_H

#include <stdio.h>

#include "decant/decant.h"

/* One line: ACC 0.9000  NMI ... */
void print_scores(FILE *file, const decant_scores *scores);

/* The four members of a JSON object, without braces and final newline. */
void print_scores_json(FILE *file, const decant_scores *scores);

/* A JSON string; bytes that are not ASCII pass through (names are UTF-8 as far as we know). */
void print_json_text(FILE *file, const char *text);

#endif
