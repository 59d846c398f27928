#include "base/comm.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cluster/communities.h"
#include "cluster/kmeans.h"
#include "data/scan.h"
#include "linalg/distance.h"
#include "linalg/neighbours.h"
#include "linalg/principal.h"
#include "linalg/shards.h"
#include "nn/order.h"
#include "sample.h"

/* ---- Ranks that are threads -------------------------------------------------------------------
 */

enum { RANKS = 4 };

typedef struct crew {
    pthread_barrier_t barrier;
    void *shared;
    unsigned failed;
    decant__comm comm[RANKS];
} crew;

static void crew_broadcast(const decant__comm *comm, int root, void *bytes, size_t count) {
    crew *c = comm->state;
    if (comm->rank == root) c->shared = bytes;
    pthread_barrier_wait(&c->barrier);
    if (comm->rank != root) memcpy(bytes, c->shared, count);
    pthread_barrier_wait(&c->barrier);
}

static void crew_gather(const decant__comm *comm, void *bytes, const size_t *begin) {
    for (int r = 0; r < RANKS; r++)
        crew_broadcast(comm, r, (char *)bytes + begin[r], begin[r + 1] - begin[r]);
}

static int crew_count_failed(const decant__comm *comm, int failed, int *lowest) {
    crew *c = comm->state;
    int count = 0;
    if (failed) __atomic_fetch_or(&c->failed, 1U << comm->rank, __ATOMIC_SEQ_CST);
    pthread_barrier_wait(&c->barrier);
    *lowest = RANKS;
    for (int r = RANKS; r-- > 0;)
        if (c->failed >> r & 1) *lowest = r, count++;
    pthread_barrier_wait(&c->barrier);
    c->failed = 0;
    pthread_barrier_wait(&c->barrier);
    return count;
}

typedef struct member {
    void (*work)(const decant__comm *comm, void *context);
    const decant__comm *comm;
    void *context;
} member;

static void *run_member(void *context) {
    member *m = context;
    m->work(m->comm, m->context);
    return NULL;
}

static void run_crew(void (*work)(const decant__comm *comm, void *context), void *context) {
    static const char *const host[RANKS] = {"a", "b", "c", "d"};
    crew c = {0};
    member m[RANKS];
    pthread_t thread[RANKS];
    assert_int_equal(pthread_barrier_init(&c.barrier, NULL, RANKS), 0);
    decant__comm_reset(); /* forgets an agreement on a failure */
    for (int r = 0; r < RANKS; r++) {
        c.comm[r] = (decant__comm){.rank = r,
                                   .size = RANKS,
                                   .host = host[r],
                                   .state = &c,
                                   .broadcast = crew_broadcast,
                                   .gather = crew_gather,
                                   .count_failed = crew_count_failed};
        m[r] = (member){work, &c.comm[r], context};
        assert_int_equal(pthread_create(&thread[r], NULL, run_member, &m[r]), 0);
    }
    for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&c.barrier);
    decant__comm_reset();
}

/* ---- Agreement --------------------------------------------------------------------------------
 */

typedef struct outcome {
    int failing; /* bits */
    decant_status status[RANKS], again[RANKS];
    char sentence[RANKS][100];
} outcome;

static void fail_some(const decant__comm *comm, void *context) {
    outcome *o = context;
    int r = comm->rank;
    decant_status status = DECANT_OK;
    if (o->failing >> r & 1) status = decant__fail(DECANT_EIO, "disk %d", r);
    o->status[r] = decant__comm_agree(comm, status);
    snprintf(o->sentence[r], sizeof o->sentence[r], "%s", decant_last_error());
    if (o->status[r] != DECANT_OK && r < 2) o->again[r] = decant__comm_agree(comm, DECANT_OK);
}

