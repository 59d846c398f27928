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

/* The checkpoint keeps every k that is done. */
static decant_status choose(decant__laboratory *lab, const decant_dataset *data,
                            decant_selection **out) {
    decant_status status = DECANT_OK;
    decant_monitor monitor = lab->monitor != NULL ? *lab->monitor : (decant_monitor){0};
    decant_options options;
    char *network = NULL, *checkpoint = NULL;
    TRY(decant__trial_options(lab, &shown, &options));
    options.k = LEAST;
    options.k_most = MOST;
    TRY(decant__trial_network(lab, &shown, &network));
    TRY(decant__path_join(lab->folder, "figure6.checkpoint", &checkpoint));
    monitor.pretrained = network;
    monitor.checkpoint = checkpoint;
    monitor.resume = 1;
    TRY(decant_select_k(data, &options, &monitor, out));
    unlink(checkpoint);
done:
    decant__free(network);
    decant__free(checkpoint);
    return status;
}

decant_status decant__reproduce_figure6(decant__laboratory *lab, decant__sheet *sheet) {
    decant_status status = DECANT_OK;
    const decant_dataset *data = NULL;
    decant_selection *selection = NULL;
    decant__outcome outcome;
    char *svg = NULL;
    decant__sheet_missing(sheet, lab, DECANT__SET_MNIST);
    decant__sheet_note(sheet,
                       "MNIST, seed 1; G = training loss / validation loss, a fifth of the "
                       "rows left out of refinement. The paper sees G drop from 9 to 10.");
    if (!decant__laboratory_has(lab, DECANT__SET_MNIST)) return DECANT_OK;
    /* The run of the tables makes the network that all k begin with; each k refines it once. */
    TRY(decant__trial_run(lab, &shown, &outcome));
    if (lab->planning) {
        decant_options options;
        TRY(decant__trial_options(lab, &shown, &options));
        lab->planned += (MOST - LEAST + 1) * decant__trial_cost(&shown, &options).rest;
        goto done;
    }
    TRY(decant__laboratory_rows(lab, DECANT__SET_MNIST, &data));
    TRY(choose(lab, data, &selection));
    TRY(put_rows(sheet, selection, data));
    TRY(decant_selection_svg(selection, data, &svg));
    TRY(decant__sheet_draw(sheet, lab, "figure6.svg", svg));
done:
    decant_selection_free(selection);
    decant_text_free(svg);
    return status;
}
