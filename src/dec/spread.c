/* A fit by several ranks: which rows are whose, and what such a fit cannot do. */
#include "base/memory.h"
#include "dec/encode.h"
#include "dec/job.h"
#include "dec/landmarks.h"
#include "linalg/neighbours.h"
#include "linalg/shards.h"

static decant_status refuse(const char *what, const char *instead) {
    return decant__fail(DECANT_EINVAL, "%s cannot be spread over several processes: %s", what,
                        instead);
}

decant_status decant__job_check_spread(const decant__job *job, const decant_dataset *data) {
    const decant_options *options = job->requested;
    static const char alone[] = "use decant without a launcher";
    if (job->comm->size == 1) {
        if (data->share.comm == NULL || data->share.rows == data->n) return DECANT_OK;
        return decant__fail(DECANT_EINVAL, "the dataset has only a part of its rows");
    }
    if (options->method != DECANT_METHOD_DEC && options->method != DECANT_METHOD_IDEC &&
        options->method != DECANT_METHOD_DEC_NOBACKPROP &&
        options->method != DECANT_METHOD_AE_KMEANS)
        return refuse("this method", "only dec, idec, dec-nobackprop and ae+kmeans can");
    if (options->k_max > 0) return refuse("the choice of k", "give a number of clusters");
    if (options->student_iterations > 0)
        return refuse("a student", "leave it out with --student-iterations 0");
    if (job->monitor->like != NULL) return refuse("a fit that starts from a model", alone);
    if (data->extra > 0) return refuse("a fit with rows for pretraining only", alone);
    if (data->share.comm == NULL && data->dense == NULL)
        return refuse("a sparse matrix in memory", "read it from its files");
    if (data->n < DECANT__SHARDS)
        return decant__fail(DECANT_EINVAL,
                            "%zu rows are too few for several processes: expected "
                            "%d or more",
                            data->n, DECANT__SHARDS);
    return DECANT_OK;
}

decant_status decant__job_encode(decant__job *job, const decant__net *encoder, float *z) {
    size_t width = encoder->layer[encoder->depth - 1].out;
    float *own = z + job->begin[job->comm->rank] * width;
    decant_status status =
        decant__encode(encoder, job->state.params, job->source, job->threads, &job->watch, own);
    status = decant__job_agree(job, status);
    if (status == DECANT_OK) decant__job_gather(job, z, width * sizeof *z);
    return status;
}

decant_status decant__job_build_graph(decant__job *job, decant__graph *graph, const float *x,
                                      size_t width, const decant__watch *watch) {
    size_t landmarks = decant__landmarks_count(graph->n, width);
    if (landmarks > 0) return decant__landmarks_build(job, landmarks, graph, x, width, watch);
    if (job->comm->size == 1) return decant__graph_build(graph, x, width, job->threads, watch);
    const decant__source points = decant__source_dense(x, graph->n, width);
    const decant__search wanted = {
        .x = &points, .count = graph->count, .threads = job->threads, .watch = watch};
    decant_status status =
        decant__neighbours_by_ranks(&wanted, job->comm, job->begin, graph->index, graph->weight);
    return status == DECANT_OK ? decant__graph_weigh(graph, job->threads) : status;
}

/* Rows of a file are read once if one process would have all of them in memory. */
static decant_status load_rows(decant__job *job) {
    decant_status status = DECANT_OK;
    decant_dataset *part = &job->part;
    if (part->share.all > job->requested->memory / 2 / sizeof(float) / part->d) return DECANT_OK;
    NEW_ARRAY(job->loaded, part->n * part->d);
    decant__layout_copy(part->dense, part->layout, part->d, 0, part->n * part->d, job->loaded);
    TRY(decant__row_file_check(part->file));
    part->dense = job->loaded;
    part->layout = (decant__layout){0};
done:
    return status;
}

decant_status decant__job_take_part(decant__job *job, const decant_dataset *data) {
    const decant__comm *comm = job->comm;
    size_t n = data->n;
    for (int r = 0; r < comm->size; r++)
        job->begin[r] = decant__shards_part(n, decant__shards_parts(r, comm->size).first);
    job->begin[comm->size] = n;
    job->part = *data;
    if (comm->size == 1) return DECANT_OK;
    size_t first = job->begin[comm->rank], rows = job->begin[comm->rank + 1] - first;
    job->part.n = rows;
    job->part.share = (decant__share){comm, first, rows, n};
    if (data->share.comm != NULL) return DECANT_OK; /* the matrix has no others */
    decant__source all = {.n = n, .d = data->d, .dense = data->dense, .layout = data->layout};
    decant__source own = decant__source_slice(&all, first, rows);
    job->part.dense = own.dense;
    job->part.layout = own.layout;
    return data->file != NULL ? load_rows(job) : DECANT_OK;
}
