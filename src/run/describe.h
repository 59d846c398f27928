/* Descriptions of data files, models and runs, for `decant info`. */
#ifndef DECANT_RUN_DESCRIBE_H
#define DECANT_RUN_DESCRIBE_H

#include "base/text.h"

/* Options of a description. */
typedef struct decant__describing {
    const decant_read_options *reading; /* NULL: the defaults */
    const decant_monitor *monitor;
    int json; /* as JSON, else as readable text */
} decant__describing;

/* Each appends to the text. */
decant_status decant__describe_data(const char *path, const decant__describing *how,
                                    decant__text *text);
decant_status decant__describe_model(const char *path, const decant__describing *how,
                                     decant__text *text);

#endif
