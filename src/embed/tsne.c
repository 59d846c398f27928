#include "embed/tsne.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/simd.h"
#include "base/team.h"
#include "embed/repulsion.h"

enum { CHUNK = 1024, TELL_EVERY = 25 };

static const double TELL_SECONDS = 0.1;

static const double EARLY_MOMENTUM = 0.5, MOMENTUM = 0.8;
static const float MIN_GAIN = 0.01F;
/* No point moves farther than this in one iteration. */
static const float LONGEST_STEP = 5;

typedef struct descent {
    const decant__affinity *p;
    size_t n;
    int threads;
    float *x, *y;           /* coordinates apart, so that loops are of one kind */
    float *move_x, *move_y; /* of the last iteration */
    float *gain_x, *gain_y;
    float *pull_x, *pull_y; /* attraction */
    float *push_x, *push_y; /* repulsion */
    double *partial;        /* sums of chunks of points, two of each */
    decant__repulsion *repulsion;
    double z;
    float attraction, rate, momentum; /* of the iteration */
} descent;

static void descent_free(descent *d) {
    decant__free(d->x);
    decant__free(d->move_x);
    decant__free(d->gain_x);
    decant__free(d->pull_x);
    decant__free(d->push_x);
    decant__free(d->partial);
    decant__repulsion_free(d->repulsion);
}

/* One block for each pair of coordinates. */
static decant_status descent_new(descent *d, const decant__affinity *p, int threads) {
    decant_status status = DECANT_OK;
    size_t n = p->n;
    *d = (descent){.p = p, .n = n, .threads = threads};
    NEW_ARRAY(d->x, 2 * n);
    NEW_ZEROED(d->move_x, 2 * n);
    NEW_ARRAY(d->gain_x, 2 * n);
    NEW_ARRAY(d->pull_x, 2 * n);
    NEW_ARRAY(d->push_x, 2 * n);
    NEW_ARRAY(d->partial, 2 * (n / CHUNK + 1));
    TRY(decant__repulsion_new(&d->repulsion, n, threads));
    d->y = d->x + n;
    d->move_y = d->move_x + n;
    d->gain_y = d->gain_x + n;
    d->pull_y = d->pull_x + n;
    d->push_y = d->push_x + n;
done:
    return status;
}

/* sum_j p_ij (1 + |y_i - y_j|^2)^-1 (y_i - y_j). */
DECANT_CLONES
static void pull_point(size_t count, const uint32_t *restrict column, const float *restrict value,
                       const float *restrict x, const float *restrict y, float own_x, float own_y,
                       float *restrict out) {
    float sum_x[FLOAT_LANES] = {0}, sum_y[FLOAT_LANES] = {0};
    LANES_FOR(FLOAT_LANES, l, e, count, {
        float dx = own_x - x[column[e]], dy = own_y - y[column[e]];
        float weight = value[e] / (1 + dx * dx + dy * dy);
        sum_x[l] += weight * dx;
        sum_y[l] += weight * dy;
    })
    out[0] = decant__lanes_sum_float(sum_x);
    out[1] = decant__lanes_sum_float(sum_y);
}

/* For a whole team. */
static void attract(const descent *d) {
    TEAM_FOR (i, d->n) {
        size_t begin = d->p->start[i];
        float sum[2];
        pull_point(d->p->start[i + 1] - begin, d->p->column + begin, d->p->value + begin, d->x,
                   d->y, d->x[i], d->y[i], sum);
        d->pull_x[i] = sum[0];
        d->pull_y[i] = sum[1];
    }
}

/* Gains grow by steps where the sign stays and shrink by a factor where it changes. */
static float next_move(float gradient, float move, float *gain, float rate, float momentum) {
    *gain = (gradient > 0) != (move > 0) ? *gain + 0.2F : *gain * 0.8F;
    if (*gain < MIN_GAIN) *gain = MIN_GAIN;
    return momentum * move - rate * *gain * gradient;
}

/* One step, and the sums that the new mean is made of. For a whole team. */
static void move_points(const descent *d) {
    size_t chunks = (d->n + CHUNK - 1) / CHUNK;
    float repulsion = (float)(1 / d->z);
    TEAM_FOR (chunk, chunks) {
        size_t end = (chunk + 1) * CHUNK < d->n ? (chunk + 1) * CHUNK : d->n;
        double sum_x = 0, sum_y = 0;
        for (size_t i = chunk * CHUNK; i < end; i++) {
            float gx = d->attraction * d->pull_x[i] - repulsion * d->push_x[i];
            float gy = d->attraction * d->pull_y[i] - repulsion * d->push_y[i];
            float mx = next_move(gx, d->move_x[i], &d->gain_x[i], d->rate, d->momentum);
            float my = next_move(gy, d->move_y[i], &d->gain_y[i], d->rate, d->momentum);
            float length = sqrtf(mx * mx + my * my);
            float shorter = length > LONGEST_STEP ? LONGEST_STEP / length : 1;
            d->move_x[i] = mx * shorter;
            d->move_y[i] = my * shorter;
            d->x[i] += d->move_x[i];
            d->y[i] += d->move_y[i];
            sum_x += (double)d->x[i];
            sum_y += (double)d->y[i];
        }
        d->partial[2 * chunk] = sum_x;
        d->partial[2 * chunk + 1] = sum_y;
    }
}

