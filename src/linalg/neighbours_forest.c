/* Nearest neighbours that are nearly all the true ones, in time that grows like n log n.
 *
 * A forest: each tree halves the rows again and again at the median of x.(a - b), a and b two of
 * its rows at random (Dasgupta and Freund 2008), down to leaves in which all pairs are looked at.
 * Then neighbours of neighbours, and of those that count a row among theirs, are looked at until
 * few lists change (Dong, Moses and Li 2011), but only by a link that the last pass found: by the
 * others nobody new is met. Lists are longer on the way than asked for: a graph of five links a row
 * is too thin to walk on.
 *
 * Trees are built side by side; the leaves of one tree share no row, and a pass over neighbours
 * reads the lists of the last one: the threads never meet, and the result does not depend on them.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "linalg/distance.h"
#include "linalg/neighbours.h"
#include "linalg/select.h"
#include "linalg/shortlist.h"

enum { TREES = 16, LEAF = 64, LEAST_ROOM = 16, MOST_PASSES = 6, SAMPLE = 1000, AHEAD = 4 };

/* Passes end when less than this share of the places in the lists changed. */
static const double FEW_CHANGES = 0.005;

/* What a thread has for itself. */
typedef struct desk {
    float *margin;  /* n */
    float *spread;  /* d: a direction, or a sparse row; 0 between uses */
    uint32_t *seen; /* n: the last row that met this one */
    uint32_t *met;  /* those that a row meets in a pass */
    size_t met_count, changes;
} desk;

typedef struct forest {
    const decant__source *x;
    const decant__search *wish;
    size_t n, room, leaves;
    uint32_t *order[TREES]; /* n: rows, leaf by leaf */
    desk *desks;            /* threads */
    decant__shortlist *list, *next;
    uint32_t *index[2]; /* n x room each */
    float *distance[2];
    unsigned char *fresh;  /* n x room: found by the last pass */
    size_t *reverse_start; /* n + 1 */
    uint32_t *reverse;     /* n x room */
    unsigned char *reverse_fresh;
} forest;

static void forest_free(forest *f) {
    for (int t = 0; t < TREES; t++) decant__free(f->order[t]);
    for (int t = 0; f->desks != NULL && t < f->wish->threads; t++) {
        decant__free(f->desks[t].margin);
        decant__free(f->desks[t].spread);
        decant__free(f->desks[t].seen);
        decant__free(f->desks[t].met);
    }
    decant__free(f->desks);
    decant__free(f->list);
    decant__free(f->next);
    for (int b = 0; b < 2; b++) {
        decant__free(f->index[b]);
        decant__free(f->distance[b]);
    }
    decant__free(f->fresh);
    decant__free(f->reverse_start);
    decant__free(f->reverse);
    decant__free(f->reverse_fresh);
}

static decant_status desk_new(desk *own, const forest *f) {
    decant_status status = DECANT_OK;
    NEW_ARRAY(own->margin, f->n);
    NEW_ZEROED(own->spread, f->x->d);
    NEW_ARRAY(own->seen, f->n);
    NEW_ARRAY(own->met, f->room + 2 * f->room * f->room);
done:
    return status;
}

static decant_status forest_new(forest *f, const decant__search *wish) {
    decant_status status = DECANT_OK;
    size_t n = wish->x->n;
    *f = (forest){.x = wish->x, .wish = wish, .n = n, .leaves = 1};
    f->room = wish->count > LEAST_ROOM ? wish->count : LEAST_ROOM;
    if (f->room > n - 1) f->room = n - 1;
    while ((n + f->leaves - 1) / f->leaves > LEAF) f->leaves *= 2;
    for (int t = 0; t < TREES; t++) NEW_ARRAY(f->order[t], n);
    NEW_ZEROED(f->desks, (size_t)wish->threads);
    for (int t = 0; t < wish->threads; t++) TRY(desk_new(&f->desks[t], f));
    NEW_ARRAY(f->list, n);
    NEW_ARRAY(f->next, n);
    for (int b = 0; b < 2; b++) {
        NEW_ARRAY(f->index[b], n * f->room);
        NEW_ARRAY(f->distance[b], n * f->room);
    }
    NEW_ARRAY(f->fresh, n * f->room);
    NEW_ARRAY(f->reverse_start, n + 1);
    NEW_ARRAY(f->reverse, n * f->room);
    NEW_ARRAY(f->reverse_fresh, n * f->room);
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
        const desk *own = &f->desks[omp_get_thread_num()];
        for (size_t i = 0; i < f->n; i++) f->order[tree][i] = (uint32_t)i;
        grow(f, tree, 0, f->leaves, own->margin, own->spread);
    }
}

