/* The gradient descent of t-SNE, compared with a naive one: all pairs, double precision. */
#include "sample.h"

#include <xxhash.h>

#include "base/random.h"
#include "embed/tsne.h"

enum { N = 120, LINKS = 3 };

/* Each point is linked with the next ones of a ring; one pair of the links has a share of all p. */
static void make_affinity(decant__affinity *p, double pair) {
    static double weight[N][N];
    size_t at = 0;
    memset(weight, 0, sizeof weight);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 1; l <= LINKS; l++) {
            size_t j = (i + l) % N;
            weight[i][j] = weight[j][i] = (1 - pair) / (2 * N * LINKS);
        }
    weight[0][1] += pair / 2;
    weight[1][0] += pair / 2;
    p->n = N;
    p->start = malloc((N + 1) * sizeof *p->start);
    p->column = malloc((size_t)N * N * sizeof *p->column);
    p->value = malloc((size_t)N * N * sizeof *p->value);
    for (size_t i = 0; i < N; i++) {
        p->start[i] = at;
        for (size_t j = 0; j < N; j++) {
            if (weight[i][j] == 0) continue;
            p->column[at] = (uint32_t)j;
            p->value[at++] = (float)weight[i][j];
        }
    }
    p->start[N] = at;
}

static void free_affinity(decant__affinity *p) {
    free(p->start);
    free(p->column);
    free(p->value);
}

/* attraction * pull - push / Z of every point. */
static void find_gradient(const decant__affinity *p, double attraction, double (*y)[2],
                          double (*gradient)[2]) {
    double z = 0, push[N][2] = {{0}};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            if (i == j) continue;
            double dx = y[i][0] - y[j][0], dy = y[i][1] - y[j][1];
            double w = 1 / (1 + dx * dx + dy * dy);
            z += w;
            push[i][0] += w * w * dx;
            push[i][1] += w * w * dy;
        }
    for (size_t i = 0; i < N; i++) {
        gradient[i][0] = -push[i][0] / z;
        gradient[i][1] = -push[i][1] / z;
        for (size_t e = p->start[i]; e < p->start[i + 1]; e++) {
            size_t j = p->column[e];
            double dx = y[i][0] - y[j][0], dy = y[i][1] - y[j][1];
            double w = attraction * (double)p->value[e] / (1 + dx * dx + dy * dy);
            gradient[i][0] += w * dx;
            gradient[i][1] += w * dy;
        }
    }
}

typedef struct reference {
    double y[N][2], move[N][2], gain[N][2];
    double longest; /* step before it is shortened */
} reference;

static void step_reference(reference *r, const decant__affinity *p, double attraction,
                           double momentum) {
    double gradient[N][2], mean[2] = {0, 0};
    find_gradient(p, attraction, r->y, gradient);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < 2; c++) {
            double g = gradient[i][c], *gain = &r->gain[i][c];
            *gain = (g > 0) != (r->move[i][c] > 0) ? *gain + 0.2 : *gain * 0.8;
            *gain = fmax(*gain, 0.01);
            r->move[i][c] = momentum * r->move[i][c] - N / attraction * *gain * g;
        }
        double length = hypot(r->move[i][0], r->move[i][1]);
        r->longest = fmax(r->longest, length);
        for (size_t c = 0; c < 2; c++) {
            if (length > 5) r->move[i][c] *= 5 / length;
            r->y[i][c] += r->move[i][c];
            mean[c] += r->y[i][c] / N;
        }
    }
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 2; c++) r->y[i][c] -= mean[c];
}

/* Exaggeration 6, then eased by equal factors to 1, then none. */
static void run_reference(reference *r, const decant__affinity *p, const decant__tsne_plan *plan) {
    for (size_t t = 0; t < plan->early + plan->easing + plan->late; t++) {
        double attraction = plan->exaggeration;
        if (t >= plan->early + plan->easing)
            attraction = 1;
        else if (t >= plan->early)
            attraction =
                pow(plan->exaggeration, 1 - (double)(t - plan->early) / (double)plan->easing);
        step_reference(r, p, attraction, t < plan->early ? 0.5 : 0.8);
    }
}