static void test_agree_on_the_lowest_rank(void **state) {
    (void)state;
    static const struct {
        int failing;
        const char *sentence;
    } cases[] = {{0, NULL},
                 {1 << 2, "rank 2 on c: disk 2"},
                 {1 << 1 | 1 << 3, "rank 1 on b: disk 1"},
                 {15, "disk 0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o = {.failing = cases[i].failing};
        run_crew(fail_some, &o);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(o.status[r], cases[i].failing ? DECANT_EIO : DECANT_OK);
            if (cases[i].failing) assert_string_equal(o.sentence[r], cases[i].sentence);
            /* Ranks that ask again, without the others, are told the same. */
            if (cases[i].failing && r < 2) assert_int_equal(o.again[r], DECANT_EIO);
        }
    }
}

static void bring_bytes(const decant__comm *comm, void *context) {
    outcome *o = context;
    int bytes = o->failing >> comm->rank & 1;
    o->status[comm->rank] = decant__comm_same(comm, &bytes, sizeof bytes, "the data");
}

static void test_same_names_who_differs(void **state) {
    (void)state;
    outcome equal = {.failing = 15}, other = {.failing = 1 << 3};
    run_crew(bring_bytes, &equal);
    run_crew(bring_bytes, &other);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(equal.status[r], DECANT_OK);
        assert_int_equal(other.status[r], DECANT_EINVAL);
    }
}

static void test_alone_nothing_is_exchanged(void **state) {
    (void)state;
    const decant__comm *alone = decant__comm_world();
    double x = 3;
    float y = 4;
    size_t begin[] = {0, 4};
    assert_int_equal(alone->size, 1);
    decant__comm_sum_doubles(alone, &x, 1);
    decant__comm_begin_sum(alone, &y, 1);
    decant__comm_finish_sums(alone);
    decant__comm_sum_slices(alone, &y, 1);
    decant__comm_share_slices(alone, &y, 1);
    decant__comm_barrier(alone);
    decant__shared none;
    decant__comm_share(alone, 10, 10, &none);
    assert_true(none.common == NULL && none.of[0] == NULL);
    decant__comm_unshare(alone, &none);
    decant__comm_gather(alone, &y, begin);
    assert_true(x == 3 && y == 4);
    assert_int_equal(decant__comm_agree(alone, DECANT_EIO), DECANT_EIO);
}

/* Also of fewer numbers than ranks. With half of the ranks, a slice is that of two neighbours by
 * its highest bit: this is how sums by halves are made. */
static void test_slices_are_a_partition(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 3, 16, 1237};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int size = 1; size <= DECANT__MAX_RANKS; size *= 2) {
            int owners[1237] = {0};
            for (int r = 0; r < size; r++) {
                decant__slice own = decant__comm_slice(r, size, counts[c]);
                decant__slice half = decant__comm_slice(r, size / 2, counts[c]);
                assert_true(own.begin >= half.begin && own.end <= half.end);
                assert_true(own.end - own.begin <= counts[c] / (size_t)size + 1);
                for (size_t i = own.begin; i < own.end; i++) owners[i]++;
            }
            for (size_t i = 0; i < counts[c]; i++) assert_int_equal(owners[i], 1);
        }
}

static float tree_of(const decant__shared *shared, int first, int count, size_t i) {
    if (count == 1) return shared->of[first][i];
    return tree_of(shared, first, count / 2, i) + tree_of(shared, first + count / 2, count / 2, i);
}

/* Numbers of such different sizes that another order would have other bits. */
static void test_shared_sum_is_the_tree(void **state) {
    (void)state;
    enum { COUNT = 1700, FROM = 13 };
    decant__shared shared = {0};
    float sum[COUNT - FROM];
    for (int r = 0; r < DECANT__MAX_RANKS; r++) {
        shared.of[r] = sample_new((uint64_t)r + 1, 1, COUNT);
        for (size_t i = 0; i < COUNT; i++) shared.of[r][i] *= (float)(1 << (r * 7 + (int)i) % 20);
    }
    for (int size = 2; size <= DECANT__MAX_RANKS; size *= 2) {
        decant__shared_sum(&shared, size, FROM, COUNT - FROM, sum);
        for (size_t i = FROM; i < COUNT; i++)
            assert_true(sum[i - FROM] == tree_of(&shared, 0, size, i));
    }
    for (int r = 0; r < DECANT__MAX_RANKS; r++) free(shared.of[r]);
}

