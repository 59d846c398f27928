/* Figure 6: NMI and generalizability over the number of clusters. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "reproduce/experiments.h"

enum { LEAST = 5, MOST = 15 };

static const decant__trial shown = {.set = DECANT__SET_MNIST, .method = "dec", .seed = 1};

static decant_status name_checkpoint(const decant__laboratory *lab, char **out) {
    return decant__path_join(lab->folder, "figure6.checkpoint", out);
}

static decant_status put_rows(decant__sheet *sheet, const decant_selection *selection,
                              const decant_dataset *data) {
    decant_status status = DECANT_OK;
    const int32_t *classes = decant_dataset_labels(data);
    char name[16];
    for (size_t i = 0; i < selection->count; i++) {
        snprintf(name, sizeof name, "k = %zu", selection->trial[i].k);
        decant__sheet_column(sheet, name);
    }
    decant__sheet_row(sheet, "NMI");
    for (size_t i = 0; i < selection->count; i++) {
        decant_scores scores = {.nmi = NAN};
        if (selection->trial[i].labels != NULL && classes != NULL)
            TRY(decant_score(selection->trial[i].labels, classes, selection->n, &scores));
        decant__sheet_values(sheet, &scores.nmi, 1, "seeds", NAN);
    }
    decant__sheet_row(sheet, "G");
    for (size_t i = 0; i < selection->count; i++)
        decant__sheet_values(sheet, &selection->trial[i].generalizability, 1, "seeds", NAN);
    decant__sheet_row(sheet, "G, validation rows with f of their own");
    for (size_t i = 0; i < selection->count; i++)
        decant__sheet_values(sheet, &selection->trial[i].own_generalizability, 1, "seeds", NAN);
    decant__sheet_row(sheet, "stability");
    for (size_t i = 0; i < selection->count; i++)
        decant__sheet_values(sheet, &selection->trial[i].stability, 1, "seeds", NAN);
    decant__sheet_note(sheet, "Chosen without labels: k = %zu; %s.", selection->k,
                       selection->reason);
done:
    return status;
}

/* The checkpoint keeps every k that is done, and stays: with all of them there this takes no time.
 */
static decant_status choose(decant__laboratory *lab, int threads, const decant_monitor *watch,
                            decant_selection **out) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant_monitor monitor = watch != NULL ? *watch : (decant_monitor){0};
    decant_options options;
    char *network = NULL, *checkpoint = NULL;
    TRY(decant__trial_options(lab, &shown, &options));
    options.k = LEAST;
    options.k_most = MOST;
    options.threads = threads;
    TRY(decant__trial_network(lab, &shown, &network));
    TRY(name_checkpoint(lab, &checkpoint));
    monitor.pretrained = network;
    monitor.checkpoint = checkpoint;
    monitor.resume = 1;
    TRY(decant__laboratory_rows(lab, shown.set, &data));
    TRY(decant_select_k(data, &options, &monitor, out));
done:
    decant__free(network);
    decant__free(checkpoint);
    return status;
}

static decant_status make(decant__laboratory *lab, const decant__work *work, int threads,
                          const decant_monitor *monitor, decant__outcome *out) {
    decant_selection *selection = NULL;
    (void)work;
    *out = (decant__outcome){.scores = {NAN, NAN, NAN, NAN}};
    decant_status status = choose(lab, threads, monitor, &selection);
    decant_selection_free(selection);
    return status;
}

/* One pretraining, then each k refines the network once. */
static decant_status plan(decant__laboratory *lab) {
    decant_status status = DECANT_OK;
    decant_options options;
    decant__work draft = {.make = make, .trial = shown};
    TRY(decant__trial_options(lab, &shown, &options));
    decant__cost cost = decant__trial_cost(&shown, &options);
    cost.rest *= MOST - LEAST + 1;
    TRY(name_checkpoint(lab, &draft.path));
    TRY(decant__trial_network(lab, &shown, &draft.network));
    if (access(draft.path, F_OK) == 0) cost.rest = 0; /* as far as one knows without reading it */
    TRY(decant__laboratory_list(lab, &draft, &cost));
done:
    decant__free(draft.path);
    decant__free(draft.network);
    return status;
}

decant_status decant__reproduce_figure6(decant__laboratory *lab, decant__sheet *sheet) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant_selection *selection = NULL;
    char *svg = NULL;
    decant__sheet_missing(sheet, lab, shown.set);
    decant__sheet_note(sheet,
                       "MNIST, seed 1; G = training loss / validation loss, a fifth of the "
                       "rows left out of refinement. The paper sees G drop from 9 to 10.");
    if (!decant__laboratory_has(lab, shown.set)) return DECANT_OK;
    if (lab->planning) return plan(lab);
    TRY(choose(lab, lab->how->threads, lab->monitor, &selection));
    TRY(decant__laboratory_rows(lab, shown.set, &data));
    TRY(put_rows(sheet, selection, data));
    TRY(decant_selection_svg(selection, data, &svg));
    TRY(decant__sheet_draw(sheet, lab, "figure6.svg", svg));
done:
    decant_selection_free(selection);
    decant_text_free(svg);
    return status;
}
