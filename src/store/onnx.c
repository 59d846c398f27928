/* A model as an ONNX graph (opset 17), for programs that run such graphs: from rows (float32, n x
 * d) to label, confidence, probabilities and, with a network, features.
 *
 *   h = (x - shift) * scale, then the layers h W + b with ReLU: the features z
 *         counts: of ln(1 + 10000 x / sum); gradients: of the numbers of onnx_gradients.c
 *   eq. 1:  q = (1 + ||z - mu||^2 / alpha)^-((alpha + 1) / 2), scaled to sum 1
 *   gmm:    softmax(offset - |F (z - m)|^2 / 2)
 *   sec:    squares of the positive scores z W + b, scaled to sum 1
 *
 * Everything after the features is computed in double, as the product form
 * ||z - mu||^2 = |z|^2 - 2 z mu^T + |mu|^2 loses digits, and so that no array has more than n k
 * (full covariances: n k d) numbers. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/counts.h"
#include "store/onnx_graph.h"

enum { IR_VERSION = 8, OPSET = 17 };

/* protobuf's messages are smaller than this. */
static const size_t MAX_BYTES = (size_t)1 << 31;

/* The axis of sums over a row, a constant that a graph has if it has such sums. */
static const char *last_axis(decant__onnx *g) {
    const int64_t last = 1;
    if (!g->has_last) decant__onnx_tensor(g, "last", DECANT__ONNX_INT64, 1, 0, &last);
    g->has_last = 1;
    return "last";
}

/* ---- the network ---- */

static void add_layer(decant__onnx *g, size_t l) {
    const decant_model *model = g->model;
    const decant__layer *layer = &model->plan.net.layer[l];
    char weight[32], bias[32], in[32], product[32], sum[32];
    int last = l + 1 == model->plan.depth;
    snprintf(weight, sizeof weight, "encoder.%zu.weight", l);
    snprintf(bias, sizeof bias, "encoder.%zu.bias", l);
    snprintf(in, sizeof in, "h%zu", l);
    snprintf(product, sizeof product, "product%zu", l);
    snprintf(sum, sizeof sum, "sum%zu", l);
    decant__onnx_tensor(g, weight, DECANT__ONNX_FLOAT, layer->in, layer->out,
                        model->params + layer->weight);
    decant__onnx_tensor(g, bias, DECANT__ONNX_FLOAT, layer->out, 0, model->params + layer->bias);
    decant__onnx_op(g, "MatMul", in, weight, product);
    decant__onnx_op(g, "Add", product, bias, last ? "features" : sum);
    char out[32];
    snprintf(out, sizeof out, "h%zu", l + 1);
    if (!last) decant__onnx_op(g, "Relu", sum, NULL, out);
}

/* counts: ln(1 + 10000 x / sum of the row), where a row of zeros stays one. */
static void add_logs(decant__onnx *g) {
    static const float tiny = 1e-30f, one = 1, sum = (float)DECANT__COUNTS_SUM;
    decant__onnx_tensor(g, "tiny", DECANT__ONNX_FLOAT, 1, 0, &tiny);
    decant__onnx_tensor(g, "count_one", DECANT__ONNX_FLOAT, 1, 0, &one);
    decant__onnx_tensor(g, "count_sum", DECANT__ONNX_FLOAT, 1, 0, &sum);
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSum",
                                            .inputs = {"x", last_axis(g)},
                                            .output = "row_sum",
                                            .int_name = "keepdims",
                                            .int_value = 1});
    decant__onnx_op(g, "Max", "row_sum", "tiny", "row_divisor");
    decant__onnx_op(g, "Div", "x", "row_divisor", "row_share");
    decant__onnx_op(g, "Mul", "row_share", "count_sum", "count");
    decant__onnx_op(g, "Add", "count", "count_one", "count1");
    decant__onnx_op(g, "Log", "count1", NULL, "logs");
}

