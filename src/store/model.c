/* The model file: docs/format.md. */
#include "store/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/struct_size.h"
#include "options/options.h"
#include "store/settings.h"

/* Versions 2 and 4 have a student, 3 and 4 merged clusters; all others are as they were. */
static const char FORMAT[] = "decant-model", READ_VERSIONS[] = "1 2 3 or 4";
static const char *const versions[2][2] = {{"1", "3"}, {"2", "4"}}; /* [student][merged] */
enum { NAME_SIZE = 48, MAX_TENSORS = 2 * DECANT_MAX_LAYERS + 2 * DECANT__CLASSIFIER_DEPTH + 8 };

static size_t encoder_parameters(const decant_model *model) {
    return model->plan.depth > 0 ? decant__autoencoder_encoder_parameters(&model->plan) : 0;
}

static decant_status allocate_model(decant_model *model) {
    decant_status status = DECANT_OK;
    model->scale.d = model->d;
    model->scale.kind = model->options.scaling;
    NEW_ARRAY(model->scale.shift, model->scale.inputs);
    NEW_ARRAY(model->scale.scale, model->scale.inputs);
    NEW_ARRAY(model->params, encoder_parameters(model));
    NEW_ARRAY(model->centroids, model->parts * model->latent);
    decant_options options = decant__model_part_options(model);
    TRY(decant__rule_new(&model->rule, &options, model->latent));
done:
    return status;
}

decant_status decant__model_new(decant_model **out, const decant_options *options,
                                const decant__scale *scale, const decant__autoencoder *plan,
                                const float *params, const float *centroids,
                                const decant__rule *rule, const uint64_t data_digest[2]) {
    decant_status status = DECANT_OK;
    decant_model *model;
    NEW_ZEROED(model, 1);
    model->options = *options;
    model->parts = options->k;
    model->d = scale->d;
    model->scale.inputs = scale->inputs;
    model->scale.gradients = scale->gradients;
    if (plan != NULL) model->plan = *plan;
    model->latent = plan != NULL ? plan->net.layer[plan->depth - 1].out : scale->inputs;
    memcpy(model->data_digest, data_digest, sizeof model->data_digest);
    TRY(allocate_model(model));
    memcpy(model->scale.shift, scale->shift, scale->inputs * sizeof *scale->shift);
    memcpy(model->scale.scale, scale->scale, scale->inputs * sizeof *scale->scale);
    if (params != NULL) memcpy(model->params, params, encoder_parameters(model) * sizeof *params);
    memcpy(model->centroids, centroids, options->k * model->latent * sizeof *centroids);
    if (rule->offsets > 0)
        memcpy(model->rule.offset, rule->offset, rule->offsets * sizeof *rule->offset);
    if (rule->numbers > 0)
        memcpy(model->rule.matrix, rule->matrix, rule->numbers * sizeof *rule->matrix);
done:
    if (status != DECANT_OK)
        decant_model_free(model);
    else
        *out = model;
    return status;
}

decant_status decant__model_set_student(decant_model *model, const decant__classifier *student,
                                        const float *params) {
    decant_status status = DECANT_OK;
    NEW_ARRAY(model->student_params, student->parameters);
    model->student = *student;
    if (params != NULL) memcpy(model->student_params, params, student->parameters * sizeof *params);
done:
    return status;
}

void decant_model_free(decant_model *model) {
    if (model == NULL) return;
    decant__scale_free(&model->scale);
    decant__free(model->params);
    decant__free(model->centroids);
    decant__free(model->cluster_of);
    decant__free(model->student_params);
    decant__rule_free(&model->rule);
    decant__features_free(model->features);
    decant__table_free(model->table);
    decant__free(model->column_names);
    decant__free(model->far);
    for (size_t c = 0; model->cluster_names != NULL && c < model->options.k; c++)
        decant__free(model->cluster_names[c]);
    decant__free(model->cluster_names);
    decant__free(model);
}

size_t decant_model_clusters(const decant_model *model) {
    return model != NULL ? model->options.k : 0;
}

size_t decant_model_columns(const decant_model *model) { return model != NULL ? model->d : 0; }
size_t decant_model_latent(const decant_model *model) { return model != NULL ? model->latent : 0; }

