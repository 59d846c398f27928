/* A training state as a tensor file: docs/format.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/settings.h"
#include "store/state.h"
#include "options/options.h"

static const char FORMAT[] = "decant-checkpoint", FORMAT_VERSION[] = "5";

/* The scalar fields of a state by name: one list for writing and reading. */
typedef struct count_field {
    const char *key;
    uint64_t *value;
} count_field;
typedef struct real_field {
    const char *key;
    double *value;
} real_field;

enum { COUNTS = 20, REALS = 7 + DECANT__PHASES, TENSORS = 21, HISTORY_COLUMNS = 5 };
enum { TRIAL_COLUMNS = 8 };

/* Counts are numbers of steps, rows and the like: doubles hold them exactly. */
#define MAX_COUNT 0x1p53

static void list_counts(decant__state *s, count_field out[COUNTS]) {
    const count_field all[COUNTS] = {
        {"stage", &s->stage},
        {"step", &s->step},
        {"moment_steps", &s->moment_steps},
        {"rollback_step", &s->rollback_step},
        {"target_step", &s->target_step},
        {"loss_count", &s->loss_count},
        {"converged", &s->converged},
        {"reseeded", &s->reseeded},
        {"rollbacks", &s->rollbacks},
        {"iterations", &s->iterations},
        {"start", &s->start},
        {"returned", &s->returned},
        {"resumed_step", &s->resumed_step},
        {"trace.frames", &s->trace.frames},
        {"trace.seen", &s->trace.seen},
        {"trace.stride", &s->trace.stride},
        {"trials.fitted", &s->trials_fitted},
        {"tried.network", &s->tried.network},
        {"tried.count", &s->tried.count},
        {"tried.settled", &s->tried.settled},
    };
    memcpy(out, all, sizeof all);
}

static void list_reals(decant__state *s, real_field out[REALS]) {
    static const char *const names[DECANT__PHASES] = {
        "seconds.greedy",  "seconds.finetune", "seconds.select", "seconds.neighbours",
        "seconds.cluster", "seconds.start",    "seconds.refine", "seconds.student"};
    out[0] = (real_field){"rollback_loss", &s->rollback_loss};
    out[1] = (real_field){"rate_factor", &s->rate_factor};
    out[2] = (real_field){"loss_sum", &s->loss_sum};
    out[3] = (real_field){"last_loss", &s->last_loss};
    out[4] = (real_field){"graph_recall", &s->graph_recall};
    out[5] = (real_field){"student_changed", &s->student_changed};
    out[6] = (real_field){"best_score", &s->best_score};
    for (int p = 0; p < DECANT__PHASES; p++) out[7 + p] = (real_field){names[p], &s->seconds[p]};
}

/* History and trials as arrays of numbers. */
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

static void list_state_tensors(decant__state *s, const packed *p, decant__tensor out[TENSORS]) {
    const decant_trace *t = &s->trace.kept;
    size_t frames = t->rows > 0 ? DECANT__MAX_FRAMES : 0;
    const decant__tensor all[TENSORS] = {
        {"params", DECANT__F32, s->parameters, 0, s->params},
        {"moment1", DECANT__F32, s->parameters, 0, s->moment1},
        {"moment2", DECANT__F32, s->parameters, 0, s->moment2},
        {"rollback_params", DECANT__F32, s->parameters, 0, s->rollback_params},
        {"best_params", DECANT__F32, s->parameters, 0, s->best_params},
        {"labels", DECANT__I32, s->n, 0, s->labels},
        {"initial_labels", DECANT__I32, s->n, 0, s->initial_labels},
        {"target", DECANT__F32, s->k > 0 ? s->n : 0, s->k, s->target},
        {"graph.index", DECANT__I32, s->n * s->graph.count, 0, s->graph.index},
        {"graph.weight", DECANT__F32, s->n * s->graph.count, 0, s->graph.weight},
        {"trace.step", DECANT__F64, frames, 0, t->step},
        {"trace.z", DECANT__F32, frames, t->rows * t->width, t->z},
        {"trace.labels", DECANT__I32, frames, t->rows, t->labels},
        {"trace.centroids", DECANT__F32, frames, t->k * t->width, t->centroids},
        {"student.params", DECANT__F32, s->student.parameters, 0, s->student.params},
        {"student.moment1", DECANT__F32, s->student.parameters, 0, s->student.moment1},
        {"student.moment2", DECANT__F32, s->student.parameters, 0, s->student.moment2},
        {"tried.score", DECANT__F64, DECANT__MAX_NETWORKS, 0, s->tried.score},
        {"history", DECANT__F64, s->history_count, HISTORY_COLUMNS, p->history},
        {"trials", DECANT__F64, s->trial_count, TRIAL_COLUMNS, p->trials},
        {"trials.labels", DECANT__I32, labelled_trials(s), s->n, p->trial_labels},
    };
    memcpy(out, all, sizeof all);
}

