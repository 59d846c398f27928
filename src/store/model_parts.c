/* Clusters that are put together, in another order, or dissolved.
 *
 * A model assigns rows to its parts: a centroid, a component or an output each. A fit has one part
 * for each cluster. If clusters are merged, their parts stay, and cluster_of says which belong
 * together: a row is in the cluster of its best part, so a merged cluster has exactly the rows of
 * those it was made of. Parts are in the order of their clusters; those of a dissolved cluster are
 * removed, and its rows go to the best part that is left. */
#include <string.h>

#include "base/memory.h"
#include "store/model.h"

decant_options decant__model_part_options(const decant_model *model) {
    decant_options options = model->options;
    options.k = model->parts;
    return options;
}

int32_t decant__model_cluster_of(const decant_model *model, size_t part) {
    return model->cluster_of != NULL ? model->cluster_of[part] : (int32_t)part;
}

/* Rows of an array of `width` numbers of `size` bytes for each part, in a new order. */
static void *take_rows(const void *rows, size_t width, size_t size, const size_t *order,
                       size_t count) {
    char *taken = decant__alloc_array(count, width * size);
    if (taken == NULL) return NULL;
    for (size_t p = 0; p < count; p++)
        memcpy(taken + p * width * size, (const char *)rows + order[p] * width * size,
               width * size);
    return taken;
}

/* ---- what parts are made of ---- */

/* gmm: for each part a mean, then for each part a factor; sec: a column for each part. */
static decant_status take_rule(decant_model *model, const size_t *order, size_t count) {
    decant_status status = DECANT_OK;
    const decant__rule *from = &model->rule;
    size_t l = model->latent, old = model->parts;
    decant__rule to = {0};
    decant_options options = model->options;
    options.k = count;
    if (from->offsets == 0) return DECANT_OK;
    TRY(decant__rule_new(&to, &options, l));
    size_t square = from->numbers / old - l; /* gmm: numbers of a factor */
    int by_columns = decant__method_of(options.method)->assign == decant__sec_assign;
    for (size_t p = 0; p < count; p++) {
        to.offset[p] = from->offset[order[p]];
        for (size_t j = 0; by_columns && j < l; j++)
            to.matrix[j * count + p] = from->matrix[j * old + order[p]];
        if (by_columns) continue;
        memcpy(to.matrix + p * l, from->matrix + order[p] * l, l * sizeof *to.matrix);
        memcpy(to.matrix + count * l + p * square, from->matrix + old * l + order[p] * square,
               square * sizeof *to.matrix);
    }
    decant__rule_free(&model->rule);
    model->rule = to;
done:
    return status;
}

/* The student has an output for each part: columns of its last layer. */
static decant_status take_student(decant_model *model, const size_t *order, size_t count) {
    decant_status status = DECANT_OK;
    const decant__layer *from = &model->student.net.layer[DECANT__CLASSIFIER_DEPTH - 1];
    decant__classifier plan;
    float *params = NULL;
    if (model->student.parameters == 0) return DECANT_OK;
    TRY(decant__classifier_plan(&plan, model->scale.inputs, from->in, count, 0));
    const decant__layer *to = &plan.net.layer[DECANT__CLASSIFIER_DEPTH - 1];
    NEW_ARRAY(params, plan.parameters);
    memcpy(params, model->student_params, from->weight * sizeof *params);
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < from->in; i++)
            params[to->weight + i * count + p] =
                model->student_params[from->weight + i * from->out + order[p]];
        params[to->bias + p] = model->student_params[from->bias + order[p]];
    }
    decant__free(model->student_params);
    model->student_params = params;
    model->student = plan;
done:
    return status;
}

/* After a failure the model is not to be used: callers work on a copy. */
static decant_status take_parts(decant_model *model, const size_t *order, size_t count) {
    decant_status status = DECANT_OK;
    float *centroids = take_rows(model->centroids, model->latent, sizeof *centroids, order, count);
    if (centroids == NULL) return DECANT_ENOMEM;
    decant__free(model->centroids);
    model->centroids = centroids;
    if (model->far != NULL) {
        double *far = take_rows(model->far, 1, sizeof *far, order, count);
        if (far == NULL) return DECANT_ENOMEM;
        decant__free(model->far);
        model->far = far;
    }
    TRY(take_rule(model, order, count));
    TRY(take_student(model, order, count));
    model->parts = count;
done:
    return status;
}