/* The root of the mean squared difference, in parts of the map's own. */
static double compare(const reference *r, const float *map) {
    double error = 0, size = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 2; c++) {
            error += pow((double)map[2 * i + c] - r->y[i][c], 2);
            size += pow(r->y[i][c], 2);
        }
    return sqrt(error / size);
}

static void check_descent(size_t early, size_t easing, size_t late, double pair, int shortened) {
    decant__tsne_plan plan = {early, easing, late, 6, 2};
    decant__affinity p;
    reference r = {0};
    float *map = sample_new(9, 1, 2 * N);
    make_affinity(&p, pair);
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 2; c++) {
            r.y[i][c] = (double)map[2 * i + c];
            r.gain[i][c] = 1;
        }
    run_reference(&r, &p, &plan);
    assert_int_equal(r.longest > 5, shortened);
    assert_ok(decant__tsne_descend(&p, &plan, NULL, map, NULL));
    assert_near(compare(&r, map), 0, 2e-3); /* measured: 1e-4 at most */
    free_affinity(&p);
    free(map);
}

static void test_descend_early(void **state) {
    (void)state;
    check_descent(6, 0, 0, 0, 0);
}

static void test_descend_eased(void **state) {
    (void)state;
    check_descent(2, 4, 0, 0, 0);
}

static void test_descend_late(void **state) {
    (void)state;
    check_descent(0, 0, 6, 0, 0);
    check_descent(2, 2, 4, 0, 0);
}

static void test_descend_shortens_steps(void **state) {
    (void)state;
    check_descent(0, 0, 2, 0.9, 1);
}

/* ---- the same everywhere ---- */

/* A map of a ring whose neighbours are at distances with many digits. */
static uint64_t hash_of_map(size_t n) {
    enum { NEAR = 12 };
    const decant__tsne_plan plan = {
        .early = 40, .easing = 20, .late = 20, .exaggeration = 12, .threads = 2};
    decant__affinity p;
    uint32_t *index = malloc(n * NEAR * sizeof *index);
    float *distance = malloc(n * NEAR * sizeof *distance), *scores = sample_new(9, 1, 2 * n);
    float *map = malloc(2 * n * sizeof *map);
    decant__random random = decant__random_start(9, DECANT__RANDOM_TEST, n);
    for (size_t e = 0; e < n * NEAR; e++) {
        size_t i = e / NEAR, m = e % NEAR;
        index[e] = (uint32_t)((i + 1 + m) % n);
        distance[e] = (float)((double)m + decant__random_uniform(&random));
    }
    double kl;
    assert_ok(decant__affinity_new(&p, &(decant__near){index, distance, n, NEAR}, 5, 2, NULL));
    decant__tsne_start(scores, n, 9, map);
    assert_ok(decant__tsne_descend(&p, &plan, NULL, map, &kl));
    uint64_t hash = XXH3_64bits(map, 2 * n * sizeof *map);
    hash = XXH3_64bits_withSeed(&kl, sizeof kl, hash);
    decant__affinity_free(&p);
    free(index), free(distance), free(scores), free(map);
    return hash;
}

/* Another digest on another machine or by another compiler is a fault; a change of the method
 * renews it. */
static void test_bits_are_those_of_every_machine(void **state) {
    (void)state;
    uint64_t few = hash_of_map(150), many = hash_of_map(5000); /* by pairs, and on a grid */
    static const uint64_t expected_few = UINT64_C(0x6c94ec4add557527),
                          expected_many = UINT64_C(0xec34949efc705494);
    if (few != expected_few || many != expected_many)
        print_error("digests 0x%016llx and 0x%016llx\n", (unsigned long long)few,
                    (unsigned long long)many);
    assert_true(few == expected_few && many == expected_many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descend_early),
        cmocka_unit_test(test_descend_eased),
        cmocka_unit_test(test_descend_late),
        cmocka_unit_test(test_descend_shortens_steps),
        cmocka_unit_test(test_bits_are_those_of_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
