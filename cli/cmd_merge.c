/* decant merge: some clusters of a run become one, in a new run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "data_args.h"
#include "regroup.h"
#include "decant/model.h"

/* Marks the clusters that were named on the command line. */
static int mark_clusters(const cli_arguments *given, size_t k, int32_t *marked) {
    for (size_t i = 1; i < given->input_count; i++) {
        const char *word = given->inputs[i];
        char *end;
        errno = 0;
        unsigned long long value = strtoull(word, &end, 10);
        if (errno != 0 || end == word || *end != '\0' || word[0] == '-' || value >= k) {
            complain("'%s' is no cluster of this run: they are 0 to %zu", word, k - 1);
            return EXIT_FAILED;
        }
        if (marked[value]) {
            complain("cluster %s is given twice", word);
            return EXIT_FAILED;
        }
        marked[value] = 1;
    }
    return 0;
}

/* The merged cluster has the lowest of its numbers; those that follow move up. */
static size_t number_targets(size_t k, int32_t *to) {
    int32_t next = 0, merged = -1;
    for (size_t c = 0; c < k; c++) {
        int part = to[c];
        to[c] = part && merged >= 0 ? merged : next++;
        if (part && merged < 0) merged = to[c];
    }
    return (size_t)next;
}

static void print_targets(const decant_model *model, const int32_t *to, size_t before) {
    printf("cluster  was\n");
    for (size_t c = 0; c < decant_model_clusters(model); c++) {
        const char *name = decant_model_cluster_name(model, c), *between = "";
        printf("%7zu  ", c);
        for (size_t b = 0; b < before; b++) {
            if (to[b] != (int32_t)c) continue;
            printf("%s%zu", between, b);
            between = " + ";
        }
        if (name != NULL) {
            fputs("  ", stdout);
            print_name(stdout, name, 0);
        }
        putchar('\n');
    }
}

int cmd_merge(const cli_arguments *given) {
    const char *run = given->inputs[0];
    decant_model *model = NULL;
    char *folder = NULL;
    int32_t *to = NULL;
    size_t k = 0;
    int code = check_finished(run);
    if (code == 0) code = load_model(run, &model);
    if (code == 0) {
        k = decant_model_clusters(model);
        to = calloc(k, sizeof *to);
        code = to != NULL ? mark_clusters(given, k, to) : complain_memory();
    }
    if (code == 0) {
        decant_status status = decant_model_regroup(model, to, number_targets(k, to));
        code = status == DECANT_OK ? write_regrouped(given, run, model, to, &folder)
                                   : complain_status(status);
    }
    if (code == 0) {
        print_targets(model, to, k);
        printf("\nrun folder: %s\n", folder);
    }
    free(folder);
    free(to);
    decant_model_free(model);
    return code;
}
