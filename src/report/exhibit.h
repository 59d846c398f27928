/* The items of a report: the rows that are shown one by one, in the map or on a cluster's card, and
 * what is shown of each: a picture or a text. */
#ifndef DECANT_REPORT_EXHIBIT_H
#define DECANT_REPORT_EXHIBIT_H

#include "report/columns.h"
#include "report/gallery.h"

typedef struct decant__exhibit {
    size_t count;
    uint32_t *row; /* ascending */
    size_t each;   /* max typical, and max doubtful, items of a cluster; 0: too many clusters */
    char **text;   /* count: the text of each item, or NULL; NULL: no texts at all */
    decant__gallery gallery;
    decant__columns columns;
} decant__exhibit;

/* width, height: size of rows that are pictures; 0: found from the data. */
decant_status decant__exhibit_make(decant__exhibit *exhibit, const decant__study *study,
                                   size_t width, size_t height);
void decant__exhibit_free(decant__exhibit *exhibit);

/* Index of the item that shows this row; the row must be in the exhibit. */
size_t decant__exhibit_find(const decant__exhibit *exhibit, size_t row);

#endif
