#include "suggest.h"

#include <string.h>

enum { MAX_WORD = 40 };

static size_t min_of(size_t a, size_t b, size_t c) {
    size_t min = a < b ? a : b;
    return min < c ? min : c;
}

/* How many letters must be added, left out, replaced or swapped with their neighbour to get the
 * first `length` bytes of b: the table of dynamic programming by three of its rows. */
static size_t edit_distance(const char *a, const char *b, size_t length) {
    size_t rows[3][MAX_WORD + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (length > MAX_WORD) return MAX_WORD;
    for (size_t j = 0; j <= length; j++) last[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            row[j + 1] = min_of(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] != b[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = min_of(row[j + 1], before[j - 1] + 1, row[j + 1]);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[length];
}

/* The beginning of a word counts as near; otherwise a third of the letters may be wrong. */
static void consider(cli_guess *guess, const char *word, size_t length) {
    size_t typed = strlen(guess->typed);
    size_t allowed = typed < 4 ? 1 : typed < 9 ? 2 : typed / 3;
    size_t distance = edit_distance(guess->typed, word, length);
    if (typed >= 3 && typed <= length && strncmp(word, guess->typed, typed) == 0) distance = 1;
    if (distance > allowed || distance >= typed) return;
    if (guess->best != NULL && distance >= guess->distance) return;
    guess->best = word;
    guess->distance = distance;
}

void guess_consider(cli_guess *guess, const char *word) { consider(guess, word, strlen(word)); }

void guess_consider_choices(cli_guess *guess, const char *choices) {
    for (;;) {
        size_t length = strcspn(choices, "|");
        consider(guess, choices, length);
        if (choices[length] == '\0') return;
        choices += length + 1;
    }
}

const char *suggest_option(const char *typed) {
    static const struct {
        const char *theirs, *ours;
    } names[] = {
        {"clusters", "k"},
        {"n-clusters", "k"},
        {"n_clusters", "k"},
        {"num-clusters", "k"},
        {"classes", "k"},
        {"epochs", "pretrain-epochs"},
        {"max-epochs", "pretrain-epochs"},
        {"batch-size", "batch"},
        {"batch_size", "batch"},
        {"iterations", "max-iterations"},
        {"max-iter", "max-iterations"},
        {"max_iter", "max-iterations"},
        {"lr", "refine-rate"},
        {"rate", "refine-rate"},
        {"learning-rate", "refine-rate"},
        {"learning_rate", "refine-rate"},
        {"n-init", "restarts"},
        {"n_init", "restarts"},
        {"random-state", "seed"},
        {"random_state", "seed"},
        {"random-seed", "seed"},
        {"jobs", "threads"},
        {"n-jobs", "threads"},
        {"n_jobs", "threads"},
        {"workers", "threads"},
        {"normalize", "scaling"},
        {"normalise", "scaling"},
        {"standardize", "scaling"},
        {"hidden", "layers"},
        {"dims", "layers"},
        {"tolerance", "tol"},
        {"truth", "labels"},
        {"target", "label-column"},
        {"class-column", "label-column"},
        {"overwrite", "force"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].theirs, typed) == 0) return names[i].ours;
    return NULL;
}