/* Forces do not move the mean, rounding does. */
static void centre(descent *d) {
    double x = 0, y = 0;
    for (size_t c = 0; c * CHUNK < d->n; c++) {
        x += d->partial[2 * c];
        y += d->partial[2 * c + 1];
    }
    float mean_x = (float)(x / (double)d->n), mean_y = (float)(y / (double)d->n);
    for (size_t i = 0; i < d->n; i++) d->x[i] -= mean_x;
    for (size_t i = 0; i < d->n; i++) d->y[i] -= mean_y;
}

static void divergence_chunks(void *context) {
    const descent *d = context;
    TEAM_FOR (chunk, (d->n + CHUNK - 1) / CHUNK) {
        size_t end = (chunk + 1) * CHUNK < d->n ? (chunk + 1) * CHUNK : d->n;
        double sum = 0;
        for (size_t e = d->p->start[chunk * CHUNK], i = chunk * CHUNK; i < end; i++)
            for (; e < d->p->start[i + 1]; e++) {
                double p = (double)d->p->value[e];
                double dx = (double)d->x[i] - (double)d->x[d->p->column[e]];
                double dy = (double)d->y[i] - (double)d->y[d->p->column[e]];
                if (p > 0) sum += p * decant__log(p * (1 + dx * dx + dy * dy));
            }
        d->partial[chunk] = sum;
    }
}

/* KL = sum p_ij (log p_ij + log(1 + d_ij^2)) + log Z. */
static decant_status divergence(descent *d, double *kl) {
    decant_status status = DECANT_OK;
    size_t chunks = (d->n + CHUNK - 1) / CHUNK;
    TRY(decant__repulsion_find(d->repulsion, d->x, d->y, d->push_x, d->push_y, &d->z));
    decant__team_run(d->threads, divergence_chunks, d);
    *kl = decant__log(d->z);
    for (size_t c = 0; c < chunks; c++) *kl += d->partial[c];
done:
    return status;
}

/* In easing by equal factors from the whole to none. */
static double exaggeration_at(const decant__tsne_plan *plan, size_t iteration) {
    if (iteration < plan->early) return plan->exaggeration;
    size_t eased = iteration - plan->early;
    if (eased >= plan->easing) return 1;
    return decant__pow(plan->exaggeration, 1 - (double)eased / (double)plan->easing);
}

static void attract_and_step(void *context) {
    const descent *d = context;
    attract(d);
    move_points(d);
}

static decant_status descend_once(descent *d, const decant__tsne_plan *plan, size_t iteration) {
    decant_status status = DECANT_OK;
    double attraction = exaggeration_at(plan, iteration);
    d->attraction = (float)attraction;
    d->rate = (float)((double)d->n / attraction);
    d->momentum = (float)(iteration < plan->early ? EARLY_MOMENTUM : MOMENTUM);
    TRY(decant__repulsion_find(d->repulsion, d->x, d->y, d->push_x, d->push_y, &d->z));
    if (!(d->z > 0)) d->z = 1; /* two or three points on top of each other */
    decant__team_run(d->threads, attract_and_step, d);
    centre(d);
done:
    return status;
}

decant_status decant__tsne_descend(const decant__affinity *p, const decant__tsne_plan *plan,
                                   const decant__watch *watch, float *map, double *kl) {
    decant_status status = DECANT_OK;
    descent d = {0};
    size_t all = plan->early + plan->easing + plan->late;
    TRY(descent_new(&d, p, plan->threads));
    for (size_t i = 0; i < d.n; i++) {
        d.x[i] = map[2 * i];
        d.y[i] = map[2 * i + 1];
    }
    for (size_t i = 0; i < 2 * d.n; i++) d.gain_x[i] = 1;
    double told = decant__seconds();
    for (size_t i = 0; i < all; i++) {
        TRY(descend_once(&d, plan, i));
        if ((i + 1) % TELL_EVERY != 0 && i + 1 != all && decant__seconds() - told < TELL_SECONDS)
            continue;
        TRY(decant__watch_tick(watch, i + 1, all, NAN, NAN));
        told = decant__seconds();
    }
    if (kl != NULL) TRY(divergence(&d, kl));
    for (size_t i = 0; i < d.n; i++) {
        map[2 * i] = d.x[i];
        map[2 * i + 1] = d.y[i];
    }
done:
    descent_free(&d);
    return status;
}

void decant__tsne_start(const float *scores, size_t n, uint64_t seed, float *map) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)scores[2 * i] * (double)scores[2 * i];
    double scale = sum > 0 ? 1e-4 / sqrt(sum / (double)n) : 0, noise = sum > 0 ? 1e-6 : 1e-4;
    decant__random random = decant__random_start(seed, DECANT__RANDOM_MAP, 0);
    for (size_t i = 0; i < 2 * n; i++)
        map[i] = (float)(scale * (double)scores[i] + noise * decant__random_normal(&random));
}
