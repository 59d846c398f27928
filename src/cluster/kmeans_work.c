#include "cluster/kmeans_work.h"

#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/team.h"

enum {
    SMALLEST_CHUNK = 8,
    CHUNKS_A_BLOCK = 16,    /* at least: work for 16 threads */
    LARGEST_BLOCK = 131072, /* rows; large, because there are two barriers for each block */
    BLOCK_BYTES = 16 << 20, /* if rows have to be copied */
    PANEL = 256             /* columns of a product; more are not faster and cost memory */
};

/* Memory for the state of the starts that run at the same time: more starts need fewer passes over
 * the data, and have wider products. A share of the size of the data, within limits. */
static const double MIN_STATE = 80e6, MAX_STATE = 512e6, STATE_SHARE = 0.125;

size_t decant__cut_copied(const decant__source *x, const decant__cut *cut) {
    return decant__source_copies(x) ? cut->block : 0;
}

int decant__cut_team(const decant__cut *cut, int requested) {
    int threads = decant__team_size(requested);
    return (size_t)threads > cut->chunks ? (int)cut->chunks : threads;
}

/* Only member 0 polls, and only inside the loop over chunks, so that between two of these loops all
 * members know the same. */
void decant__pass_rows(const decant__pass *pass) {
    const decant__cut *cut = pass->cut;
    for (size_t at = 0; at < cut->n; at += cut->block) {
        size_t count = cut->n - at < cut->block ? cut->n - at : cut->block;
        decant__rows rows = {0};
        if (!decant__cancel_known(pass->cancel))
            rows = decant__source_fetch(pass->x, NULL, at, count, pass->buffer);
        TEAM_FOR_DYNAMIC (c, (count + cut->chunk - 1) / cut->chunk, 1) {
            if (decant__cancel_asked(pass->cancel)) continue;
            size_t number = at / cut->chunk + c;
            decant__chunk chunk = {&rows, c * cut->chunk, decant__cut_count(cut, number), number};
            pass->chunk(pass->context, &chunk);
        }
        if (pass->block != NULL && !decant__cancel_known(pass->cancel))
            pass->block(pass->context, &rows, at);
    }
}

static void run_pass(void *context) { decant__pass_rows(context); }

decant_status decant__pass_run(const decant__pass *pass, int threads) {
    decant__pass own = *pass;
    decant__team_run(threads, run_pass, &own);
    return pass->cancel != NULL ? pass->cancel->status : DECANT_OK;
}

decant__cut decant__cut_rows(const decant__source *x) {
    decant__cut cut = {.n = x->n, .chunk = DECANT__KMEANS_CHUNK, .block = LARGEST_BLOCK};
    if (x->dense != NULL) {
        size_t rows = BLOCK_BYTES / sizeof(float) / (x->d > 0 ? x->d : 1);
        if (cut.chunk > rows / CHUNKS_A_BLOCK) cut.chunk = rows / CHUNKS_A_BLOCK;
        if (cut.chunk < SMALLEST_CHUNK) cut.chunk = SMALLEST_CHUNK;
        if (cut.block > rows && decant__source_copies(x)) cut.block = rows;
        if (cut.block < CHUNKS_A_BLOCK * cut.chunk) cut.block = CHUNKS_A_BLOCK * cut.chunk;
    }
    cut.block = cut.block / cut.chunk * cut.chunk;
    cut.chunks = (x->n + cut.chunk - 1) / cut.chunk;
    if (cut.block > cut.chunks * cut.chunk) cut.block = cut.chunks * cut.chunk;
    return cut;
}

static double data_bytes(const decant__source *x) {
    if (x->dense != NULL) return 4.0 * (double)x->n * (double)x->d;
    return 8.0 * (double)(x->start[x->n] - x->start[0]);
}

/* How many groups of lower bounds, and how many starts at once. */
static void choose_sizes(decant__kmeans_work *work) {
    const decant__source *x = work->x;
    double n = (double)x->n, k = (double)work->k, d = (double)x->d;
    double state = fmin(fmax(STATE_SHARE * data_bytes(x), MIN_STATE), MAX_STATE);
    int wide = x->dense != NULL && x->d > DECANT__NARROW;
    size_t groups = 1;
    if (wide) {
        double max = fmax(1, floor(state / (sizeof(float) * n)));
        groups = k < max ? work->k : (size_t)max;
    }
    work->width = (work->k + groups - 1) / groups;
    work->groups = (work->k + work->width - 1) / work->width;
    double one = n * (8 + 4 * (double)work->groups) + k * d * (wide ? 12 : 16);
    double most = decant__kmeans_swaps(work) ? DECANT__KMEANS_FRESH : DECANT__KMEANS_SLOTS;
    double slots = fmin(fmax(1, floor(state / one)), most);
    work->batch = work->options->restarts < (size_t)slots ? work->options->restarts : (size_t)slots;
    work->slots = (work->batch + (size_t)work->comm->size - 1) / (size_t)work->comm->size;
    work->candidates = 2 + (size_t)decant__log(k);
    work->panel = PANEL / work->k > 0 ? PANEL / work->k : 1;
    if (work->panel > work->slots) work->panel = work->slots;
}

