#include "dec/minibatch.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "nn/sampled_output.h"

/* Parameters that one thread steps at a time; and those that are worth a sum of their own while the
 * backward pass goes on: the gradients of smaller layers wait for those of the layer below. */
enum { PIECE = 1 << 14, MIN_SUM = 1 << 18 };
/* Gradients of all ranks that are added, stepped and handed on while they are in a core's L1. */
enum { STRIP = 1 << 11 };

/* The memory of the gradients. All ranks ask for it together, so they agree before. */
static decant_status new_grads(decant__minibatch *m) {
    decant_status status = DECANT_OK;
    decant__job *job = m->job;
    if (job->comm->slices) {
        TRY(decant__job_agree(job, DECANT_OK));
        decant__comm_share(job->comm, 0, job->state.parameters, &m->shared);
    }
    m->grads = m->shared.of[job->comm->rank];
    if (m->grads == NULL) NEW_ARRAY(m->grads, job->state.parameters);
done:
    return status;
}

decant_status decant__minibatch_share(decant__minibatch *m) {
    decant_status status = DECANT_OK;
    decant__job *job = m->job;
    decant__state *state = &job->state;
    if (m->shared.memory == NULL) return DECANT_OK;
    TRY(decant__job_agree(job, DECANT_OK));
    decant__comm_share(job->comm, state->parameters, 0, &m->common);
    if (m->common.common == NULL) return DECANT_OK;
    m->own_params = state->params;
    m->optimizer.params = state->params = m->common.common;
    if (job->comm->rank == 0)
        memcpy(state->params, m->own_params, state->parameters * sizeof *state->params);
    decant__comm_barrier(job->comm);
done:
    return status;
}

static void free_shared(decant__minibatch *m) {
    if (m->own_params != NULL) {
        decant__state *state = &m->job->state;
        memcpy(m->own_params, state->params, state->parameters * sizeof *state->params);
        state->params = m->own_params;
    }
    if (m->shared.memory == NULL) {
        decant__free(m->grads);
        return;
    }
    decant__comm_unshare(m->job->comm, &m->common);
    decant__comm_unshare(m->job->comm, &m->shared);
}

decant_status decant__minibatch_new(decant__minibatch *m, decant__job *job,
                                    const decant__source *source, const decant__net *net,
                                    decant_optimizer optimizer, uint64_t phase, int sparse) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    decant__state *state = &job->state;
    size_t n = decant__job_all(job, source->n);
    decant__parts own = decant__shards_parts(job->comm->rank, job->comm->size);
    *m = (decant__minibatch){
        .job = job, .phase = phase, .size = options->batch < n ? options->batch : n};
    /* Of a part, an epoch's end and the next one's begin may both have one row more. */
    m->capacity = own.count * (m->size / DECANT__SHARDS + 2);
    if (m->capacity > m->size) m->capacity = m->size;
    m->optimizer = (decant__optimizer){.kind = optimizer,
                                       .params = state->params,
                                       .moment1 = state->moment1,
                                       .moment2 = state->moment2,
                                       .bias_rate = (float)options->bias_rate};
    if (optimizer == DECANT_OPTIMIZER_ADAM && job->wide_rate > 0) {
        m->optimizer.wide = job->plan.net.layer[0].in * job->plan.net.layer[0].out;
        m->optimizer.wide_rate = job->wide_rate;
    }
    size_t nonzeros = sparse ? decant__source_max_nonzeros(source, m->capacity) : 0;
    NEW_ARRAY(m->index, m->capacity);
    NEW_ARRAY(m->row_loss, m->capacity);
    TRY(decant__order_new(&m->order, n, options->shuffle, options->seed, phase, own));
    TRY(decant__rows_buffer_new(&m->buffer, source, m->capacity));
    TRY(decant__pass_new(&m->pass, net, m->capacity, 1, nonzeros, job->threads));
    m->pass.batch = m->size;
    if (m->pass.sampled != NULL) TRY(decant__sampled_choose_head(m->pass.sampled, source));
    TRY(new_grads(m));
done:
    if (status != DECANT_OK) decant__minibatch_free(m);
    return status;
}

void decant__minibatch_free(decant__minibatch *m) {
    free_shared(m);
    decant__free(m->index);
    decant__free(m->row_loss);
    decant__order_free(&m->order);
    decant__rows_buffer_free(&m->buffer);
    decant__pass_free(&m->pass);
    *m = (decant__minibatch){0};
}

