/* A model as an ONNX graph (opset 17), for programs that run such graphs: from rows (float32, n x
 * d) to label, confidence, probabilities and, with a network, features.
 *
 *   h = (x - shift) * scale (counts: of ln(1 + 10000 x / sum)), then the layers h W + b with ReLU:
 * the features z eq. 1:  q = (1 + ||z - mu||^2 / alpha)^-((alpha + 1) / 2), scaled to sum 1 gmm:
 * softmax(offset - |F (z - m)|^2 / 2) sec:    squares of the positive scores z W + b, scaled to sum
 * 1
 *
 * Everything after the features is computed in double, as the product form
 * ||z - mu||^2 = |z|^2 - 2 z mu^T + |mu|^2 loses digits, and so that no array has more than n k
 * (full covariances: n k d) numbers. The numbers of ONNX's messages are those of onnx.proto. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/counts.h"
#include "store/model.h"
#include "store/protobuf.h"

enum { TYPE_FLOAT = 1, TYPE_INT64 = 7, TYPE_DOUBLE = 11 };
enum { IR_VERSION = 8, OPSET = 17 };

/* protobuf's messages are smaller than this. */
static const size_t MAX_BYTES = (size_t)1 << 31;

typedef struct graph {
    const decant_model *model;
    decant__text body; /* GraphProto: nodes and initializers as they come */
} graph;

/* ---- pieces of a graph ---- */

static void add_tensor(graph *g, const char *name, int type, size_t rows, size_t columns,
                       const void *data) {
    decant__text tensor = {0};
    size_t size = type == TYPE_FLOAT ? sizeof(float) : 8;
    size_t count = (rows > 0 ? rows : 1) * (columns > 0 ? columns : 1);
    if (rows > 0) decant__pb_int(&tensor, 1, rows);
    if (columns > 0) decant__pb_int(&tensor, 1, columns);
    decant__pb_int(&tensor, 2, (uint64_t)type);
    decant__pb_string(&tensor, 8, name);
    decant__pb_bytes(&tensor, 9, data, count * size);
    decant__pb_message(&g->body, 5, &tensor);
}

static void add_number(graph *g, const char *name, double value) {
    add_tensor(g, name, TYPE_DOUBLE, 0, 0, &value);
}

typedef struct node {
    const char *op, *inputs[3], *output;
    const char *ints_name, *int_name; /* attributes: a list of one number, and a number */
    int64_t ints_value, int_value;
    const char *second_name;
    int64_t second_value;
} node;

static void add_int_attribute(decant__text *message, const char *name, int is_list, int64_t value) {
    enum { KIND_INT = 2, KIND_INTS = 7 };
    decant__text attribute = {0};
    decant__pb_string(&attribute, 1, name);
    decant__pb_int(&attribute, is_list ? 8 : 3, (uint64_t)value);
    decant__pb_int(&attribute, 20, is_list ? KIND_INTS : KIND_INT);
    decant__pb_message(message, 5, &attribute);
}

static void add_node(graph *g, node n) {
    decant__text message = {0};
    for (size_t i = 0; i < 3 && n.inputs[i] != NULL; i++)
        decant__pb_string(&message, 1, n.inputs[i]);
    decant__pb_string(&message, 2, n.output);
    decant__pb_string(&message, 3, n.output);
    decant__pb_string(&message, 4, n.op);
    if (n.ints_name != NULL) add_int_attribute(&message, n.ints_name, 1, n.ints_value);
    if (n.int_name != NULL) add_int_attribute(&message, n.int_name, 0, n.int_value);
    if (n.second_name != NULL) add_int_attribute(&message, n.second_name, 0, n.second_value);
    decant__pb_message(&g->body, 1, &message);
}

static void add_op(graph *g, const char *op, const char *a, const char *b, const char *out) {
    add_node(g, (node){.op = op, .inputs = {a, b}, .output = out});
}

static void add_cast(graph *g, const char *from, int type, const char *out) {
    add_node(
        g,
        (node){.op = "Cast", .inputs = {from}, .output = out, .int_name = "to", .int_value = type});
}

