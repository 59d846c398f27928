/* A network can lose what the data shows, and in its own features every result looks good. So the
 * candidates for the start are compared outside of it, on the neighbour graph of the data's first
 * principal components:
 *
 *   features          communities of the features' graph (start.c)
 *   features-kmeans   k-means on the features
 *   data-kmeans       k-means on the principal components
 *   data-communities  communities of the data's graph
 *   data-groups       the same, merged by shares of links: groups of any size
 *   data-separate     these groups, if hardly a link leads from one to another, and far fewer than
 *                     k-means cuts
 *   data-mixture      a mixture, from each of the others (few_rows.h)
 *   joint             communities of both graphs as one, that of the features and that of the data
 *   joint-kmeans      k-means on both spaces as one, smoothed over that graph; of several optima
 *                     the one that hangs together on it
 *
 * Groups that are hardly linked to each other are what a reader of a plot would call clusters,
 * whatever their shape and size: they are taken. Else a few hundred rows are too few to learn
 * features from, and their graph too coarse to judge by, and of few columns there is nothing to
 * learn: for them it is the mixture, or k-means if that is clearly more stable, or a little and a
 * cluster of the mixture falls apart on the graph. Refinement then teaches the network these
 * labels.
 *
 * With more rows it is the joint communities, if those of the features and those of the data agree
 * in most rows: then both show the same clusters, and the data, which do not depend on the seed,
 * decide what the network leaves to chance.
 *
 * If the two have next to nothing in common, the rows lie in one piece that graphs cut anywhere:
 * then the start is k-means on the data, which do not depend on the seed, and the network learns
 * these labels: its own opinion would only blur them. Of diffuse rows, as texts, that says nothing:
 * the components miss most of them.
 *
 * Where they differ, modularity Q ranks the others, but not finely: what is found on the graph that
 * judges has an advantage there, and a network that found better groups than distances show may
 * have a lower Q. So the features keep the start unless their Q is far below that of the data, or
 * below that of k-means there, or one of their clusters falls apart on the graph: then the network
 * lost what the data shows, and another one is tried first (networks.h). But if the graph of the
 * features has no k communities, as in texts, it tells little about k clusters, and k-means finds
 * them: then on the features and the components as one, because each misses something that the
 * other has, unless what it finds there is far below the features on the graph. If even the
 * communities of the data have a cluster that loses a large part of its links, there are no k
 * groups of similar size; then the groups are taken, if they lose less than half as many links.
 *
 * Where there are landmarks (landmarks.h), only they are judged; a start that was found in the data
 * then reaches the other rows by the nearest mean of the principal components. */
#include "dec/candidates.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cluster/communities.h"
#include "cluster/louvain.h"
#include "cluster/mixture_choice.h"
#include "dec/comparison.h"
#include "dec/few_rows.h"
#include "dec/landmarks.h"
#include "dec/schedule.h"
#include "linalg/neighbours.h"
#include "linalg/principal.h"

enum { COMPONENTS = 30, MAX_EXACT = 200000 };
/* Rows of few columns, times k: mixtures of more take longer than all the rest. */
enum { MAX_NARROW = 50000 };
/* k-means on the data needs only this share of the Q of the communities of the data. The features
 * need the same share of the Q of k-means on the data, and MIN_SHARE of the better of the two. */
static const double MARGIN = 0.95, MIN_SHARE = 0.8;
/* Communities of the features and of the data are the same clusters, found twice, if their
 * normalised mutual information is this high. */
static const double SAME = 0.77;
/* And they have next to nothing in common below this. */
static const double UNRELATED = 0.1;
/* A cluster that keeps less than this share of its links is cut out of a larger group. */
static const double MIN_INSIDE = 0.75;

/* Groups are separate if they keep these shares of their links, all together and each, and lose at
 * most this share of what k-means loses: the more rows, the fewer links any cut has. */
