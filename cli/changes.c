#include "changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_args.h"
#include "id_labels.h"
#include "message.h"
#include "decant/model.h"

typedef struct cluster_change {
    size_t before, after, stayed, came, left, fresh;
} cluster_change;

typedef struct changes {
    id_labels before, after;
    cluster_change *cluster;
    size_t k, stayed, moved, fresh, gone;
} changes;

/* Labels of a run are numbers below k. */
static size_t number_of(const changes *self, const id_label *row) {
    size_t c = (size_t)strtoull(row->label, NULL, 10);
    return c < self->k ? c : 0;
}

static void count_moves(changes *self) {
    const id_labels *before = &self->before, *after = &self->after;
    for (size_t i = 0, j = 0; i < before->count || j < after->count;) {
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : strcmp(before->row[i].id, after->row[j].id);
        size_t from = order <= 0 ? number_of(self, &before->row[i]) : 0;
        size_t to = order >= 0 ? number_of(self, &after->row[j]) : 0;
        if (order < 0) self->gone++;
        if (order > 0) {
            self->fresh++;
            self->cluster[to].fresh++;
        }
        if (order == 0 && from == to) {
            self->stayed++;
            self->cluster[to].stayed++;
        } else if (order == 0) {
            self->moved++;
            self->cluster[from].left++;
            self->cluster[to].came++;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

/* By the share of the rows: a run may have more rows than the other. */
static const char *verdict(const changes *self, const cluster_change *c) {
    double before = (double)c->before / (double)self->before.count;
    double after = (double)c->after / (double)self->after.count;
    if (c->before == 0 && c->after == 0) return "empty";
    if (c->before == 0) return "appeared";
    if (c->after == 0) return "died";
    return after > 1.1 * before ? "grew" : before > 1.1 * after ? "shrank" : "as before";
}

static void print_clusters(const changes *self, const decant_model *model, int by_id) {
    if (by_id)
        printf(
            "\nsince the earlier run: %zu rows stayed in their cluster, %zu moved, %zu are new, "
            "%zu are gone\n",
            self->stayed, self->moved, self->fresh, self->gone);
    else
        printf("\nsince the earlier run (rows have no ids, so only sizes can be compared):\n");
    printf("\ncluster     before      after%s\n",
           by_id ? "     stayed       came       left        new" : "");
    for (size_t c = 0; c < self->k; c++) {
        const cluster_change *row = &self->cluster[c];
        const char *name = decant_model_cluster_name(model, c);
        printf("%7zu %10zu %10zu", c, row->before, row->after);
        if (by_id)
            printf(" %10zu %10zu %10zu %10zu", row->stayed, row->came, row->left, row->fresh);
        printf("  %s", verdict(self, row));
        if (name != NULL) {
            fputs("  ", stdout);
            print_name(stdout, name, 0);
        }
        putchar('\n');
    }
}

int print_changes(const char *before, const char *after, int by_id) {
    changes self = {0};
    decant_model *model = NULL, *earlier = NULL;
    int code = load_model(after, &model);
    if (code == 0) code = load_model(before, &earlier);
    if (code == 0) code = id_labels_read(before, NULL, NULL, &self.before);
    if (code == 0) code = id_labels_read(after, NULL, NULL, &self.after);
    if (code == 0) {
        self.k = decant_model_clusters(model);
        if (decant_model_clusters(earlier) > self.k) self.k = decant_model_clusters(earlier);
        self.cluster = calloc(self.k, sizeof *self.cluster);
        if (self.cluster == NULL) code = complain_memory();
    }
    if (code == 0) {
        for (size_t i = 0; i < self.before.count; i++)
            self.cluster[number_of(&self, &self.before.row[i])].before++;
        for (size_t i = 0; i < self.after.count; i++)
            self.cluster[number_of(&self, &self.after.row[i])].after++;
        if (by_id) count_moves(&self);
        print_clusters(&self, model, by_id);
    }
    free(self.cluster);
    id_labels_free(&self.before);
    id_labels_free(&self.after);
    decant_model_free(model);
    decant_model_free(earlier);
    return code;
}