/* rows = 0: one dimension, the unknown number of rows alone. */
static void add_value(graph *g, unsigned field, const char *name, int type, size_t columns) {
    decant__text value = {0}, kind = {0}, tensor = {0}, shape = {0}, first = {0}, second = {0};
    decant__pb_string(&first, 2, "rows");
    decant__pb_message(&shape, 1, &first);
    if (columns > 0) {
        decant__pb_int(&second, 1, columns);
        decant__pb_message(&shape, 1, &second);
    }
    decant__pb_int(&tensor, 1, (uint64_t)type);
    decant__pb_message(&tensor, 2, &shape);
    decant__pb_message(&kind, 1, &tensor);
    decant__pb_string(&value, 1, name);
    decant__pb_message(&value, 2, &kind);
    decant__pb_message(&g->body, field, &value);
}

/* ---- the network ---- */

static void add_layer(graph *g, size_t l) {
    const decant_model *model = g->model;
    const decant__layer *layer = &model->plan.net.layer[l];
    char weight[32], bias[32], in[32], product[32], sum[32];
    int last = l + 1 == model->plan.depth;
    snprintf(weight, sizeof weight, "encoder.%zu.weight", l);
    snprintf(bias, sizeof bias, "encoder.%zu.bias", l);
    snprintf(in, sizeof in, "h%zu", l);
    snprintf(product, sizeof product, "product%zu", l);
    snprintf(sum, sizeof sum, "sum%zu", l);
    add_tensor(g, weight, TYPE_FLOAT, layer->in, layer->out, model->params + layer->weight);
    add_tensor(g, bias, TYPE_FLOAT, layer->out, 0, model->params + layer->bias);
    add_op(g, "MatMul", in, weight, product);
    add_op(g, "Add", product, bias, last ? "features" : sum);
    char out[32];
    snprintf(out, sizeof out, "h%zu", l + 1);
    if (!last) add_op(g, "Relu", sum, NULL, out);
}

/* counts: ln(1 + 10000 x / sum of the row), where a row of zeros stays one. */
static void add_logs(graph *g) {
    static const float tiny = 1e-30f, one = 1, sum = (float)DECANT__COUNTS_SUM;
    add_tensor(g, "tiny", TYPE_FLOAT, 1, 0, &tiny);
    add_tensor(g, "count_one", TYPE_FLOAT, 1, 0, &one);
    add_tensor(g, "count_sum", TYPE_FLOAT, 1, 0, &sum);
    add_node(g, (node){.op = "ReduceSum",
                       .inputs = {"x", "last"},
                       .output = "row_sum",
                       .int_name = "keepdims",
                       .int_value = 1});
    add_op(g, "Max", "row_sum", "tiny", "divisor");
    add_op(g, "Div", "x", "divisor", "share");
    add_op(g, "Mul", "share", "count_sum", "count");
    add_op(g, "Add", "count", "count_one", "count1");
    add_op(g, "Log", "count1", NULL, "logs");
}

/* Scaling and network; what is assigned is then called "z", in double. */
static void add_features(graph *g) {
    const decant_model *model = g->model;
    add_tensor(g, "shift", TYPE_FLOAT, model->d, 0, model->scale.shift);
    add_tensor(g, "scale", TYPE_FLOAT, model->d, 0, model->scale.scale);
    int counts = model->scale.kind == DECANT_SCALING_COUNTS;
    if (counts) add_logs(g);
    add_op(g, "Sub", counts ? "logs" : "x", "shift", "centred");
    add_op(g, "Mul", "centred", "scale", "h0");
    for (size_t l = 0; l < model->plan.depth; l++) add_layer(g, l);
    add_cast(g, model->plan.depth > 0 ? "features" : "h0", TYPE_DOUBLE, "z");
}

/* ---- soft assignments: from z to "soft", n x k in double ---- */

/* Each row of `from` divided by its sum, which is called `total`. */
static void add_normalised(graph *g, const char *from, const char *total, const char *out) {
    add_node(g, (node){.op = "ReduceSum",
                       .inputs = {from, "last"},
                       .output = total,
                       .int_name = "keepdims",
                       .int_value = 1});
    add_op(g, "Div", from, total, out);
}

