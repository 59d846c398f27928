#include "cluster/communities.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/team.h"
#include "cluster/merge.h"

enum {
    MAX_RAISES = 12,   /* of the resolution, until there are k clusters */
    MAX_MERGED = 4096, /* max clusters to merge: all pairs are compared */
    ORDERS = 2,        /* in which the nodes are visited, at each resolution */
    RESOLUTIONS = 5,
    ATTEMPTS = RESOLUTIONS * ORDERS
};
static const double RAISE = 1.4;
/* Resolutions to try, as multiples of the one that gives about k clusters. */
static const double AROUND[RESOLUTIONS] = {0.5, 0.7, 1, 1.4, 2};

static decant_status report_progress(const decant__communities *wanted, size_t attempts) {
    return decant__watch_tick(wanted->watch, attempts, ATTEMPTS, (double)NAN, (double)NAN);
}

/* How many clusters the graph has at resolution 1 and, if these are fewer than k, the first higher
 * resolution that has k. */
static decant_status find_resolution(const decant__communities *wanted, const decant__links *links,
                                     int32_t *labels, size_t *natural, double *resolution) {
    decant_status status = DECANT_OK;
    decant__links parts = {0};
    decant__cancel cancel;
    const decant__visit visit = {wanted->seed, 0, &cancel};
    decant__cancel_init(&cancel, wanted->watch);
    *resolution = 1;
    for (int raise = 0; raise < MAX_RAISES; raise++) {
        TRY(report_progress(wanted, 0));
        TRY(decant__louvain(links, *resolution, &visit, labels, &parts));
        size_t count = parts.n;
        decant__links_free(&parts);
        if (raise == 0) *natural = count;
        if (count >= wanted->k) break;
        *resolution *= RAISE;
    }
done:
    return status;
}

/* The two ways to merge the clusters that Louvain's method finds. */
enum { BY_MODULARITY, BY_SHARE, WAYS };

/* One partition into k clusters of each kind that is wanted. labels: WAYS x n, score: WAYS; it is
 * -INFINITY where this resolution has none. */
static decant_status attempt(const decant__communities *wanted, const decant__links *links,
                             double resolution, const decant__visit *visit, int32_t *labels,
                             double *score) {
    decant_status status = DECANT_OK;
    decant__links parts = {0};
    double lowest;
    size_t k = wanted->k, n = links->n;
    int32_t *shared = labels + n;
    score[BY_MODULARITY] = score[BY_SHARE] = -INFINITY;
    TRY(decant__louvain(links, resolution, visit, labels, &parts));
    if (parts.n < k || parts.n > MAX_MERGED) goto done;
    if (wanted->groups != NULL) {
        memcpy(shared, labels, n * sizeof *labels);
        TRY(decant__merge_clusters(&parts, k, DECANT__MERGE_BY_SHARE, n, shared));
        TRY(decant__louvain_inside(links, shared, k, &score[BY_SHARE], &lowest));
    }
    TRY(decant__merge_clusters(&parts, k, DECANT__MERGE_BY_MODULARITY, n, labels));
    TRY(decant__louvain_improve(links, visit, k, labels));
    TRY(decant__louvain_modularity(links, labels, k, &score[BY_MODULARITY]));
done:
    decant__links_free(&parts);
    return status;
}

typedef struct partition {
    double score;
    int number;
    int32_t *labels;
} partition;

/* Ties go to the lower attempt number, so that the order of threads does not matter. */
static void keep_best_partition(partition *best, double score, int number, const int32_t *labels,
                                size_t n) {
    if (score < best->score || (score == best->score && number >= best->number)) return;
    best->score = score;
    best->number = number;
    memcpy(best->labels, labels, n * sizeof *labels);
}

typedef struct attempts {
    const decant__communities *wanted;
    const decant__comm *comm;
    const decant__links *links;
    double resolution;
    int32_t *labels; /* threads x WAYS x n */
    size_t count;    /* of this rank: those that are its number, modulo the number of ranks */
    atomic_size_t begun, ended;
    decant__cancel cancel;
    pthread_mutex_t mutex; /* of best */
    partition *best;       /* WAYS */
} attempts;

/* Only the calling thread hears the watcher, so it waits here for the others' last attempts. */
static void wait_for_others(attempts *a) {
    const struct timespec pause = {.tv_nsec = 1000000};
    while (a->cancel.watch != NULL && atomic_load(&a->begun) == a->count &&
           atomic_load(&a->ended) < a->count && !decant__cancel_asked(&a->cancel))
        nanosleep(&pause, NULL);
}

