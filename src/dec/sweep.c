/* The protocol of the paper's comparisons (section 4.2): nine values of one option, of which the
 * figures show all and the tables the best. Which is best only labels can tell, so nothing is
 * chosen here. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dec/job.h"

/* The option that a method's sweep varies. */
static const char *option_of(decant_method method) {
    if (decant__method_refines(method)) return "update-interval";
    switch (method) {
        case DECANT_METHOD_LDMGI:
        case DECANT_METHOD_AE_LDMGI:
            return "lambda";
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_AE_SEC:
            return "mu";
        default:
            return "seed";
    }
}

static void value_text(const char *option, uint64_t seed, int i, char text[32]) {
    if (strcmp(option, "update-interval") == 0)
        snprintf(text, 32, "%d", 10 << i);
    else if (strcmp(option, "seed") == 0)
        snprintf(text, 32, "%llu", (unsigned long long)seed + (unsigned long long)i);
    else
        snprintf(text, 32, "1e%d", 2 * i - 8);
}

decant_status decant_sweep_fit(const decant_dataset *data, const decant_options *options,
                               const decant_monitor *monitor, decant_sweep **out) {
    decant_status status = DECANT_OK;
    decant_sweep *sweep = NULL;
    decant_options each[DECANT_SWEEP_VALUES];
    if (options->k_most > 0)
        return decant__fail(DECANT_EINVAL, "a sweep needs one number of clusters, not a range");
    NEW_ZEROED(sweep, 1);
    snprintf(sweep->option, sizeof sweep->option, "%s", option_of(options->method));
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) {
        value_text(sweep->option, options->seed, i, sweep->value[i]);
        each[i] = *options;
        TRY(decant_options_set(&each[i], sweep->option, sweep->value[i]));
    }
    TRY(decant__fit_each(data, each, DECANT_SWEEP_VALUES, monitor, sweep->result));
    *out = sweep;
    sweep = NULL;
done:
    decant_sweep_free(sweep);
    return status;
}

void decant_sweep_free(decant_sweep *sweep) {
    if (sweep == NULL) return;
    for (int i = 0; i < DECANT_SWEEP_VALUES; i++) decant_result_free(sweep->result[i]);
    decant__free(sweep);
}
