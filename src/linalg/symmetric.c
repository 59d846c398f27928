/* Small matrices by Jacobi's rotations, cyclic by rows (Golub and Van Loan, Matrix Computations,
 * section 8.5): additions, products, divisions and roots in a fixed order, so that whitening and
 * the start of a map have the same bits everywhere. Large ones by LAPACK, whose last digits depend
 * on its build. */
#include "linalg/symmetric.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/lapack.h"

enum { MAX_SWEEPS = 60 };

/* The sum of squares beside the diagonal may be this part of that of the diagonal. */
static const double NOTHING = 1e-40;

/* x and y turned: x <- c x - s y, y <- s x + c y, with tau = s / (1 + c). */
static void turn(double *x, double *y, size_t stride, size_t n, double s, double tau) {
    for (size_t j = 0; j < n * stride; j += stride) {
        double old_x = x[j], old_y = y[j];
        x[j] = old_x - s * (old_y + tau * old_x);
        y[j] = old_y + s * (old_x - tau * old_y);
    }
}

/* The rotation of rows and columns p and q that makes a_pq 0. a, v: n x n. */
static void rotate(double *a, double *v, size_t n, size_t p, size_t q) {
    double beside = a[p * n + q];
    if (beside == 0) return;
    double left = a[p * n + p], right = a[q * n + q];
    double theta = (right - left) / (2 * beside);
    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    if (theta < 0) t = -t;
    double c = 1 / sqrt(t * t + 1), s = t * c, tau = s / (1 + c);
    turn(a + p * n, a + q * n, 1, n, s, tau);
    turn(a + p, a + q, n, n, s, tau);
    a[p * n + p] = left - t * beside;
    a[q * n + q] = right + t * beside;
    a[p * n + q] = a[q * n + p] = 0;
    turn(v + p * n, v + q * n, 1, n, s, tau);
}

static int is_diagonal(const double *a, size_t n) {
    double diagonal = 0, beside = 0;
    for (size_t i = 0; i < n; i++) {
        diagonal += a[i * n + i] * a[i * n + i];
        for (size_t j = 0; j < i; j++) beside += a[i * n + j] * a[i * n + j];
    }
    return beside <= NOTHING * diagonal;
}

/* work (n x n) = the lower triangle of a, mirrored and scaled by 2^-exponent to at most 1, so that
 * squares neither overflow nor vanish. 0 where it is not finite. */
static int take_scaled(const double *a, size_t n, double *work, int *exponent) {
    double largest = 0;
    *exponent = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!isfinite(a[i * n + j])) return 0;
            largest = fmax(largest, fabs(a[i * n + j]));
        }
    frexp(largest, exponent);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            work[i * n + j] = work[j * n + i] = ldexp(a[i * n + j], -*exponent);
    return 1;
}

/* Sorts the diagonal of work into values, and the rows of a with it. */
static void sort_ascending(const double *work, size_t n, int exponent, double *a, double *values) {
    for (size_t i = 0; i < n; i++) values[i] = ldexp(work[i * n + i], exponent);
    for (size_t i = 0; i + 1 < n; i++) {
        size_t least = i;
        for (size_t m = i + 1; m < n; m++)
            if (values[m] < values[least]) least = m;
        if (least == i) continue;
        double swap = values[i];
        values[i] = values[least];
        values[least] = swap;
        for (size_t j = 0; j < n; j++) {
            swap = a[i * n + j];
            a[i * n + j] = a[least * n + j];
            a[least * n + j] = swap;
        }
    }
}

static decant_status not_converged(size_t n) {
    return decant__fail(DECANT_EDIVERGED, "the eigenvalues of a %zu x %zu matrix did not converge",
                        n, n);
}

static decant_status by_rotations(double *a, size_t n, double *values) {
    decant_status status = DECANT_OK;
    double *work = NULL;
    int exponent, sweep = 0;
    NEW_ARRAY(work, n * n);
    if (!take_scaled(a, n, work, &exponent)) TRY(not_converged(n));
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) a[i * n + i] = 1;
    for (; sweep < MAX_SWEEPS && !is_diagonal(work, n); sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) rotate(work, a, n, p, q);
    if (sweep == MAX_SWEEPS) TRY(not_converged(n));
    sort_ascending(work, n, exponent, a, values);
done:
    decant__free(work);
    return status;
}

/* Column-major: for a symmetric matrix that is the same, and the eigenvectors, columns to LAPACK,
 * are rows to us. */
static decant_status by_lapack(double *a, size_t n, double *values) {
    decant_status status = DECANT_OK;
    double *work = NULL;
    blasint order = (blasint)n, lwork = 34 * order + 64, info = 0;
    NEW_ARRAY(work, (size_t)lwork);
    LAPACK_DSYEV("V", "U", &order, a, &order, values, work, &lwork, &info);
    if (info != 0) status = not_converged(n);
done:
    decant__free(work);
    return status;
}

decant_status decant__symmetric_eigen(double *a, size_t n, double *values) {
    return n <= DECANT__SYMMETRIC_OWN ? by_rotations(a, n, values) : by_lapack(a, n, values);
}
