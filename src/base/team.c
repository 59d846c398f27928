#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cores.h"
#include "base/gate.h"
#include "base/watch.h"

enum {
    MAX_TEAMS = 16, /* regions at once; one more runs on its caller alone */
    MAX_MEMBERS = 1024
};

/* A helper whose core others want too rests after this long, between two pieces of its work: before
 * the system, which knows nothing of pieces, takes the core away within one. */
static const double BURST_SECONDS = 2e-3;
/* A rest that takes longer was used by somebody. */
static const double CROWDED_SECONDS = 50e-6;

/* In `inside`: no helper may enter. */
static const unsigned CLOSED = 1U << 31;

struct team;

typedef struct worker {
    struct team *team;
    decant__gate
        start; /* changes if there is a region: to an odd number if every member must run it */
    sigjmp_buf outside;    /* where a helper goes that leaves a region before its end */
    int spins;             /* while it waits for a region */
    int crowded;           /* others used its last rest */
    double began;          /* when that was over */
    decant__cores allowed; /* it is kept off the caller's core, else could use these; or none */
} worker;

typedef struct team {
    int busy;    /* under the pool's mutex, like the next two */
    int ready;   /* its gates are set up */
    int workers; /* threads that were created */
    int size;    /* members in this region, the caller included */
    int spins;   /* whether it is worth it: no more members than cores */
    int helped;  /* workers are helpers */
    void (*work)(void *context);
    void *context;
    decant__gate barrier; /* changes when all have arrived; with helpers: the loop that is run */
    atomic_int arrived;   /* members at the barrier */
    atomic_size_t next;   /* item of the loop that the members are in */
    /* With helpers, instead of these two: */
    atomic_uint_least64_t taken; /* 2^32 * loop + pieces of it that were begun */
    atomic_size_t done;          /* pieces of it that are finished */
    atomic_uint inside;          /* helpers in the region */
    unsigned first_loop;
    decant__cores allowed; /* of the caller */
    int core;              /* where it is */
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
static _Thread_local unsigned at; /* the loop that it is in, with helpers */

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

size_t decant__team_member(void) { return (size_t)member; }

size_t decant__team_members(void) { return current != NULL ? (size_t)current->size : 1; }

/* ---- helpers ----
 *
 * Loops are counted, and the loop that is run is over when all of its pieces are done, whoever did
 * them. A helper that enters a region late runs through it from the beginning: loops that are over
 * have nothing for it, so that it soon comes to the one that is run. It leaves by a jump out of the
 * work, between two pieces or when it has to wait for long, and only then sleeps. */

static void use_all_cores(worker *w) {
    decant__cores_use(&w->allowed);
    w->allowed.count = 0;
}

/* On a core that others want, the two would wait for each other. */
static void keep_off_caller(worker *w, const team *t) {
    decant__cores others = t->allowed;
    decant__cores_remove(&others, t->core);
    if (decant__cores_use(&others)) w->allowed = t->allowed;
}

/* Lets others use the core, and learns whether there are any. */
static void rest(worker *w) {
    double began = decant__seconds();
    sched_yield();
    w->began = decant__seconds();
    w->crowded = w->began - began > CROWDED_SECONDS;
}

static int has_worked_long(const worker *w) { return decant__seconds() - w->began > BURST_SECONDS; }

/* The caller, worker NULL, never is. */
static int is_tired(const worker *w) { return w != NULL && w->crowded && has_worked_long(w); }

static int enter(team *t) {
    unsigned inside = atomic_load(&t->inside);
    while (!(inside & CLOSED))
        if (atomic_compare_exchange_weak(&t->inside, &inside, inside + 1)) return 1;
    return 0;
}

/* The last one opens the barrier for the caller, if that waits for the end of the region. */
static void leave(team *t) {
    if (atomic_fetch_sub(&t->inside, 1) == CLOSED + 1) decant__gate_open(&t->barrier);
}

/* Whether it came to the end of the region. */
static int work_inside(team *t, worker *w) {
    if (sigsetjmp(w->outside, 0) != 0) return 0;
    at = t->first_loop;
    t->work(t->context);
    return 1;
}

/* The region may be a later one than that which the worker was started for, and of fewer members.
 */
static void help(team *t, worker *w) {
    for (int ended = 0; !ended && enter(t);) {
        w->spins = t->spins;
        ended = member >= t->size;
        if (w->crowded)
            keep_off_caller(w, t);
        else
            use_all_cores(w);
        if (!ended) ended = work_inside(t, w);
        leave(t);
        if (ended ? has_worked_long(w) : is_tired(w)) {
            rest(w);
        } else if (!ended) {
            decant__gate_sleep(&t->barrier, at);
            w->began = decant__seconds();
        }
    }
}

/* The next piece of the loop that this member is in; 0: there is none. The line of `taken` is
 * fetched for writing, not first for reading: this is 1 % of a minibatch. */
static int take_piece(team *t, size_t pieces, size_t *piece) {
    __builtin_prefetch(&t->taken, 1);
    uint_least64_t taken = atomic_load(&t->taken);
    while ((unsigned)(taken >> 32) == at && (uint32_t)taken < pieces)
        if (atomic_compare_exchange_weak(&t->taken, &taken, taken + 1)) {
            *piece = (uint32_t)taken;
            return 1;
        }
    return 0;
}

static void end_loop(team *t) {
    atomic_store(&t->done, 0);
    atomic_store(&t->taken, (uint_least64_t)(at + 1) << 32);
    decant__gate_set(&t->barrier, at + 1);
}

static worker *own_worker(team *t) { return member > 0 ? &t->worker[member - 1] : NULL; }

/* A helper's look at whether the loop is over, without sleep. */
static int is_over(team *t) {
    if (t->spins) return decant__gate_spin(&t->barrier, at);
    return atomic_load(&t->barrier.value) != at;
}

/* Only the caller sleeps in a region, and only while a helper has a piece. */
static void await_loop(team *t) {
    worker *w = own_worker(t);
    if (w == NULL)
        decant__gate_wait(&t->barrier, at, t->spins);
    else if (is_tired(w) || !is_over(t))
        siglongjmp(w->outside, 1);
}

/* ---- the pool ---- */

static void *worker_main(void *argument) {
    worker *self = argument;
    team *t = self->team;
    unsigned seen = 0;
    current = t;
    member = (int)(self - t->worker) + 1;
    for (;;) {
        if (!self->spins || !decant__gate_spin(&self->start, seen)) {
            use_all_cores(self);
            decant__gate_sleep(&self->start, seen);
        }
        seen = atomic_load(&self->start.value);
        if (seen % 2 == 0) {
            help(t, self);
            continue;
        }
        use_all_cores(self);
        self->spins = t->spins;
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
    w->spins = 1;
    w->crowded = 0;
    w->allowed.count = 0;
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
            atomic_store(&t->inside, CLOSED);
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

/* A worker may still be on its way to an earlier region that had helpers. */
static void start_workers(team *t) {
    for (int i = 0; i < t->size - 1; i++) {
        decant__gate *start = &t->worker[i].start;
        decant__gate_set(start, ((atomic_load(&start->value) | 1) + 1) | !t->helped);
    }
}

static void run_all(team *t) {
    atomic_store(&t->next, 0);
    start_workers(t);
    t->work(t->context);
    wait_for_all(t);
}

static void run_helped(team *t) {
    at = t->first_loop = atomic_load(&t->barrier.value);
    atomic_store(&t->done, 0);
    atomic_store(&t->taken, (uint_least64_t)at << 32);
    t->allowed = decant__cores_allowed();
    t->core = decant__cores_here();
    atomic_store(&t->inside, 0);
    start_workers(t);
    t->work(t->context);
    if (atomic_fetch_or(&t->inside, CLOSED) == 0)
        decant__gate_open(&t->barrier);
    else
        decant__gate_wait(&t->barrier, at, t->spins);
}

static void run(int threads, int helped, void (*work)(void *context), void *context) {
    if (threads > MAX_MEMBERS) threads = MAX_MEMBERS;
    team *t = threads > 1 && current == NULL ? team_take(threads) : NULL;
    if (t == NULL) {
        run_alone(work, context);
        return;
    }
    t->work = work;
    t->context = context;
    t->helped = helped;
    t->spins = t->size <= decant__team_size(0);
    current = t;
    if (t->helped)
        run_helped(t);
    else
        run_all(t);
    current = NULL;
    team_give_back(t);
}

void decant__team_run(int threads, void (*work)(void *context), void *context) {
    run(threads, 0, work, context);
}

void decant__team_run_helped(int threads, void (*work)(void *context), void *context) {
    run(threads, 1, work, context);
}

/* ---- loops ---- */

decant__loop decant__loop_even(size_t count) { return (decant__loop){.count = count}; }

decant__loop decant__loop_dynamic(size_t count, size_t grain) {
    return (decant__loop){.count = count, .grain = grain};
}

static void set_share(decant__loop *loop, size_t own, size_t size) {
    size_t each = loop->count / size, more = loop->count % size;
    loop->begin = own * each + (own < more ? own : more);
    loop->end = loop->begin + each + (own < more);
}

/* The share of this member, once. */
static int take_share(decant__loop *loop) {
    set_share(loop, (size_t)member, decant__team_members());
    loop->count = 0;
    return loop->begin < loop->end;
}

static void set_run(decant__loop *loop, size_t begin) {
    loop->begin = begin;
    loop->end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
}

static int take_next(decant__loop *loop) {
    size_t begin = atomic_fetch_add(&current->next, loop->grain);
    if (begin >= loop->count) return 0;
    set_run(loop, begin);
    return 1;
}

/* A loop without items is one empty piece: all members count the same loops. */
static int take_helped(team *t, decant__loop *loop) {
    size_t grain = loop->grain, size = (size_t)t->size, piece;
    size_t pieces = grain > 0 ? (loop->count + grain - 1) / grain : size;
    if (pieces == 0) pieces = 1;
    if (!is_tired(own_worker(t)) && take_piece(t, pieces, &piece)) {
        if (grain > 0)
            set_run(loop, piece * grain);
        else
            set_share(loop, piece, size);
        loop->done++;
        return 1;
    }
    if (loop->done > 0 && atomic_fetch_add(&t->done, loop->done) + loop->done == pieces)
        end_loop(t);
    else
        await_loop(t);
    at++;
    return 0;
}

void decant__team_barrier(void) {
    if (current == NULL) return;
    if (!current->helped) {
        wait_for_all(current);
        return;
    }
    if (member == 0)
        end_loop(current);
    else
        await_loop(current);
    at++;
}

int decant__loop_next(decant__loop *loop) {
    if (current != NULL && current->helped) return take_helped(current, loop);
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