/* ---- distances ---- */

/* sum_j b_j (b_j - 2 a_j) over the non-zeros of b; a is spread out. */
DECANT_CLONES
static double sparse_terms(const uint32_t *restrict column, const float *restrict value,
                           size_t count, const float *restrict a) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t e = 0; e < count; e++) {
        double b = (double)value[e];
        sum += b * (b - 2 * (double)a[column[e]]);
    }
    return sum;
}

static double row_terms(const decant__source *x, size_t row, const float *a) {
    size_t begin = x->start[row];
    return sparse_terms(x->column + begin, x->value + begin, x->start[row + 1] - begin, a);
}

/* Distances from one row to many: a sparse one is spread out, so that each of the others takes the
 * time of its own non-zeros and no merging. Equal rows are at 0 exactly, since their terms are the
 * same numbers with another sign. */
typedef struct viewpoint {
    const decant__source *x;
    size_t row;
    float *spread;
    double square; /* |row|^2 */
} viewpoint;

static viewpoint stand_at(const decant__source *x, size_t row, float *spread) {
    viewpoint here = {.x = x, .row = row, .spread = spread};
    if (x->dense != NULL) return here;
    here.square = row_terms(x, row, spread);
    add_row(x, row, 1, spread);
    return here;
}

static void leave(const viewpoint *here) {
    if (here->x->dense == NULL) forget(here->x, here->row, here->spread);
}

static float distance_to(const viewpoint *here, size_t other) {
    if (here->x->dense != NULL)
        return (float)decant__neighbours_distance(here->x, here->row, other);
    double distance = here->square + row_terms(here->x, other, here->spread);
    return distance > DECANT__SAME_ROW * here->square ? (float)distance : 0;
}

/* Asks for a row's numbers some time before they are needed. */
static void expect(const decant__source *x, size_t row) {
    if (x->dense != NULL) {
        __builtin_prefetch(x->dense + row * x->d);
        return;
    }
    for (size_t e = x->start[row]; e < x->start[row + 1]; e += 16) {
        __builtin_prefetch(x->column + e);
        __builtin_prefetch(x->value + e);
    }
}

/* ---- lists ---- */

static int has(const decant__shortlist *list, uint32_t row) {
    for (size_t m = 0; m < list->count; m++)
        if (list->index[m] == row) return 1;
    return 0;
}

static void offer_once(decant__shortlist *list, uint32_t row, float distance) {
    if (distance > decant__shortlist_worst(list) || has(list, row)) return;
    decant__shortlist_offer(list, row, distance);
}

static void look_at_leaf(forest *f, const uint32_t *rows, size_t count, float *spread) {
    for (size_t a = 1; a < count; a++) {
        viewpoint here = stand_at(f->x, rows[a], spread);
        for (size_t b = 0; b < a; b++) {
            float distance = distance_to(&here, rows[b]);
            offer_once(&f->list[rows[a]], rows[b], distance);
            offer_once(&f->list[rows[b]], rows[a], distance);
        }
        leave(&here);
    }
}

static void look_at_tree(forest *f, int tree) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(f->wish->threads)
    for (size_t leaf = 0; leaf < f->leaves; leaf++)
        look_at_leaf(f, f->order[tree] + bound(f, leaf), bound(f, leaf + 1) - bound(f, leaf),
                     f->desks[omp_get_thread_num()].spread);
}

/* ---- neighbours of neighbours ---- */

/* Who counts a row among its neighbours. */
static void reverse_lists(forest *f) {
    memset(f->reverse_start, 0, (f->n + 1) * sizeof *f->reverse_start);
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++) f->reverse_start[f->list[i].index[m] + 1]++;
    for (size_t i = 0; i < f->n; i++) f->reverse_start[i + 1] += f->reverse_start[i];
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++) {
            size_t at = f->reverse_start[f->list[i].index[m]]++;
            f->reverse[at] = (uint32_t)i;
            f->reverse_fresh[at] = f->fresh[i * f->room + m];
        }
    memmove(f->reverse_start + 1, f->reverse_start, f->n * sizeof *f->reverse_start);
    f->reverse_start[0] = 0;
}

static void meet(desk *own, size_t i, uint32_t other) {
    if (own->seen[other] == i) return;
    own->seen[other] = (uint32_t)i;
    own->met[own->met_count++] = other;
}