/* ---- Parts of the rows give what all rows give ------------------------------------------------
 */

enum { N = 1237, D = 61 };

typedef struct matrix {
    float *x;
    sample_csr csr;
    int sparse;
    decant__summary found[RANKS];
    double square[RANKS][D];
    decant_status status[RANKS];
} matrix;

static size_t begin_of(int rank) {
    return rank == RANKS ? N : decant__shards_part(N, decant__shards_parts(rank, RANKS).first);
}

static void scan_part(const decant__comm *comm, void *context) {
    matrix *m = context;
    int r = comm->rank;
    size_t first = begin_of(r), rows = begin_of(r + 1) - first, *start = NULL;
    decant_dataset part = {.n = rows, .d = D, .share = {comm, first, rows, N}};
    if (m->sparse) {
        size_t at = m->csr.start[first];
        start = malloc((rows + 1) * sizeof *start);
        for (size_t i = 0; i <= rows; i++) start[i] = m->csr.start[first + i] - at;
        part.start = start;
        part.column = m->csr.column + at;
        part.value = m->csr.value + at;
    } else {
        part.dense = m->x + first * D;
    }
    m->status[r] =
        decant__scan(&part, DECANT__SCAN_COLUMNS | DECANT__SCAN_DIGEST, 1, NULL, &m->found[r]);
    if (m->status[r] == DECANT_OK)
        m->status[r] = decant__scan_squares(&part, &m->found[r], 1, NULL, m->square[r]);
    free(start);
}

/* 18 864 values a rank: no piece of 16 384 ends with one. */
static void test_scan_by_ranks_is_that_of_all_rows(void **state) {
    (void)state;
    matrix m = {.x = sample_new(3, 2, (size_t)N * D)};
    sample_thin(4, 0.6, (size_t)N * D, m.x);
    m.csr = sample_csr_of(m.x, N, D);
    for (m.sparse = 0; m.sparse < 2; m.sparse++) {
        decant_dataset all = {.n = N, .d = D};
        decant__summary whole = {0};
        double square[D];
        if (m.sparse) {
            all.start = m.csr.start;
            all.column = m.csr.column;
            all.value = m.csr.value;
        } else {
            all.dense = m.x;
        }
        assert_ok(decant__scan(&all, DECANT__SCAN_COLUMNS | DECANT__SCAN_DIGEST, 1, NULL, &whole));
        assert_ok(decant__scan_squares(&all, &whole, 1, NULL, square));
        run_crew(scan_part, &m);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(m.status[r], DECANT_OK);
            assert_memory_equal(&m.found[r].squares, &whole.squares, sizeof whole.squares);
            assert_int_equal(m.found[r].zeros, whole.zeros);
            assert_memory_equal(m.found[r].digest, whole.digest, sizeof whole.digest);
            assert_memory_equal(m.found[r].sum, whole.sum, D * sizeof *whole.sum);
            assert_memory_equal(m.found[r].min, whole.min, D * sizeof *whole.min);
            assert_memory_equal(m.found[r].max, whole.max, D * sizeof *whole.max);
            assert_memory_equal(m.square[r], square, sizeof square);
            decant__summary_free(&m.found[r]);
        }
        decant__summary_free(&whole);
    }
    free(m.x);
    sample_csr_free(&m.csr);
}

static void test_scan_names_the_row_of_all_rows(void **state) {
    (void)state;
    matrix m = {.x = sample_new(3, 2, (size_t)N * D)};
    m.x[(size_t)1000 * D + 7] = NAN;
    run_crew(scan_part, &m);
    for (int r = 0; r < RANKS; r++) assert_int_equal(m.status[r], DECANT_EINVAL);
    free(m.x);
}

