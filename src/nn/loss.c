#include "nn/loss.h"

#include "base/lanes.h"
#include "base/simd.h"
#include "base/team.h"
#include "nn/sampled_output.h"

DECANT_CLONES
static double dense_row(size_t d, float scale, const float *restrict x, const float *restrict y,
                        float *restrict delta) {
    double lane[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, j, d, {
        float difference = y[j] - x[j];
        delta[j] = scale * difference;
        lane[l] += (double)(difference * difference);
    })
    return decant__lanes_sum_double(lane);
}

/* First as if x were 0, then put right at the non-zeros: (y - x)^2 = y^2 - (2 y - x) x. */
DECANT_CLONES
static double sparse_row(size_t d, float scale, const decant__rows *x, size_t row,
                         const float *restrict y, float *restrict delta) {
    double lane[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, j, d, {
        delta[j] = scale * y[j];
        lane[l] += (double)(y[j] * y[j]);
    })
    double sum = decant__lanes_sum_double(lane);
    for (size_t e = x->begin[row]; e < x->end[row]; e++) {
        size_t j = x->column[e];
        delta[j] -= scale * x->value[e];
        sum -= (double)((2 * y[j] - x->value[e]) * x->value[e]);
    }
    return sum;
}

void decant__reconstruction_loss(const decant__net *net, const float *params, const decant__rows *x,
                                 float weight, decant__pass *pass, double *row_loss) {
    size_t top = net->depth - 1;
    const decant__layer *last = &net->layer[top];
    size_t d = last->out;
    float scale = weight / (float)((pass->batch > 0 ? pass->batch : x->n) * d);
    if (last->sample > 0) {
        decant__sampled_loss(last, params, x, pass->output[top - 1], scale, pass, row_loss);
        return;
    }
    TEAM_FOR (i, x->n) {
        const float *out = pass->output[top] + i * d;
        float *gradient = pass->delta[top] + i * d;
        row_loss[i] = x->dense != NULL ? dense_row(d, scale, x->dense + i * d, out, gradient)
                                       : sparse_row(d, scale, x, i, out, gradient);
        if (last->relu)
            for (size_t j = 0; j < d; j++) gradient[j] = out[j] > 0 ? gradient[j] : 0;
    }
}
