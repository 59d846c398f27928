/* The reconstruction loss, as the authors' code has it: L = sum (y - x)^2 / (2 B D), B rows of D
 * columns. What is reported is 2 L, the mean square, which is 1 for y = 0 on data scaled by the
 * paper's rule. */
#ifndef DECANT_NN_LOSS_H
#define DECANT_NN_LOSS_H

#include "linalg/source.h"
#include "nn/net.h"

/* For a whole team, after decant__net_forward: dL/dy through the last layer's g into the pass, and
 * row_loss[i] = sum_j (y - x)^2. x may be sparse: only y and its gradient are dense. A last layer
 * that takes a sample (nn/sampled_output.h) gives estimates of both. weight multiplies L. */
void decant__reconstruction_loss(const decant__net *net, const float *params, const decant__rows *x,
                                 float weight, decant__pass *pass, double *row_loss);

#endif
