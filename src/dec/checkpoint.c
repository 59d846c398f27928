/* A training state as a tensor file: docs/format.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dec/settings.h"
#include "dec/state.h"
#include "options/options.h"

static const char FORMAT[] = "decant-checkpoint", FORMAT_VERSION[] = "2";

/* The numbers of a state by name: one list for writing and reading. */
typedef struct counted {
    const char *key;
    uint64_t *value;
} counted;
typedef struct measured {
    const char *key;
    double *value;
} measured;

enum { COUNTS = 15, REALS = 5 + DECANT__PHASES, TENSORS = 16, HISTORY_COLUMNS = 5 };
enum { TRIAL_COLUMNS = 8 };

static void list_counts(decant__state *s, counted out[COUNTS]) {
    const counted all[COUNTS] = {
        {"stage", &s->stage},
        {"step", &s->step},
        {"moment_steps", &s->moment_steps},
        {"good_step", &s->good_step},
        {"target_step", &s->target_step},
        {"loss_count", &s->loss_count},
        {"converged", &s->converged},
        {"reseeded", &s->reseeded},
        {"rollbacks", &s->rollbacks},
        {"iterations", &s->iterations},
        {"resumed_step", &s->resumed_step},
        {"trace.frames", &s->trace.frames},
        {"trace.seen", &s->trace.seen},
        {"trace.stride", &s->trace.stride},
        {"trials.fitted", &s->trials_fitted},
    };
    memcpy(out, all, sizeof all);
}

static void list_reals(decant__state *s, measured out[REALS]) {
    static const char *const names[DECANT__PHASES] = {
        "seconds.greedy",  "seconds.finetune", "seconds.select", "seconds.neighbours",
        "seconds.cluster", "seconds.start",    "seconds.refine"};
    out[0] = (measured){"good_loss", &s->good_loss};
    out[1] = (measured){"rate_factor", &s->rate_factor};
    out[2] = (measured){"loss_sum", &s->loss_sum};
    out[3] = (measured){"last_loss", &s->last_loss};
    out[4] = (measured){"graph_recall", &s->graph_recall};
    for (int p = 0; p < DECANT__PHASES; p++) out[5 + p] = (measured){names[p], &s->seconds[p]};
}

/* History and trials in the form in which they travel. */
typedef struct packed {
    double *history, *trials;
    int32_t *trial_labels;
} packed;

static void packed_free(packed *p) {
    decant__free(p->history);
    decant__free(p->trials);
    decant__free(p->trial_labels);
}

static size_t labelled_trials(const decant__state *s) {
    return s->trials_fitted ? s->trial_count : 0;
}

static decant_status packed_new(packed *p, const decant__state *s) {
    decant_status status = DECANT_OK;
    NEW_ARRAY(p->history, s->history_count * HISTORY_COLUMNS);
    NEW_ARRAY(p->trials, s->trial_count * TRIAL_COLUMNS);
    NEW_ARRAY(p->trial_labels, labelled_trials(s) * s->n);
done:
    return status;
}

static void list_tensors(decant__state *s, const packed *p, decant__tensor out[TENSORS]) {
    const decant_trace *t = &s->trace.kept;
    size_t frames = t->rows > 0 ? DECANT__MOST_FRAMES : 0;
    const decant__tensor all[TENSORS] = {
        {"params", DECANT__F32, s->parameters, 0, s->params},
        {"first", DECANT__F32, s->parameters, 0, s->first},
        {"second", DECANT__F32, s->parameters, 0, s->second},
        {"good", DECANT__F32, s->parameters, 0, s->good},
        {"labels", DECANT__I32, s->n, 0, s->labels},
        {"initial_labels", DECANT__I32, s->n, 0, s->initial_labels},
        {"target", DECANT__F32, s->k > 0 ? s->n : 0, s->k, s->target},
        {"graph.index", DECANT__I32, s->n * s->graph.count, 0, s->graph.index},
        {"graph.weight", DECANT__F32, s->n * s->graph.count, 0, s->graph.weight},
        {"trace.step", DECANT__F64, frames, 0, t->step},
        {"trace.z", DECANT__F32, frames, t->rows * t->width, t->z},
        {"trace.labels", DECANT__I32, frames, t->rows, t->labels},
        {"trace.centroids", DECANT__F32, frames, t->k * t->width, t->centroids},
        {"history", DECANT__F64, s->history_count, HISTORY_COLUMNS, p->history},
        {"trials", DECANT__F64, s->trial_count, TRIAL_COLUMNS, p->trials},
        {"trials.labels", DECANT__I32, labelled_trials(s), s->n, p->trial_labels},
    };
    memcpy(out, all, sizeof all);
}

