/* Nearest neighbours that are nearly all the true ones, in time that grows like n log n.
 *
 * A forest: each tree halves the rows again and again at the median of x.(a - b), a and b two of
 * its rows at random (Dasgupta and Freund 2008), down to leaves in which all pairs are looked at.
 * Then neighbours of neighbours, and of those that count a row among theirs, are looked at until
 * few lists change (Dong, Moses and Li 2011). Lists are longer on the way than asked for: a graph
 * of five links a row is too thin to walk on.
 *
 * Trees are built side by side; the leaves of one tree share no row, and a pass over neighbours
 * reads the lists of the last one: the threads never meet, and the result does not depend on them.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linalg/neighbours.h"
#include "linalg/select.h"
#include "linalg/shortlist.h"

enum { TREES = 16, LEAF = 64, LEAST_ROOM = 16, MOST_PASSES = 6, SAMPLE = 1000 };

/* Passes end when less than this share of the places in the lists changed. */
static const double FEW_CHANGES = 0.005;

typedef struct forest {
    const decant__source *x;
    const decant__search *wish;
    size_t n, room, leaves;
    uint32_t *order[TREES]; /* n: rows, leaf by leaf */
    float *margin;          /* threads x n */
    float *direction;       /* threads x d: a - b, 0 between uses */
    decant__shortlist *list, *next;
    uint32_t *index[2]; /* n x room each */
    float *distance[2];
    size_t *reverse_start; /* n + 1 */
    uint32_t *reverse;     /* n x room */
    uint32_t *seen;        /* threads x n: the last row that looked at this one */
    size_t *changes;       /* threads */
} forest;

static void forest_free(forest *f) {
    for (int t = 0; t < TREES; t++) decant__free(f->order[t]);
    decant__free(f->margin);
    decant__free(f->direction);
    decant__free(f->list);
    decant__free(f->next);
    for (int b = 0; b < 2; b++) {
        decant__free(f->index[b]);
        decant__free(f->distance[b]);
    }
    decant__free(f->reverse_start);
    decant__free(f->reverse);
    decant__free(f->seen);
    decant__free(f->changes);
}

static decant_status forest_new(forest *f, const decant__search *wish) {
    decant_status status = DECANT_OK;
    size_t n = wish->x->n, threads = (size_t)wish->threads;
    *f = (forest){.x = wish->x, .wish = wish, .n = n, .leaves = 1};
    f->room = wish->count > LEAST_ROOM ? wish->count : LEAST_ROOM;
    if (f->room > n - 1) f->room = n - 1;
    while ((n + f->leaves - 1) / f->leaves > LEAF) f->leaves *= 2;
    for (int t = 0; t < TREES; t++) NEW_ARRAY(f->order[t], n);
    NEW_ARRAY(f->margin, threads * n);
    NEW_ZEROED(f->direction, threads * f->x->d);
    NEW_ARRAY(f->list, n);
    NEW_ARRAY(f->next, n);
    for (int b = 0; b < 2; b++) {
        NEW_ARRAY(f->index[b], n * f->room);
        NEW_ARRAY(f->distance[b], n * f->room);
    }
    NEW_ARRAY(f->reverse_start, n + 1);
    NEW_ARRAY(f->reverse, n * f->room);
    NEW_ARRAY(f->seen, threads * n);
    NEW_ARRAY(f->changes, threads);
    for (size_t i = 0; i < n; i++) {
        size_t at = i * f->room;
        f->list[i] = (decant__shortlist){0, f->room, f->index[0] + at, f->distance[0] + at};
        f->next[i] = (decant__shortlist){0, f->room, f->index[1] + at, f->distance[1] + at};
    }
done:
    return status;
}

/* ---- trees ---- */

/* direction += factor x row */
static void add_row(const decant__source *x, size_t row, float factor, float *direction) {
    if (x->dense == NULL) {
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
            direction[x->column[e]] += factor * x->value[e];
        return;
    }
    const float *value = x->dense + row * x->d;
    for (size_t j = 0; j < x->d; j++)
        direction[j] +=
            factor * (x->scale != NULL ? (value[j] - x->shift[j]) * x->scale[j] : value[j]);
}

/* Back to 0, in the time that the row takes. */
static void forget(const decant__source *x, size_t row, float *direction) {
    if (x->dense != NULL) {
        memset(direction, 0, x->d * sizeof *direction);
        return;
    }
    for (size_t e = x->start[row]; e < x->start[row + 1]; e++) direction[x->column[e]] = 0;
}