/* The minibatches of all ranks, one behind the other, are that of one process. */
static void test_order_of_parts(void **state) {
    (void)state;
    enum { COUNT = 100 };
    for (int size = 2; size <= 16; size *= 2)
        for (uint64_t position = 0; position < 3 * N; position += 77) {
            decant__order whole;
            decant__shards shards, own;
            uint32_t rows[COUNT], some[COUNT];
            size_t at = 0;
            assert_ok(decant__order_new(&whole, N, 1, 7, 1, (decant__parts){0, 16}));
            assert_int_equal(decant__order_take(&whole, position, COUNT, rows, &shards), 0);
            for (int r = 0; r < size; r++) {
                decant__order order;
                decant__parts parts = decant__shards_parts(r, size);
                uint32_t first = (uint32_t)decant__shards_part(N, parts.first);
                assert_ok(decant__order_new(&order, N, 1, 7, 1, parts));
                assert_int_equal(decant__order_take(&order, position, COUNT, some, &own), at);
                for (size_t i = 0; i < own.begin[DECANT__SHARDS]; i++)
                    assert_int_equal(some[i] + first, rows[at + i]);
                for (size_t s = parts.first; s < parts.first + parts.count; s++)
                    assert_int_equal(own.begin[s + 1] + at, shards.begin[s + 1]);
                at += own.begin[DECANT__SHARDS];
                decant__order_free(&order);
            }
            assert_int_equal(at, COUNT);
            decant__order_free(&whole);
        }
}

enum { POINTS = 1700, NEAREST = 5 };

typedef struct lists {
    decant__source source;
    uint32_t index[RANKS][POINTS * NEAREST];
    float distance[RANKS][POINTS * NEAREST];
    decant_status status[RANKS];
} lists;

static void find_neighbours(const decant__comm *comm, void *context) {
    lists *l = context;
    int r = comm->rank;
    const size_t begin[RANKS + 1] = {0, 100, 101, 1400, POINTS};
    const decant__search wanted = {.x = &l->source, .count = NEAREST, .threads = 1};
    l->status[r] = decant__neighbours_by_ranks(&wanted, comm, begin, l->index[r], l->distance[r]);
}

/* Few columns go by the tree, more by all pairs; the last rows of these are equal. */
static void test_neighbours_by_ranks(void **state) {
    (void)state;
    static uint32_t index[POINTS * NEAREST];
    static float distance[POINTS * NEAREST];
    static lists l;
    for (size_t d = 3; d <= 30; d += 27) {
        float *x = sample_new(5, 1, POINTS * d);
        for (size_t i = POINTS - 20; i < POINTS; i++)
            memcpy(x + i * d, x + (POINTS - 21) * d, d * sizeof *x);
        l.source = decant__source_dense(x, POINTS, d);
        assert_ok(decant__neighbours_find(&l.source, NEAREST, 2, NULL, index, distance));
        run_crew(find_neighbours, &l);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(l.status[r], DECANT_OK);
            assert_memory_equal(index, l.index[r], sizeof index);
            assert_memory_equal(distance, l.distance[r], sizeof distance);
        }
        free(x);
    }
}

enum { ROWS = 42 * 512 + 100, COLUMNS = 8, WIDTH = 3 };

typedef struct projection {
    decant__source all, sample;
    const double *mean;
    float *scores;
    decant_status status[RANKS];
} projection;

static void project_part(const decant__comm *comm, void *context) {
    projection *p = context;
    static const size_t cut[RANKS + 1] = {0, 5000, 5001, 17001, ROWS};
    size_t first = cut[comm->rank];
    decant__source part = decant__source_slice(&p->all, first, cut[comm->rank + 1] - first);
    const decant__principal wanted = {.x = &part,
                                      .sample = &p->sample,
                                      .mean = p->mean,
                                      .count = WIDTH,
                                      .seed = 1,
                                      .threads = 1,
                                      .comm = comm};
    p->status[comm->rank] = decant__principal_project(&wanted, p->scores + first * WIDTH);
}