/* The names of the phases are in the metadata, as one text. */
static void pack_history(const decant__state *s, double *out) {
    for (size_t i = 0; i < s->history_count; i++) {
        const decant_history_row *row = &s->history[i];
        const double values[HISTORY_COLUMNS] = {(double)row->step, row->seconds, row->loss,
                                                row->changed, (double)row->smallest};
        memcpy(out + i * HISTORY_COLUMNS, values, sizeof values);
    }
}

static decant_status refuse_state(const char *path, const char *what) {
    return decant__fail(DECANT_EFORMAT, "%s: is damaged: its %s are not valid", path, what);
}

/* Is it an integer from 0 to max? Only then can it be cast. */
static int is_count(double value, double max) {
    return value >= 0 && value <= max && value == floor(value);
}

static decant_status unpack_history(decant__state *s, const double *in, const char *path) {
    for (size_t i = 0; i < s->history_count; i++) {
        const double *v = in + i * HISTORY_COLUMNS;
        decant_history_row *row = &s->history[i];
        if (!is_count(v[0], MAX_COUNT) || !is_count(v[4], (double)s->n))
            return refuse_state(path, "rows of history");
        row->step = (size_t)v[0];
        row->seconds = v[1];
        row->loss = v[2];
        row->changed = v[3];
        row->smallest = (size_t)v[4];
    }
    return DECANT_OK;
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

static decant_status unpack_trials(decant__state *s, const packed *p, const char *path) {
    decant_status status = DECANT_OK;
    for (size_t t = 0; t < s->trial_count; t++) {
        const double *v = p->trials + t * TRIAL_COLUMNS;
        decant_k_trial *trial = &s->trials[t];
        if (!is_count(v[0], (double)s->n) || v[0] == 0) TRY(refuse_state(path, "trials of k"));
        *trial = (decant_k_trial){(size_t)v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], NULL};
        if (!s->trials_fitted) continue;
        NEW_ARRAY(trial->labels, s->n);
        memcpy(trial->labels, p->trial_labels + t * s->n, s->n * sizeof *trial->labels);
    }
done:
    return status;
}

enum { PHASE_WIDTH = sizeof(((decant_history_row *)0)->phase) };

static void put_phases(decant__metadata *metadata, const decant__state *s) {
    size_t width = PHASE_WIDTH;
    char *text = decant__alloc_array(s->history_count * width + 1, 1);
    if (text == NULL) {
        metadata->status = DECANT_ENOMEM;
        return;
    }
    for (size_t i = 0; i < s->history_count; i++)
        snprintf(text + i * width, width + 1, "%-*s", (int)width, s->history[i].phase);
    text[s->history_count * width] = '\0';
    decant__metadata_put(metadata, "history.phases", text);
    decant__free(text);
}

static decant_status get_phases(const decant__tensor_file *file, decant__state *s) {
    size_t width = PHASE_WIDTH;
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +-=/._";
    const char *text = decant__tensors_text(file, "history.phases");
    if (text == NULL) return DECANT_EFORMAT;
    if (strlen(text) != s->history_count * width || text[strspn(text, letters)] != '\0')
        return refuse_state(file->path, "names of phases");
    for (size_t i = 0; i < s->history_count; i++) {
        size_t length = width - 1; /* only trailing blanks are removed: names can contain blanks */
        while (length > 0 && text[i * width + length - 1] == ' ') length--;
        memcpy(s->history[i].phase, text + i * width, length);
        s->history[i].phase[length] = '\0';
    }
    return DECANT_OK;
}