static decant_status add_student(graph *g) {
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
    add_tensor(g, "centroids", TYPE_DOUBLE, l, k, twice);
    add_tensor(g, "squares", TYPE_DOUBLE, k, 0, squares);
    add_number(g, "zero", 0);
    add_number(g, "one", 1);
    add_number(g, "alpha", alpha);
    add_number(g, "power", -(alpha + 1) / 2);
    add_node(g, (node){.op = "ReduceSumSquare",
                       .inputs = {"z"},
                       .output = "norm",
                       .ints_name = "axes",
                       .ints_value = 1,
                       .int_name = "keepdims",
                       .int_value = 1});
    add_op(g, "MatMul", "z", "centroids", "cross");
    add_op(g, "Add", "cross", "squares", "partial");
    add_op(g, "Add", "partial", "norm", "rounded");
    add_op(g, "Max", "rounded", "zero", "distance");
    add_op(g, "Div", "distance", "alpha", "relative");
    add_op(g, "Add", "relative", "one", "base");
    add_op(g, "Pow", "base", "power", "kernel");
    add_normalised(g, "kernel", "total", "soft");
done:
    decant__free(twice);
    decant__free(squares);
    return status;
}

/* |F (z - m)|^2 of each component, full F: z F^T of all of them side by side (l x k l), less F m,
 * and the sum of squares of each one's part. */
static decant_status add_full_distance(graph *g) {
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
    add_tensor(g, "factors", TYPE_DOUBLE, l, wide, matrix);
    add_tensor(g, "constants", TYPE_DOUBLE, wide, 0, constant);
    add_tensor(g, "shape", TYPE_INT64, 3, 0, shape);
    add_op(g, "MatMul", "z", "factors", "image");
    add_op(g, "Sub", "image", "constants", "difference");
    add_op(g, "Reshape", "difference", "shape", "components");
    add_node(g, (node){.op = "ReduceSumSquare",
                       .inputs = {"components"},
                       .output = "distance",
                       .ints_name = "axes",
                       .ints_value = 2,
                       .int_name = "keepdims",
                       .int_value = 0});
done:
    decant__free(matrix);
    decant__free(constant);
    return status;
}

/* The same for a diagonal F: (z * z) A - 2 z (A m) + m A m with A = F F. */
static decant_status add_diagonal_distance(graph *g) {
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
    add_tensor(g, "factors", TYPE_DOUBLE, l, k, matrix);
    add_tensor(g, "constants", TYPE_DOUBLE, k, 0, constant);
    add_tensor(g, "linear", TYPE_DOUBLE, l, k, linear);
    add_op(g, "Mul", "z", "z", "squared");
    add_op(g, "MatMul", "squared", "factors", "quadratic");
    add_op(g, "MatMul", "z", "linear", "cross");
    add_op(g, "Sub", "quadratic", "cross", "partial");
    add_op(g, "Add", "partial", "constants", "distance");
done:
    decant__free(matrix);
    decant__free(linear);
    decant__free(constant);
    return status;
}

static decant_status add_mixture(graph *g) {
    int full = g->model->options.covariance == DECANT_COVARIANCE_FULL;
    decant_status status = full ? add_full_distance(g) : add_diagonal_distance(g);
    add_tensor(g, "offsets", TYPE_DOUBLE, g->model->parts, 0, g->model->rule.offset);
    add_number(g, "half", 0.5);
    add_op(g, "Mul", "distance", "half", "halved");
    add_op(g, "Sub", "offsets", "halved", "logarithms");
    add_node(g, (node){.op = "Softmax",
                       .inputs = {"logarithms"},
                       .output = "soft",
                       .int_name = "axis",
                       .int_value = 1});
    return status;
}

/* Where no score is positive, all clusters are as likely; the label is the largest score, always.
 */
static void add_scores(graph *g) {
    const decant_model *model = g->model;
    size_t k = model->parts;
    add_tensor(g, "map", TYPE_DOUBLE, model->latent, k, model->rule.matrix);
    add_tensor(g, "offsets", TYPE_DOUBLE, k, 0, model->rule.offset);
    add_number(g, "zero", 0);
    add_number(g, "one", 1);
    add_number(g, "even", 1 / (double)k);
    add_op(g, "MatMul", "z", "map", "mapped");
    add_op(g, "Add", "mapped", "offsets", "score");
    add_op(g, "Max", "score", "zero", "positive");
    add_op(g, "Mul", "positive", "positive", "squared");
    add_node(g, (node){.op = "ReduceSum",
                       .inputs = {"squared", "last"},
                       .output = "total",
                       .int_name = "keepdims",
                       .int_value = 1});
    add_op(g, "Greater", "total", "zero", "any");
    add_node(g, (node){.op = "Where", .inputs = {"any", "total", "one"}, .output = "divisor"});
    add_op(g, "Div", "squared", "divisor", "share");
    add_node(g, (node){.op = "Where", .inputs = {"any", "share", "even"}, .output = "soft"});
}

