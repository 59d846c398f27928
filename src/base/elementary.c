/* Each function reduces its argument without an error that counts, sums a Taylor series (on ranges
 * this small the best polynomial of the same degree gains little), and keeps what rounding would
 * lose in a second number where the first is of the size of the result: "high + low" below is such
 * a pair. */
#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/log_table.h"
#include "base/simd.h"

_Static_assert(FLT_EVAL_METHOD == 0, "double must be computed in its own precision");

typedef struct pair {
    double high, low;
} pair;

static inline uint64_t to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x with its last 27 bits cleared: products of two such numbers are exact. */
static inline double head(double x) { return from_bits(to_bits(x) & ~UINT64_C(0x7ffffff)); }

/* a + b, exactly (Knuth). */
static inline pair add(double a, double b) {
    double sum = a + b, part = sum - a;
    return (pair){sum, (a - (sum - part)) + (b - part)};
}

/* a b, exactly but for 2^-106 of it (Dekker). */
static inline pair multiply(double a, double b) {
    double product = a * b, a_head = head(a), b_head = head(b);
    double a_rest = a - a_head, b_rest = b - b_head;
    double low =
        ((a_head * b_head - product) + a_head * b_rest + a_rest * b_head) + a_rest * b_rest;
    return (pair){product, low};
}

/* ---- exp ---- */

/* x + low = n log 2 + r, |r| <= 0.35; then 2^n exp(r). low is small beside x. Nothing branches, so
 * that loops of it vectorise. Beyond the bounds the result is infinite or 0; NaN stays. */
static inline double exp_of_sum(double x, double low) {
    const double round = 0x1.8p52; /* adding it leaves no bits after the point */
    x = x > 710 ? 710 : x;
    x = x < -746 ? -746 : x;
    double shifted = x * 0x1.71547652b82fep+0 + round, n = shifted - round;
    /* n LOG_2_HIGH has at most 53 bits, and so has what is left of x. */
    double first = x - n * LOG_2_HIGH, second = low - n * LOG_2_LOW;
    double r = first + second, rest = (first - r) + second;
    double r2 = r * r, r4 = r2 * r2;
    double series = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120)) +
                    r4 * ((1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880)) +
                          r4 * ((1.0 / 3628800 + r * (1.0 / 39916800)) +
                                r2 * (1.0 / 479001600 + r * (1.0 / 6227020800))));
    double sum = 1 + r, lost = (1 - sum) + r;
    double value = sum + (lost + (rest * sum + r2 * series));
    /* 2^n by two factors, so that both are normal numbers and only the second product rounds. */
    uint64_t k = to_bits(shifted) - to_bits(round) + 2048, half = k >> 1;
    return value * from_bits((half - 1) << 52) * from_bits((k - half - 1) << 52);
}

double decant__exp(double x) { return exp_of_sum(x, 0); }

/* Static, as copies for several machines are visible outside of the library otherwise. */
DECANT_CLONES
static void exp_each(double *x, size_t count) {
#pragma omp simd
    for (size_t i = 0; i < count; i++) x[i] = exp_of_sum(x[i], 0);
}

void decant__exp_each(double *x, size_t count) { exp_each(x, count); }

/* ---- log ---- */

/* x = 2^e m with m in [0.707, 1.414), and m r = 1 + z with r from the table, |z| < 0.0063:
 * log x = e log 2 - log r + z - z^2/2 + z^3/3 ... x: positive, finite. */
static pair log_parts(double x) {
    int e = -1023;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        e -= 54;
    }
    uint64_t bits = to_bits(x);
    e += (int)(bits >> 52);
    double m = from_bits((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff) << 52);
    if (m >= 1.4140625) {
        m *= 0.5;
        e++;
    }
    size_t i = (size_t)(m * 128 + 0.5) - 90;
    double r = log_table[i].inverse, m_head = head(m);
    pair z = add(m_head * r - 1, (m - m_head) * r);
    double z_head = head(z.high), square = z.high * z.high;
    double square_high = z_head * z_head, square_low = (z.high - z_head) * (z.high + z_head);
    double t = z.high;
    double series = 1.0 / 3 - t * (1.0 / 4) + square * (1.0 / 5 - t * (1.0 / 6)) +
                    square * square * (1.0 / 7 - t * (1.0 / 8) + square * (1.0 / 9 - t * 0.1));
    /* Multiples of 2^-42 below 1024: exact. */
    double whole = e * LOG_2_HIGH + log_table[i].high;
    pair sum = add(whole, z.high), next = add(sum.high, -0.5 * square_high);
    double low = log_table[i].low + e * LOG_2_LOW;
    low += sum.low + next.low;
    low += z.low * (1 - t) - 0.5 * square_low + square * t * series;
    return add(next.high, low);
}