int decant_model_has_network(const decant_model *model) {
    return model != NULL && model->plan.depth > 0;
}

const decant_features *decant_model_features(const decant_model *model) {
    return model != NULL ? model->features : NULL;
}

const decant_table *decant_model_table(const decant_model *model) {
    return model != NULL ? model->table : NULL;
}

/* The mean of coordinate j over the centroids of a cluster: mostly, of one. */
static double centroid_of(const decant_model *model, size_t cluster, size_t j) {
    double sum = 0, count = 0;
    if (model->cluster_of == NULL) return (double)model->centroids[cluster * model->latent + j];
    for (size_t p = 0; p < model->parts; p++) {
        if (model->cluster_of[p] != (int32_t)cluster) continue;
        sum += (double)model->centroids[p * model->latent + j];
        count++;
    }
    return sum / count;
}

/* Without a network they are kept in scaled units: x = c / scale + shift. A column whose scale is 0
 * is left out of all distances, and has its shift. */
decant_status decant_model_centroids(const decant_model *model, float *centroids) {
    REQUIRE(model);
    REQUIRE(centroids);
    size_t l = model->latent;
    for (size_t i = 0; i < model->options.k * l; i++) {
        double c = centroid_of(model, i / l, i % l);
        if (model->plan.depth == 0) {
            double scale = (double)model->scale.scale[i % l];
            c = (scale != 0 ? c / scale : 0) + (double)model->scale.shift[i % l];
        }
        centroids[i] = (float)c;
    }
    return DECANT_OK;
}

decant_status decant_model_options(const decant_model *model, decant_options *options) {
    REQUIRE(model);
    REQUIRE(options);
    decant_options known;
    decant_status status = decant__options_read(&known, options);
    if (status != DECANT_OK) return status;
    decant__struct_write(options, &model->options, sizeof model->options);
    return DECANT_OK;
}

decant_status decant_model_reading(const decant_model *model, decant_read_options *options) {
    decant_read_options known = {.struct_size = sizeof known};
    if (model == NULL || options == NULL)
        return decant__fail(DECANT_EINVAL, "decant_model_reading needs a model and options");
    decant_status status =
        decant__struct_read(&known, sizeof known, options, "decant_read_options");
    if (status != DECANT_OK) return status;
    known.columns = model->d;
    known.features = model->features;
    known.table = model->table;
    known.column_names = (const char *const *)model->column_names;
    known.index_base = model->index_base;
    decant__struct_write(options, &known, sizeof known);
    return DECANT_OK;
}

/* The layers of the student, 0 to 6 tensors. */
static size_t list_student_tensors(const decant_model *model, char names[][NAME_SIZE],
                                   decant__tensor *tensors) {
    if (model->student.parameters == 0) return 0;
    for (size_t l = 0; l < DECANT__CLASSIFIER_DEPTH; l++) {
        const decant__layer *layer = &model->student.net.layer[l];
        snprintf(names[2 * l], NAME_SIZE, "student.%zu.weight", l);
        snprintf(names[2 * l + 1], NAME_SIZE, "student.%zu.bias", l);
        tensors[2 * l] = (decant__tensor){names[2 * l], DECANT__F32, layer->in, layer->out,
                                          model->student_params + layer->weight};
        tensors[2 * l + 1] = (decant__tensor){names[2 * l + 1], DECANT__F32, layer->out, 0,
                                              model->student_params + layer->bias};
    }
    return 2 * DECANT__CLASSIFIER_DEPTH;
}