/* The second network on the scaled rows, and its softmax. */
static void add_classifier(graph *g) {
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
        add_tensor(g, weight, TYPE_FLOAT, layer->in, layer->out,
                   model->student_params + layer->weight);
        add_tensor(g, bias, TYPE_FLOAT, layer->out, 0, model->student_params + layer->bias);
        add_op(g, "MatMul", in, weight, product);
        add_op(g, "Add", product, bias, sum);
        if (last)
            add_cast(g, sum, TYPE_DOUBLE, "logits");
        else
            add_op(g, "Relu", sum, NULL, out);
    }
    add_node(g, (node){.op = "Softmax",
                       .inputs = {"logits"},
                       .output = "soft",
                       .int_name = "axis",
                       .int_value = 1});
}

static decant_status add_assignment(graph *g, const char **ranked) {
    const decant__method *method = decant__method_of(g->model->options.method);
    const int64_t last = 1;
    add_tensor(g, "last", TYPE_INT64, 1, 0, &last);
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
static decant_status add_merged(graph *g) {
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
    add_tensor(g, "parts", TYPE_INT64, k, wide, table);
    add_tensor(g, "clusters", TYPE_INT64, model->parts, 0, clusters);
    add_node(g, (node){.op = "Gather",
                       .inputs = {"soft", "parts"},
                       .output = "soft.parts",
                       .int_name = "axis",
                       .int_value = 1});
    add_node(g, (node){.op = "ReduceMax",
                       .inputs = {"soft.parts"},
                       .output = "soft.best",
                       .ints_name = "axes",
                       .ints_value = 2,
                       .int_name = "keepdims",
                       .int_value = 0});
    add_normalised(g, "soft.best", "soft.total", "soft.merged");
    add_op(g, "Gather", "clusters", "part", "label");
done:
    decant__free(table);
    decant__free(clusters);
    return status;
}

static decant_status add_outputs(graph *g, const char *ranked) {
    const decant_model *model = g->model;
    int merged = model->cluster_of != NULL;
    add_node(g, (node){.op = "ArgMax",
                       .inputs = {ranked},
                       .output = merged ? "part" : "label",
                       .int_name = "axis",
                       .int_value = 1,
                       .second_name = "keepdims",
                       .second_value = 0});
    decant_status status = merged ? add_merged(g) : DECANT_OK;
    if (status != DECANT_OK) return status;
    add_cast(g, merged ? "soft.merged" : "soft", TYPE_FLOAT, "probabilities");
    add_node(g, (node){.op = "ReduceMax",
                       .inputs = {"probabilities"},
                       .output = "confidence",
                       .ints_name = "axes",
                       .ints_value = 1,
                       .int_name = "keepdims",
                       .int_value = 0});
    add_value(g, 11, "x", TYPE_FLOAT, model->d);
    add_value(g, 12, "label", TYPE_INT64, 0);
    add_value(g, 12, "confidence", TYPE_FLOAT, 0);
    add_value(g, 12, "probabilities", TYPE_FLOAT, model->options.k);
    if (model->plan.depth > 0) add_value(g, 12, "features", TYPE_FLOAT, model->latent);
    return DECANT_OK;
}

decant_status decant_model_to_onnx(const decant_model *model, void **bytes, size_t *count) {
    REQUIRE(model);
    REQUIRE(bytes);
    REQUIRE(count);
    decant_status status = DECANT_OK;
    graph g = {.model = model};
    decant__text file = {0}, opset = {0};
    const char *ranked, *about = model->features != NULL || model->table != NULL
                                     ? "x: rows after decant's features (see decant features)"
                                     : "x: rows as decant was given them";
    char *out = NULL;
    if (model->scale.kind == DECANT_SCALING_GRADIENTS)
        TRY(decant__fail(DECANT_EINVAL,
                         "this model compares images by their gradients, which an ONNX graph does "
                         "not have here: fit again with --scaling paper, which takes pixels"));
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