/* Scaling and network; what is assigned is then called "z", in double. */
static void add_features(decant__onnx *g) {
    const decant_model *model = g->model;
    const decant__scale *scale = &model->scale;
    const char *rows = "x";
    decant__onnx_tensor(g, "shift", DECANT__ONNX_FLOAT, scale->inputs, 0, scale->shift);
    decant__onnx_tensor(g, "scale", DECANT__ONNX_FLOAT, scale->inputs, 0, scale->scale);
    if (scale->kind == DECANT_SCALING_COUNTS) {
        add_logs(g);
        rows = "logs";
    } else if (scale->kind == DECANT_SCALING_GRADIENTS) {
        decant__onnx_gradients(g);
        rows = "gradients";
    }
    decant__onnx_op(g, "Sub", rows, "shift", "centred");
    decant__onnx_op(g, "Mul", "centred", "scale", "h0");
    for (size_t l = 0; l < model->plan.depth; l++) add_layer(g, l);
    decant__onnx_cast(g, model->plan.depth > 0 ? "features" : "h0", DECANT__ONNX_DOUBLE, "z");
}

/* ---- soft assignments: from z to "soft", n x k in double ---- */

/* Each row of `from` divided by its sum, which is called `total`. */
static void add_normalised(decant__onnx *g, const char *from, const char *total, const char *out) {
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSum",
                                            .inputs = {from, last_axis(g)},
                                            .output = total,
                                            .int_name = "keepdims",
                                            .int_value = 1});
    decant__onnx_op(g, "Div", from, total, out);
}

static decant_status add_student(decant__onnx *g) {
    decant_status status = DECANT_OK;
    const decant_model *model = g->model;
    size_t k = model->parts, l = model->latent;
    double alpha = model->options.alpha, *twice = NULL, *squares = NULL;
    NEW_ARRAY(twice, l * k);
    NEW_ZEROED(squares, k);
    for (size_t c = 0; c < k; c++)
        for (size_t j = 0; j < l; j++) {
            double value = (double)model->centroids[c * l + j];
            twice[j * k + c] = -2 * value;
            squares[c] += value * value;
        }
    decant__onnx_tensor(g, "centroids", DECANT__ONNX_DOUBLE, l, k, twice);
    decant__onnx_tensor(g, "squares", DECANT__ONNX_DOUBLE, k, 0, squares);
    decant__onnx_number(g, "zero", 0);
    decant__onnx_number(g, "one", 1);
    decant__onnx_number(g, "alpha", alpha);
    decant__onnx_number(g, "power", -(alpha + 1) / 2);
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSumSquare",
                                            .inputs = {"z"},
                                            .output = "norm",
                                            .ints_name = "axes",
                                            .ints = {1},
                                            .int_name = "keepdims",
                                            .int_value = 1});
    decant__onnx_op(g, "MatMul", "z", "centroids", "cross");
    decant__onnx_op(g, "Add", "cross", "squares", "partial");
    decant__onnx_op(g, "Add", "partial", "norm", "rounded");
    decant__onnx_op(g, "Max", "rounded", "zero", "distance");
    decant__onnx_op(g, "Div", "distance", "alpha", "relative");
    decant__onnx_op(g, "Add", "relative", "one", "base");
    decant__onnx_op(g, "Pow", "base", "power", "kernel");
    add_normalised(g, "kernel", "total", "soft");
done:
    decant__free(twice);
    decant__free(squares);
    return status;
}

/* |F (z - m)|^2 of each component, full F: z F^T of all of them side by side (l x k l), less F m,
 * and the sum of squares of each one's part. */
