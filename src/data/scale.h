/* Input scaling: found on the training rows, kept in the model, applied to every row fetched. */
#ifndef DECANT_DATA_SCALE_H
#define DECANT_DATA_SCALE_H

#include "data/scan.h"
#include "features/gradients.h"

/* A fetched value is (x - shift[j]) * scale[j]; for counts x is ln(1 + 10000 x / sum of the row)
 * first, for gradients the histograms of the image. For CSR data shift is always 0: zeros stay
 * zeros. */
typedef struct decant__scale {
    size_t d;             /* columns of the data */
    size_t inputs;        /* numbers of a row that is fetched: d, but for gradients */
    decant_scaling kind;  /* never auto */
    float *shift, *scale; /* inputs */
    decant__gradients gradients;
} decant__scale;

/* What is asked for. */
typedef struct decant__scaling {
    decant_scaling kind;
    double mean_square; /* paper: what the mean of ||x||^2 / d becomes */
} decant__scaling;

/* What a scan must find for a scaling of this kind, besides what it always finds. */
unsigned decant__scale_needs(decant_scaling kind);

/* Works out the scaling from what a scan of the rows found; auto becomes paper, standard or counts
 * (see scale.c). A constant column gets scale 1 (standard, minmax): it becomes 0, or its
 * own sign in sparse minmax. All-zero data keeps factor 1. watch may be NULL. */
decant_status decant__scale_fit(decant__scale *scale, decant__scaling wanted,
                                const decant_dataset *data, const decant__summary *found,
                                int threads, const decant__watch *watch);
void decant__scale_free(decant__scale *scale);

/* One factor for the gradients of images instead: mean_square as above, by the rows of a sample
 * (pixels, n x d, of all kinds). The scale is unchanged on failure. */
decant_status decant__scale_gradients(decant__scale *scale, const decant__gradients *gradients,
                                      double mean_square, const float *sample, size_t n);

/* A dataset seen through a scaling. For CSR and counts the scaled values are a copy, owned by the
 * source. */
typedef struct decant__scaled {
    decant__source source;
    float *values;
} decant__scaled;

decant_status decant__scaled_new(decant__scaled *scaled, const decant__scale *scale,
                                 const decant_dataset *data);
/* For searches of neighbours, which go to rows by their address: dense rows with a layout of their
 * own, or in a file, become a copy, owned by the source. */
decant_status decant__scaled_compact(decant__scaled *scaled);
void decant__scaled_free(decant__scaled *scaled);

#endif