/* History rows as numbers; the phase's name travels in the metadata as one text. */
static void pack_history(const decant__state *s, double *out) {
    for (size_t i = 0; i < s->history_count; i++) {
        const decant_history_row *row = &s->history[i];
        const double values[HISTORY_COLUMNS] = {(double)row->step, row->seconds, row->loss,
                                                row->changed, (double)row->smallest};
        memcpy(out + i * HISTORY_COLUMNS, values, sizeof values);
    }
}

static void unpack_history(decant__state *s, const double *in) {
    for (size_t i = 0; i < s->history_count; i++) {
        const double *v = in + i * HISTORY_COLUMNS;
        decant_history_row *row = &s->history[i];
        row->step = (size_t)v[0];
        row->seconds = v[1];
        row->loss = v[2];
        row->changed = v[3];
        row->smallest = (size_t)v[4];
    }
}

static void pack_trials(const decant__state *s, packed *p) {
    for (size_t t = 0; t < s->trial_count; t++) {
        const decant_k_trial *trial = &s->trials[t];
        const double values[TRIAL_COLUMNS] = {(double)trial->k,        trial->stability,
                                              trial->generalizability, trial->own_generalizability,
                                              trial->train_loss,       trial->validation_loss,
                                              trial->silhouette,       trial->seconds};
        memcpy(p->trials + t * TRIAL_COLUMNS, values, sizeof values);
        if (trial->labels != NULL)
            memcpy(p->trial_labels + t * s->n, trial->labels, s->n * sizeof *trial->labels);
    }
}

static decant_status unpack_trials(decant__state *s, const packed *p) {
    decant_status status = DECANT_OK;
    for (size_t t = 0; t < s->trial_count; t++) {
        const double *v = p->trials + t * TRIAL_COLUMNS;
        decant_k_trial *trial = &s->trials[t];
        *trial = (decant_k_trial){(size_t)v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], NULL};
        if (!s->trials_fitted) continue;
        NEW_ARRAY(trial->labels, s->n);
        memcpy(trial->labels, p->trial_labels + t * s->n, s->n * sizeof *trial->labels);
    }
done:
    return status;
}

enum { PHASE_WIDTH = sizeof(((decant_history_row *)0)->phase) };

static int put_phases(json_t *metadata, const decant__state *s) {
    size_t width = PHASE_WIDTH;
    char *text = decant__alloc_array(s->history_count * width + 1, 1);
    if (text == NULL) return 1;
    for (size_t i = 0; i < s->history_count; i++)
        snprintf(text + i * width, width + 1, "%-*s", (int)width, s->history[i].phase);
    text[s->history_count * width] = '\0';
    int failed = json_object_set_new(metadata, "history.phases", json_string(text));
    decant__free(text);
    return failed;
}

static decant_status get_phases(const decant__tensor_file *file, decant__state *s) {
    size_t width = PHASE_WIDTH;
    const char *text = decant__tensors_text(file, "history.phases");
    if (text == NULL) return DECANT_EFORMAT;
    if (strlen(text) != s->history_count * width)
        return decant__fail(DECANT_EFORMAT, "%s: its history is incomplete", file->path);
    for (size_t i = 0; i < s->history_count; i++) {
        size_t length = width - 1; /* names can have blanks inside: only those behind go */
        while (length > 0 && text[i * width + length - 1] == ' ') length--;
        memcpy(s->history[i].phase, text + i * width, length);
        s->history[i].phase[length] = '\0';
    }
    return DECANT_OK;
}

static int put_metadata(json_t *metadata, decant__state *s, const decant_options *options,
                        const uint64_t digest[2]) {
    counted counts[COUNTS];
    measured reals[REALS];
    list_counts(s, counts);
    list_reals(s, reals);
    int failed = json_object_set_new(metadata, "format", json_string(FORMAT));
    failed |= json_object_set_new(metadata, "format_version", json_string(FORMAT_VERSION));
    failed |= json_object_set_new(metadata, "decant_version", json_string(decant_version()));
    failed |= decant__settings_put_options(metadata, options);
    failed |= decant__settings_put_count(metadata, "digest.high", digest[0]);
    failed |= decant__settings_put_count(metadata, "digest.low", digest[1]);
    failed |= decant__settings_put_count(metadata, "phase", (uint64_t)s->phase);
    failed |= decant__settings_put_count(metadata, "clusters", s->k);
    failed |= decant__settings_put_count(metadata, "history.rows", s->history_count);
    failed |= decant__settings_put_count(metadata, "trials.rows", s->trial_count);
    for (int i = 0; i < COUNTS; i++)
        failed |= decant__settings_put_count(metadata, counts[i].key, *counts[i].value);
    for (int i = 0; i < REALS; i++)
        failed |= decant__settings_put_real(metadata, reals[i].key, *reals[i].value);
    return failed | put_phases(metadata, s);
}