static const double SEPARATE = 0.99, EACH_SEPARATE = 0.97, OF_KMEANS = 1.0 / 3;

static size_t latent_of(const decant__job *job) {
    decant__net encoder = decant__autoencoder_encoder(&job->plan);
    return encoder.layer[encoder.depth - 1].out;
}

/* A few hundred rows are too few to learn features from, and a few columns leave nothing to learn:
 * the network could pass them on as they are, and in fact bends them. */
static int is_few(const decant__job *job) {
    size_t n = job->state.n, d = job->source->d;
    int narrow = d <= DECANT__MIXTURE_COLUMNS && d <= latent_of(job);
    return n < DECANT__FEW_ROWS || (narrow && n * job->state.k <= MAX_NARROW);
}

static int relay(const decant_progress *progress, void *user) {
    (void)progress;
    return decant__cancel_asked(user);
}

static void comparison_free(decant__comparison *c) {
    decant__free(c->x);
    decant__free(c->row);
    decant__graph_free(&c->graph);
    decant__links_free(&c->links);
    for (int i = 0; i < DECANT_STARTS; i++) decant__free(c->list[i].labels);
}

/* Of so many columns the exact search compares all pairs. Beyond MAX_EXACT rows that would be the
 * longest part of a fit, and the search that takes time near n log n is enough for a judge, as it
 * is for landmarks; every process makes it by itself. */
static decant_status build_graph(decant__comparison *c) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    if (c->landmarks == 0 && (c->width <= DECANT__TREE_COLUMNS || c->graph.n <= MAX_EXACT))
        return decant__job_build_graph(c->job, &c->graph, c->x, c->width, &c->watch);
    const decant__source points = decant__source_dense(c->x, c->graph.n, c->width);
    const decant__search wanted = {.x = &points,
                                   .count = c->graph.count,
                                   .seed = job->options->seed,
                                   .threads = job->threads,
                                   .watch = &c->watch};
    TRY(decant__job_agree(
        c->job, decant__neighbours_approximate(&wanted, c->graph.index, c->graph.weight)));
    TRY(decant__graph_weigh(&c->graph, job->threads));
done:
    return status;
}

static size_t width_of(const decant__job *job) {
    return job->source->d < COMPONENTS ? job->source->d : COMPONENTS;
}

static decant_status comparison_new(decant__comparison *c, decant__job *job) {
    decant_status status = DECANT_OK;
    const decant__state *state = &job->state;
    size_t landmarks = decant__landmarks_count(state->n, latent_of(job));
    *c = (decant__comparison){.job = job,
                              .n = landmarks > 0 ? landmarks : state->n,
                              .landmarks = landmarks,
                              .width = width_of(job),
                              .same = NAN};
    decant__cancel_init(&c->cancel, &job->watch);
    c->monitor =
        (decant_monitor){.struct_size = sizeof c->monitor, .progress = relay, .user = &c->cancel};
    c->watch.monitor = &c->monitor;
    NEW_ARRAY(c->x, c->n * c->width);
    TRY(decant__job_components(job, landmarks, c->width, &c->watch, c->x));
    TRY(decant__graph_new(&c->graph, c->n, state->graph.count));
    TRY(build_graph(c));
    TRY(decant__links_of(&c->graph, &c->links));
done:
    return status;
}

/* The labels of the rows that are judged, from those of all rows. */
static void take_labels(const decant__comparison *c, const int32_t *labels, int32_t *taken) {
    if (c->landmarks > 0)
        decant__landmarks_take(labels, c->job->state.n, c->n, taken);
    else
        memcpy(taken, labels, c->n * sizeof *taken);
}

