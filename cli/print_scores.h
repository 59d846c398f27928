/* Scores as readable text. */
#ifndef DECANT_CLI_PRINT_SCORES_H
#define DECANT_CLI_PRINT_SCORES_H

#include <stdio.h>

#include "decant/decant.h"

/* One line: ACC 0.9000  NMI ... */
void print_scores(FILE *file, const decant_scores *scores);

#endif
