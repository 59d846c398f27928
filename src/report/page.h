/* The report as one HTML file. Its sources are page.html, page.css and page.js, which the build
 * turns into these arrays, each with a final 0. */
#ifndef DECANT_REPORT_PAGE_H
#define DECANT_REPORT_PAGE_H

#include "report/exhibit.h"
#include "report/frames.h"

extern const unsigned char decant__page_html[], decant__page_css[], decant__page_js[];

/* Writes the page, whole or not at all. */
decant_status decant__page_write(const char *path, const decant__study *study,
                                 const decant__frames *frames, const decant__exhibit *exhibit);

#endif