decant_status decant__state_save(const decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]) {
    decant_status status = DECANT_OK;
    decant__state view = *state; /* the lists hold pointers that loading writes through */
    packed p = {0};
    decant__tensor tensors[TENSORS];
    json_t *metadata = json_object();
    TRY(packed_new(&p, &view));
    pack_history(&view, p.history);
    pack_trials(&view, &p);
    list_tensors(&view, &p, tensors);
    if (put_metadata(metadata, &view, options, data_digest))
        status = decant__fail(DECANT_ENOMEM, "%s: out of memory for its metadata", path);
    else
        status = decant__tensors_write(path, metadata, tensors, TENSORS);
done:
    json_decref(metadata);
    packed_free(&p);
    return status;
}

static decant_status check_belongs(const decant__tensor_file *file, const decant_options *options,
                                   const uint64_t digest[2]) {
    decant_status status = DECANT_OK;
    decant_options stored;
    uint64_t high, low;
    TRY(decant__settings_get_options(file, &stored));
    TRY(decant__settings_get_count(file, "digest.high", &high));
    TRY(decant__settings_get_count(file, "digest.low", &low));
    const char *name = decant__options_difference(&stored, options);
    if (name != NULL) {
        char was[256], is[256];
        decant_options_get(&stored, name, was, sizeof was);
        decant_options_get(options, name, is, sizeof is);
        status = decant__fail(DECANT_EINVAL,
                              "%s: was made with %s = %s, not %s; resume with the same options",
                              file->path, name, was, is);
    } else if (high != digest[0] || low != digest[1]) {
        status = decant__fail(DECANT_EINVAL, "%s: was made from other data", file->path);
    }
    const char *version = decant__tensors_text(file, "decant_version");
    if (status == DECANT_OK && (version == NULL || strcmp(version, decant_version()) != 0))
        status = decant__fail(DECANT_EINVAL, "%s: was made by decant %s, this is %s", file->path,
                              version != NULL ? version : "?", decant_version());
done:
    return status;
}

static decant_status get_numbers(const decant__tensor_file *file, const decant_options *options,
                                 decant__state *s, size_t *trial_count) {
    decant_status status = DECANT_OK;
    counted counts[COUNTS];
    measured reals[REALS];
    uint64_t phase, rows, trials;
    list_counts(s, counts);
    list_reals(s, reals);
    for (int i = 0; i < COUNTS; i++)
        TRY(decant__settings_get_count(file, counts[i].key, counts[i].value));
    for (int i = 0; i < REALS; i++)
        TRY(decant__settings_get_real(file, reals[i].key, reals[i].value));
    TRY(decant__settings_get_count(file, "phase", &phase));
    TRY(decant__settings_get_count(file, "history.rows", &rows));
    TRY(decant__settings_get_count(file, "trials.rows", &trials));
    if (phase > DECANT__PHASE_DONE || rows > file->size || trials > file->size ||
        s->stage >= options->layer_count || s->trace.frames > DECANT__MOST_FRAMES ||
        s->trace.stride == 0)
        status = decant__fail(DECANT_EFORMAT, "%s: its numbers make no sense", file->path);
    s->phase = (decant__phase)phase;
    s->history_count = (size_t)rows;
    *trial_count = (size_t)trials;
done:
    return status;
}

decant_status decant__state_load(decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    packed p = {0};
    size_t trial_count;
    decant__tensor tensors[TENSORS];
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(check_belongs(&file, options, data_digest));
    TRY(get_numbers(&file, options, state, &trial_count));
    decant__free(state->history);
    state->history_room = state->history_count;
    NEW_ZEROED(state->history, state->history_room);
    NEW_ZEROED(state->trials, trial_count);
    state->trial_count = trial_count;
    TRY(packed_new(&p, state));
    list_tensors(state, &p, tensors);
    for (size_t i = 0; i < TENSORS; i++) TRY(decant__tensors_get(&file, &tensors[i]));
    unpack_history(state, p.history);
    TRY(unpack_trials(state, &p));
    TRY(get_phases(&file, state));
    for (size_t i = 0; i < state->n * state->graph.count; i++)
        if (state->graph.index[i] >= state->n) {
            status = decant__fail(DECANT_EFORMAT, "%s: its graph makes no sense", path);
            goto done;
        }
    state->resumed_step = state->step;
done:
    packed_free(&p);
    decant__tensors_close(&file);
    return status;
}

decant_status decant__state_peek(const char *path, size_t *k) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    uint64_t clusters;
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(decant__settings_get_count(&file, "clusters", &clusters));
    if (clusters > INT32_MAX)
        TRY(decant__fail(DECANT_EFORMAT, "%s: its numbers make no sense", path));
    *k = (size_t)clusters;
done:
    decant__tensors_close(&file);
    return status;
}