/* ---- names ---- */

/* The names of what was merged, each once: "a + b". */
static decant_status join_names(const decant_model *model, const int32_t *to, int32_t cluster,
                                char **out) {
    decant_status status = DECANT_OK;
    decant__text text = {0};
    size_t count = 0;
    *out = NULL;
    for (size_t c = 0; c < model->options.k; c++) {
        const char *name = decant_model_cluster_name(model, c);
        int seen = name == NULL || to[c] != cluster;
        for (size_t b = 0; b < c && !seen; b++) {
            const char *other = decant_model_cluster_name(model, b);
            seen = to[b] == cluster && other != NULL && strcmp(other, name) == 0;
        }
        if (!seen) decant__text_print(&text, "%s%s", count++ > 0 ? " + " : "", name);
    }
    if (count > 0) TRY(decant__text_take(&text, out));
done:
    decant__text_free(&text);
    return status;
}

static decant_status take_names(decant_model *model, const int32_t *to, size_t count) {
    decant_status status = DECANT_OK;
    char **names = NULL;
    if (model->cluster_names == NULL) return DECANT_OK;
    NEW_ZEROED(names, count);
    for (size_t c = 0; c < count; c++) TRY(join_names(model, to, (int32_t)c, &names[c]));
    for (size_t c = 0; c < model->options.k; c++) decant__free(model->cluster_names[c]);
    decant__free(model->cluster_names);
    model->cluster_names = names;
    names = NULL;
done:
    for (size_t c = 0; names != NULL && c < count; c++) decant__free(names[c]);
    decant__free(names);
    return status;
}

/* ---- clusters ---- */

/* Is each number below count the target of a cluster, and no other? */
static decant_status check_targets(const decant_model *model, const int32_t *to, size_t count) {
    for (size_t c = 0; c < model->options.k; c++)
        if (to[c] < -1 || (to[c] >= 0 && (size_t)to[c] >= count))
            return decant__fail(DECANT_EINVAL,
                                "cluster %zu would become %d: expected -1 or a number below %zu", c,
                                (int)to[c], count);
    for (size_t t = 0; t < count; t++) {
        size_t c = 0;
        while (c < model->options.k && to[c] != (int32_t)t) c++;
        if (c == model->options.k)
            return decant__fail(DECANT_EINVAL, "no cluster would become cluster %zu", t);
    }
    return count > 0 ? DECANT_OK
                     : decant__fail(DECANT_EINVAL, "expected one cluster or more, found none");
}

static decant_status regroup(decant_model *model, const int32_t *to, size_t count) {
    decant_status status = DECANT_OK;
    size_t *order = NULL, parts = 0;
    int32_t *cluster_of = NULL;
    NEW_ARRAY(order, model->parts);
    NEW_ARRAY(cluster_of, model->parts);
    for (size_t t = 0; t < count; t++)
        for (size_t p = 0; p < model->parts; p++) {
            if (to[decant__model_cluster_of(model, p)] != (int32_t)t) continue;
            cluster_of[parts] = (int32_t)t;
            order[parts++] = p;
        }
    TRY(take_names(model, to, count));
    model->options.k = count; /* as many names are freed */
    TRY(take_parts(model, order, parts));
    decant__free(model->cluster_of);
    model->cluster_of = NULL;
    if (parts > count) {
        model->cluster_of = cluster_of;
        cluster_of = NULL;
    }
done:
    decant__free(order);
    decant__free(cluster_of);
    return status;
}

/* On a copy, so that a model is regrouped or as it was. */
decant_status decant_model_regroup(decant_model *model, const int32_t *to, size_t count) {
    REQUIRE(model);
    REQUIRE(to);
    decant_status status = DECANT_OK;
    decant_model *copy = NULL;
    void *bytes = NULL;
    size_t size;
    TRY(check_targets(model, to, count));
    TRY(decant_model_to_bytes(model, &bytes, &size));
    TRY(decant_model_from_bytes(bytes, size, &copy));
    TRY(regroup(copy, to, count));
    decant_model before = *model;
    *model = *copy;
    *copy = before;
done:
    decant_bytes_free(bytes);
    decant_model_free(copy);
    return status;
}
