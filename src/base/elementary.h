/* exp, log, pow, sine and cosine whose bits are the same on every machine.
 *
 * The C library's differ in the last bit from one version and processor to the next. These are made
 * of additions, products, divisions and work on bits alone, in a fixed order, so that every
 * compiler and machine with IEEE doubles gives the same result. They need no fused multiply-add.
 * Special cases are those of the C standard. Errors in units in the last place, the largest of
 * 5 000 000 arguments of each kind: exp 0.65 (0.77 where the result is subnormal), log 0.501,
 * pow 0.78, cosine and sine 0.80; tests/unit/test_elementary.c holds them to that. Rounding must
 * be to nearest, as it is unless a program changes it. */
#ifndef DECANT_BASE_ELEMENTARY_H
#define DECANT_BASE_ELEMENTARY_H

#include <stddef.h>

double decant__exp(double x);
double decant__log(double x);
double decant__pow(double x, double y);

/* Of 2 pi x: exact where x is a multiple of 1/4, and right for any x. */
double decant__cos_turns(double x);
double decant__sin_turns(double x);

/* x[i] = exp(x[i]), several at a time: the same bits as one by one. */
void decant__exp_each(double *x, size_t count);

#endif
