/* What is on the list, several at a time.
 *
 * Two fits with one thread each are done before one after the other with two: nothing waits for the
 * other half of a product, and what only one thread can do (communities, files) costs nothing. On
 * two cores 300 iterations of two pretrainings took 17.0 s side by side and 20.9 s in turn. A fit
 * is the same to the byte for any number of threads, so the results are, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "linalg/team.h"
#include "reproduce/laboratory.h"

/* Each needs memory for a fit of its own. */
enum { MOST_WORKERS = 4 };

typedef struct crew crew;

typedef struct worker {
    crew *crew;
    pthread_t thread;
    decant__work *work; /* NULL: none */
    double began;       /* with this work; monotonic seconds */
} worker;

struct crew {
    decant__laboratory *lab;
    pthread_mutex_t lock; /* held for all that is below, for the list, and while telling */
    pthread_cond_t changed;
    worker worker[MOST_WORKERS];
    int workers, threads; /* threads of each */
    int stopping;
    decant_status status; /* of the first work that failed, and its sentence */
    char sentence[1024];
    double done;  /* planned seconds of work that has ended */
    double began; /* monotonic seconds */
};

/* ---- what goes on, for whoever watches ---- */

/* Planned seconds are those of all cores together, so a worker gets through a share of them. */
static double seconds_done(const crew *c) {
    double now = decant__seconds(), done = c->done;
    for (int i = 0; i < c->workers; i++) {
        const worker *w = &c->worker[i];
        if (w->work != NULL) done += fmin((now - w->began) / c->workers, w->work->seconds);
    }
    return done;
}

static int report(const decant_progress *of_fit, void *user) {
    crew *c = ((worker *)user)->crew;
    const decant_monitor *monitor = c->lab->monitor;
    (void)of_fit;
    pthread_mutex_lock(&c->lock);
    if (monitor != NULL && monitor->progress != NULL && !c->stopping) {
        decant_progress progress = {.phase = "runs",
                                    .step = (size_t)seconds_done(c),
                                    .steps = (size_t)ceil(c->lab->planned),
                                    .loss = NAN,
                                    .changed = NAN,
                                    .seconds = decant__seconds() - c->began};
        c->stopping = monitor->progress(&progress, monitor->user) != 0;
    }
    int stop = c->stopping;
    pthread_mutex_unlock(&c->lock);
    return stop;
}

static void tell(const crew *c, const decant__work *work, const decant_scores *scores,
                 double seconds) {
    const decant_reproduction *how = c->lab->how;
    if (how->tell != NULL)
        how->tell(work->path + strlen(c->lab->folder) + 1, scores, seconds, how->user);
}

/* ---- whose turn it is ---- */

/* Is the file that the work needs being made by another? */
static int is_being_made(const char *needed, const char *by_other) {
    return needed != NULL && by_other != NULL && strcmp(needed, by_other) == 0 &&
           access(needed, F_OK) != 0;
}

static int is_blocked(const crew *c, const decant__work *work) {
    for (int i = 0; i < c->workers; i++) {
        const decant__work *other = c->worker[i].work;
        if (other != NULL && (is_being_made(work->network, other->network) ||
                              is_being_made(work->graph, other->graph)))
            return 1;
    }
    return 0;
}

static int graphs_under_way(const crew *c) {
    int count = 0;
    for (int i = 0; i < c->workers; i++)
        count += c->worker[i].work != NULL && c->worker[i].work->graph != NULL;
    return count;
}

/* The longest work that can be begun, so that none of it is left for one worker at the end. But
 * work on graphs is mostly eigenvectors, and ARPACK finds those of one matrix at a time: one worker
 * always has such work while there is any, and others take it last. */
static decant__work *choose(const crew *c, int *waiting) {
    decant__work *best = NULL;
    int prefer_graphs = graphs_under_way(c) == 0;
    *waiting = 0;
    for (decant__work *work = c->lab->first; work != NULL; work = work->next) {
        if (work->taken) continue;
        *waiting = 1;
        if (is_blocked(c, work)) continue;
        int preferred = (work->graph != NULL) == prefer_graphs;
        int best_preferred = best != NULL && (best->graph != NULL) == prefer_graphs;
        if (best == NULL || preferred > best_preferred ||
            (preferred == best_preferred && work->seconds > best->seconds))
            best = work;
    }
    return best;
}

/* NULL: there is nothing left to do. */
static decant__work *next_work(crew *c) {
    int waiting = 1;
    while (!c->stopping && waiting) {
        decant__work *work = choose(c, &waiting);
        if (work != NULL) return work;
        if (waiting) pthread_cond_wait(&c->changed, &c->lock);
    }
    return NULL;
}

/* ---- the work ---- */

static void end_work(worker *w, decant_status status, const decant__outcome *outcome) {
    crew *c = w->crew;
    if (status == DECANT_OK) tell(c, w->work, &outcome->scores, decant__seconds() - w->began);
    if (status != DECANT_OK && status != DECANT_EDIVERGED && c->status == DECANT_OK) {
        c->status = status;
        c->stopping = 1;
        snprintf(c->sentence, sizeof c->sentence, "%s", decant_last_error());
    }
    c->done += w->work->seconds;
    w->work = NULL;
    pthread_cond_broadcast(&c->changed);
}

static void *work(void *user) {
    worker *w = user;
    crew *c = w->crew;
    decant_monitor monitor = c->lab->monitor != NULL ? *c->lab->monitor : (decant_monitor){0};
    int saved = decant__team_enter();
    monitor.progress = report;
    monitor.user = w;
    pthread_mutex_lock(&c->lock);
    while ((w->work = next_work(c)) != NULL) {
        decant__outcome outcome;
        w->work->taken = 1;
        w->began = decant__seconds();
        tell(c, w->work, NULL, 0);
        pthread_mutex_unlock(&c->lock);
        decant_status status = w->work->make(c->lab, w->work, c->threads, &monitor, &outcome);
        pthread_mutex_lock(&c->lock);
        end_work(w, status, &outcome);
    }
    pthread_mutex_unlock(&c->lock);
    decant__team_leave(saved);
    return NULL;
}

decant_status decant__laboratory_work(decant__laboratory *lab) {
    int cores = decant__team_size(lab->how->threads), started = 0;
    crew c = {.lab = lab,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .changed = PTHREAD_COND_INITIALIZER,
              .workers = cores < MOST_WORKERS ? cores : MOST_WORKERS,
              .began = decant__seconds()};
    c.threads = cores / c.workers;
    for (int i = 0; i < c.workers; i++) c.worker[i].crew = &c;
    /* This thread is one of them: fewer than wanted do it, too. */
    for (int i = 1; i < c.workers; i++) {
        if (pthread_create(&c.worker[i].thread, NULL, work, &c.worker[i]) != 0) break;
        started = i;
    }
    work(&c.worker[0]);
    for (int i = 1; i <= started; i++) pthread_join(c.worker[i].thread, NULL);
    if (c.status != DECANT_OK) return decant__fail(c.status, "%s", c.sentence);
    return DECANT_OK;
}
