/* The content of the page as JSON, which page.js shows. */
#ifndef DECANT_REPORT_PAYLOAD_H
#define DECANT_REPORT_PAYLOAD_H

#include "report/exhibit.h"
#include "report/frames.h"

typedef struct decant__payload {
    char *title;  /* what was clustered */
    char *answer; /* summary of the result, one line */
    char *json;   /* all data of the page, without the characters <, > and & */
} decant__payload;

decant_status decant__payload_make(decant__payload *payload, const decant__study *study,
                                   const decant__frames *frames, const decant__exhibit *exhibit);
void decant__payload_free(decant__payload *payload);

#endif