static void put_state_metadata(decant__metadata *metadata, decant__state *s,
                               const decant_options *options, const uint64_t digest[2]) {
    count_field counts[COUNTS];
    real_field reals[REALS];
    list_counts(s, counts);
    list_reals(s, reals);
    decant__tensors_begin(metadata, FORMAT, FORMAT_VERSION);
    decant__metadata_put(metadata, "decant_version", decant_version());
    decant__settings_put_options(metadata, options);
    decant__settings_put_digest(metadata, digest);
    decant__settings_put_count(metadata, "phase", (uint64_t)s->phase);
    decant__settings_put_count(metadata, "clusters", s->k);
    decant__settings_put_count(metadata, "student.parameters", s->student.parameters);
    decant__settings_put_count(metadata, "history.rows", s->history_count);
    decant__settings_put_count(metadata, "trials.rows", s->trial_count);
    for (int i = 0; i < COUNTS; i++)
        decant__settings_put_count(metadata, counts[i].key, *counts[i].value);
    for (int i = 0; i < REALS; i++)
        decant__settings_put_real(metadata, reals[i].key, *reals[i].value);
    put_phases(metadata, s);
}

decant_status decant__state_save(const decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]) {
    decant_status status = DECANT_OK;
    decant__state view = *state; /* not const: the lists have pointers that loading writes to */
    packed p = {0};
    decant__tensor tensors[TENSORS];
    decant__metadata metadata = {0};
    TRY(packed_new(&p, &view));
    pack_history(&view, p.history);
    pack_trials(&view, &p);
    list_state_tensors(&view, &p, tensors);
    put_state_metadata(&metadata, &view, options, data_digest);
    TRY(decant__tensors_write(path, &metadata, tensors, TENSORS));
done:
    decant__metadata_free(&metadata);
    packed_free(&p);
    return status;
}

static decant_status check_owner(const decant__tensor_file *file, const decant_options *options,
                                 const uint64_t digest[2]) {
    decant_status status = DECANT_OK;
    decant_options stored;
    int same;
    TRY(decant__settings_get_options(file, &stored));
    TRY(decant__settings_match_digest(file, digest, &same));
    const char *name = decant__options_difference(&stored, options);
    if (name != NULL) {
        char was[256], is[256];
        decant_options_get(&stored, name, was, sizeof was);
        decant_options_get(options, name, is, sizeof is);
        status = decant__fail(DECANT_EINVAL,
                              "%s: was made with %s = %s, not %s; resume with the same options",
                              file->path, name, was, is);
    } else if (!same) {
        status = decant__fail(
            DECANT_EINVAL, "%s: was made from other data; resume with the same files", file->path);
    }
    const char *version = decant__tensors_text(file, "decant_version");
    if (status == DECANT_OK && (version == NULL || strcmp(version, decant_version()) != 0))
        status = decant__fail(DECANT_EINVAL, "%s: was made by decant %s, but this is %s",
                              file->path, version != NULL ? version : "?", decant_version());
done:
    return status;
}

static decant_status get_counts(const decant__tensor_file *file, decant__state *s) {
    decant_status status = DECANT_OK;
    count_field counts[COUNTS];
    list_counts(s, counts);
    for (int i = 0; i < COUNTS; i++) {
        uint64_t *value = counts[i].value;
        TRY(decant__settings_get_count(file, counts[i].key, value));
        int none = value == &s->target_step && *value == DECANT__NO_STEP;
        if (!none && *value > (uint64_t)MAX_COUNT) TRY(refuse_state(file->path, "counts"));
    }
done:
    return status;
}

static int is_share(double value) { return isnan(value) || (value >= 0 && value <= 1); }

static decant_status get_reals(const decant__tensor_file *file, decant__state *s) {
    decant_status status = DECANT_OK;
    real_field reals[REALS];
    list_reals(s, reals);
    for (int i = 0; i < REALS; i++)
        TRY(decant__settings_get_real(file, reals[i].key, reals[i].value));
    for (int p = 0; p < DECANT__PHASES; p++)
        if (!(s->seconds[p] >= 0 && isfinite(s->seconds[p])))
            TRY(refuse_state(file->path, "seconds"));
    if (!(s->rate_factor > 0 && s->rate_factor <= 1) || !is_share(s->graph_recall) ||
        !is_share(s->student_changed))
        TRY(refuse_state(file->path, "numbers"));
done:
    return status;
}

/* The position of training. The numbers of history rows and trials are limited by the size of the
 * file. */
