/* decant: maps, reports and descriptions, for programs that show what decant.h found. The rules of
 * decant.h hold here too. */
#ifndef DECANT_REPORT_H
#define DECANT_REPORT_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Descriptions ------------------------------------------------------------------------ */

/* The inner loops in use, "avx512", "avx2", "neon" or "plain", and in a few words why (unless
 * reason is NULL). DECANT_KERNEL in the environment names one. Results do not depend on it. */
DECANT_API const char *decant_kernel(const char **reason);

/* What is in a data file, model file or run folder: a text for people, or JSON. reading says how a
 * data file is read (which column has ids, ...); it and monitor may be NULL. The caller frees *text
 * with decant_text_free. */
DECANT_API decant_status decant_describe(const char *path, const decant_read_options *reading,
                                         int json, const decant_monitor *monitor, char **text);
DECANT_API void decant_text_free(char *text);

/* ---- 2. Maps -------------------------------------------------------------------------------- */

/* How a map is made. Fill it with decant_map_options_init, then change fields. */
typedef struct decant_map_options {
    size_t struct_size;
    double perplexity;      /* 30: about how many neighbours count; less where there are few rows */
    size_t iterations;      /* 1000: a quarter with 12-fold attraction, a quarter while it eases */
    decant_scaling scaling; /* of the columns: none */
    int threads;            /* the result is the same for any number; 0: all cores */
    uint64_t seed;
} decant_map_options;

DECANT_API void decant_map_options_init(decant_map_options *options, size_t struct_size);

/* A map of the rows in two dimensions by t-SNE: map is n x 2. options, monitor and kl (for the
 * divergence that is left) may be NULL. Time: neighbours (n log n for up to 16 columns, else
 * n^2 d / 2), then about n for each iteration; memory n times 3 perplexities.
 * van der Maaten and Hinton, Visualizing data using t-SNE, JMLR 2008; repulsion on a grid as in
 * Linderman, Rachh, Hoskins, Steinerberger and Kluger, Nature Methods 2019. */
DECANT_API decant_status decant_map_rows(const decant_dataset *data,
                                         const decant_map_options *options,
                                         const decant_monitor *monitor, float *map, double *kl);

/* The map drawn as SVG, coloured by the dataset's labels; free with decant_text_free. */
DECANT_API decant_status decant_map_svg(const decant_dataset *data, const float *map, char **text);

/* What was measured of each k, drawn as SVG as in the paper's Figure 6: stability, silhouette, G,
 * and NMI if the dataset has labels. Free with decant_text_free. */
DECANT_API decant_status decant_selection_svg(const decant_selection *selection,
                                              const decant_dataset *data, char **text);

/* ---- 3. Reports ----------------------------------------------------------------------------- */

/* How a report is made. Fill it with decant_report_options_init, then change fields. */
typedef struct decant_report_options {
    size_t struct_size;
    size_t image_width, image_height; /* of rows that are pictures; 0: found by looking */
    int threads;                      /* 0: all cores */
    /* Called with each drawing (map-clusters, forming, gradient, ...) as SVG; NULL: none are made.
     * A status that is not DECANT_OK ends it. */
    decant_status (*figure)(const char *name, const char *svg, void *user);
    void *user;
    /* Told, with user, why the page is without the rows of the run, if it is; NULL: nobody is. */
    void (*without_rows)(const char *reason, void *user);
} decant_report_options;

DECANT_API void decant_report_options_init(decant_report_options *options, size_t struct_size);

/* Writes report.html into the folder of a finished run: one file that needs no network, with the
 * map, the clusters forming, a card for each cluster, and how it was made. data: the rows of the
 * run, for labels, pictures and texts; NULL: they are read again from where they were, and done
 * without if they are gone. options and monitor (of which only the progress counts) may be NULL. */
DECANT_API decant_status decant_report_write(const char *folder, const decant_dataset *data,
                                             const decant_report_options *options,
                                             const decant_monitor *monitor);

#ifdef __cplusplus
}
#endif

#endif