/* Of all ranks, and spread as landmarks are; of few rows or few columns it is all of them. */
static decant_status sample_rows(decant__comparison *c) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    size_t n = job->state.n, m = is_few(job) ? n : DECANT__FEW_ROWS, d = job->source->d;
    size_t begin[DECANT__MAX_RANKS + 1], first = job->begin[job->comm->rank];
    double *row = NULL;
    if (d > DECANT__MIXTURE_COLUMNS) return DECANT_OK;
    NEW_ARRAY(c->row, m * d);
    NEW_ARRAY(row, d);
    for (int r = 0; r <= job->comm->size; r++)
        begin[r] = decant__landmarks_at(n, m, job->begin[r]) * d * sizeof *c->row;
    for (size_t s = decant__landmarks_at(n, m, first);
         s < decant__landmarks_at(n, m, first + job->source->n); s++) {
        decant__source_row(job->source, decant__landmarks_row(n, m, s) - first, row);
        for (size_t j = 0; j < d; j++) c->row[s * d + j] = (float)row[j];
    }
    TRY(decant__job_agree(c->job, DECANT_OK));
    decant__comm_gather(job->comm, c->row, begin);
    c->rows = m;
    const decant__source all = decant__source_dense(c->row, m, d);
    TRY(decant__is_continuous(&all, &c->continuous));
    decant__standardise(c->row, m, d);
done:
    decant__free(row);
    return decant__job_agree(c->job, status);
}

decant__start_points decant__comparison_points(decant__comparison *c, decant__space space) {
    return (decant__start_points){c->job, space, c->n, &c->watch};
}

/* Adds a copy of the labels. */
decant_status decant__comparison_add(decant__comparison *c, decant_start kind,
                                     const int32_t *labels) {
    decant_status status = DECANT_OK;
    size_t k = c->job->state.k;
    decant__candidate *added = &c->list[kind];
    NEW_ARRAY(added->labels, c->n);
    memcpy(added->labels, labels, c->n * sizeof *labels);
    TRY(decant__louvain_modularity(&c->links, labels, k, &added->modularity));
    TRY(decant__louvain_inside(&c->links, labels, k, &added->inside, &added->lowest));
done:
    return status;
}

static decant_status add_kmeans(decant__comparison *c, int32_t *labels) {
    const decant__start_points points =
        decant__comparison_points(c, (decant__space){c->x, c->width});
    decant_status status = decant__start_kmeans(&points, labels);
    if (status == DECANT_OK) status = decant__comparison_add(c, DECANT_START_DATA_KMEANS, labels);
    /* Rows that differ may have equal components: no candidate. */
    return status == DECANT_EINVAL ? DECANT_OK : status;
}

/* Communities and groups of the data. labels: k clusters, one more attempt of the communities. */
static decant_status add_communities(decant__comparison *c, int32_t *labels) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    int32_t *groups = NULL;
    size_t natural;
    int found, groups_found = 0;
    NEW_ARRAY(groups, c->n);
    const decant__communities wanted = {.graph = &c->graph,
                                        .links = &c->links,
                                        .k = job->state.k,
                                        .max = SIZE_MAX,
                                        .seed = job->options->seed,
                                        .threads = job->threads,
                                        .comm = job->comm,
                                        .watch = &c->watch,
                                        .groups = groups,
                                        .groups_usable = &groups_found};
    TRY(decant__communities_find(&wanted, labels, &natural, &found));
    c->scattered = natural > DECANT__MAX_FINER * job->state.k;
    if (found) TRY(decant__comparison_add(c, DECANT_START_DATA_COMMUNITIES, labels));
    if (groups_found) TRY(decant__comparison_add(c, DECANT_START_DATA_GROUPS, groups));
done:
    decant__free(groups);
    return status;
}

/* From each of the other candidates, and from k-means on the same columns. Few rows only: these are
 * all of them. labels, other: scratch, n. */