/* The callback is for the calling thread, member 0 of the team. */
static decant_status attempt_one(void *context, size_t own) {
    decant_status status = DECANT_OK;
    attempts *a = context;
    size_t ranks = (size_t)a->comm->size, number = own * ranks + (size_t)a->comm->rank;
    size_t n = a->links->n, begun = atomic_fetch_add(&a->begun, 1) * ranks;
    int32_t *labels = a->labels + decant__team_member() * WAYS * n;
    const decant__visit visit = {a->wanted->seed, number, &a->cancel};
    double score[WAYS];
    if (decant__team_member() == 0) TRY(report_progress(a->wanted, begun));
    TRY(attempt(a->wanted, a->links, a->resolution * AROUND[number / ORDERS], &visit, labels,
                score));
    pthread_mutex_lock(&a->mutex);
    for (int way = 0; way < (a->wanted->groups != NULL ? WAYS : 1); way++)
        keep_best_partition(&a->best[way], score[way], (int)number, labels + (size_t)way * n, n);
    pthread_mutex_unlock(&a->mutex);
done:
    atomic_fetch_add(&a->ended, 1);
    if (decant__team_member() == 0 && status == DECANT_OK) wait_for_others(a);
    return status;
}

/* Each rank has the best of its own attempts; then all have the best of all. */
static void share_best(const decant__comm *comm, partition *best, size_t n) {
    struct {
        double score;
        int number;
    } of[DECANT__MAX_RANKS] = {{0}};
    size_t begin[DECANT__MAX_RANKS + 1];
    int winner = 0;
    for (int r = 0; r <= comm->size; r++) begin[r] = (size_t)r * sizeof of[0];
    of[comm->rank].score = best->score;
    of[comm->rank].number = best->number;
    decant__comm_gather(comm, of, begin);
    for (int r = 1; r < comm->size; r++)
        if (of[r].score > of[winner].score ||
            (of[r].score == of[winner].score && of[r].number < of[winner].number))
            winner = r;
    if (!isfinite(of[winner].score)) return;
    best->score = of[winner].score;
    best->number = of[winner].number;
    decant__comm_broadcast(comm, winner, best->labels, n * sizeof *best->labels);
}

/* Runs all attempts in parallel; takes the one with the highest score. best: WAYS. */
static decant_status best_partition(const decant__communities *wanted, const decant__links *links,
                                    double resolution, partition *best) {
    decant_status status = DECANT_OK;
    const decant__comm *comm = wanted->comm != NULL ? wanted->comm : decant__comm_alone();
    int threads = wanted->threads < ATTEMPTS ? wanted->threads : ATTEMPTS;
    attempts a = {.wanted = wanted,
                  .comm = comm,
                  .links = links,
                  .resolution = resolution,
                  .count = (size_t)((ATTEMPTS + comm->size - 1 - comm->rank) / comm->size),
                  .mutex = PTHREAD_MUTEX_INITIALIZER,
                  .best = best};
    decant__cancel_init(&a.cancel, wanted->watch);
    NEW_ARRAY(a.labels, (size_t)threads * WAYS * links->n);
    if (a.count > 0) TRY(decant__team_each(threads, a.count, 1, attempt_one, &a));
done:
    pthread_mutex_destroy(&a.mutex);
    decant__free(a.labels);
    status = decant__comm_agree(comm, status);
    for (int way = 0; status == DECANT_OK && way < (wanted->groups != NULL ? WAYS : 1); way++)
        share_best(comm, &best[way], links->n);
    return status;
}

/* Improves the caller's clusters. For a small graph, or one with many components, they can be
 * better than merged communities. */
static decant_status attempt_given(const decant__communities *wanted, const decant__links *links,
                                   const int32_t *labels, partition *best) {
    decant_status status = DECANT_OK;
    decant__cancel cancel;
    const decant__visit visit = {wanted->seed, ATTEMPTS, &cancel};
    decant__cancel_init(&cancel, wanted->watch);
    memcpy(best->labels, labels, links->n * sizeof *labels);
    TRY(decant__louvain_improve(links, &visit, wanted->k, best->labels));
    TRY(decant__louvain_modularity(links, best->labels, wanted->k, &best->score));
    best->number = ATTEMPTS;
done:
    return status;
}

decant_status decant__communities_find(const decant__communities *wanted, int32_t *labels,
                                       size_t *natural, int *usable) {
    decant_status status = DECANT_OK;
    decant__links own = {0};
    const decant__links *links = wanted->links != NULL ? wanted->links : &own;
    partition best[WAYS] = {{.score = -INFINITY}, {.score = -INFINITY}};
    size_t n = wanted->graph->n;
    double resolution;
    *usable = 0;
    if (links == &own) TRY(decant__links_of(wanted->graph, &own));
    NEW_ARRAY(best[BY_MODULARITY].labels, n);
    best[BY_SHARE].labels = wanted->groups;
    TRY(find_resolution(wanted, links, best[BY_MODULARITY].labels, natural, &resolution));
    if (*natural > wanted->max) goto done;
    TRY(attempt_given(wanted, links, labels, &best[BY_MODULARITY]));
    TRY(best_partition(wanted, links, resolution, best));
    *usable = isfinite(best[BY_MODULARITY].score);
    if (*usable) memcpy(labels, best[BY_MODULARITY].labels, n * sizeof *labels);
    if (wanted->groups != NULL) *wanted->groups_usable = isfinite(best[BY_SHARE].score);
done:
    decant__links_free(&own);
    decant__free(best[BY_MODULARITY].labels);
    return status;
}