static decant_status add_full_distance(decant__onnx *g) {
    decant_status status = DECANT_OK;
    size_t k = g->model->parts, l = g->model->latent, wide = k * l;
    const double *mean = g->model->rule.matrix, *factor = mean + k * l;
    const int64_t shape[3] = {-1, (int64_t)k, (int64_t)l};
    double *matrix = NULL, *constant = NULL;
    NEW_ZEROED(matrix, l * wide);
    NEW_ZEROED(constant, wide);
    for (size_t row = 0; row < wide; row++)
        for (size_t j = 0; j <= row % l; j++) {
            double f = factor[row * l + j];
            matrix[j * wide + row] = f;
            constant[row] += f * mean[row / l * l + j];
        }
    decant__onnx_tensor(g, "factors", DECANT__ONNX_DOUBLE, l, wide, matrix);
    decant__onnx_tensor(g, "constants", DECANT__ONNX_DOUBLE, wide, 0, constant);
    decant__onnx_tensor(g, "shape", DECANT__ONNX_INT64, 3, 0, shape);
    decant__onnx_op(g, "MatMul", "z", "factors", "image");
    decant__onnx_op(g, "Sub", "image", "constants", "difference");
    decant__onnx_op(g, "Reshape", "difference", "shape", "components");
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSumSquare",
                                            .inputs = {"components"},
                                            .output = "distance",
                                            .ints_name = "axes",
                                            .ints = {2},
                                            .int_name = "keepdims",
                                            .int_value = 0});
done:
    decant__free(matrix);
    decant__free(constant);
    return status;
}

/* The same for a diagonal F: (z * z) A - 2 z (A m) + m A m with A = F F. */
static decant_status add_diagonal_distance(decant__onnx *g) {
    decant_status status = DECANT_OK;
    size_t k = g->model->parts, l = g->model->latent;
    const double *mean = g->model->rule.matrix, *factor = mean + k * l;
    double *matrix = NULL, *linear = NULL, *constant = NULL;
    NEW_ARRAY(matrix, l * k);
    NEW_ARRAY(linear, l * k);
    NEW_ZEROED(constant, k);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < l; i++) {
            double square = factor[c * l + i] * factor[c * l + i], m = mean[c * l + i];
            matrix[i * k + c] = square;
            linear[i * k + c] = 2 * square * m;
            constant[c] += square * m * m;
        }
    decant__onnx_tensor(g, "factors", DECANT__ONNX_DOUBLE, l, k, matrix);
    decant__onnx_tensor(g, "constants", DECANT__ONNX_DOUBLE, k, 0, constant);
    decant__onnx_tensor(g, "linear", DECANT__ONNX_DOUBLE, l, k, linear);
    decant__onnx_op(g, "Mul", "z", "z", "squared");
    decant__onnx_op(g, "MatMul", "squared", "factors", "quadratic");
    decant__onnx_op(g, "MatMul", "z", "linear", "cross");
    decant__onnx_op(g, "Sub", "quadratic", "cross", "partial");
    decant__onnx_op(g, "Add", "partial", "constants", "distance");
done:
    decant__free(matrix);
    decant__free(linear);
    decant__free(constant);
    return status;
}

static decant_status add_mixture(decant__onnx *g) {
    int full = g->model->options.covariance == DECANT_COVARIANCE_FULL;
    decant_status status = full ? add_full_distance(g) : add_diagonal_distance(g);
    decant__onnx_tensor(g, "offsets", DECANT__ONNX_DOUBLE, g->model->parts, 0,
                        g->model->rule.offset);
    decant__onnx_number(g, "half", 0.5);
    decant__onnx_op(g, "Mul", "distance", "half", "halved");
    decant__onnx_op(g, "Sub", "offsets", "halved", "logarithms");
    decant__onnx_add(g, (decant__onnx_node){.op = "Softmax",
                                            .inputs = {"logarithms"},
                                            .output = "soft",
                                            .int_name = "axis",
                                            .int_value = 1});
    return status;
}

/* Where no score is positive, all clusters are as likely; the label is the largest score, always.
 */
static void add_scores(decant__onnx *g) {
    const decant_model *model = g->model;
    size_t k = model->parts;
    decant__onnx_tensor(g, "map", DECANT__ONNX_DOUBLE, model->latent, k, model->rule.matrix);
    decant__onnx_tensor(g, "offsets", DECANT__ONNX_DOUBLE, k, 0, model->rule.offset);
    decant__onnx_number(g, "zero", 0);
    decant__onnx_number(g, "one", 1);
    decant__onnx_number(g, "even", 1 / (double)k);
    decant__onnx_op(g, "MatMul", "z", "map", "mapped");
    decant__onnx_op(g, "Add", "mapped", "offsets", "score");
    decant__onnx_op(g, "Max", "score", "zero", "positive");
    decant__onnx_op(g, "Mul", "positive", "positive", "squared");
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceSum",
                                            .inputs = {"squared", last_axis(g)},
                                            .output = "total",
                                            .int_name = "keepdims",
                                            .int_value = 1});
    decant__onnx_op(g, "Greater", "total", "zero", "any");
    decant__onnx_add(g, (decant__onnx_node){
                            .op = "Where", .inputs = {"any", "total", "one"}, .output = "divisor"});
    decant__onnx_op(g, "Div", "squared", "divisor", "share");
    decant__onnx_add(g, (decant__onnx_node){
                            .op = "Where", .inputs = {"any", "share", "even"}, .output = "soft"});
}

