#ifndef DECANT_EXPERIMENTS_RESULTS_HTML_H
#define DECANT_EXPERIMENTS_RESULTS_HTML_H

#include "base/status.h"

/* FOLDER/results.html from every NAME.json of an experiment that is in the folder. */
decant_status decant__results_write(const char *folder);

#endif
