/* One description for each kind of thing that decant reads or writes. */
#ifndef DECANT_RUN_DESCRIBE_H
#define DECANT_RUN_DESCRIBE_H

#include "base/text.h"

/* Each appends text for people, or JSON. */
decant_status decant__describe_data(const char *path, int json, decant__text *text);
decant_status decant__describe_model(const char *path, int json, decant__text *text);

#endif