/* A dense row's shift moves all margins alike, so only its scale counts; that is in direction. */
static float project(const decant__source *x, size_t row, const float *direction) {
    float sum = 0;
    if (x->dense == NULL) {
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
            sum += x->value[e] * direction[x->column[e]];
        return sum;
    }
    const float *value = x->dense + row * x->d;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < x->d; j++) sum += value[j] * direction[j];
    return sum;
}

/* The middle of rows begin .. end-1, as the bounds of leaves have it. */
static size_t bound(const forest *f, size_t leaf) { return f->n * leaf / f->leaves; }

/* Halves the rows of leaves first .. first+count-1, and then the halves. */
static void grow(forest *f, int tree, size_t first, size_t count, float *margin, float *direction) {
    if (count < 2) return;
    const decant__source *x = f->x;
    size_t begin = bound(f, first), middle = bound(f, first + count / 2);
    size_t rows = bound(f, first + count) - begin;
    uint32_t *order = f->order[tree] + begin;
    decant__random random = decant__random_start(f->wish->seed, DECANT__RANDOM_NEIGHBOURS,
                                                 (uint64_t)tree << 40 | first << 8 | count % 251);
    size_t a = order[decant__random_below(&random, rows)];
    size_t b = order[decant__random_below(&random, rows)];
    add_row(x, a, 1, direction);
    add_row(x, b, -1, direction);
    for (size_t j = 0; x->dense != NULL && x->scale != NULL && j < x->d; j++)
        direction[j] *= x->scale[j];
    for (size_t i = 0; i < rows; i++) margin[order[i]] = project(x, order[i], direction);
    forget(x, a, direction);
    forget(x, b, direction);
    decant__select_middle(margin, 1, order, middle - begin, rows);
    grow(f, tree, first, count / 2, margin, direction);
    grow(f, tree, first + count / 2, count / 2, margin, direction);
}

static void grow_all(forest *f) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(f->wish->threads)
    for (int tree = 0; tree < TREES; tree++) {
        size_t thread = (size_t)omp_get_thread_num();
        for (size_t i = 0; i < f->n; i++) f->order[tree][i] = (uint32_t)i;
        grow(f, tree, 0, f->leaves, f->margin + thread * f->n, f->direction + thread * f->x->d);
    }
}

/* ---- lists ---- */

static int has(const decant__shortlist *list, uint32_t row) {
    for (size_t m = 0; m < list->count; m++)
        if (list->index[m] == row) return 1;
    return 0;
}

static int offer_once(decant__shortlist *list, uint32_t row, float distance) {
    if (distance > decant__shortlist_worst(list) || has(list, row)) return 0;
    return decant__shortlist_offer(list, row, distance);
}

static void look_at_leaf(forest *f, const uint32_t *rows, size_t count) {
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++) {
            float distance = (float)decant__neighbours_distance(f->x, rows[a], rows[b]);
            offer_once(&f->list[rows[a]], rows[b], distance);
            offer_once(&f->list[rows[b]], rows[a], distance);
        }
}

static void look_at_tree(forest *f, int tree) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(f->wish->threads)
    for (size_t leaf = 0; leaf < f->leaves; leaf++)
        look_at_leaf(f, f->order[tree] + bound(f, leaf), bound(f, leaf + 1) - bound(f, leaf));
}

/* ---- neighbours of neighbours ---- */

/* Who counts a row among its neighbours. */
static void reverse_lists(forest *f) {
    memset(f->reverse_start, 0, (f->n + 1) * sizeof *f->reverse_start);
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++) f->reverse_start[f->list[i].index[m] + 1]++;
    for (size_t i = 0; i < f->n; i++) f->reverse_start[i + 1] += f->reverse_start[i];
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++)
            f->reverse[f->reverse_start[f->list[i].index[m]]++] = (uint32_t)i;
    memmove(f->reverse_start + 1, f->reverse_start, f->n * sizeof *f->reverse_start);
    f->reverse_start[0] = 0;
}

static void consider(forest *f, size_t i, uint32_t other, uint32_t *seen, size_t *changes) {
    if (seen[other] == i) return;
    seen[other] = (uint32_t)i;
    float distance = (float)decant__neighbours_distance(f->x, i, other);
    *changes += (size_t)offer_once(&f->next[i], other, distance);
}

