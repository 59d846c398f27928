/* ACC, NMI, ARI and purity, all from one table n_ij (rows in cluster i and class j) with totals a_i
 * (clusters), b_j (classes) and n.
 *
 *   ACC    = max over one-to-one matchings m of sum_i n_{i,m(i)} / n           (DEC paper, eq. 10)
 *   NMI    = I / ((H(a) + H(b)) / 2),  I = sum_ij n_ij/n log(n n_ij / (a_i b_j)),
 *            H(a) = -sum_i a_i/n log(a_i/n)
 *   ARI    = (S - A B / N) / ((A + B) / 2 - A B / N)                  (Hubert and Arabie 1985)
 *            S = sum_ij C(n_ij, 2), A = sum_i C(a_i, 2), B = sum_j C(b_j, 2), N = C(n, 2)
 *   purity = sum_i max_j n_ij / n
 *
 * Where a quotient is 0/0 the two partitions are the same one: everything in one cluster and one
 * class (NMI, ARI), or every row alone in both (ARI); the score is 1 then, as in scikit-learn. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "metrics/contingency.h"
#include "metrics/hungarian.h"

static double entropy(const size_t *total, size_t count, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double share = (double)total[i] / (double)n;
        sum -= share * decant__log(share);
    }
    return sum;
}

static double mutual_information(const decant__contingency *t) {
    double sum = 0, n = (double)t->n;
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t j = 0; j < t->columns; j++) {
            double both = (double)t->count[i * t->columns + j];
            if (both == 0) continue;
            double apart = (double)t->row_total[i] * (double)t->column_total[j];
            sum += both / n * decant__log(n * both / apart);
        }
    }
    return sum;
}

static double nmi(const decant__contingency *t) {
    if (t->rows == 1 && t->columns == 1) return 1;
    double mean =
        (entropy(t->row_total, t->rows, t->n) + entropy(t->column_total, t->columns, t->n)) / 2;
    double value = mutual_information(t) / mean;
    return fmin(fmax(value, 0), 1);
}

/* Sum of C(count, 2) in integers: exact for any n that fits 32 bits. */
static uint64_t pairs(const size_t *count, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) sum += (uint64_t)count[i] * (count[i] - (count[i] > 0)) / 2;
    return sum;
}

static double ari(const decant__contingency *t) {
    uint64_t together = pairs(t->count, t->rows * t->columns);
    uint64_t in_clusters = pairs(t->row_total, t->rows);
    uint64_t in_classes = pairs(t->column_total, t->columns);
    if (in_clusters == together && in_classes == together) return 1;
    double a = (double)in_clusters, b = (double)in_classes;
    double expected = a * (b / (double)pairs(&t->n, 1));
    return ((double)together - expected) / ((a + b) / 2 - expected);
}

static double purity(const decant__contingency *t) {
    size_t sum = 0;
    for (size_t i = 0; i < t->rows; i++) {
        size_t max = 0;
        for (size_t j = 0; j < t->columns; j++)
            if (t->count[i * t->columns + j] > max) max = t->count[i * t->columns + j];
        sum += max;
    }
    return (double)sum / (double)t->n;
}

static double accuracy(const decant__contingency *t, const int32_t *match) {
    size_t sum = 0;
    for (size_t i = 0; i < t->rows; i++)
        if (match[i] >= 0) sum += t->count[i * t->columns + (size_t)match[i]];
    return (double)sum / (double)t->n;
}

decant_status decant_score(const int32_t *clusters, const int32_t *classes, size_t n,
                           decant_scores *out) {
    REQUIRE(clusters);
    REQUIRE(classes);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    decant__contingency table = {0};
    int32_t *match = NULL;
    TRY(decant__contingency_new(&table, clusters, classes, n));
    NEW_ARRAY(match, table.rows);
    TRY(decant__hungarian_match(table.count, table.rows, table.columns, match));
    out->acc = accuracy(&table, match);
    out->nmi = nmi(&table);
    out->ari = ari(&table);
    out->purity = purity(&table);
done:
    decant__free(match);
    decant__contingency_free(&table);
    return status;
}

static decant_status check_label_range(const int32_t *labels, size_t n, size_t count,
                                       const char *what) {
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= count)
            return decant__fail(DECANT_EINVAL, "%s label of row %zu is %ld, outside 0 .. %zu - 1",
                                what, i + 1, (long)labels[i], count);
    return DECANT_OK;
}

decant_status decant_confusion(const int32_t *clusters, const int32_t *classes, size_t n,
                               size_t cluster_count, size_t class_count, size_t *counts,
                               int32_t *match) {
    REQUIRE(clusters);
    REQUIRE(classes);
    REQUIRE(counts);
    decant_status status = DECANT_OK;
    size_t *made = NULL;
    if (cluster_count == 0 || class_count == 0)
        return decant__fail(DECANT_EINVAL, "a confusion table needs a cluster and a class");
    TRY(check_label_range(clusters, n, cluster_count, "the cluster"));
    TRY(check_label_range(classes, n, class_count, "the class"));
    NEW_ZEROED(made, cluster_count * class_count);
    for (size_t i = 0; i < n; i++) made[(size_t)clusters[i] * class_count + (size_t)classes[i]]++;
    if (match != NULL) TRY(decant__hungarian_match(made, cluster_count, class_count, match));
    memcpy(counts, made, cluster_count * class_count * sizeof *counts);
done:
    decant__free(made);
    return status;
}