/* The tensors of a model, in file order; names holds their texts. */
static size_t list_model_tensors(const decant_model *model, char names[][NAME_SIZE],
                                 decant__tensor *tensors) {
    size_t count = 0, inputs = model->scale.inputs;
    tensors[count++] = (decant__tensor){"input.shift", DECANT__F32, inputs, 0, model->scale.shift};
    tensors[count++] = (decant__tensor){"input.scale", DECANT__F32, inputs, 0, model->scale.scale};
    for (size_t l = 0; l < model->plan.depth; l++) {
        const decant__layer *layer = &model->plan.net.layer[l];
        snprintf(names[2 * l], NAME_SIZE, "encoder.%zu.weight", l);
        snprintf(names[2 * l + 1], NAME_SIZE, "encoder.%zu.bias", l);
        tensors[count++] = (decant__tensor){names[2 * l], DECANT__F32, layer->in, layer->out,
                                            model->params + layer->weight};
        tensors[count++] = (decant__tensor){names[2 * l + 1], DECANT__F32, layer->out, 0,
                                            model->params + layer->bias};
    }
    tensors[count++] =
        (decant__tensor){"centroids", DECANT__F32, model->parts, model->latent, model->centroids};
    count += list_student_tensors(model, names + 2 * DECANT_MAX_LAYERS, tensors + count);
    if (model->rule.offsets > 0) {
        tensors[count++] = (decant__tensor){"rule.offset", DECANT__F64, model->rule.offsets, 0,
                                            model->rule.offset};
        tensors[count++] = (decant__tensor){"rule.matrix", DECANT__F64, model->rule.numbers, 0,
                                            model->rule.matrix};
    }
    if (model->far != NULL)
        tensors[count++] =
            (decant__tensor){"novelty.far", DECANT__F64, model->parts, 0, model->far};
    if (model->cluster_of != NULL)
        tensors[count++] =
            (decant__tensor){"parts.cluster", DECANT__I32, model->parts, 0, model->cluster_of};
    return count;
}

static void put_model_metadata(decant__metadata *metadata, const decant_model *model) {
    char digest[40];
    snprintf(digest, sizeof digest, "%016llx%016llx", (unsigned long long)model->data_digest[0],
             (unsigned long long)model->data_digest[1]);
    decant__tensors_begin(metadata, FORMAT,
                          versions[model->student.parameters > 0][model->cluster_of != NULL]);
    decant__metadata_put(metadata, "decant_version", decant_version());
    decant__metadata_put(metadata, "data_digest", digest);
    decant__settings_put_count(metadata, "columns", model->d);
    decant__settings_put_count(metadata, "depth", model->plan.depth);
    if (model->scale.kind == DECANT_SCALING_GRADIENTS) {
        decant__settings_put_count(metadata, "image_width", model->scale.gradients.width);
        decant__settings_put_count(metadata, "image_height", model->scale.gradients.height);
        decant__settings_put_real(metadata, "image_unit", (double)model->scale.gradients.unit);
    }
    if (model->cluster_of != NULL) decant__settings_put_count(metadata, "parts", model->parts);
    decant__model_put_features(metadata, model->features);
    decant__model_put_table(metadata, model->table);
    decant__model_put_columns(metadata, model);
    decant__model_put_clusters(metadata, model);
    decant__settings_put_options(metadata, &model->options);
}

/* Writes to a file, or to memory if path is NULL. */
static decant_status write_model(const decant_model *model, const char *path, char **bytes,
                                 size_t *size) {
    char names[MAX_TENSORS][NAME_SIZE];
    decant__tensor tensors[MAX_TENSORS];
    decant__metadata metadata = {0};
    size_t count = list_model_tensors(model, names, tensors);
    if (model->features != NULL && model->features->idf != NULL)
        tensors[count++] =
            (decant__tensor){"features.idf", DECANT__F64, model->d, 0, model->features->idf};
    if (model->table != NULL && model->table->text != NULL)
        tensors[count++] = (decant__tensor){"table.idf", DECANT__F64, model->table->text->d, 0,
                                            model->table->text->idf};
    put_model_metadata(&metadata, model);
    decant_status status = path != NULL
                               ? decant__tensors_write(path, &metadata, tensors, count)
                               : decant__tensors_encode(&metadata, tensors, count, bytes, size);
    decant__metadata_free(&metadata);
    return status;
}

decant_status decant_model_save(const decant_model *model, const char *path) {
    REQUIRE(model);
    REQUIRE(path);
    return write_model(model, path, NULL, NULL);
}

decant_status decant_model_to_bytes(const decant_model *model, void **bytes, size_t *count) {
    char *encoded = NULL;
    REQUIRE(model);
    REQUIRE(bytes);
    REQUIRE(count);
    decant_status status = write_model(model, NULL, &encoded, count);
    if (status == DECANT_OK) *bytes = encoded;
    return status;
}

