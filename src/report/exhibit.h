/* The rows that a report shows one by one, in the map or on a cluster's card, and what is shown of
 * each: a picture, or words. */
#ifndef DECANT_REPORT_EXHIBIT_H
#define DECANT_REPORT_EXHIBIT_H

#include "report/columns.h"
#include "report/gallery.h"

typedef struct decant__exhibit {
    size_t count;
    uint32_t *row; /* ascending */
    size_t each; /* most typical and most doubtful items of a cluster: at most so many; 0: too many
                    clusters */
    char **text; /* count: the words of each, or NULL; NULL: no words at all */
    decant__gallery gallery;
    decant__columns columns;
} decant__exhibit;

/* width, height: of rows that are pictures; 0: found by looking. */
decant_status decant__exhibit_make(decant__exhibit *exhibit, const decant__study *study,
                                   size_t width, size_t height);
void decant__exhibit_free(decant__exhibit *exhibit);

/* Which of the exhibit's items a row is; it must be one. */
size_t decant__exhibit_find(const decant__exhibit *exhibit, size_t row);

#endif