/* The second network on the scaled rows, and its softmax. */
static void add_classifier(decant__onnx *g) {
    const decant_model *model = g->model;
    for (size_t l = 0; l < DECANT__CLASSIFIER_DEPTH; l++) {
        const decant__layer *layer = &model->student.net.layer[l];
        int last = l + 1 == DECANT__CLASSIFIER_DEPTH;
        char weight[32], bias[32], in[32], product[32], sum[32], out[32];
        snprintf(weight, sizeof weight, "student.%zu.weight", l);
        snprintf(bias, sizeof bias, "student.%zu.bias", l);
        snprintf(in, sizeof in, l > 0 ? "student.h%zu" : "h%zu", l);
        snprintf(product, sizeof product, "student.product%zu", l);
        snprintf(sum, sizeof sum, "student.sum%zu", l);
        snprintf(out, sizeof out, "student.h%zu", l + 1);
        decant__onnx_tensor(g, weight, DECANT__ONNX_FLOAT, layer->in, layer->out,
                            model->student_params + layer->weight);
        decant__onnx_tensor(g, bias, DECANT__ONNX_FLOAT, layer->out, 0,
                            model->student_params + layer->bias);
        decant__onnx_op(g, "MatMul", in, weight, product);
        decant__onnx_op(g, "Add", product, bias, sum);
        if (last)
            decant__onnx_cast(g, sum, DECANT__ONNX_DOUBLE, "logits");
        else
            decant__onnx_op(g, "Relu", sum, NULL, out);
    }
    decant__onnx_add(g, (decant__onnx_node){.op = "Softmax",
                                            .inputs = {"logits"},
                                            .output = "soft",
                                            .int_name = "axis",
                                            .int_value = 1});
}

static decant_status add_assignment(decant__onnx *g, const char **ranked) {
    const decant__method *method = decant__method_of(g->model->options.method);
    *ranked = "soft";
    if (g->model->student.parameters > 0) {
        add_classifier(g);
        return DECANT_OK;
    }
    if (method->by_centroids) return add_student(g);
    if (method->assign == decant__gmm_assign) return add_mixture(g);
    if (method->assign == decant__sec_assign) {
        *ranked = "score";
        add_scores(g);
        return DECANT_OK;
    }
    return decant__fail(DECANT_EINVAL,
                        "%s cannot assign rows that it was not fitted on, so it cannot be "
                        "exported; fit a model with dec, kmeans, gmm or sec",
                        method->name);
}

/* Merged clusters: the largest assignment to a part of each, scaled to sum 1. Row c of the table
 * has the parts of cluster c, the last one again where others have more. */
static decant_status add_merged(decant__onnx *g) {
    decant_status status = DECANT_OK;
    const decant_model *model = g->model;
    size_t k = model->options.k, wide = model->parts - k + 1, p = 0;
    int64_t *table = NULL, *clusters = NULL;
    NEW_ARRAY(table, k * wide);
    NEW_ARRAY(clusters, model->parts);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < wide; i++) {
            table[c * wide + i] = (int64_t)p;
            int ends = p + 1 == model->parts || model->cluster_of[p + 1] != (int32_t)c;
            if (!ends || i + 1 == wide) p++;
        }
    for (size_t i = 0; i < model->parts; i++) clusters[i] = model->cluster_of[i];
    decant__onnx_tensor(g, "parts", DECANT__ONNX_INT64, k, wide, table);
    decant__onnx_tensor(g, "clusters", DECANT__ONNX_INT64, model->parts, 0, clusters);
    decant__onnx_add(g, (decant__onnx_node){.op = "Gather",
                                            .inputs = {"soft", "parts"},
                                            .output = "soft.parts",
                                            .int_name = "axis",
                                            .int_value = 1});
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceMax",
                                            .inputs = {"soft.parts"},
                                            .output = "soft.best",
                                            .ints_name = "axes",
                                            .ints = {2},
                                            .int_name = "keepdims",
                                            .int_value = 0});
    add_normalised(g, "soft.best", "soft.total", "soft.merged");
    decant__onnx_op(g, "Gather", "clusters", "part", "label");