void decant_bytes_free(void *bytes) { decant__free(bytes); }

static decant_status read_digest(const decant__tensor_file *file, uint64_t digest[2]) {
    unsigned long long high, low;
    const char *text = decant__tensors_text(file, "data_digest");
    if (text == NULL) return DECANT_EFORMAT;
    if (strlen(text) != 32 || sscanf(text, "%16llx%16llx", &high, &low) != 2)
        return decant__fail(DECANT_EFORMAT, "%s: data_digest is not 32 hexadecimal digits",
                            file->path);
    digest[0] = high;
    digest[1] = low;
    return DECANT_OK;
}

static int has_version(const decant__tensor_file *file, const char *version) {
    const char *found = decant__tensors_text(file, "format_version");
    return found != NULL && strcmp(found, version) == 0;
}

static int has_student(const decant__tensor_file *file) {
    return has_version(file, versions[1][0]) || has_version(file, versions[1][1]);
}

static int has_merged(const decant__tensor_file *file) {
    return has_version(file, versions[0][1]) || has_version(file, versions[1][1]);
}

/* The numbers of a row that is fetched, and the images that it is made of. */
static decant_status read_inputs(const decant__tensor_file *file, decant_model *model) {
    uint64_t width, height;
    double unit;
    model->scale.inputs = model->d;
    if (model->options.scaling != DECANT_SCALING_GRADIENTS) return DECANT_OK;
    decant_status status =
        decant__settings_get_limited(file, "image_width", DECANT__MAX_SIDE, &width);
    if (status == DECANT_OK)
        status = decant__settings_get_limited(file, "image_height", DECANT__MAX_SIDE, &height);
    if (status == DECANT_OK) status = decant__settings_get_real(file, "image_unit", &unit);
    if (status != DECANT_OK) return status;
    model->scale.inputs = DECANT__GRADIENT_NUMBERS;
    model->scale.gradients = (decant__gradients){(size_t)width, (size_t)height, (float)unit};
    if (width * height == model->d && decant__gradients_valid(&model->scale.gradients) &&
        decant__method_has_network(model->options.method))
        return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: is damaged: its images are not valid", file->path);
}

static decant_status read_plan(const decant__tensor_file *file, decant_model *model) {
    uint64_t columns, depth, parts = model->options.k;
    const decant_options *options = &model->options;
    decant_status status = decant__settings_get_limited(file, "columns", INT32_MAX, &columns);
    if (status == DECANT_OK) status = decant__settings_get_count(file, "depth", &depth);
    if (status == DECANT_OK && has_merged(file))
        status = decant__settings_get_limited(file, "parts", INT32_MAX, &parts);
    if (status != DECANT_OK) return status;
    int has_network = decant__method_has_network(options->method);
    if (columns == 0 || depth != (has_network ? options->layer_count : 0))
        return decant__fail(DECANT_EFORMAT,
                            "%s: is damaged: its number of columns or layers is not valid",
                            file->path);
    model->d = (size_t)columns;
    model->latent = depth > 0 ? options->layers[depth - 1] : model->d;
    /* Before any allocation: the file must be large enough for these numbers. */
    size_t floats = file->size / sizeof(float);
    model->parts = (size_t)parts;
    if (options->k < 1 || options->k_max > 0 || model->d > floats || options->k > model->parts ||
        model->parts > floats / model->latent)
        return decant__fail(DECANT_EFORMAT, "%s: is damaged: its number of clusters is not valid",
                            file->path);
    status = read_inputs(file, model);
    if (status != DECANT_OK || depth == 0) return status;
    return decant__autoencoder_plan(&model->plan, model->scale.inputs, model->options.layers,
                                    (size_t)depth);
}

/* An offset of a rule can be minus infinity: the component has no weight. */
static int has_nan(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i])) return 1;
    return 0;
}

/* Distances that a row can have. */
static int is_far(const double *far, size_t count) {
    for (size_t p = 0; far != NULL && p < count; p++)
        if (!(far[p] > 0) || isinf(far[p])) return 0;
    return 1;
}