static void look_around(forest *f, size_t i, uint32_t *seen, size_t *changes) {
    const decant__shortlist *own = &f->list[i];
    decant__shortlist *next = &f->next[i];
    size_t begin = f->reverse_start[i], end = f->reverse_start[i + 1];
    if (end - begin > f->room) end = begin + f->room; /* a hub is looked at from elsewhere */
    next->count = own->count;
    memcpy(next->index, own->index, own->count * sizeof *own->index);
    memcpy(next->distance, own->distance, own->count * sizeof *own->distance);
    seen[i] = (uint32_t)i;
    for (size_t m = 0; m < own->count; m++) seen[own->index[m]] = (uint32_t)i;
    for (size_t e = begin; e < end; e++) consider(f, i, f->reverse[e], seen, changes);
    for (size_t m = 0; m < own->count; m++) {
        const decant__shortlist *near = &f->list[own->index[m]];
        for (size_t l = 0; l < near->count; l++) consider(f, i, near->index[l], seen, changes);
    }
    for (size_t e = begin; e < end; e++) {
        const decant__shortlist *near = &f->list[f->reverse[e]];
        for (size_t l = 0; l < near->count; l++) consider(f, i, near->index[l], seen, changes);
    }
}

/* One pass over all rows; returns how many places changed. */
static size_t look_around_all(forest *f) {
    size_t total = 0, threads = (size_t)f->wish->threads;
    reverse_lists(f);
    memset(f->seen, 0xff, threads * f->n * sizeof *f->seen);
    memset(f->changes, 0, threads * sizeof *f->changes);
#pragma omp parallel for schedule(dynamic, 256) num_threads(f->wish->threads)
    for (size_t i = 0; i < f->n; i++) {
        size_t thread = (size_t)omp_get_thread_num();
        look_around(f, i, f->seen + thread * f->n, &f->changes[thread]);
    }
    decant__shortlist *swap = f->list;
    f->list = f->next;
    f->next = swap;
    for (size_t t = 0; t < threads; t++) total += f->changes[t];
    return total;
}

decant_status decant__neighbours_approximate(const decant__search *wish, uint32_t *index,
                                             float *distance) {
    decant_status status = DECANT_OK;
    size_t count = wish->count, steps = TREES + MOST_PASSES;
    forest f = {0};
    TRY(forest_new(&f, wish));
    TRY(decant__watch_tick(wish->watch, 0, steps, (double)NAN, (double)NAN));
    grow_all(&f);
    for (int tree = 0; tree < TREES; tree++) {
        TRY(decant__watch_tick(wish->watch, (size_t)tree, steps, (double)NAN, (double)NAN));
        look_at_tree(&f, tree);
    }
    for (size_t pass = 0; pass < MOST_PASSES; pass++) {
        TRY(decant__watch_tick(wish->watch, TREES + pass, steps, (double)NAN, (double)NAN));
        if ((double)look_around_all(&f) < FEW_CHANGES * (double)(f.n * f.room)) break;
    }
    for (size_t i = 0; i < f.n; i++) {
        memcpy(index + i * count, f.list[i].index, count * sizeof *index);
        memcpy(distance + i * count, f.list[i].distance, count * sizeof *distance);
    }
done:
    forest_free(&f);
    return status;
}

decant_status decant__neighbours_recall(const decant__search *wish, const float *distance,
                                        double *recall) {
    decant_status status = DECANT_OK;
    size_t n = wish->x->n, count = wish->count, sample = n < SAMPLE ? n : SAMPLE, found = 0;
    uint32_t *query = NULL, *index = NULL;
    float *truth = NULL;
    NEW_ARRAY(query, sample);
    NEW_ARRAY(index, sample * count);
    NEW_ARRAY(truth, sample * count);
    for (size_t s = 0; s < sample; s++) query[s] = (uint32_t)(n * s / sample);
    TRY(decant__neighbours_of(wish->x, query, sample, count, wish->threads, index, truth));
    for (size_t s = 0; s < sample; s++)
        for (size_t m = 0; m < count; m++)
            found += distance[query[s] * count + m] <= truth[s * count + count - 1];
    *recall = (double)found / (double)(sample * count);
done:
    decant__free(query);
    decant__free(index);
    decant__free(truth);
    return status;
}
