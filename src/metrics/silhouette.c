/* For a row i of cluster c, with a the mean distance to the other rows of c and b the smallest mean
 * distance to the rows of another cluster:  s_i = (b - a) / max(a, b), and 0 where it is alone. */
#include "metrics/silhouette.h"

#include <math.h>

#include "base/memory.h"
#include "base/team.h"

enum { SAMPLE = 2000 };

typedef struct sample {
    const float *z;
    const int32_t *labels;
    size_t n, l, k, m;
    double *sum;   /* m x k: distances to each cluster's rows */
    double *score; /* m */
    size_t *count; /* k */
} sample;

static size_t row_of(const sample *s, size_t i) {
    return (size_t)((double)i * (double)s->n / (double)s->m);
}

static void add_distances(const sample *s, size_t i) {
    const float *a = s->z + row_of(s, i) * s->l;
    double *sum = s->sum + i * s->k;
    for (size_t j = 0; j < s->k; j++) sum[j] = 0;
    for (size_t j = 0; j < s->m; j++) {
        const float *b = s->z + row_of(s, j) * s->l;
        double squares = 0;
        for (size_t c = 0; c < s->l; c++)
            squares += ((double)a[c] - (double)b[c]) * ((double)a[c] - (double)b[c]);
        sum[s->labels[row_of(s, j)]] += sqrt(squares);
    }
}

static double score_of(const sample *s, size_t i) {
    size_t own = (size_t)s->labels[row_of(s, i)];
    const double *sum = s->sum + i * s->k;
    double other = INFINITY;
    if (s->count[own] < 2) return 0;
    for (size_t j = 0; j < s->k; j++)
        if (j != own && s->count[j] > 0) other = fmin(other, sum[j] / (double)s->count[j]);
    double within = sum[own] / (double)(s->count[own] - 1), larger = fmax(within, other);
    return larger > 0 ? (other - within) / larger : 0;
}

static void score_rows(void *context) {
    const sample *s = context;
    TEAM_FOR (i, s->m) {
        add_distances(s, i);
        s->score[i] = score_of(s, i);
    }
}

decant_status decant__silhouette(const float *z, size_t n, size_t l, const int32_t *labels,
                                 size_t k, int threads, double *out) {
    decant_status status = DECANT_OK;
    sample s = {.z = z, .labels = labels, .n = n, .l = l, .k = k, .m = n < SAMPLE ? n : SAMPLE};
    size_t clusters = 0;
    double sum = 0;
    NEW_ARRAY(s.sum, s.m * k);
    NEW_ARRAY(s.score, s.m);
    NEW_ZEROED(s.count, k);
    for (size_t i = 0; i < s.m; i++) s.count[labels[row_of(&s, i)]]++;
    for (size_t j = 0; j < k; j++) clusters += s.count[j] > 0;
    decant__team_run(threads, score_rows, &s);
    for (size_t i = 0; i < s.m; i++) sum += s.score[i];
    *out = clusters < 2 ? (double)NAN : sum / (double)s.m;
done:
    decant__free(s.sum);
    decant__free(s.score);
    decant__free(s.count);
    return status;
}