done:
    decant__free(table);
    decant__free(clusters);
    return status;
}

static decant_status add_outputs(decant__onnx *g, const char *ranked) {
    const decant_model *model = g->model;
    int merged = model->cluster_of != NULL;
    decant__onnx_add(g, (decant__onnx_node){.op = "ArgMax",
                                            .inputs = {ranked},
                                            .output = merged ? "part" : "label",
                                            .int_name = "axis",
                                            .int_value = 1,
                                            .second_name = "keepdims",
                                            .second_value = 0});
    decant_status status = merged ? add_merged(g) : DECANT_OK;
    if (status != DECANT_OK) return status;
    decant__onnx_cast(g, merged ? "soft.merged" : "soft", DECANT__ONNX_FLOAT, "probabilities");
    decant__onnx_add(g, (decant__onnx_node){.op = "ReduceMax",
                                            .inputs = {"probabilities"},
                                            .output = "confidence",
                                            .ints_name = "axes",
                                            .ints = {1},
                                            .int_name = "keepdims",
                                            .int_value = 0});
    decant__onnx_value(g, DECANT__ONNX_INPUT, "x", DECANT__ONNX_FLOAT, model->d);
    decant__onnx_value(g, DECANT__ONNX_OUTPUT, "label", DECANT__ONNX_INT64, 0);
    decant__onnx_value(g, DECANT__ONNX_OUTPUT, "confidence", DECANT__ONNX_FLOAT, 0);
    decant__onnx_value(g, DECANT__ONNX_OUTPUT, "probabilities", DECANT__ONNX_FLOAT,
                       model->options.k);
    if (model->plan.depth > 0)
        decant__onnx_value(g, DECANT__ONNX_OUTPUT, "features", DECANT__ONNX_FLOAT, model->latent);
    return DECANT_OK;
}

decant_status decant_model_to_onnx(const decant_model *model, void **bytes, size_t *count) {
    REQUIRE(model);
    REQUIRE(bytes);
    REQUIRE(count);
    decant_status status = DECANT_OK;
    decant__onnx g = {.model = model};
    decant__text file = {0}, opset = {0};
    const char *ranked, *about = model->features != NULL || model->table != NULL
                                     ? "x: rows after decant's features (see decant features)"
                                     : "x: rows as decant was given them";
    char *out = NULL;
    add_features(&g);
    TRY(add_assignment(&g, &ranked));
    TRY(add_outputs(&g, ranked));
    decant__pb_string(&g.body, 2, "decant");
    decant__pb_string(&g.body, 10, about);
    if (g.body.length >= MAX_BYTES - 4096)
        TRY(decant__fail(DECANT_EINVAL, "the model is too large for ONNX: %zu bytes, at most 2 GB",
                         g.body.length));
    decant__pb_int(&file, 1, IR_VERSION);
    decant__pb_string(&file, 2, "decant");
    decant__pb_string(&file, 3, decant_version());
    decant__pb_string(&file, 6, about);
    decant__pb_message(&file, 7, &g.body);
    decant__pb_string(&opset, 1, "");
    decant__pb_int(&opset, 2, OPSET);
    decant__pb_message(&file, 8, &opset);
    size_t length = file.length;
    TRY(decant__text_take(&file, &out));
    *bytes = out;
    *count = length;
done:
    decant__text_free(&g.body);
    decant__text_free(&file);
    return status;
}