static decant_status add_mixture(decant__comparison *c, int32_t *labels, int32_t *other) {
    decant_status status = DECANT_OK;
    const decant__job *job = c->job;
    const int32_t *start[DECANT_STARTS];
    size_t count = 0;
    const decant__few_rows few = {.row = c->row,
                                  .x = c->x,
                                  .n = c->rows,
                                  .d = job->source->d,
                                  .width = c->width,
                                  .table = job->part.table,
                                  .options = job->options,
                                  .threads = job->threads,
                                  .watch = &c->watch};
    if (!is_few(job) || c->landmarks > 0 || c->row == NULL) return DECANT_OK;
    for (int s = 0; s < DECANT_STARTS; s++)
        if (c->list[s].labels != NULL) start[count++] = c->list[s].labels;
    const decant__start_points points =
        decant__comparison_points(c, (decant__space){c->row, few.d});
    status = decant__start_kmeans(&points, other);
    if (status == DECANT_OK) start[count++] = other;
    if (status != DECANT_EINVAL) TRY(status);
    TRY(decant__few_rows_mixture(&few, start, count, labels, &c->lead));
    if (c->lead > -(double)INFINITY)
        status = decant__comparison_add(c, DECANT_START_DATA_MIXTURE, labels);
done:
    return status;
}

/* Of two candidates, the second if `share` of its Q is more than the Q of the first. */
static decant_start better_of(const decant__comparison *c, decant_start a, decant_start b,
                              double share) {
    const decant__candidate *first = &c->list[a], *second = &c->list[b];
    if (second->labels == NULL) return a;
    if (first->labels == NULL) return b;
    return share * second->modularity > first->modularity ? b : a;
}

/* The graph of landmarks alone cannot be joined to that of all rows. That the two have nothing in
 * common says nothing about the features of diffuse rows, most of which the components miss. */
static decant_status find_same(decant__comparison *c) {
    decant_status status = DECANT_OK;
    decant_scores scores;
    int diffuse;
    const int32_t *own = c->list[DECANT_START_FEATURES].labels;
    const int32_t *data = c->list[DECANT_START_DATA_COMMUNITIES].labels;
    if (data == NULL || c->landmarks > 0) return DECANT_OK;
    TRY(decant_score(own, data, c->n, &scores));
    c->same = scores.nmi;
    if (c->same >= UNRELATED) return DECANT_OK;
    TRY(decant__job_is_diffuse(c->job, &diffuse));
    c->unrelated = !diffuse;
done:
    return status;
}

static int are_separate(const decant__comparison *c) {
    const decant__candidate *groups = &c->list[DECANT_START_DATA_GROUPS];
    const decant__candidate *kmeans = &c->list[DECANT_START_DATA_KMEANS];
    return c->continuous && groups->labels != NULL && groups->inside >= SEPARATE &&
           groups->lowest >= EACH_SEPARATE &&
           (kmeans->labels == NULL || 1 - groups->inside <= OF_KMEANS * (1 - kmeans->inside));
}

/* A mixture that is no more stable than k-means must not have cut a cluster out of a larger group
 * where k-means has not. */
static int is_whole_mixture(const decant__comparison *c) {
    const decant__candidate *mixture = &c->list[DECANT_START_DATA_MIXTURE];
    const decant__candidate *kmeans = &c->list[DECANT_START_DATA_KMEANS];
    if (mixture->labels == NULL) return 0;
    return c->lead > 0 || kmeans->labels == NULL || mixture->lowest >= MIN_INSIDE * kmeans->lowest;
}

/* A network that lost what the data shows: by the clusters of its features, and the better ones of
 * the data. */
static int is_unsuitable(const decant__comparison *c, const decant__candidate *own,
                         const decant__candidate *data) {
    const decant__candidate *kmeans = &c->list[DECANT_START_DATA_KMEANS];
    return own->modularity < MIN_SHARE * data->modularity || own->lowest < data->lowest / 2 ||
           (kmeans->labels != NULL && own->modularity < MARGIN * kmeans->modularity);
}

static decant_start best_of_features(const decant__comparison *c) {
    return better_of(c, DECANT_START_FEATURES, DECANT_START_FEATURES_KMEANS, 1);
}