/* Enough rows for a sample of every second block. */
static void test_components_of_parts(void **state) {
    (void)state;
    float *x = sample_new(6, 1, ROWS * COLUMNS), *sample = sample_new(1, 0, ROWS * COLUMNS);
    float *whole = sample_new(1, 0, ROWS * WIDTH), *parts = sample_new(1, 0, ROWS * WIDTH);
    uint32_t *row = malloc(ROWS * sizeof *row);
    double mean[COLUMNS] = {0};
    size_t rows = 0, cut[] = {0, 5000, 17001, ROWS};
    decant__source all = decant__source_dense(x, ROWS, COLUMNS);
    for (size_t i = 0; i < ROWS; i++) x[i * COLUMNS] *= 4;
    assert_ok(decant__principal_scores(&all, WIDTH, 1, 2, NULL, whole));
    for (size_t p = 0; p < 3; p++) {
        decant__source part = decant__source_slice(&all, cut[p], cut[p + 1] - cut[p]);
        size_t count = decant__principal_sample(ROWS, cut[p], part.n, row);
        decant__principal_add(&part, NULL, 0, part.n, mean);
        for (size_t i = 0; i < count; i++)
            decant__source_copy(&part, row[i], sample + rows++ * COLUMNS);
    }
    assert_true(rows > 20 * 512 && rows < ROWS);
    for (size_t j = 0; j < COLUMNS; j++) mean[j] /= ROWS;
    projection p = {.all = all,
                    .sample = decant__source_dense(sample, rows, COLUMNS),
                    .mean = mean,
                    .scores = parts};
    run_crew(project_part, &p);
    for (int r = 0; r < RANKS; r++) assert_int_equal(p.status[r], DECANT_OK);
    assert_memory_equal(whole, parts, ROWS * WIDTH * sizeof *whole);
    free(x);
    free(sample);
    free(whole);
    free(parts);
    free(row);
}

/* ---- k-means ----------------------------------------------------------------------------------
 */

enum { STARTS_N = 700, STARTS_K = 9 };

typedef struct starts {
    decant__source x;
    size_t restarts;
    float centers[RANKS][STARTS_K * DECANT__NARROW * 2];
    int32_t labels[RANKS][STARTS_N];
    decant__kmeans_info info[RANKS];
    decant_status status[RANKS];
} starts;

static decant_status run_starts(starts *s, const decant__comm *comm, int r) {
    const decant__kmeans_options options = {.k = STARTS_K,
                                            .seeding = DECANT_SEEDING_PLUSPLUS,
                                            .restarts = s->restarts,
                                            .iterations = 50,
                                            .tol = 1e-2,
                                            .seed = 3,
                                            .threads = 1,
                                            .comm = comm};
    return decant__kmeans_fit(&s->x, &options, NULL, s->centers[r], s->labels[r], &s->info[r]);
}

static void run_own_starts(const decant__comm *comm, void *context) {
    starts *s = context;
    s->status[comm->rank] = run_starts(s, comm, comm->rank);
}

/* Noise, where every start finds other clusters. Fewer starts than ranks, as many as no rank has
 * alike, and more than run at the same time; wide rows, whose starts are not shared. From the ninth
 * on starts begin with the best so far. */
static void test_kmeans_by_ranks_is_that_of_one(void **state) {
    (void)state;
    static starts alone, spread;
    static const struct {
        size_t restarts, d;
    } cases[] = {{1, 5}, {3, 5}, {10, 30}, {70, 5}, {14, DECANT__NARROW + 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float *x = sample_new(c + 1, 1, STARTS_N * cases[c].d);
        alone.x = spread.x = decant__source_dense(x, STARTS_N, cases[c].d);
        alone.restarts = spread.restarts = cases[c].restarts;
        assert_ok(run_starts(&alone, NULL, 0));
        run_crew(run_own_starts, &spread);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(spread.status[r], DECANT_OK);
            assert_memory_equal(spread.labels[r], alone.labels[0], sizeof alone.labels[0]);
            assert_memory_equal(spread.centers[r], alone.centers[0],
                                STARTS_K * cases[c].d * sizeof(float));
            assert_true(spread.info[r].inertia == alone.info[0].inertia &&
                        spread.info[r].iterations == alone.info[0].iterations &&
                        spread.info[r].converged == alone.info[0].converged);
        }
        free(x);
    }
}

