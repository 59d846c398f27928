/* The tasks of the experiments, several at a time.
 *
 * Two fits side by side with one thread each end sooner than one after the other with two: no
 * thread waits for the other half of a product, and serial parts (communities, files) overlap. On
 * two cores 300 iterations of two pretrainings took 17.0 s side by side and 20.9 s in turn. A fit
 * gives the same bytes for any number of threads, so the results do not depend on this. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "base/team.h"
#include "experiments/experiment_store.h"

/* Each worker needs memory for its own fit. */
enum { MAX_WORKERS = 4 };

typedef struct worker_pool worker_pool;

typedef struct worker {
    worker_pool *worker_pool;
    pthread_t thread;
    decant__experiment_task *task; /* NULL: none */
    double began;                  /* with this task; monotonic seconds */
} worker;

struct worker_pool {
    decant__experiment_store *store;
    pthread_mutex_t lock; /* held for all that is below, for the list, and while on_run is called */
    pthread_cond_t changed;
    worker worker[MAX_WORKERS];
    int workers, threads; /* threads of each */
    int stopping;
    decant_status status; /* of the first task that failed, and its sentence */
    char sentence[1024];
    double done;  /* planned seconds of the tasks that have ended */
    double began; /* monotonic seconds */
};

/* ---- progress ---- */

/* Planned seconds are those of all cores together; a worker has a share of the cores. */
static double seconds_done(const worker_pool *c) {
    double now = decant__seconds(), done = c->done;
    for (int i = 0; i < c->workers; i++) {
        const worker *w = &c->worker[i];
        if (w->task != NULL) done += fmin((now - w->began) / c->workers, w->task->seconds);
    }
    return done;
}

static int report_progress(const decant_progress *of_fit, void *user) {
    worker_pool *c = ((worker *)user)->worker_pool;
    const decant_monitor *monitor = c->store->monitor;
    (void)of_fit;
    pthread_mutex_lock(&c->lock);
    if (monitor != NULL && monitor->progress != NULL && !c->stopping) {
        decant_progress progress = {.struct_size = sizeof progress,
                                    .phase = "runs",
                                    .step = (size_t)seconds_done(c),
                                    .steps = (size_t)ceil(c->store->planned),
                                    .loss = NAN,
                                    .changed = NAN,
                                    .seconds = decant__seconds() - c->began};
        c->stopping = monitor->progress(&progress, monitor->user) != 0;
    }
    int stop = c->stopping;
    pthread_mutex_unlock(&c->lock);
    return stop;
}

static void call_on_run(const worker_pool *c, const decant__experiment_task *task,
                        const decant_scores *scores, double seconds) {
    const decant_reproduction *how = c->store->how;
    if (how->on_run != NULL)
        how->on_run(task->path + strlen(c->store->folder) + 1, scores, seconds, how->user);
}

/* ---- which task is next ---- */

/* Is another task making the file that this one needs? */
static int is_being_made(const char *needed, const char *by_other) {
    return needed != NULL && by_other != NULL && strcmp(needed, by_other) == 0 &&
           access(needed, F_OK) != 0;
}

static int is_blocked(const worker_pool *c, const decant__experiment_task *task) {
    for (int i = 0; i < c->workers; i++) {
        const decant__experiment_task *other = c->worker[i].task;
        if (other != NULL && (is_being_made(task->network, other->network) ||
                              is_being_made(task->graph, other->graph)))
            return 1;
    }
    return 0;
}

static int graphs_under_way(const worker_pool *c) {
    int count = 0;
    for (int i = 0; i < c->workers; i++)
        count += c->worker[i].task != NULL && c->worker[i].task->graph != NULL;
    return count;
}

/* The longest task that can be started, so that no long task is left for a single worker at the
 * end. But tasks on graphs mostly compute eigenvectors, and ARPACK is not reentrant: one worker
 * always has such a task while there are any, and the others take them last. */
static decant__experiment_task *first_startable(const worker_pool *c, int *waiting) {
    decant__experiment_task *best = NULL;
    int prefer_graphs = graphs_under_way(c) == 0;
    *waiting = 0;
    for (decant__experiment_task *task = c->store->first; task != NULL; task = task->next) {
        if (task->started) continue;
        *waiting = 1;
        if (is_blocked(c, task)) continue;
        int preferred = (task->graph != NULL) == prefer_graphs;
        int best_preferred = best != NULL && (best->graph != NULL) == prefer_graphs;
        if (best == NULL || preferred > best_preferred ||
            (preferred == best_preferred && task->seconds > best->seconds))
            best = task;
    }
    return best;
}

/* NULL: all tasks are started, or the pool is stopping. */
static decant__experiment_task *next_task(worker_pool *c) {
    int waiting = 1;
    while (!c->stopping && waiting) {
        decant__experiment_task *task = first_startable(c, &waiting);
        if (task != NULL) return task;
        if (waiting) pthread_cond_wait(&c->changed, &c->lock);
    }
    return NULL;
}

/* ---- the task ---- */

static void end_task(worker *w, decant_status status, const decant__outcome *outcome) {
    worker_pool *c = w->worker_pool;
    if (status == DECANT_OK)
        call_on_run(c, w->task, &outcome->scores, decant__seconds() - w->began);
    if (status != DECANT_OK && status != DECANT_EDIVERGED && c->status == DECANT_OK) {
        c->status = status;
        c->stopping = 1;
        snprintf(c->sentence, sizeof c->sentence, "%s", decant_last_error());
    }
    c->done += w->task->seconds;
    w->task = NULL;
    pthread_cond_broadcast(&c->changed);
}

static void *task(void *user) {
    worker *w = user;
    worker_pool *c = w->worker_pool;
    decant_monitor monitor = c->store->monitor != NULL
                                 ? *c->store->monitor
                                 : (decant_monitor){.struct_size = sizeof monitor};
    monitor.progress = report_progress;
    monitor.user = w;
    pthread_mutex_lock(&c->lock);
    while ((w->task = next_task(c)) != NULL) {
        decant__outcome outcome;
        w->task->started = 1;
        w->began = decant__seconds();
        call_on_run(c, w->task, NULL, 0);
        pthread_mutex_unlock(&c->lock);
        decant_status status = w->task->run(c->store, w->task, c->threads, &monitor, &outcome);
        pthread_mutex_lock(&c->lock);
        end_task(w, status, &outcome);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

decant_status decant__experiment_store_run(decant__experiment_store *store) {
    int cores = decant__team_size(store->how->threads), started = 0;
    worker_pool c = {.store = store,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .workers = cores < MAX_WORKERS ? cores : MAX_WORKERS,
                     .began = decant__seconds()};
    c.threads = cores / c.workers;
    for (int i = 0; i < c.workers; i++) c.worker[i].worker_pool = &c;
    /* This thread is a worker too. If threads cannot be created, there are fewer workers. */
    for (int i = 1; i < c.workers; i++) {
        if (pthread_create(&c.worker[i].thread, NULL, task, &c.worker[i]) != 0) break;
        started = i;
    }
    task(&c.worker[0]);
    for (int i = 1; i <= started; i++) pthread_join(c.worker[i].thread, NULL);
    if (c.status != DECANT_OK) return decant__fail(c.status, "%s", c.sentence);
    return DECANT_OK;
}