void decant__minibatch_take(decant__minibatch *m) {
    uint64_t step = m->job->state.step;
    m->first = decant__order_take(&m->order, step * m->size, m->size, m->index, &m->pass.shards);
    m->rows = m->pass.shards.begin[DECANT__SHARDS];
    if (m->pass.sampled != NULL)
        decant__sampled_draw(m->pass.sampled, m->job->options->seed, m->phase << 48 | step);
}

/* Weights and biases of a layer lie together. */
static size_t layer_size(const decant__layer *layer) { return (layer->in + 1) * layer->out; }
static size_t layer_end(const decant__layer *layer) { return layer->weight + layer_size(layer); }

/* The same for gradients that all ranks see: the sum, the step, and the stepped parameters in the
 * place of the gradients, unless all see these too. */
static void apply_shared(const decant__minibatch *m, size_t offset, size_t count, float scale) {
    const float *params = m->job->state.params;
    float sum[STRIP];
    for (size_t at = offset; at < offset + count; at += STRIP) {
        size_t some = offset + count - at < STRIP ? offset + count - at : STRIP;
        decant__shared_sum(&m->shared, m->job->comm->size, at, some, sum);
        decant__optimizer_apply_piece(&m->optimizer, sum, at, some, scale);
        if (m->own_params == NULL) memcpy(m->grads + at, params + at, some * sizeof *params);
    }
}

/* The steps of those of the parameters offset .. offset+count-1 that are this rank's own. */
static void apply_own(const decant__minibatch *m, decant__slice own, size_t offset, size_t count,
                      float scale) {
    size_t begin = offset > own.begin ? offset : own.begin;
    size_t end = offset + count < own.end ? offset + count : own.end;
    size_t pieces = begin < end ? (end - begin + PIECE - 1) / PIECE : 0;
    TEAM_FOR (p, pieces) {
        size_t from = begin + p * PIECE, size = end - from < PIECE ? end - from : PIECE;
        if (m->shared.memory != NULL)
            apply_shared(m, from, size, scale);
        else
            decant__optimizer_apply(&m->optimizer, m->grads, from, size, scale);
    }
}

static void step_layers(const decant__minibatch *m, const decant__net *net, size_t first,
                        size_t last, decant__slice own) {
    for (size_t l = first; l <= last; l++) {
        const decant__layer *layer = &net->layer[l];
        apply_own(m, own, layer->weight, layer->in * layer->out, 1);
        apply_own(m, own, layer->bias, layer->out, m->optimizer.bias_rate);
    }
}

/* Only the calling thread, member 0, may talk to other ranks. */
static void begin_sum(const decant__minibatch *m, size_t offset, size_t count) {
    if (decant__team_member() == 0) decant__comm_begin_sum(m->job->comm, m->grads + offset, count);
}

static void finish_sums(const decant__minibatch *m) {
    if (decant__team_member() == 0) decant__comm_finish_sums(m->job->comm);
    decant__team_barrier();
}

/* All threads of all ranks. */
static void wait_for_ranks(const decant__minibatch *m) {
    if (decant__team_member() == 0) decant__comm_barrier(m->job->comm);
    decant__team_barrier();
}

/* By slices: sums these gradients, unless that is done in the step, and returns the parameters that
 * this rank steps. */
static decant__slice sum_slices(const decant__minibatch *m, size_t offset, size_t count) {
    const decant__comm *comm = m->job->comm;
    decant__slice own = decant__comm_slice(comm->rank, comm->size, count);
    if (m->shared.memory != NULL) {
        wait_for_ranks(m);
    } else {
        if (decant__team_member() == 0) decant__comm_sum_slices(comm, m->grads + offset, count);
        decant__team_barrier();
    }
    return (decant__slice){offset + own.begin, offset + own.end};
}

/* The parameters that other ranks have stepped, from where they left them. Nobody writes gradients
 * there again before all have taken them. */
