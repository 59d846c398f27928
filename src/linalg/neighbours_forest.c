/* Nearest neighbours that are nearly all the true ones, in time that grows like n log n.
 *
 * A forest: each tree halves the rows again and again at the median of x.(a - b), a and b two of
 * its rows at random (Dasgupta and Freund 2008), down to leaves, in which all pairs are compared.
 * Then each row is compared with the neighbours of its neighbours, and with those of the rows that
 * have it in their lists, until few lists change (Dong, Moses and Li 2011); but only along an edge
 * that the last pass found: older edges were already expanded. Lists are longer on the way than
 * requested: a graph of five links a row is too thin to walk on.
 *
 * Trees are built side by side; the leaves of one tree share no row, and a pass over neighbours
 * reads the lists of the pass before: no thread writes what another reads, and the result does not
 * depend on them. */
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "base/team.h"
#include "linalg/distance.h"
#include "linalg/neighbours.h"
#include "linalg/partition.h"
#include "linalg/shortlist.h"

enum { TREES = 16, LEAF = 64, MIN_CAPACITY = 16, MAX_PASSES = 6, SAMPLE = 1000, AHEAD = 4 };

/* Passes end when less than this share of the entries of all lists changed. */
static const double FEW_CHANGES = 0.005;

/* Memory of one thread. */
typedef struct thread_scratch {
    float *margin;  /* n */
    float *spread;  /* d: a direction, or a sparse row; 0 between uses */
    uint32_t *seen; /* n: the last row whose candidate this one was */
    uint32_t *candidate;
    size_t candidates, changes;
} thread_scratch;

typedef struct forest {
    const decant__source *x;
    const decant__search *query;
    size_t n, capacity, leaves; /* capacity: of a list */
    uint32_t *order[TREES];     /* n: rows, leaf by leaf */
    thread_scratch *scratches;  /* threads */
    decant__shortlist *list, *next;
    uint32_t *index[2]; /* n x capacity each */
    float *distance[2];
    unsigned char *fresh;  /* n x capacity: found by the last pass */
    size_t *reverse_start; /* n + 1 */
    uint32_t *reverse;     /* n x capacity */
    unsigned char *reverse_fresh;
} forest;