double decant__log(double x) {
    if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
    return isinf(x) ? x : log_parts(x).high;
}

/* ---- pow ---- */

/* 0: no integer; 1: odd; 2: even. */
static int parity(double y) {
    double magnitude = fabs(y);
    if (magnitude >= 0x1p53) return 2;
    if (floor(magnitude) != magnitude) return 0;
    return fmod(magnitude, 2) == 1 ? 1 : 2;
}

/* |x|^y for x that is neither 0, 1, infinite nor NaN, and y that is neither 0 nor NaN. */
static double positive_power(double x, double y) {
    pair logarithm = log_parts(x);
    /* |log x| >= 2^-53: with such a y there is no finite power but 0, and splitting it is safe. */
    if (fabs(y) > 0x1p66) y = y > 0 ? 0x1p66 : -0x1p66;
    pair product = multiply(logarithm.high, y);
    if (fabs(product.high) > 800) return product.high > 0 ? HUGE_VAL : 0;
    return exp_of_sum(product.high, product.low + logarithm.low * y);
}

double decant__pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return NAN;
    if (x == -1 && isinf(y)) return 1;
    int kind = x < 0 || x == 0 ? parity(y) : 2;
    double sign = kind == 1 && signbit(x) ? -1 : 1;
    if (x == 0 || isinf(x)) return (x == 0) == (y > 0) ? sign * 0 : sign * HUGE_VAL;
    if (kind == 0) return NAN;
    return sign * positive_power(fabs(x), y);
}

/* ---- sine and cosine ---- */

/* x = quarter/4 + r, |r| <= 1/8, exactly; *angle = 2 pi r. */
static int reduce_turns(double x, pair *angle) {
    const double two_pi = 0x1.921fb54442d18p+2, two_pi_low = 0x1.1a62633145c07p-52;
    x -= rint(x);
    double quarter = rint(4 * x), r = x - 0.25 * quarter;
    *angle = multiply(two_pi, r);
    angle->low += two_pi_low * r;
    return isnan(x) ? 0 : (int)quarter;
}

static double sine(pair t) {
    double z = t.high * t.high, z2 = z * z;
    double series = -1.0 / 6 + z * (1.0 / 120) +
                    z2 * ((-1.0 / 5040 + z * (1.0 / 362880)) +
                          z2 * ((-1.0 / 39916800 + z * (1.0 / 6227020800)) +
                                z2 * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000))));
    return t.high + (t.low * (1 - 0.5 * z) + z * t.high * series);
}

static double cosine(pair t) {
    pair square = multiply(t.high, t.high);
    double z = square.high, z2 = z * z, half = 0.5 * z;
    double series = 1.0 / 24 - z * (1.0 / 720) +
                    z2 * ((1.0 / 40320 - z * (1.0 / 3628800)) +
                          z2 * ((1.0 / 479001600 - z * (1.0 / 87178291200)) +
                                z2 * (1.0 / 20922789888000 - z * (1.0 / 6402373705728000))));
    double sum = 1 - half, lost = (1 - sum) - half;
    return sum + (lost + (z2 * series - (0.5 * square.low + t.high * t.low)));
}

double decant__cos_turns(double x) {
    pair angle;
    switch (reduce_turns(x, &angle)) {
        case 0:
            return cosine(angle);
        case 1:
            return 0 - sine(angle);
        case -1:
            return 0 + sine(angle);
        default:
            return -cosine(angle);
    }
}

double decant__sin_turns(double x) {
    pair angle;
    switch (reduce_turns(x, &angle)) {
        case 0:
            return sine(angle);
        case 1:
            return cosine(angle);
        case -1:
            return -cosine(angle);
        default:
            return 0 - sine(angle);
    }
}
