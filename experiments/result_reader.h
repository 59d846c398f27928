/* Results read back from JSON, for the pages that show them (results_markdown.c, results_html.c).
 */
#ifndef DECANT_EXPERIMENTS_RESULT_READER_H
#define DECANT_EXPERIMENTS_RESULT_READER_H

#include <jansson.h>

#include "base/text.h"

/* From a file; what is not an experiment's result is refused. */
decant_status decant__result_read(const char *path, json_t **out);

/* A member that is a text; "" if there is none. */
const char *decant__result_string(const json_t *object, const char *key);

/* The numbers of a cell: the one to show (a mean, or the best), and their range. */
typedef struct decant__cell_stats {
    double value, min, max;
    size_t count;
} decant__cell_stats;

decant__cell_stats decant__result_cell_stats(const json_t *cell);

/* Is our number below the paper's? Compared at the paper's four digits. */
int decant__result_cell_is_below(const json_t *cell);

/* Has the paper a number in this column? */
int decant__result_has_paper(const json_t *root, size_t column);

/* The command that reproduces a result; and its version, number of cores and date. */
void decant__result_command(const json_t *root, decant__text *text);
void decant__result_origin(const json_t *root, decant__text *text);

#endif