static decant_status get_position(const decant__tensor_file *file, const decant_options *options,
                                  decant__state *s, size_t *trial_count) {
    decant_status status = DECANT_OK;
    uint64_t phase, rows, trials;
    TRY(decant__settings_get_limited(file, "phase", DECANT__PHASE_DONE, &phase));
    TRY(decant__settings_get_limited(file, "history.rows",
                                     file->size / (HISTORY_COLUMNS * sizeof(double)), &rows));
    TRY(decant__settings_get_limited(file, "trials.rows",
                                     file->size / (TRIAL_COLUMNS * sizeof(double)), &trials));
    size_t max_stages = options->layer_count > 0 ? options->layer_count : DECANT_MAX_LAYERS;
    int late = s->rollback_step > s->step ||
               (s->target_step != DECANT__NO_STEP && s->target_step > s->step);
    if (late || s->stage >= max_stages || s->converged > 1 || s->start >= DECANT_STARTS ||
        s->returned > 1 || s->trials_fitted > 1 || s->tried.settled > 1 ||
        s->tried.count > DECANT__MAX_NETWORKS || s->tried.network >= s->tried.count)
        TRY(refuse_state(file->path, "counts"));
    s->phase = (decant__phase)phase;
    s->history_count = (size_t)rows;
    *trial_count = (size_t)trials;
done:
    return status;
}

/* Room for a student as large as the file says; the caller knows how large it must be. */
static decant_status make_student(const decant__tensor_file *file, decant__state *s) {
    uint64_t parameters;
    decant_status status = decant__settings_get_limited(file, "student.parameters",
                                                        file->size / sizeof(float), &parameters);
    if (status != DECANT_OK || parameters == 0) return status;
    return decant__student_new(&s->student, (size_t)parameters);
}

static int are_labels(const int32_t *labels, size_t count, size_t k) {
    for (size_t i = 0; i < count; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= k) return 0;
    return 1;
}

static int are_weights(const float *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(values[i] >= 0 && isfinite(values[i]))) return 0;
    return 1;
}

/* Frames have ascending steps and valid labels; the stride is a power of 2. */
static int is_trace(const decant__trace *trace, size_t k) {
    const decant_trace *kept = &trace->kept;
    if (trace->frames > (kept->rows > 0 ? DECANT__MAX_FRAMES : 0) || trace->stride == 0 ||
        trace->stride > UINT32_MAX || (trace->stride & (trace->stride - 1)) != 0)
        return 0;
    for (size_t f = 0; f < trace->frames; f++)
        if (!is_count(kept->step[f], MAX_COUNT) || (f > 0 && kept->step[f] <= kept->step[f - 1]))
            return 0;
    return are_labels(kept->labels, (size_t)trace->frames * kept->rows, k);
}

/* Checks all values that are used as an index or a divisor. Until k is chosen, labels are 0. */
static decant_status check_arrays(const decant__state *s, const char *path) {
    size_t k = s->k > 0 ? s->k : 1, links = s->n * s->graph.count;
    if (!are_labels(s->labels, s->n, k) || !are_labels(s->initial_labels, s->n, k))
        return refuse_state(path, "labels");
    for (size_t i = 0; i < links; i++)
        if (s->graph.index[i] >= s->n) return refuse_state(path, "neighbours");
    if (!are_weights(s->graph.weight, links)) return refuse_state(path, "weights of neighbours");
    if (!are_weights(s->target, s->n * s->k)) return refuse_state(path, "targets");
    if (!is_trace(&s->trace, k)) return refuse_state(path, "frames of the trace");
    for (size_t t = 0; t < labelled_trials(s); t++)
        if (!are_labels(s->trials[t].labels, s->n, s->trials[t].k))
            return refuse_state(path, "labels of trials");
    return DECANT_OK;
}

decant_status decant__state_load(decant__state *state, const char *path,
                                 const decant_options *options, const uint64_t data_digest[2]) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    packed p = {0};
    size_t trial_count;
    decant__tensor tensors[TENSORS];
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(check_owner(&file, options, data_digest));
    TRY(get_counts(&file, state));
    TRY(get_reals(&file, state));
    TRY(get_position(&file, options, state, &trial_count));
    TRY(make_student(&file, state));
    decant__free(state->history);
    state->history_capacity = state->history_count;
    NEW_ZEROED(state->history, state->history_capacity);
    NEW_ZEROED(state->trials, trial_count);
    state->trial_count = trial_count;
    TRY(packed_new(&p, state));
    list_state_tensors(state, &p, tensors);
    for (size_t i = 0; i < TENSORS; i++) TRY(decant__tensors_get(&file, &tensors[i]));
    TRY(unpack_history(state, p.history, path));
    TRY(unpack_trials(state, &p, path));
    TRY(get_phases(&file, state));
    TRY(check_arrays(state, path));
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
    TRY(decant__settings_get_limited(&file, "clusters", INT32_MAX, &clusters));
    *k = (size_t)clusters;
done:
    decant__tensors_close(&file);
    return status;
}