/* No failure that ranks agree on: they may go on without these clusters. */
static void test_kmeans_by_ranks_of_too_few_rows(void **state) {
    (void)state;
    static starts s;
    float *x = sample_new(1, 0, STARTS_N * 5);
    for (size_t i = 0; i < STARTS_N * 5; i++) x[i] = (float)(i / 5 % 4);
    s.x = decant__source_dense(x, STARTS_N, 5);
    s.restarts = 10;
    run_crew(run_own_starts, &s);
    for (int r = 0; r < RANKS; r++) assert_int_equal(s.status[r], DECANT_EINVAL);
    free(x);
}

/* ---- Communities ------------------------------------------------------------------------------
 */

enum { NODES = 900, LINKS = 8, GROUPS = 4 };

typedef struct search {
    const decant__graph *graph;
    int32_t labels[RANKS][NODES], groups[RANKS][NODES];
    decant_status status[RANKS];
    int usable[RANKS], groups_usable[RANKS];
} search;

static decant_status find_communities(const decant__graph *graph, const decant__comm *comm,
                                      search *s, int r) {
    const decant__communities wanted = {.graph = graph,
                                        .k = GROUPS,
                                        .max = NODES,
                                        .seed = 1,
                                        .threads = 1,
                                        .comm = comm,
                                        .groups = s->groups[r],
                                        .groups_usable = &s->groups_usable[r]};
    size_t natural;
    for (size_t i = 0; i < NODES; i++) s->labels[r][i] = (int32_t)(i % GROUPS);
    return decant__communities_find(&wanted, s->labels[r], &natural, &s->usable[r]);
}

static void find_by_rank(const decant__comm *comm, void *context) {
    search *s = context;
    s->status[comm->rank] = find_communities(s->graph, comm, s, comm->rank);
}

/* Noise, so that the attempts differ: every rank has the best of all of them, not of its own. */
static void test_communities_by_ranks_are_those_of_one(void **state) {
    (void)state;
    static search alone, spread;
    decant__graph graph;
    float *x = sample_new(3, 1, NODES * 3);
    assert_ok(decant__graph_new(&graph, NODES, LINKS));
    assert_ok(decant__graph_build(&graph, x, 3, 1, NULL));
    assert_ok(find_communities(&graph, NULL, &alone, 0));
    spread.graph = &graph;
    run_crew(find_by_rank, &spread);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(spread.status[r], DECANT_OK);
        assert_true(spread.usable[r] && spread.groups_usable[r]);
        assert_memory_equal(spread.labels[r], alone.labels[0], sizeof alone.labels[0]);
        assert_memory_equal(spread.groups[r], alone.groups[0], sizeof alone.groups[0]);
    }
    decant__graph_free(&graph);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree_on_the_lowest_rank),
        cmocka_unit_test(test_same_names_who_differs),
        cmocka_unit_test(test_alone_nothing_is_exchanged),
        cmocka_unit_test(test_slices_are_a_partition),
        cmocka_unit_test(test_shared_sum_is_the_tree),
        cmocka_unit_test(test_scan_by_ranks_is_that_of_all_rows),
        cmocka_unit_test(test_scan_names_the_row_of_all_rows),
        cmocka_unit_test(test_order_of_parts),
        cmocka_unit_test(test_neighbours_by_ranks),
        cmocka_unit_test(test_components_of_parts),
        cmocka_unit_test(test_kmeans_by_ranks_is_that_of_one),
        cmocka_unit_test(test_kmeans_by_ranks_of_too_few_rows),
        cmocka_unit_test(test_communities_by_ranks_are_those_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