/* Clusters from 0 to k - 1, in this order, none without a part. */
static int is_grouping(const decant_model *model) {
    int32_t next = 0;
    if (model->cluster_of == NULL) return 1;
    for (size_t p = 0; p < model->parts; p++) {
        if (model->cluster_of[p] == next)
            next++;
        else if (next == 0 || model->cluster_of[p] != next - 1)
            return 0;
    }
    return (size_t)next == model->options.k;
}

static int student_finite(const decant_model *model) {
    for (size_t l = 0; model->student.parameters > 0 && l < DECANT__CLASSIFIER_DEPTH; l++) {
        const decant__layer *layer = &model->student.net.layer[l];
        if (!decant__tensors_finite(model->student_params + layer->weight,
                                    (layer->in + 1) * layer->out))
            return 0;
    }
    return 1;
}

static decant_status check_values(const char *path, const decant_model *model) {
    const decant__rule *rule = &model->rule;
    if (decant__tensors_finite(model->scale.shift, model->scale.inputs) &&
        decant__tensors_finite(model->scale.scale, model->scale.inputs) &&
        decant__tensors_finite(model->params, encoder_parameters(model)) &&
        decant__tensors_finite(model->centroids, model->parts * model->latent) &&
        is_far(model->far, model->parts) && student_finite(model) &&
        !has_nan(rule->offset, rule->offsets) && !has_nan(rule->matrix, rule->numbers))
        return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: some of its numbers are not finite", path);
}

static decant_status read_tensors(const decant__tensor_file *file, const decant_model *model) {
    decant_status status = DECANT_OK;
    char names[MAX_TENSORS][NAME_SIZE];
    decant__tensor tensors[MAX_TENSORS];
    size_t count = list_model_tensors(model, names, tensors);
    for (size_t i = 0; i < count; i++) TRY(decant__tensors_get(file, &tensors[i]));
    TRY(check_values(file->path, model));
    if (!is_grouping(model))
        TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: its merged clusters are not valid",
                         file->path));
done:
    return status;
}

/* Before any allocation: the file must be large enough for its layers. */
static decant_status plan_student(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    decant__classifier plan;
    size_t width = model->options.student_width;
    TRY(decant__classifier_plan(&plan, model->scale.inputs, width, model->parts, 0));
    if (plan.parameters > file->size / sizeof(float) + 4 * width)
        TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: its second network is not complete",
                         file->path));
    TRY(decant__model_set_student(model, &plan, NULL));
done:
    return status;
}

static decant_status decode_model(const decant__tensor_file *file, decant_model **out) {
    decant_status status = DECANT_OK;
    decant_model *model = NULL;
    NEW_ZEROED(model, 1);
    TRY(decant__settings_get_options(file, &model->options));
    TRY(read_digest(file, model->data_digest));
    TRY(read_plan(file, model));
    TRY(allocate_model(model));
    if (decant__tensors_find_text(file, "novelty") != NULL) NEW_ARRAY(model->far, model->parts);
    if (has_merged(file)) NEW_ARRAY(model->cluster_of, model->parts);
    if (has_student(file)) TRY(plan_student(file, model));
    TRY(read_tensors(file, model));
    TRY(decant__model_get_features(file, model));
    TRY(decant__model_get_table(file, model));
    TRY(decant__model_get_columns(file, model));
    TRY(decant__model_get_clusters(file, model));
    *out = model;
    model = NULL;
done:
    decant_model_free(model);
    return status;
}

decant_status decant_model_load(const char *path, decant_model **out) {
    decant__tensor_file file;
    REQUIRE(path);
    REQUIRE(out);
    decant_status status = decant__tensors_read(&file, path, FORMAT, READ_VERSIONS);
    if (status == DECANT_OK) status = decode_model(&file, out);
    decant__tensors_close(&file);
    return status;
}

decant_status decant_model_from_bytes(const void *bytes, size_t count, decant_model **out) {
    decant__tensor_file file;
    REQUIRE(bytes);
    REQUIRE(out);
    decant_status status =
        decant__tensors_decode(&file, "model in memory", bytes, count, FORMAT, READ_VERSIONS);
    if (status == DECANT_OK) status = decode_model(&file, out);
    decant__tensors_close(&file);
    return status;
}
