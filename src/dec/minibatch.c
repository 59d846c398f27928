#include "dec/minibatch.h"

#include "base/memory.h"
#include "nn/sampled_output.h"

decant_status decant__minibatch_new(decant__minibatch *m, decant__job *job,
                                    const decant__source *source, const decant__net *net,
                                    decant_optimizer optimizer, uint64_t phase, int sparse) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    decant__state *state = &job->state;
    *m = (decant__minibatch){.job = job,
                             .phase = phase,
                             .size = options->batch < source->n ? options->batch : source->n};
    m->optimizer = (decant__optimizer){.kind = optimizer,
                                       .params = state->params,
                                       .moment1 = state->moment1,
                                       .moment2 = state->moment2,
                                       .bias_rate = (float)options->bias_rate};
    size_t nonzeros = sparse ? decant__source_max_nonzeros(source, m->size) : 0;
    NEW_ARRAY(m->index, m->size);
    NEW_ARRAY(m->grads, state->parameters);
    NEW_ARRAY(m->row_loss, m->size);
    TRY(decant__order_new(&m->order, source->n, options->shuffle, options->seed, phase));
    TRY(decant__rows_buffer_new(&m->buffer, source, m->size));
    TRY(decant__pass_new(&m->pass, net, m->size, 1, nonzeros, job->threads));
    if (m->pass.sampled != NULL) TRY(decant__sampled_choose_head(m->pass.sampled, source));
done:
    if (status != DECANT_OK) decant__minibatch_free(m);
    return status;
}

void decant__minibatch_free(decant__minibatch *m) {
    decant__free(m->index);
    decant__free(m->grads);
    decant__free(m->row_loss);
    decant__order_free(&m->order);
    decant__rows_buffer_free(&m->buffer);
    decant__pass_free(&m->pass);
    *m = (decant__minibatch){0};
}

void decant__minibatch_take(decant__minibatch *m) {
    uint64_t step = m->job->state.step;
    decant__order_take(&m->order, step * m->size, m->size, m->index, &m->pass.shards);
    if (m->pass.sampled != NULL)
        decant__sampled_draw(m->pass.sampled, m->job->options->seed, m->phase << 48 | step);
}

double decant__minibatch_sum(const decant__minibatch *m, const double *x) {
    decant__sum_tree tree = decant__shards_tree(&m->pass.shards);
    return decant__sum_tree_double(&tree, x);
}

void decant__minibatch_count(const decant__minibatch *m, double loss) {
    decant__state *state = &m->job->state;
    state->step++;
    state->loss_sum += loss;
    state->loss_count++;
}
