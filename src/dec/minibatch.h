/* Minibatches of any loss: shared by pretraining and refinement. */
#ifndef DECANT_DEC_MINIBATCH_H
#define DECANT_DEC_MINIBATCH_H

#include "dec/job.h"
#include "nn/order.h"

typedef struct decant__minibatch {
    decant__job *job;
    uint64_t phase;
    size_t size;     /* rows: the option's, or all if there are fewer */
    uint32_t *index; /* size: the rows of this step */
    decant__order order;
    decant__rows_buffer buffer;
    decant__pass pass;
    float *grads;     /* of all parameters */
    double *row_loss; /* size */
    decant__optimizer optimizer;
} decant__minibatch;

/* For training `net` on the rows of `source`. phase: each has its own order of rows. sparse: CSR
 * rows are the input of the net as they are. */
decant_status decant__minibatch_new(decant__minibatch *m, decant__job *job,
                                    const decant__source *source, const decant__net *net,
                                    decant_optimizer optimizer, uint64_t phase, int sparse);
void decant__minibatch_free(decant__minibatch *m);

/* Chooses the rows of the state's step, and the columns whose zeros it sees if that is a sample. */
void decant__minibatch_take(decant__minibatch *m);

/* The sum over the rows of the minibatch. */
double decant__minibatch_sum(const decant__minibatch *m, const double *x);

/* After the step: increments the state's step and adds the loss to its sum. */
void decant__minibatch_count(const decant__minibatch *m, double loss);

#endif
