/* What a sheet says, for those who make a page of it (page.c, results.c). */
#ifndef DECANT_REPRODUCE_CELLS_H
#define DECANT_REPRODUCE_CELLS_H

#include <jansson.h>

#include "base/text.h"

/* From a file; what is not an experiment's result is refused. */
decant_status decant__sheet_read(const char *path, json_t **out);

/* "" where there is none. */
const char *decant__sheet_string(const json_t *object, const char *key);

/* The numbers of a cell: what counts, and how far it spreads. */
typedef struct decant__spread {
    double counts, least, most;
    size_t count;
} decant__spread;

decant__spread decant__cell_spread(const json_t *cell);

/* Less than the paper has, as printed: the paper has no more digits than that. */
int decant__cell_is_below(const json_t *cell);

/* Does the paper say anything in this column? */
int decant__sheet_has_paper(const json_t *root, size_t column);

/* The command that makes it again, and what made it. */
void decant__sheet_command(const json_t *root, decant__text *text);
void decant__sheet_origin(const json_t *root, decant__text *text);

#endif
