/* Threads. A region runs one function on every member of a team; the caller is member 0:
 *
 *     static void add_rows(void *context) {
 *         sums *s = context;
 *         TEAM_FOR(i, s->n) s->row[i] = sum_of_row(s, i);   each row by one member; all wait here
 *         TEAM_SINGLE s->total = sum_of_all(s->row, s->n);  by one member; all wait here
 *     }
 *     decant__team_run(threads, add_rows, &s);
 *
 * Functions marked "for a whole team" contain such loops. Called by every member of a team they
 * share the work; called outside a region, or in a region inside a region, they do it alone. A loop
 * must not be left by break or return: its end is where the members wait for each other.
 *
 * Which member does what is not fixed. Loops run over pieces of work that do not depend on the
 * number of threads, and sums over pieces are taken in order: the result is the same bytes for any
 * number of threads.
 *
 * The caller may have helpers instead, for which it does not wait: decant__team_run_helped.
 *
 * Where threads cannot be created a team has fewer members, down to the caller alone. Threads are
 * kept for the next region. Regions in several threads at once have a team each. After fork() the
 * child makes new threads. No lock is held while a region runs. */
#ifndef DECANT_BASE_TEAM_H
#define DECANT_BASE_TEAM_H

#include "base/status.h"

/* Threads to use: as requested, or one for each core that this process may use if it is 0. */
int decant__team_size(int requested);

/* Runs work(context) on each member of a team of at most `threads`, and waits for all. */
void decant__team_run(int threads, void (*work)(void *context), void *context);

/* The same for regions that are run again and again, as for minibatches, beside other processes
 * that want the cores: the other members are helpers. A helper enters late, leaves early and comes
 * back, as it gets a core. The caller goes on without it, and waits only for pieces of a loop that
 * a helper has begun, and in the end for those that are inside to leave. Who enters begins with
 * work(context), and finds that the loops before the one that is run are over. So in such a region
 *
 * - outside of loops only the caller may change something: decant__team_barrier() waits for it;
 * - what is read outside of loops is not changed by any later loop of the region;
 * - a member has no memory, lock or file of its own between two pieces of a loop. */
void decant__team_run_helped(int threads, void (*work)(void *context), void *context);

/* Runs piece(context, i) for each i < count, `grain` in a row at a time, by a team of at most
 * `threads`. If pieces fail, the status and sentence of the one with the lowest i are returned, and
 * no later ones are begun. */
decant_status decant__team_each(int threads, size_t count, size_t grain,
                                decant_status (*piece)(void *context, size_t i), void *context);

/* The number of the calling member, for memory of its own: less than the `threads` of the region;
 * 0 outside of one. */
size_t decant__team_member(void);

/* How many members the calling thread's team has; 1 outside of a region. */
size_t decant__team_members(void);

/* Waits until all members have come here; with helpers, until the caller has. */
void decant__team_barrier(void);

/* for (size_t i = 0; i < count; i++), each member one run of about the same length. */
#define TEAM_FOR(i, count)                                                                \
    for (decant__loop i##_loop = decant__loop_even(count); decant__loop_next(&i##_loop);) \
        for (size_t i = i##_loop.begin; i < i##_loop.end; i++)

/* The same for items of unequal cost: a member that is free takes the next `grain` items. */
#define TEAM_FOR_DYNAMIC(i, count, grain)                            \
    for (decant__loop i##_loop = decant__loop_dynamic(count, grain); \
         decant__loop_next(&i##_loop);)                              \
        for (size_t i = i##_loop.begin; i < i##_loop.end; i++)

/* A statement that is run by one member, the first that arrives. */
#define TEAM_SINGLE \
    for (decant__loop single_loop = decant__loop_dynamic(1, 1); decant__loop_next(&single_loop);)

/* Implementation of the loops. next sets begin and end; it returns 0 after all members are done. */
typedef struct decant__loop {
    size_t begin, end, count;
    size_t grain; /* 0: one even share for each member */
    size_t done;  /* with helpers: pieces that this member has run */
} decant__loop;

decant__loop decant__loop_even(size_t count);
decant__loop decant__loop_dynamic(size_t count, size_t grain);
int decant__loop_next(decant__loop *loop);

/* Tests: while set, no thread can be created. */
void decant__team_refuse_threads(int refuse);

#endif
