/* The drawings of a report, each as an SVG of its own. */
#ifndef DECANT_REPORT_FIGURES_H
#define DECANT_REPORT_FIGURES_H

#include "report/exhibit.h"
#include "report/frames.h"
#include "decant/report.h"

/* Hands each drawing that this run has to options->figure; stops at the first failure. */
decant_status decant__figures_draw(const decant__study *study, const decant__frames *frames,
                                   const decant__exhibit *exhibit,
                                   const decant_report_options *options);

#endif