static void forest_free(forest *f) {
    for (int t = 0; t < TREES; t++) decant__free(f->order[t]);
    for (int t = 0; f->scratches != NULL && t < f->query->threads; t++) {
        decant__free(f->scratches[t].margin);
        decant__free(f->scratches[t].spread);
        decant__free(f->scratches[t].seen);
        decant__free(f->scratches[t].candidate);
    }
    decant__free(f->scratches);
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

static decant_status thread_scratch_new(thread_scratch *own, const forest *f) {
    decant_status status = DECANT_OK;
    NEW_ARRAY(own->margin, f->n);
    NEW_ZEROED(own->spread, f->x->d);
    NEW_ARRAY(own->seen, f->n);
    NEW_ARRAY(own->candidate, f->capacity + 2 * f->capacity * f->capacity);
done:
    return status;
}

static decant_status forest_new(forest *f, const decant__search *query) {
    decant_status status = DECANT_OK;
    size_t n = query->x->n;
    *f = (forest){.x = query->x, .query = query, .n = n, .leaves = 1};
    f->capacity = query->count > MIN_CAPACITY ? query->count : MIN_CAPACITY;
    if (f->capacity > n - 1) f->capacity = n - 1;
    while ((n + f->leaves - 1) / f->leaves > LEAF) f->leaves *= 2;
    for (int t = 0; t < TREES; t++) NEW_ARRAY(f->order[t], n);
    NEW_ZEROED(f->scratches, (size_t)query->threads);
    for (int t = 0; t < query->threads; t++) TRY(thread_scratch_new(&f->scratches[t], f));
    NEW_ARRAY(f->list, n);
    NEW_ARRAY(f->next, n);
    for (int b = 0; b < 2; b++) {
        NEW_ARRAY(f->index[b], n * f->capacity);
        NEW_ARRAY(f->distance[b], n * f->capacity);
    }
    NEW_ARRAY(f->fresh, n * f->capacity);
    NEW_ARRAY(f->reverse_start, n + 1);
    NEW_ARRAY(f->reverse, n * f->capacity);
    NEW_ARRAY(f->reverse_fresh, n * f->capacity);
    for (size_t i = 0; i < n; i++) {
        size_t at = i * f->capacity;
        f->list[i] = (decant__shortlist){0, f->capacity, f->index[0] + at, f->distance[0] + at};
        f->next[i] = (decant__shortlist){0, f->capacity, f->index[1] + at, f->distance[1] + at};
    }
done:
    return status;
}

/* ---- trees ---- */

/* direction += factor x row */
static void add_to_direction(const decant__source *x, size_t row, float factor, float *direction) {
    if (x->dense == NULL) {
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
            direction[x->column[e]] += factor * x->value[e];
        return;
    }
    const float *value = x->dense + row * x->d;
    for (size_t j = 0; j < x->d; j++)
        direction[j] += factor * decant__source_scaled(x, j, value[j]);
}

/* Back to 0, in time proportional to the row. */
static void clear_direction(const decant__source *x, size_t row, float *direction) {
    if (x->dense != NULL) {
        memset(direction, 0, x->d * sizeof *direction);
        return;
    }
    for (size_t e = x->start[row]; e < x->start[row + 1]; e++) direction[x->column[e]] = 0;
}

DECANT_CLONES
static float dot_product(const float *restrict a, const float *restrict b, size_t d) {
    float sum;
    LANES_SUM_FLOAT(sum, j, d, a[j] * b[j]);
    return sum;
}

/* A dense row's shift moves all margins alike, so only its scale counts; that is in direction. */
static float project_row(const decant__source *x, size_t row, const float *direction) {
    if (x->dense == NULL) {
        float sum = 0;
        for (size_t e = x->start[row]; e < x->start[row + 1]; e++)
            sum += x->value[e] * direction[x->column[e]];
        return sum;
    }
    return dot_product(x->dense + row * x->d, direction, x->d);
}

/* The middle of rows begin .. end-1, as the bounds of leaves have it. */
static size_t leaf_begin(const forest *f, size_t leaf) { return f->n * leaf / f->leaves; }

/* Halves the rows of leaves first .. first+count-1, and then the halves. */
static void grow_tree(forest *f, int tree, size_t first, size_t count, float *margin,
                      float *direction) {
    if (count < 2) return;
    const decant__source *x = f->x;
    size_t begin = leaf_begin(f, first), middle = leaf_begin(f, first + count / 2);
    size_t rows = leaf_begin(f, first + count) - begin;
    uint32_t *order = f->order[tree] + begin;
    decant__random random = decant__random_start(f->query->seed, DECANT__RANDOM_NEIGHBOURS,
                                                 (uint64_t)tree << 40 | first << 8 | count % 251);
    size_t a = order[decant__random_below(&random, rows)];
    size_t b = order[decant__random_below(&random, rows)];
    add_to_direction(x, a, 1, direction);
    add_to_direction(x, b, -1, direction);
    for (size_t j = 0; x->dense != NULL && x->scale != NULL && j < x->d; j++)
        direction[j] *= x->scale[j];
    for (size_t i = 0; i < rows; i++) {
        float at = project_row(x, order[i], direction);
        margin[order[i]] = isnan(at) ? 0 : at; /* infinity less infinity; all must be in order */
    }
    clear_direction(x, a, direction);
    clear_direction(x, b, direction);
    decant__select_middle(margin, 1, order, middle - begin, rows);
    grow_tree(f, tree, first, count / 2, margin, direction);
    grow_tree(f, tree, first + count / 2, count / 2, margin, direction);
}

static void grow_all(void *context) {
    forest *f = context;
    TEAM_FOR_DYNAMIC (tree, TREES, 1) {
        const thread_scratch *own = &f->scratches[decant__team_member()];
        for (size_t i = 0; i < f->n; i++) f->order[tree][i] = (uint32_t)i;
        grow_tree(f, (int)tree, 0, f->leaves, own->margin, own->spread);
    }
}

/* ---- distances ---- */

/* sum_j b_j (b_j - 2 a_j) over the non-zeros of b; a is spread out. */
DECANT_CLONES
static double sparse_terms(const uint32_t *restrict column, const float *restrict value,
                           size_t count, const float *restrict a) {
    double sum[DOUBLE_LANES] = {0};
    LANES_FOR(DOUBLE_LANES, l, e, count, {
        double b = (double)value[e];
        sum[l] += b * (b - 2 * (double)a[column[e]]);
    })
    return decant__lanes_sum_double(sum);
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

static viewpoint scatter_row(const decant__source *x, size_t row, float *spread) {
    viewpoint here = {.x = x, .row = row, .spread = spread};
    if (x->dense != NULL) return here;
    here.square = row_terms(x, row, spread);
    add_to_direction(x, row, 1, spread);
    return here;
}

static void clear_row(const viewpoint *here) {
    if (here->x->dense == NULL) clear_direction(here->x, here->row, here->spread);
}

static float distance_to(const viewpoint *here, size_t other) {
    if (here->x->dense != NULL)
        return (float)decant__neighbours_distance(here->x, here->row, other);
    double distance = here->square + row_terms(here->x, other, here->spread);
    return distance > DECANT__SAME_ROW * here->square ? (float)distance : 0;
}

/* Starts to load a row before it is needed. */
static void prefetch_row(const decant__source *x, size_t row) {
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

static void compare_leaf(forest *f, const uint32_t *rows, size_t count, float *spread) {
    for (size_t a = 1; a < count; a++) {
        viewpoint here = scatter_row(f->x, rows[a], spread);
        for (size_t b = 0; b < a; b++) {
            float distance = distance_to(&here, rows[b]);
            offer_once(&f->list[rows[a]], rows[b], distance);
            offer_once(&f->list[rows[b]], rows[a], distance);
        }
        clear_row(&here);
    }
}

typedef struct tree_of_forest {
    forest *f;
    int tree;
} tree_of_forest;

static void compare_tree(void *context) {
    const tree_of_forest *of = context;
    forest *f = of->f;
    TEAM_FOR_DYNAMIC (leaf, f->leaves, 16)
        compare_leaf(f, f->order[of->tree] + leaf_begin(f, leaf),
                     leaf_begin(f, leaf + 1) - leaf_begin(f, leaf),
                     f->scratches[decant__team_member()].spread);
}

/* ---- neighbours of neighbours ---- */

/* For each row: the rows that have it in their lists. */
static void reverse_lists(forest *f) {
    memset(f->reverse_start, 0, (f->n + 1) * sizeof *f->reverse_start);
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++) f->reverse_start[f->list[i].index[m] + 1]++;
    for (size_t i = 0; i < f->n; i++) f->reverse_start[i + 1] += f->reverse_start[i];
    for (size_t i = 0; i < f->n; i++)
        for (size_t m = 0; m < f->list[i].count; m++) {
            size_t at = f->reverse_start[f->list[i].index[m]]++;
            f->reverse[at] = (uint32_t)i;
            f->reverse_fresh[at] = f->fresh[i * f->capacity + m];
        }
    memmove(f->reverse_start + 1, f->reverse_start, f->n * sizeof *f->reverse_start);
    f->reverse_start[0] = 0;
}

/* A row to compare row i with, unless it is one already. */
static void add_candidate(thread_scratch *own, size_t i, uint32_t other) {
    if (own->seen[other] == i) return;
    own->seen[other] = (uint32_t)i;
    own->candidate[own->candidates++] = other;
}

/* The neighbours of `middle`, a neighbour of i. One of the two edges i - middle - other must be
 * new, or an earlier pass has compared i and other. */
static void add_list(const forest *f, thread_scratch *own, size_t i, uint32_t middle,
                     int edge_new) {
    const decant__shortlist *list = &f->list[middle];
    const unsigned char *fresh = f->fresh + middle * f->capacity;
    for (size_t l = 0; l < list->count; l++)
        if (edge_new || fresh[l]) add_candidate(own, i, list->index[l]);
}

/* The rows to compare row i with. With N(i) its list and R(i) the rows that have i in theirs:
 *
 *   R(i), N(j) for j in N(i), and N(j) for j in R(i), without i and N(i)
 *
 * A hub, a row in very many lists, takes as many of R(i) as a list holds; as these vary from pass
 * to pass, all their edges count as new. */
static void find_candidates(const forest *f, thread_scratch *own, size_t i) {
    const decant__shortlist *list = &f->list[i];
    const unsigned char *fresh = f->fresh + i * f->capacity;
    size_t begin = f->reverse_start[i], end = f->reverse_start[i + 1];
    int hub = end - begin > f->capacity;
    if (hub) end = begin + f->capacity;
    own->candidates = 0;
    own->seen[i] = (uint32_t)i;
    for (size_t m = 0; m < list->count; m++) own->seen[list->index[m]] = (uint32_t)i;
    for (size_t e = begin; e < end; e++) add_candidate(own, i, f->reverse[e]);
    for (size_t m = 0; m < list->count; m++) add_list(f, own, i, list->index[m], fresh[m]);
    for (size_t e = begin; e < end; e++)
        add_list(f, own, i, f->reverse[e], hub || f->reverse_fresh[e]);
}

static void improve_row(forest *f, thread_scratch *own, size_t i) {
    const decant__shortlist *list = &f->list[i];
    decant__shortlist *next = &f->next[i];
    next->count = list->count;
    memcpy(next->index, list->index, list->count * sizeof *list->index);
    memcpy(next->distance, list->distance, list->count * sizeof *list->distance);
    find_candidates(f, own, i);
    viewpoint here = scatter_row(f->x, i, own->spread);
    for (size_t c = 0; c < own->candidates; c++) {
        if (c + AHEAD < own->candidates) prefetch_row(f->x, own->candidate[c + AHEAD]);
        float distance = distance_to(&here, own->candidate[c]);
        own->changes += (size_t)decant__shortlist_offer(next, own->candidate[c], distance);
    }
    clear_row(&here);
}

static void mark_fresh(void *context) {
    forest *f = context;
    TEAM_FOR (i, f->n)
        for (size_t m = 0; m < f->list[i].count; m++)
            f->fresh[i * f->capacity + m] = !has(&f->next[i], f->list[i].index[m]);
}

static void improve_rows(void *context) {
    forest *f = context;
    TEAM_FOR_DYNAMIC (i, f->n, 256) improve_row(f, &f->scratches[decant__team_member()], i);
}

/* One pass over all rows; returns how many entries changed. */
static size_t improve_all(forest *f) {
    size_t total = 0;
    int threads = f->query->threads;
    reverse_lists(f);
    for (int t = 0; t < threads; t++) {
        memset(f->scratches[t].seen, 0xff, f->n * sizeof *f->scratches[t].seen);
        f->scratches[t].changes = 0;
    }
    decant__team_run(threads, improve_rows, f);
    decant__shortlist *swap = f->list;
    f->list = f->next;
    f->next = swap;
    decant__team_run(threads, mark_fresh, f);
    for (int t = 0; t < threads; t++) total += f->scratches[t].changes;
    return total;
}

/* Rows that were compared with fewer others than requested, as among many copies of one row, which
 * all trees cut alike: these are searched exactly. */
static decant_status complete(const forest *f, uint32_t *index, float *distance) {
    decant_status status = DECANT_OK;
    size_t count = f->query->count, few = 0;
    uint32_t *rows = NULL, *found = NULL;
    float *found_distance = NULL;
    for (size_t i = 0; i < f->n; i++) few += f->list[i].count < count;
    if (few == 0) return DECANT_OK;
    NEW_ARRAY(rows, few);
    NEW_ARRAY(found, few * count);
    NEW_ARRAY(found_distance, few * count);
    few = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].count < count) rows[few++] = (uint32_t)i;
    TRY(decant__neighbours_of(f->x, rows, few, count, f->query->threads, found, found_distance));
    for (size_t r = 0; r < few; r++) {
        memcpy(index + rows[r] * count, found + r * count, count * sizeof *index);
        memcpy(distance + rows[r] * count, found_distance + r * count, count * sizeof *distance);
    }
done:
    decant__free(rows);
    decant__free(found);
    decant__free(found_distance);
    return status;
}