/* The neighbours of a neighbour, those that the last pass found or all. */
static void meet_list(const forest *f, desk *own, size_t i, uint32_t near, int all) {
    const decant__shortlist *list = &f->list[near];
    const unsigned char *fresh = f->fresh + near * f->room;
    for (size_t l = 0; l < list->count; l++)
        if (all || fresh[l]) meet(own, i, list->index[l]);
}

/* Whom row i meets, each once. */
static void go_around(const forest *f, desk *own, size_t i) {
    const decant__shortlist *list = &f->list[i];
    size_t begin = f->reverse_start[i], end = f->reverse_start[i + 1];
    int hub =
        end - begin > f->room; /* looked at from elsewhere; and which ones come first varies */
    if (hub) end = begin + f->room;
    own->met_count = 0;
    own->seen[i] = (uint32_t)i;
    for (size_t m = 0; m < list->count; m++) own->seen[list->index[m]] = (uint32_t)i;
    for (size_t e = begin; e < end; e++) meet(own, i, f->reverse[e]);
    for (size_t m = 0; m < list->count; m++)
        meet_list(f, own, i, list->index[m], f->fresh[i * f->room + m]);
    for (size_t e = begin; e < end; e++)
        meet_list(f, own, i, f->reverse[e], hub || f->reverse_fresh[e]);
}

static void look_around(forest *f, desk *own, size_t i) {
    const decant__shortlist *list = &f->list[i];
    decant__shortlist *next = &f->next[i];
    next->count = list->count;
    memcpy(next->index, list->index, list->count * sizeof *list->index);
    memcpy(next->distance, list->distance, list->count * sizeof *list->distance);
    go_around(f, own, i);
    viewpoint here = stand_at(f->x, i, own->spread);
    for (size_t m = 0; m < own->met_count; m++) {
        if (m + AHEAD < own->met_count) expect(f->x, own->met[m + AHEAD]);
        float distance = distance_to(&here, own->met[m]);
        own->changes += (size_t)decant__shortlist_offer(next, own->met[m], distance);
    }
    leave(&here);
}

static void mark_fresh(forest *f) {
#pragma omp parallel for schedule(static) num_threads(f->wish->threads)
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++)
            f->fresh[i * f->room + m] = !has(&f->next[i], f->list[i].index[m]);
}

/* One pass over all rows; returns how many places changed. */
static size_t look_around_all(forest *f) {
    size_t total = 0;
    int threads = f->wish->threads;
    reverse_lists(f);
    for (int t = 0; t < threads; t++) {
        memset(f->desks[t].seen, 0xff, f->n * sizeof *f->desks[t].seen);
        f->desks[t].changes = 0;
    }
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads)
    for (size_t i = 0; i < f->n; i++) look_around(f, &f->desks[omp_get_thread_num()], i);
    decant__shortlist *swap = f->list;
    f->list = f->next;
    f->next = swap;
    mark_fresh(f);
    for (int t = 0; t < threads; t++) total += f->desks[t].changes;
    return total;
}

/* The best of the lists, with distances that were found without cancellation. */
static void hand_over(const forest *f, uint32_t *index, float *distance) {
    size_t count = f->wish->count;
#pragma omp parallel for schedule(static) num_threads(f->wish->threads)
    for (size_t i = 0; i < f->n; i++) {
        decant__shortlist best = {0, count, index + i * count, distance + i * count};
        for (size_t m = 0; m < f->list[i].count; m++) {
            uint32_t other = f->list[i].index[m];
            decant__shortlist_offer(&best, other,
                                    (float)decant__neighbours_distance(f->x, i, other));
        }
    }
}

decant_status decant__neighbours_approximate(const decant__search *wish, uint32_t *index,
                                             float *distance) {
    decant_status status = DECANT_OK;
    size_t steps = TREES + MOST_PASSES;
    forest f = {0};
    TRY(forest_new(&f, wish));
    TRY(decant__watch_tick(wish->watch, 0, steps, (double)NAN, (double)NAN));
    grow_all(&f);
    for (int tree = 0; tree < TREES; tree++) {
        TRY(decant__watch_tick(wish->watch, (size_t)tree, steps, (double)NAN, (double)NAN));
        look_at_tree(&f, tree);
    }
    memset(f.fresh, 1, f.n * f.room);
    for (size_t pass = 0; pass < MOST_PASSES; pass++) {
        TRY(decant__watch_tick(wish->watch, TREES + pass, steps, (double)NAN, (double)NAN));
        if ((double)look_around_all(&f) < FEW_CHANGES * (double)(f.n * f.room)) break;
    }
    hand_over(&f, index, distance);
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