/* Communities that were merged from many have a high Q on their own graph, and say little. */
static decant_start best_of_data(const decant__comparison *c) {
    if (c->scattered && c->list[DECANT_START_DATA_KMEANS].labels != NULL)
        return DECANT_START_DATA_KMEANS;
    return better_of(c, DECANT_START_DATA_KMEANS, DECANT_START_DATA_COMMUNITIES, MARGIN);
}

static decant_start best_of(const decant__comparison *c, decant__verdict *verdict) {
    decant_start own = best_of_features(c), data = best_of_data(c);
    const decant__candidate *communities = &c->list[DECANT_START_DATA_COMMUNITIES];
    const decant__candidate *groups = &c->list[DECANT_START_DATA_GROUPS];
    if (are_separate(c)) return DECANT_START_DATA_SEPARATE;
    if (communities->labels != NULL && groups->labels != NULL && communities->lowest < MIN_INSIDE &&
        1 - groups->inside < (1 - communities->inside) / 2)
        return DECANT_START_DATA_GROUPS;
    if (is_few(c->job) && is_whole_mixture(c)) return DECANT_START_DATA_MIXTURE;
    if (is_few(c->job) && c->list[DECANT_START_DATA_KMEANS].labels != NULL)
        return DECANT_START_DATA_KMEANS;
    if (c->list[data].labels == NULL) return own;
    if (c->same >= SAME) return DECANT_START_JOINT;
    if (c->unrelated && c->list[DECANT_START_DATA_KMEANS].labels != NULL)
        return DECANT_START_DATA_KMEANS;
    int bad = is_unsuitable(c, &c->list[own], &c->list[data]);
    *verdict = (decant__verdict){bad, c->list[own].modularity};
    if (bad) return data;
    return c->z != NULL && c->landmarks == 0 ? DECANT_START_JOINT_KMEANS : own;
}

/* What k-means finds in both spaces must suit the data's graph as what was found in the features
 * does, or these clusters are the start; the graph is that of both in either case. */
static decant_status take_joint_kmeans(decant__comparison *c) {
    decant_status status = DECANT_OK;
    decant__state *state = &c->job->state;
    TRY(decant__joint_kmeans(c));
    TRY(decant__comparison_add(c, DECANT_START_JOINT_KMEANS, state->labels));
    state->start = better_of(c, best_of_features(c), DECANT_START_JOINT_KMEANS, 1 / MARGIN);
    memcpy(state->labels, c->list[state->start].labels, state->n * sizeof *state->labels);
done:
    return status;
}

/* The best candidate becomes the state's labels and, if it was found in the data, the graph the
 * state's graph; but a graph of landmarks alone cannot smooth all rows. */
static decant_status take_start(decant__comparison *c) {
    decant_status status = DECANT_OK;
    decant__state *state = &c->job->state;
    int separate = state->start == DECANT_START_DATA_SEPARATE;
    if (state->start == DECANT_START_JOINT) return decant__joint_communities(c);
    if (state->start == DECANT_START_JOINT_KMEANS) return take_joint_kmeans(c);
    const decant__candidate *best = &c->list[separate ? DECANT_START_DATA_GROUPS : state->start];
    int in_data = state->start >= DECANT_START_DATA_KMEANS;
    if (state->start == DECANT_START_DATA_KMEANS) {
        const decant__start_points points =
            decant__comparison_points(c, (decant__space){c->x, c->width});
        TRY(decant__start_kmeans_thorough(&points, best->labels));
    }
    if (c->landmarks > 0) {
        if (in_data) {
            const decant__space x = {c->x, c->width};
            return decant__landmarks_label(c->job, c->n, x, &c->watch, best->labels);
        }
        if (state->start == DECANT_START_FEATURES_KMEANS)
            memcpy(state->labels, state->initial_labels, state->n * sizeof *state->labels);
        return DECANT_OK;
    }
    memcpy(state->labels, best->labels, state->n * sizeof *state->labels);
    if (in_data) {
        decant__graph data = c->graph;
        c->graph = state->graph;
        state->graph = data;
    }
done:
    return status;
}