static void copy_slices(const decant__minibatch *m, size_t offset, size_t count) {
    const decant__comm *comm = m->job->comm;
    float *params = m->job->state.params;
    wait_for_ranks(m);
    if (m->own_params != NULL) return;
    for (int r = 0; r < comm->size; r++) {
        decant__slice slice = decant__comm_slice(r, comm->size, count);
        size_t begin = offset + slice.begin, end = offset + slice.end;
        if (r == comm->rank) continue;
        TEAM_FOR (p, (end - begin + PIECE - 1) / PIECE) {
            size_t from = begin + p * PIECE, size = end - from < PIECE ? end - from : PIECE;
            memcpy(params + from, m->shared.of[r] + from, size * sizeof *params);
        }
    }
    wait_for_ranks(m);
}

/* After that step: the parameters to all ranks. */
static void share_slices(const decant__minibatch *m, size_t offset, size_t count) {
    decant__state *state = &m->job->state;
    if (decant__team_member() == 0) decant__state_slice(state, offset, count);
    if (m->shared.memory != NULL) {
        copy_slices(m, offset, count);
        return;
    }
    if (decant__team_member() == 0)
        decant__comm_share_slices(m->job->comm, state->params + offset, count);
    decant__team_barrier();
}

/* The layers first .. last, whose gradients are complete and lie together: their sum begins, or by
 * slices their step is made. */
static void sum_layers(const decant__minibatch *m, const decant__net *net, size_t first,
                       size_t last) {
    size_t offset = net->layer[first].weight, count = layer_end(&net->layer[last]) - offset;
    if (!m->job->comm->slices) {
        begin_sum(m, offset, count);
        return;
    }
    step_layers(m, net, first, last, sum_slices(m, offset, count));
    share_slices(m, offset, count);
}

/* Do the complete gradients of the layers l .. last wait for those of the layer below? */
static int waits(const decant__minibatch *m, const decant__net *net, size_t l, size_t last) {
    const decant__layer *layer = &net->layer[l];
    if (layer_end(&net->layer[l - 1]) != layer->weight) return 0;
    return m->job->comm->slices || layer_end(&net->layer[last]) - layer->weight < MIN_SUM;
}

void decant__minibatch_backward(decant__minibatch *m, const decant__net *net, const decant__rows *x,
                                const decant__dropout *dropout, size_t first, size_t last) {
    float *params = m->job->state.params;
    if (m->job->comm->size == 1) {
        decant__net_backward(net, params, x, dropout, first, last, &m->pass, m->grads,
                             &m->optimizer);
        return;
    }
    size_t top = last; /* of the layers that are complete and not yet summed */
    for (size_t l = last + 1; l-- > first;) {
        const decant__layer *layer = &net->layer[l];
        if (m->rows > 0)
            decant__net_backward(net, params, x, dropout, l, l, &m->pass, m->grads, NULL);
        else
            TEAM_SINGLE memset(m->grads + layer->weight, 0, layer_size(layer) * sizeof *m->grads);
        if (l > first && waits(m, net, l, top)) continue;
        sum_layers(m, net, l, top);
        top = l - 1;
    }
    if (m->job->comm->slices) return;
    finish_sums(m);
    step_layers(m, net, first, last, (decant__slice){0, SIZE_MAX});
}

void decant__minibatch_apply(decant__minibatch *m, size_t offset, size_t count) {
    if (m->job->comm->slices) {
        apply_own(m, sum_slices(m, offset, count), offset, count, 1);
        share_slices(m, offset, count);
        return;
    }
    begin_sum(m, offset, count);
    finish_sums(m);
    apply_own(m, (decant__slice){0, SIZE_MAX}, offset, count, 1);
}

void decant__minibatch_sums(decant__minibatch *m, const double *const *x, size_t count,
                            double *sums) {
    decant__sum_tree tree = decant__shards_tree(&m->pass.shards);
    double all[4] = {0};
    for (size_t i = 0; i < count; i++) all[i] = decant__sum_tree_double(&tree, x[i]);
    all[count] = m->job->wish != DECANT_OK;
    all[count + 1] = m->job->due;
    decant__comm_sum_doubles(m->job->comm, all, count + 2);
    memcpy(sums, all, count * sizeof *sums);
    m->job->wishes = all[count] > 0;
    m->job->saves = all[count + 1] > 0;
}

void decant__minibatch_count(const decant__minibatch *m, double loss) {
    decant__state *state = &m->job->state;
    state->step++;
    state->loss_sum += loss;
    state->loss_count++;
}
