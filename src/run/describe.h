/* One description for each kind of thing that decant reads or writes. */
#ifndef DECANT_RUN_DESCRIBE_H
#define DECANT_RUN_DESCRIBE_H

#include "base/text.h"

/* How to describe it. */
typedef struct decant__describing {
    const decant_read_options *reading; /* NULL: the defaults */
    const decant_monitor *monitor;
    int json; /* not for people */
} decant__describing;

/* Each appends to the text. */
decant_status decant__describe_data(const char *path, const decant__describing *how,
                                    decant__text *text);
decant_status decant__describe_model(const char *path, const decant__describing *how,
                                     decant__text *text);

#endif