decant_status decant__candidates_compare(decant__job *job, const float *z, size_t l,
                                         decant__verdict *verdict) {
    decant_status status = DECANT_OK;
    decant__state *state = &job->state;
    decant__comparison c;
    int32_t *labels = NULL, *other = NULL;
    decant__memory_trim(); /* what the communities of the features left, in all threads */
    TRY(comparison_new(&c, job));
    c.z = z;
    c.l = l;
    NEW_ARRAY(labels, c.n);
    take_labels(&c, state->initial_labels, labels);
    TRY(decant__comparison_add(&c, DECANT_START_FEATURES_KMEANS, labels));
    take_labels(&c, state->labels, labels);
    TRY(decant__comparison_add(&c, DECANT_START_FEATURES, labels));
    TRY(sample_rows(&c));
    TRY(add_kmeans(&c, labels));
    TRY(add_communities(&c, labels));
    NEW_ARRAY(other, c.n);
    TRY(add_mixture(&c, labels, other));
    TRY(find_same(&c));
    state->start = best_of(&c, verdict);
    TRY(take_start(&c));
    decant__links_free(&job->links);
    job->links = c.links;
    c.links = (decant__links){0};
done:
    comparison_free(&c);
    decant__free(labels);
    decant__free(other);
    return status;
}

decant_status decant__candidates_points(decant__job *job, float **x, size_t *width) {
    decant_status status = DECANT_OK;
    const decant_options *options = job->options;
    float *found = NULL;
    int continuous;
    if (job->state.n >= DECANT__FEW_ROWS || job->source->d > DECANT__MIXTURE_COLUMNS ||
        !decant__method_refines(options->method) || options->neighbours == 0 ||
        options->smooth_steps == 0 || options->start != DECANT_START_RULE_AUTO)
        return DECANT_OK;
    TRY(decant__is_continuous(job->source, &continuous));
    if (continuous) return DECANT_OK;
    *width = width_of(job);
    NEW_ARRAY(found, job->state.n * *width);
    TRY(decant__job_components(job, 0, *width, &job->watch, found));
    *x = found;
    found = NULL;
done:
    decant__free(found);
    return status;
}

/* A resumed refinement builds the graph again. */
static decant_status find_links(decant__job *job) {
    decant__comparison c;
    decant_status status = comparison_new(&c, job);
    if (status == DECANT_OK) {
        job->links = c.links;
        c.links = (decant__links){0};
    }
    comparison_free(&c);
    return decant__job_stopped(job, status);
}

int decant__candidates_certain(const decant__job *job) {
    decant_start start = (decant_start)job->state.start;
    int like = job->monitor != NULL && job->monitor->like != NULL;
    return start == DECANT_START_DATA_SEPARATE || start == DECANT_START_DATA_KMEANS ||
           (is_few(job) && (like || start >= DECANT_START_DATA_KMEANS));
}

decant_status decant__candidates_score(decant__job *job, const int32_t *labels, double *score) {
    decant_status status = DECANT_OK;
    double lowest;
    size_t n = job->state.n, k = job->state.k;
    int32_t *taken = NULL;
    if (job->links.n == 0) TRY(find_links(job));
    if (job->links.n < n) {
        NEW_ARRAY(taken, job->links.n);
        decant__landmarks_take(labels, n, job->links.n, taken);
        labels = taken;
    }
    status = job->state.start == DECANT_START_DATA_GROUPS
                 ? decant__louvain_inside(&job->links, labels, k, score, &lowest)
                 : decant__louvain_modularity(&job->links, labels, k, score);
done:
    decant__free(taken);
    return status;
}
