#include "nn/softmax.h"

#include <math.h>

#include "base/elementary.h"
#include "base/team.h"

/* A probability is not taken to be smaller than this where its logarithm is needed. */
static const double SMALLEST = 1e-12;

static double log_of(double p) { return decant__log(p > SMALLEST ? p : SMALLEST); }

void decant__softmax(const float *logits, size_t n, size_t k, float *s) {
    TEAM_FOR (i, n) {
        const float *a = logits + i * k;
        float *row = s + i * k;
        float max = a[0];
        double sum = 0;
        for (size_t j = 1; j < k; j++) max = a[j] > max ? a[j] : max;
        for (size_t j = 0; j < k; j++) {
            row[j] = (float)decant__exp((double)(a[j] - max));
            sum += (double)row[j];
        }
        for (size_t j = 0; j < k; j++) row[j] = (float)((double)row[j] / sum);
    }
}

/* Cross entropy of one row: adds (s - [label]) weight. */
static double add_cross_entropy(size_t k, const float *s, int32_t label, double weight,
                                float *delta) {
    for (size_t j = 0; j < k; j++)
        delta[j] += (float)(weight * ((double)s[j] - (j == (size_t)label ? 1 : 0)));
    return -log_of((double)s[label]);
}

/* The entropy of one row: adds its gradient -s_j (log s_j + H), times weight. */
static double add_entropy(size_t k, const float *s, double weight, float *delta) {
    double entropy = 0;
    for (size_t j = 0; j < k; j++) entropy -= (double)s[j] * log_of((double)s[j]);
    for (size_t j = 0; j < k; j++)
        delta[j] -= (float)(weight * (double)s[j] * (log_of((double)s[j]) + entropy));
    return entropy;
}

/* d KL(m || share) / d s_ij = log(m_j / share_j) / n, up to a constant, through the softmax. */
static void add_balance(const decant__lesson *lesson, const float *s, const double *ratio,
                        float *delta) {
    double weight = lesson->spread * lesson->balance / (double)lesson->n, dot = 0;
    for (size_t j = 0; j < lesson->k; j++) dot += (double)s[j] * ratio[j];
    for (size_t j = 0; j < lesson->k; j++)
        delta[j] += (float)(weight * (double)s[j] * (ratio[j] - dot));
}

/* mean becomes log(m_j / share_j). */
static void find_ratios(const decant__lesson *lesson, const float *s, double *mean) {
    size_t k = lesson->k;
    for (size_t j = 0; j < k; j++) mean[j] = 0;
    for (size_t i = 0; i < lesson->n; i++)
        for (size_t j = 0; j < k; j++) mean[j] += (double)s[i * k + j];
    for (size_t j = 0; j < k; j++)
        mean[j] = log_of(mean[j] / (double)lesson->n) - decant__log(lesson->share[j]);
}

void decant__lesson_gradient(const decant__lesson *lesson, const float *s, float *delta,
                             double *loss, double *mean) {
    size_t n = lesson->n, k = lesson->k, labelled = 0;
    for (size_t i = 0; i < n; i++) labelled += lesson->label[i] >= 0;
    TEAM_SINGLE find_ratios(lesson, s, mean);
    TEAM_FOR (i, n) {
        const float *row = s + i * k;
        float *to = delta + i * k;
        for (size_t j = 0; j < k; j++) to[j] = 0;
        loss[i] = lesson->spread * add_entropy(k, row, lesson->spread / (double)n, to);
        if (lesson->label[i] >= 0)
            loss[i] += (double)n / (double)labelled *
                       add_cross_entropy(k, row, lesson->label[i], 1 / (double)labelled, to);
        add_balance(lesson, row, mean, to);
    }
}

void decant__divergence_gradient(size_t n, size_t k, const float *s, const float *t, float *delta,
                                 double *loss) {
    TEAM_FOR (i, n) {
        double sum = 0;
        for (size_t j = i * k; j < (i + 1) * k; j++) {
            delta[j] = (t[j] - s[j]) / (float)n;
            sum += (double)s[j] * (log_of((double)s[j]) - log_of((double)t[j]));
        }
        if (loss != NULL) loss[i] = sum;
    }
}
