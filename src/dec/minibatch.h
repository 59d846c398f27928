/* Minibatches of any loss: shared by pretraining and refinement.
 *
 * Each rank has the rows of a minibatch that are its own, and computes their part of the gradients.
 * A rank alone applies its optimizer to each piece of a gradient as soon as that is complete. With
 * others it depends on the communicator (base/comm.h). Either the gradients of a layer are summed
 * over the ranks while those of the layer below are computed, and the optimizer is applied in the
 * end, by all ranks alike. Or they are summed after the backward pass by slices: each rank steps
 * its slice of the parameters, and these are sent back instead of gradients, as many bytes. Moments
 * then are up to date only in the rank whose slice they are in. Where ranks share memory, nothing
 * is sent: gradients are there, and each rank adds those of its slice in place while it steps. The
 * parameters are there too, the same for all; or, where ranks also write them outside of a step,
 * each has its own, and leaves those that it stepped where its gradients were, for the others to
 * copy. */
#ifndef DECANT_DEC_MINIBATCH_H
#define DECANT_DEC_MINIBATCH_H

#include "dec/job.h"
#include "nn/order.h"

typedef struct decant__minibatch {
    decant__job *job;
    uint64_t phase;
    size_t size;  /* rows of all ranks: the option's, or all if there are fewer */
    size_t rows;  /* of this step that are here; at most `capacity` */
    size_t first; /* how many of the minibatch come before them */
    size_t capacity;
    uint32_t *index; /* capacity: the rows of this step, numbered from the first row here */
    decant__order order;
    decant__rows_buffer buffer;
    decant__pass pass;
    float *grads; /* of all parameters; this rank's vector of `shared`, if there is one */
    decant__shared shared;
    decant__shared common; /* the state's parameters, if all ranks use the same */
    float *own_params;     /* then: where they belong, and are again in the end */
    double *row_loss;      /* capacity */
    decant__optimizer optimizer;
} decant__minibatch;

/* For training `net` on the rows of `source`. phase: each has its own order of rows. sparse: CSR
 * rows are the input of the net as they are. */
decant_status decant__minibatch_new(decant__minibatch *m, decant__job *job,
                                    const decant__source *source, const decant__net *net,
                                    decant_optimizer optimizer, uint64_t phase, int sparse);
void decant__minibatch_free(decant__minibatch *m);

/* All ranks use the same parameters from now on until `m` is freed, if they can. Only for training
 * in which, beside the steps, nothing but a rollback after the sum of losses writes parameters: all
 * ranks write the same then, and none of them reads. */
decant_status decant__minibatch_share(decant__minibatch *m);

/* Chooses the rows of the state's step, and the columns whose zeros it sees if that is a sample. */
void decant__minibatch_take(decant__minibatch *m);

/* For a whole team: the layers last .. first back from their deltas (decant__net_backward), and
 * their steps. */
void decant__minibatch_backward(decant__minibatch *m, const decant__net *net, const decant__rows *x,
                                const decant__dropout *dropout, size_t first, size_t last);

/* For a whole team: one step of the parameters offset .. offset+count-1 by what grads has. */
void decant__minibatch_apply(decant__minibatch *m, size_t offset, size_t count);

/* After a step: sums over the rows of the whole minibatch, here of `count` (at most 2) arrays x.
 * The ranks learn at the same time whether one of them wants to stop, and whether a checkpoint is
 * due (decant__job_tick). */
void decant__minibatch_sums(decant__minibatch *m, const double *const *x, size_t count,
                            double *sums);

/* After the step: increments the state's step and adds the loss to its sum. */
void decant__minibatch_count(const decant__minibatch *m, double loss);

#endif
