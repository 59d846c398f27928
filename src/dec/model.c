/* The model file: docs/format.md. */
#include "dec/model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dec/settings.h"

static const char FORMAT[] = "decant-model", FORMAT_VERSION[] = "1";
enum { NAME_SIZE = 48, MOST_TENSORS = 2 * DECANT_MAX_LAYERS + 6 };

static size_t encoder_parameters(const decant_model *model) {
    return model->plan.depth > 0 ? decant__autoencoder_encoder_parameters(&model->plan) : 0;
}

static decant_status allocate(decant_model *model) {
    decant_status status = DECANT_OK;
    model->scale.d = model->d;
    NEW_ARRAY(model->scale.shift, model->d);
    NEW_ARRAY(model->scale.scale, model->d);
    NEW_ARRAY(model->params, encoder_parameters(model));
    NEW_ARRAY(model->centroids, model->options.k * model->latent);
    TRY(decant__rule_new(&model->rule, &model->options, model->latent));
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
    model->d = scale->d;
    if (plan != NULL) model->plan = *plan;
    model->latent = plan != NULL ? plan->net.layer[plan->depth - 1].out : scale->d;
    memcpy(model->data_digest, data_digest, sizeof model->data_digest);
    TRY(allocate(model));
    memcpy(model->scale.shift, scale->shift, scale->d * sizeof *scale->shift);
    memcpy(model->scale.scale, scale->scale, scale->d * sizeof *scale->scale);
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

void decant_model_free(decant_model *model) {
    if (model == NULL) return;
    decant__scale_free(&model->scale);
    decant__free(model->params);
    decant__free(model->centroids);
    decant__rule_free(&model->rule);
    decant__features_free(model->features);
    decant__free(model);
}

size_t decant_model_clusters(const decant_model *model) { return model->options.k; }
size_t decant_model_columns(const decant_model *model) { return model->d; }
size_t decant_model_latent(const decant_model *model) { return model->latent; }
int decant_model_has_network(const decant_model *model) { return model->plan.depth > 0; }
const decant_features *decant_model_features(const decant_model *model) { return model->features; }
const decant_options *decant_model_options(const decant_model *model) { return &model->options; }

/* The tensors of a model, in file order; names has room for their texts. */
static size_t list_tensors(const decant_model *model, char names[][NAME_SIZE],
                           decant__tensor *tensors) {
    size_t count = 0;
    tensors[count++] =
        (decant__tensor){"input.shift", DECANT__F32, model->d, 0, model->scale.shift};
    tensors[count++] =
        (decant__tensor){"input.scale", DECANT__F32, model->d, 0, model->scale.scale};
    for (size_t l = 0; l < model->plan.depth; l++) {
        const decant__layer *layer = &model->plan.net.layer[l];
        snprintf(names[2 * l], NAME_SIZE, "encoder.%zu.weight", l);
        snprintf(names[2 * l + 1], NAME_SIZE, "encoder.%zu.bias", l);
        tensors[count++] = (decant__tensor){names[2 * l], DECANT__F32, layer->in, layer->out,
                                            model->params + layer->weight};
        tensors[count++] = (decant__tensor){names[2 * l + 1], DECANT__F32, layer->out, 0,
                                            model->params + layer->bias};
    }
    tensors[count++] = (decant__tensor){"centroids", DECANT__F32, model->options.k, model->latent,
                                        model->centroids};
    if (model->rule.offsets > 0) {
        tensors[count++] = (decant__tensor){"rule.offset", DECANT__F64, model->rule.offsets, 0,
                                            model->rule.offset};
        tensors[count++] = (decant__tensor){"rule.matrix", DECANT__F64, model->rule.numbers, 0,
                                            model->rule.matrix};
    }
    return count;
}

static int put_metadata(json_t *metadata, const decant_model *model) {
    char digest[40];
    snprintf(digest, sizeof digest, "%016llx%016llx", (unsigned long long)model->data_digest[0],
             (unsigned long long)model->data_digest[1]);
    int failed = json_object_set_new(metadata, "format", json_string(FORMAT));
    failed |= json_object_set_new(metadata, "format_version", json_string(FORMAT_VERSION));
    failed |= json_object_set_new(metadata, "decant_version", json_string(decant_version()));
    failed |= json_object_set_new(metadata, "data_digest", json_string(digest));
    failed |= decant__settings_put_count(metadata, "columns", model->d);
    failed |= decant__settings_put_count(metadata, "depth", model->plan.depth);
    failed |= decant__model_put_features(metadata, model->features);
    return failed | decant__settings_put_options(metadata, &model->options);
}

decant_status decant_model_save(const decant_model *model, const char *path) {
    decant_status status = DECANT_OK;
    char names[2 * DECANT_MAX_LAYERS][NAME_SIZE];
    decant__tensor tensors[MOST_TENSORS];
    size_t count = list_tensors(model, names, tensors);
    if (model->features != NULL && model->features->idf != NULL)
        tensors[count++] =
            (decant__tensor){"features.idf", DECANT__F64, model->d, 0, model->features->idf};
    json_t *metadata = json_object();
    if (put_metadata(metadata, model))
        status = decant__fail(DECANT_ENOMEM, "%s: out of memory for its metadata", path);
    else
        status = decant__tensors_write(path, metadata, tensors, count);
    json_decref(metadata);
    return status;
}

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

static decant_status read_plan(const decant__tensor_file *file, decant_model *model) {
    uint64_t columns, depth;
    decant_status status = decant__settings_get_count(file, "columns", &columns);
    if (status == DECANT_OK) status = decant__settings_get_count(file, "depth", &depth);
    if (status != DECANT_OK) return status;
    if (columns == 0 || columns > INT32_MAX || (depth != 0 && depth != model->options.layer_count))
        return decant__fail(DECANT_EFORMAT, "%s: its numbers of columns and layers make no sense",
                            file->path);
    model->d = (size_t)columns;
    model->latent = depth > 0 ? model->options.layers[depth - 1] : model->d;
    if (depth == 0) return DECANT_OK;
    return decant__autoencoder_plan(&model->plan, model->d, model->options.layers, (size_t)depth);
}

static decant_status read_tensors(const decant__tensor_file *file, const decant_model *model) {
    decant_status status = DECANT_OK;
    char names[2 * DECANT_MAX_LAYERS][NAME_SIZE];
    decant__tensor tensors[MOST_TENSORS];
    size_t count = list_tensors(model, names, tensors);
    for (size_t i = 0; i < count; i++) TRY(decant__tensors_get(file, &tensors[i]));
done:
    return status;
}

decant_status decant_model_load(const char *path, decant_model **out) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    decant_model *model = NULL;
    NEW_ZEROED(model, 1);
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(decant__settings_get_options(&file, &model->options));
    TRY(read_digest(&file, model->data_digest));
    TRY(read_plan(&file, model));
    TRY(allocate(model));
    TRY(read_tensors(&file, model));
    TRY(decant__model_get_features(&file, model));
done:
    decant__tensors_close(&file);
    if (status != DECANT_OK)
        decant_model_free(model);
    else
        *out = model;
    return status;
}