static decant_status slot_new(const decant__kmeans_work *work, decant__kmeans_slot *slot,
                              size_t number) {
    decant_status status = DECANT_OK;
    size_t k = work->k, d = work->x->d, rows = work->cut.chunks * work->cut.chunk;
    NEW_ARRAY(slot->label, work->cut.n);
    NEW_ARRAY(slot->upper, work->cut.n);
    NEW_ARRAY(slot->lower, rows * work->groups);
    NEW_ARRAY(slot->sum, k * d);
    NEW_ARRAY(slot->count, k);
    NEW_ARRAY(slot->center_drift, k);
    NEW_ARRAY(slot->group_drift, work->groups);
    NEW_ARRAY(slot->center_drift_f, k);
    NEW_ARRAY(slot->group_drift_f, work->groups);
    NEW_ARRAY(slot->moved, work->cut.block);
    NEW_ARRAY(slot->moved_count, work->cut.block / work->cut.chunk);
    if (work->stack.row != NULL)
        slot->centers = decant__centers_part(&work->stack, number * k, k);
    else
        TRY(decant__centers_new(&slot->centers, work->x, k));
done:
    return status;
}

static void slot_free(const decant__kmeans_work *work, decant__kmeans_slot *slot) {
    if (work->stack.row == NULL) decant__centers_free(&slot->centers);
    decant__free(slot->moved_count);
    decant__free(slot->moved);
    decant__free(slot->group_drift_f);
    decant__free(slot->center_drift_f);
    decant__free(slot->group_drift);
    decant__free(slot->center_drift);
    decant__free(slot->count);
    decant__free(slot->sum);
    decant__free(slot->lower);
    decant__free(slot->upper);
    decant__free(slot->label);
}

/* Distances of other rows are off by what depends on all starts of a batch (linalg/distance.c). */
static const decant__comm *comm_of(const decant__source *x, const decant__kmeans_options *options) {
    int alone = options->comm == NULL || x->dense == NULL || x->d > DECANT__NARROW;
    return alone ? decant__comm_alone() : options->comm;
}

decant_status decant__kmeans_work_new(decant__kmeans_work *work, const decant__source *x,
                                      const decant__kmeans_options *options) {
    decant_status status = DECANT_OK;
    *work = (decant__kmeans_work){
        .x = x, .options = options, .k = options->k, .comm = comm_of(x, options)};
    work->cut = decant__cut_rows(x);
    work->threads = decant__cut_team(&work->cut, options->threads);
    choose_sizes(work);
    size_t trials = work->slots * (1 + work->candidates), columns = work->panel * work->k;
    work->scratch_size =
        work->cut.chunk * (1 + (columns > trials ? columns : trials)) + DECANT__PRODUCT_SCRATCH;
    if (x->dense != NULL && x->d > DECANT__NARROW)
        TRY(decant__centers_new(&work->stack, x, work->slots * work->k));
    NEW_ZEROED(work->slot, work->slots);
    for (size_t s = 0; s < work->slots; s++) TRY(slot_new(work, &work->slot[s], s));
    if (options->seeding == DECANT_SEEDING_PLUSPLUS) {
        TRY(decant__centers_new(&work->trial, x, trials));
        NEW_ARRAY(work->potential, work->cut.chunks * work->slots * work->candidates);
    }
    TRY(decant__rows_buffer_new(&work->block, x, decant__cut_copied(x, &work->cut)));
    TRY(decant__rows_buffer_new(&work->single, x, work->cut.chunk));
    NEW_ARRAY(work->scratch, (size_t)work->threads * work->scratch_size);
    NEW_ARRAY(work->chunk_value, work->cut.chunks);
    NEW_ARRAY(work->chunk_row, work->cut.chunks);
done:
    if (status != DECANT_OK) decant__kmeans_work_free(work);
    return status;
}

void decant__kmeans_work_free(decant__kmeans_work *work) {
    decant__free(work->chunk_row);
    decant__free(work->chunk_value);
    decant__free(work->scratch);
    decant__rows_buffer_free(&work->single);
    decant__rows_buffer_free(&work->block);
    decant__free(work->potential);
    decant__centers_free(&work->trial);
    for (size_t s = 0; work->slot != NULL && s < work->slots; s++) slot_free(work, &work->slot[s]);
    decant__free(work->slot);
    decant__centers_free(&work->stack);
    *work = (decant__kmeans_work){0};
}

decant_status decant__kmeans_too_few(size_t k) {
    return decant__fail(DECANT_EINVAL, "%zu clusters need at least %zu rows that differ", k, k);
}