typedef struct forest_output {
    const forest *f;
    uint32_t *index;
    float *distance;
} forest_output;

/* The best of the lists, with distances that were found without cancellation. */
static void write_answer(void *context) {
    const forest_output *to = context;
    const forest *f = to->f;
    size_t count = f->query->count;
    TEAM_FOR (i, f->n) {
        decant__shortlist best = {0, count, to->index + i * count, to->distance + i * count};
        for (size_t m = 0; m < f->list[i].count; m++) {
            uint32_t other = f->list[i].index[m];
            decant__shortlist_offer(&best, other,
                                    (float)decant__neighbours_distance(f->x, i, other));
        }
    }
}

decant_status decant__neighbours_approximate(const decant__search *query, uint32_t *index,
                                             float *distance) {
    decant_status status = DECANT_OK;
    size_t steps = TREES + MAX_PASSES;
    forest f = {0};
    TRY(forest_new(&f, query));
    TRY(decant__watch_tick(query->watch, 0, steps, (double)NAN, (double)NAN));
    decant__team_run(query->threads, grow_all, &f);
    for (int tree = 0; tree < TREES; tree++) {
        TRY(decant__watch_tick(query->watch, (size_t)tree, steps, (double)NAN, (double)NAN));
        tree_of_forest of = {&f, tree};
        decant__team_run(query->threads, compare_tree, &of);
    }
    memset(f.fresh, 1, f.n * f.capacity);
    for (size_t pass = 0; pass < MAX_PASSES; pass++) {
        TRY(decant__watch_tick(query->watch, TREES + pass, steps, (double)NAN, (double)NAN));
        if ((double)improve_all(&f) < FEW_CHANGES * (double)(f.n * f.capacity)) break;
    }
    forest_output to = {&f, index, distance};
    decant__team_run(query->threads, write_answer, &to);
    TRY(complete(&f, index, distance));
    TRY(decant__neighbours_check(distance, f.n, query->count));
done:
    forest_free(&f);
    return status;
}

decant_status decant__neighbours_recall(const decant__search *search, const float *distance,
                                        double *recall) {
    decant_status status = DECANT_OK;
    size_t n = search->x->n, count = search->count, sample = n < SAMPLE ? n : SAMPLE, found = 0;
    uint32_t *rows = NULL, *index = NULL;
    float *truth = NULL;
    NEW_ARRAY(rows, sample);
    NEW_ARRAY(index, sample * count);
    NEW_ARRAY(truth, sample * count);
    for (size_t s = 0; s < sample; s++) rows[s] = (uint32_t)(n * s / sample);
    TRY(decant__neighbours_of(search->x, rows, sample, count, search->threads, index, truth));
    for (size_t s = 0; s < sample; s++)
        for (size_t m = 0; m < count; m++)
            found += distance[rows[s] * count + m] <= truth[s * count + count - 1];
    *recall = (double)found / (double)(sample * count);
done:
    decant__free(rows);
    decant__free(index);
    decant__free(truth);
    return status;
}
