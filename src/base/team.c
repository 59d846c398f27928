#include "base/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/cores.h"
#include "base/gate.h"

enum {
    MAX_TEAMS = 16, /* regions at once; one more runs on its caller alone */
    MAX_MEMBERS = 1024
};

struct team;

typedef struct worker {
    struct team *team;
    decant__gate start; /* changes when there is a region to run */
} worker;

typedef struct team {
    int busy;    /* under the pool's mutex, like the next two */
    int ready;   /* its gates are set up */
    int workers; /* threads that were created */
    int size;    /* members in this region, the caller included */
    int spins;   /* whether it is worth it: no more members than cores */
    void (*work)(void *context);
    void *context;
    atomic_int arrived;   /* members at the barrier */
    decant__gate barrier; /* changes when all have arrived */
    atomic_size_t next;   /* item of the loop that the members are in */
    worker worker[MAX_MEMBERS - 1];
} team;

static struct {
    pthread_mutex_t mutex;
    pthread_once_t once;
    team team[MAX_TEAMS];
    int refuse_threads;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* The team and number of this thread; NULL: it is alone. */
static _Thread_local team *current;
static _Thread_local int member;

int decant__team_size(int requested) { return requested > 0 ? requested : decant__cores_count(); }

/* ---- the barrier ---- */

/* Copies what it needs first: after the last member has arrived, the team may already run the
 * region of another caller. */
static void wait_for_all(team *t) {
    unsigned round = atomic_load(&t->barrier.value);
    int size = t->size, spins = t->spins;
    if (atomic_fetch_add(&t->arrived, 1) + 1 < size) {
        decant__gate_wait(&t->barrier, round, spins);
        return;
    }
    atomic_store(&t->arrived, 0);
    atomic_store(&t->next, 0);
    decant__gate_open(&t->barrier);
}

void decant__team_barrier(void) {
    if (current != NULL) wait_for_all(current);
}

size_t decant__team_member(void) { return (size_t)member; }

size_t decant__team_members(void) { return current != NULL ? (size_t)current->size : 1; }

/* ---- the pool ---- */

static void *worker_main(void *argument) {
    worker *self = argument;
    team *t = self->team;
    unsigned seen = 0;
    int spins = 1;
    current = t;
    member = (int)(self - t->worker) + 1;
    for (;; seen++) {
        decant__gate_wait(&self->start, seen, spins);
        spins = t->spins;
        t->work(t->context);
        wait_for_all(t);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static int create_worker(team *t) {
    worker *w = &t->worker[t->workers];
    sigset_t all, saved;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pool.refuse_threads || pthread_attr_init(&attributes) != 0) return 0;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    w->team = t;
    atomic_store(&w->start.value, 0);
    decant__gate_init(&w->start);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    int failed = pthread_create(&thread, &attributes, worker_main, w);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    pthread_attr_destroy(&attributes);
    t->workers += !failed;
    return !failed;
}

static void before_fork(void) { pthread_mutex_lock(&pool.mutex); }
static void after_fork(void) { pthread_mutex_unlock(&pool.mutex); }

/* Only the thread that called fork() is left. */
static void after_fork_in_child(void) {
    for (team *t = pool.team; t < pool.team + MAX_TEAMS; t++) {
        t->busy = t == current;
        t->ready = t->workers = 0;
    }
    pthread_mutex_unlock(&pool.mutex);
}

static void set_up_pool(void) { pthread_atfork(before_fork, after_fork, after_fork_in_child); }

/* Takes a free team, with up to `threads` members; NULL if there is none. */
static team *team_take(int threads) {
    team *t = pool.team;
    pthread_once(&pool.once, set_up_pool);
    pthread_mutex_lock(&pool.mutex);
    while (t < pool.team + MAX_TEAMS && t->busy) t++;
    if (t == pool.team + MAX_TEAMS) {
        t = NULL;
    } else {
        t->busy = 1;
        if (!t->ready) {
            decant__gate_init(&t->barrier);
            atomic_store(&t->arrived, 0);
            t->ready = 1;
        }
        while (t->workers < threads - 1 && create_worker(t)) continue;
        t->size = t->workers < threads - 1 ? t->workers + 1 : threads;
    }
    pthread_mutex_unlock(&pool.mutex);
    return t;
}

static void team_give_back(team *t) {
    pthread_mutex_lock(&pool.mutex);
    t->busy = 0;
    pthread_mutex_unlock(&pool.mutex);
}

void decant__team_refuse_threads(int refuse) {
    pthread_mutex_lock(&pool.mutex);
    pool.refuse_threads = refuse;
    pthread_mutex_unlock(&pool.mutex);
}

/* ---- regions ---- */

/* Without a team: the caller alone, also if it is a member of one already. */
static void run_alone(void (*work)(void *context), void *context) {
    team *outer = current;
    int number = member;
    current = NULL;
    member = 0;
    work(context);
    current = outer;
    member = number;
}

void decant__team_run(int threads, void (*work)(void *context), void *context) {
    if (threads > MAX_MEMBERS) threads = MAX_MEMBERS;
    team *t = threads > 1 && current == NULL ? team_take(threads) : NULL;
    if (t == NULL) {
        run_alone(work, context);
        return;
    }
    t->work = work;
    t->context = context;
    t->spins = t->size <= decant__team_size(0);
    atomic_store(&t->next, 0);
    current = t;
    for (int i = 0; i < t->size - 1; i++) decant__gate_open(&t->worker[i].start);
    work(context);
    wait_for_all(t);
    current = NULL;
    team_give_back(t);
}

/* ---- loops ---- */

decant__loop decant__loop_even(size_t count) { return (decant__loop){.count = count}; }

decant__loop decant__loop_dynamic(size_t count, size_t grain) {
    return (decant__loop){.count = count, .grain = grain};
}

/* The share of this member, once. */
static int take_share(decant__loop *loop) {
    size_t size = current != NULL ? (size_t)current->size : 1, own = (size_t)member;
    size_t each = loop->count / size, more = loop->count % size;
    loop->begin = own * each + (own < more ? own : more);
    loop->end = loop->begin + each + (own < more);
    loop->count = 0;
    return loop->begin < loop->end;
}

static int take_next(decant__loop *loop) {
    loop->begin = atomic_fetch_add(&current->next, loop->grain);
    if (loop->begin >= loop->count) return 0;
    loop->end = loop->count - loop->begin < loop->grain ? loop->count : loop->begin + loop->grain;
    return 1;
}

int decant__loop_next(decant__loop *loop) {
    int more = loop->grain > 0 && current != NULL ? take_next(loop) : take_share(loop);
    if (!more) decant__team_barrier();
    return more;
}

/* ---- pieces that can fail ---- */

typedef struct pieces {
    size_t count, grain;
    decant_status (*piece)(void *context, size_t i);
    void *context;
    atomic_size_t failed; /* the lowest piece that did; count: none */
    pthread_mutex_t mutex;
    decant_status status;
    char sentence[1024];
} pieces;

static void keep_failure(pieces *p, size_t i, decant_status status) {
    pthread_mutex_lock(&p->mutex);
    if (i < atomic_load(&p->failed)) {
        atomic_store(&p->failed, i);
        p->status = status;
        snprintf(p->sentence, sizeof p->sentence, "%s", decant_last_error());
    }
    pthread_mutex_unlock(&p->mutex);
}

/* Pieces are begun in order, so all that come before a failed one were begun and are finished:
 * which one is the lowest does not depend on the threads. */
static void run_pieces(void *context) {
    pieces *p = context;
    TEAM_FOR_DYNAMIC (i, p->count, p->grain) {
        if (i > atomic_load(&p->failed)) continue;
        decant_status status = p->piece(p->context, i);
        if (status != DECANT_OK) keep_failure(p, i, status);
    }
}

decant_status decant__team_each(int threads, size_t count, size_t grain,
                                decant_status (*piece)(void *context, size_t i), void *context) {
    pieces p = {.count = count,
                .grain = grain,
                .piece = piece,
                .context = context,
                .failed = count,
                .mutex = PTHREAD_MUTEX_INITIALIZER};
    decant__team_run(threads, run_pieces, &p);
    pthread_mutex_destroy(&p.mutex);
    if (p.status != DECANT_OK) return decant__fail(p.status, "%s", p.sentence);
    return DECANT_OK;
}
