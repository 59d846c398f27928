/* The paper's tables and figures, reproduced: called by the command `reproduce`. */
#ifndef DECANT_EXPERIMENTS_REPRODUCE_H
#define DECANT_EXPERIMENTS_REPRODUCE_H

#include "decant/decant.h"

/* A table or figure of the paper, or an experiment of our own. */
typedef struct decant_experiment {
    const char *name;  /* "table2" */
    const char *title; /* one line */
    int in_paper;      /* 0: our own */
} decant_experiment;

size_t decant_experiment_count(void);
const decant_experiment *decant_experiment_at(size_t index);

/* How experiments are run. Zero-initialise, set struct_size, then what you need. */
typedef struct decant_reproduction {
    size_t struct_size;
    const char *data;   /* folder with the data sets */
    const char *output; /* folder for runs, shared networks and graphs, and results */
    decant_preset preset;
    size_t seeds; /* number of seeds (1, 2, ...) to average over; 0: 3 */
    int threads;  /* 0: all cores */
    /* Called when a run begins (scores NULL) and when it ends, never twice at once. May be NULL. */
    void (*on_run)(const char *run, const decant_scores *scores, double seconds, void *user);
    /* Called with each drawing after it was written to path (.svg); may be NULL. */
    void (*on_drawing)(const char *path, const char *svg, void *user);
    void *user;
} decant_reproduction;

/* What is still to be done. */
typedef struct decant_reproduction_plan {
    size_t runs;       /* that have no result yet */
    double seconds;    /* that they take, about, on two cores */
    size_t found;      /* data sets that are there */
    char missing[256]; /* names of those that are not, as "MNIST, REUTERS" */
} decant_reproduction_plan;

decant_status decant_reproduce_plan(const char *const *names, size_t count,
                                    const decant_reproduction *how, decant_reproduction_plan *out);

/* Runs experiments: every fit that has no result yet, several at a time. Then writes into
 * OUTPUT/PRESET each one's NAME.json, NAME.md and drawings, and results.html with all results that
 * are there. What was interrupted is resumed; a data set that is missing is named and left out.
 * monitor may be NULL; it gets planned seconds as steps, in phase "runs", from any thread. */
decant_status decant_reproduce(const char *const *names, size_t count,
                               const decant_reproduction *how, const decant_monitor *monitor);

/* The page of a result file NAME.json as Markdown; free with decant_text_free. */
decant_status decant_reproduce_page(const char *path, char **text);

#endif
