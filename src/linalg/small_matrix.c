#include "linalg/small_matrix.h"

#include <math.h>

/* Row by row: l_ij = (a_ij - sum_t l_it l_jt) / l_jj, l_ii = sqrt(a_ii - sum_t l_it^2). */
decant_status decant__small_cholesky(double *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (size_t t = 0; t < j; t++) sum -= a[i * n + t] * a[j * n + t];
            if (i == j && !(sum > 0))
                return decant__fail(DECANT_EDIVERGED,
                                    "a %zu x %zu matrix that should be positive definite is not", n,
                                    n);
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
        for (size_t j = i + 1; j < n; j++) a[i * n + j] = 0;
    }
    return DECANT_OK;
}

/* Row by row: m_ij = -sum_{j<=t<i} l_it m_tj / l_ii. The rows above are those of the inverse, and
 * of its own row a sum needs l_it with t >= j only, which are still there. */
void decant__small_invert_lower(double *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double diagonal = 1 / a[i * n + i];
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t t = j; t < i; t++) sum += a[i * n + t] * a[t * n + j];
            a[i * n + j] = -sum * diagonal;
        }
        a[i * n + i] = diagonal;
    }
}

void decant__small_gram(const double *a, size_t m, size_t n, double *c) {
    for (size_t r = 0; r < m; r++) {
        const double *row = a + r * n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) c[i * n + j] += row[i] * row[j];
    }
}

/* From the last column on: y_j needs the old y_t with t <= j only. */
void decant__small_times_lower_transposed(double *y, size_t m, const double *l, size_t n) {
    for (size_t r = 0; r < m; r++) {
        double *row = y + r * n;
        for (size_t j = n; j-- > 0;) {
            double sum = 0;
            for (size_t t = 0; t <= j; t++) sum += l[j * n + t] * row[t];
            row[j] = sum;
        }
    }
}
