/* Network and schedule follow the data: a small table does not pay for those of 70 000 images. */
#ifndef DECANT_DEC_SCHEDULE_H
#define DECANT_DEC_SCHEDULE_H

#include <stddef.h>

/* With fewer rows than this the start is found in the data (candidates.c), and refinement teaches
 * the network its labels. */
enum { DECANT__FEW_ROWS = 1000 };

#include "decant/decant.h"

/* Replaces what the options leave open, for n rows: the layers, if they are auto, and the
 * iterations of refinement and its update interval, which `refine_epochs` limits. */
void decant__schedule(decant_options *options, size_t n);

/* The iterations of pretraining, of the student too: `steps`, or at most so many epochs of n rows;
 * 0: any number. But a few rows have up to four times as many, as long as these are no more than
 * 800 iterations. */
size_t decant__schedule_steps(size_t steps, size_t epochs, size_t n, size_t batch);

#endif
