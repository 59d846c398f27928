/* The features of a model in its file: docs/format.md. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dec/model.h"
#include "dec/settings.h"
#include "features/picture.h"

enum { MOST_SIDE = 100000 };

static int put_text(json_t *metadata, const char *key, const char *text) {
    return json_object_set_new(metadata, key, json_string(text));
}

/* All stems in one text, a line each. */
static int put_stems(json_t *metadata, const decant__names *stems) {
    decant__text text = {0};
    for (size_t j = 0; j < stems->count; j++)
        decant__text_print(&text, j > 0 ? "\n%s" : "%s", decant__names_at(stems, j));
    int failed = text.failed || put_text(metadata, "features.stems", text.bytes);
    decant__text_free(&text);
    return failed;
}

int decant__model_put_features(json_t *metadata, const decant_features *features) {
    if (features == NULL) return 0;
    int failed = decant__settings_put_count(metadata, "features.kind", (uint64_t)features->kind);
    failed |= put_text(metadata, "features.about", features->about);
    failed |= decant__settings_put_count(metadata, "features.width", features->width);
    failed |= decant__settings_put_count(metadata, "features.height", features->height);
    failed |= decant__settings_put_count(metadata, "features.channels", features->channels);
    if (features->idf == NULL) return failed;
    failed |= put_text(metadata, "features.language", features->language);
    failed |=
        decant__settings_put_count(metadata, "features.stop-words", (uint64_t)features->stop_words);
    return failed | put_stems(metadata, &features->stems);
}

static decant_status bad(const decant__tensor_file *file) {
    return decant__fail(DECANT_EFORMAT, "%s: its features make no sense", file->path);
}

static decant_status get_text(const decant__tensor_file *file, const char *key, char *out,
                              size_t size) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    if (strlen(text) >= size) return bad(file);
    memcpy(out, text, strlen(text) + 1);
    return DECANT_OK;
}

static decant_status get_stems(const decant__tensor_file *file, decant_features *features) {
    const char *text = decant__tensors_text(file, "features.stems");
    if (text == NULL) return DECANT_EFORMAT;
    for (;;) {
        uint32_t number;
        size_t length = strcspn(text, "\n");
        if (length == 0) return bad(file);
        decant_status status = decant__names_add(&features->stems, text, length, &number);
        if (status != DECANT_OK) return status;
        if (text[length] == '\0') break;
        text += length + 1;
    }
    return features->stems.count == features->d ? DECANT_OK : bad(file);
}

/* The size decides how many numbers there are in a row, and that must be the model's. */
static decant_status get_image_features(const decant__tensor_file *file,
                                        decant_features *features) {
    decant_status status = DECANT_OK;
    decant__picture picture = {0};
    uint64_t width, height, channels;
    TRY(decant__settings_get_count(file, "features.width", &width));
    TRY(decant__settings_get_count(file, "features.height", &height));
    TRY(decant__settings_get_count(file, "features.channels", &channels));
    if (width == 0 || width > MOST_SIDE || height == 0 || height > MOST_SIDE ||
        (channels != 1 && channels != 3))
        TRY(bad(file));
    size_t d = features->d;
    features->width = (size_t)width;
    features->height = (size_t)height;
    features->channels = (size_t)channels;
    if (decant__picture_new(&picture, features) != DECANT_OK || features->d != d) TRY(bad(file));
done:
    decant__picture_free(&picture);
    return status;
}

static decant_status get_text_features(const decant__tensor_file *file, decant_features *features) {
    decant_status status = DECANT_OK;
    uint64_t stop_words;
    TRY(get_text(file, "features.language", features->language, sizeof features->language));
    TRY(decant__settings_get_count(file, "features.stop-words", &stop_words));
    features->stop_words = stop_words != 0;
    TRY(get_stems(file, features));
    NEW_ARRAY(features->idf, features->d);
    decant__tensor idf = {"features.idf", DECANT__F64, features->d, 0, features->idf};
    TRY(decant__tensors_get(file, &idf));
done:
    return status;
}

decant_status decant__model_get_features(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    uint64_t kind;
    if (!decant__tensors_has(file, "features.kind")) return DECANT_OK;
    NEW_ZEROED(model->features, 1);
    TRY(decant__settings_get_count(file, "features.kind", &kind));
    if (kind == DECANT_FEATURES_AUTO || kind > DECANT_FEATURES_TFIDF) TRY(bad(file));
    model->features->kind = (decant_feature_kind)kind;
    model->features->d = model->d;
    TRY(get_text(file, "features.about", model->features->about, sizeof model->features->about));
    if (kind == DECANT_FEATURES_TFIDF)
        TRY(get_text_features(file, model->features));
    else
        TRY(get_image_features(file, model->features));
done:
    return status;
}
