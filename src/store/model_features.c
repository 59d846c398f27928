/* The features of a model and the names of its columns, in its file: docs/format.md. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/model.h"
#include "store/settings.h"
#include "features/picture.h"

/* The limits of pictures that are read. */
enum { MAX_SIDE = 100000, MAX_PIXELS = 1 << 27 };

/* All stems, or their words, in one string, one on each line. */
static void put_stems(decant__metadata *metadata, const char *key, const decant__names *stems) {
    decant__text text = {0};
    for (size_t j = 0; j < stems->count; j++)
        decant__text_print(&text, j > 0 ? "\n%s" : "%s", decant__names_at(stems, j));
    if (text.failed)
        metadata->status = DECANT_ENOMEM;
    else
        decant__metadata_put(metadata, key, text.bytes);
    decant__text_free(&text);
}

void decant__model_put_features(decant__metadata *metadata, const decant_features *features) {
    if (features == NULL) return;
    decant__settings_put_count(metadata, "features.kind", (uint64_t)features->kind);
    decant__metadata_put(metadata, "features.about", features->about);
    decant__settings_put_count(metadata, "features.width", features->width);
    decant__settings_put_count(metadata, "features.height", features->height);
    decant__settings_put_count(metadata, "features.channels", features->channels);
    if (features->idf == NULL) return;
    decant__metadata_put(metadata, "features.language", features->language);
    decant__settings_put_count(metadata, "features.stop-words", (uint64_t)features->stop_words);
    if (features->column[0] != '\0')
        decant__metadata_put(metadata, "features.column", features->column);
    if (features->id_column[0] != '\0')
        decant__metadata_put(metadata, "features.id-column", features->id_column);
    put_stems(metadata, "features.stems", &features->stems);
    if (features->words.count > 0) put_stems(metadata, "features.words", &features->words);
}

static decant_status refuse_features(const decant__tensor_file *file) {
    return decant__fail(DECANT_EFORMAT, "%s: is damaged: its features are not valid", file->path);
}

static decant_status get_text(const decant__tensor_file *file, const char *key, char *out,
                              size_t size) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    if (strlen(text) >= size) return refuse_features(file);
    memcpy(out, text, strlen(text) + 1);
    return DECANT_OK;
}

static decant_status get_stems(const decant__tensor_file *file, const char *key, size_t count,
                               decant__names *out) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    for (;;) {
        uint32_t number;
        size_t length = strcspn(text, "\n");
        if (length == 0) return refuse_features(file);
        decant_status status = decant__names_add(out, text, length, &number);
        if (status != DECANT_OK) return status;
        if (text[length] == '\0') break;
        text += length + 1;
    }
    return out->count == count ? DECANT_OK : refuse_features(file);
}

/* The size determines the number of columns, which must be that of the model. */
static decant_status get_image_features(const decant__tensor_file *file,
                                        decant_features *features) {
    decant_status status = DECANT_OK;
    decant__picture picture = {0};
    uint64_t width, height, channels;
    TRY(decant__settings_get_count(file, "features.width", &width));
    TRY(decant__settings_get_count(file, "features.height", &height));
    TRY(decant__settings_get_count(file, "features.channels", &channels));
    if (width == 0 || width > MAX_SIDE || height == 0 || height > MAX_SIDE ||
        width * height > MAX_PIXELS || (channels != 1 && channels != 3))
        TRY(refuse_features(file));
    size_t d = features->d;
    features->width = (size_t)width;
    features->height = (size_t)height;
    features->channels = (size_t)channels;
    status = decant__picture_new(&picture, features);
    if (status != DECANT_ENOMEM && (status != DECANT_OK || features->d != d))
        status = refuse_features(file);
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
    if (decant__tensors_find_text(file, "features.column") != NULL)
        TRY(get_text(file, "features.column", features->column, sizeof features->column));
    if (decant__tensors_find_text(file, "features.id-column") != NULL)
        TRY(get_text(file, "features.id-column", features->id_column, sizeof features->id_column));
    TRY(get_stems(file, "features.stems", features->d, &features->stems));
    if (decant__tensors_find_text(file, "features.words") != NULL) /* older models have none */
        TRY(get_stems(file, "features.words", features->d, &features->words));
    NEW_ARRAY(features->idf, features->d);
    decant__tensor idf = {"features.idf", DECANT__F64, features->d, 0, features->idf};
    TRY(decant__tensors_get(file, &idf));
done:
    return status;
}

decant_status decant__model_get_features(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    uint64_t kind;
    if (decant__tensors_find_text(file, "features.kind") == NULL) return DECANT_OK;
    NEW_ZEROED(model->features, 1);
    TRY(decant__settings_get_count(file, "features.kind", &kind));
    if (kind == DECANT_FEATURES_AUTO || kind > DECANT_FEATURES_TFIDF) TRY(refuse_features(file));
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

/* ---- names of columns ---- */

/* A name as one line of UTF-8: newlines, backslashes and invalid bytes become \n, \\ and \xHH. */
void decant__name_print(decant__text *text, const char *name) {
    size_t length = strlen(name);
    int plain = decant__utf8_prefix(name, length) == length;
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        if (c == '\n' || c == '\\')
            decant__text_print(text, "\\%c", c == '\n' ? 'n' : '\\');
        else if (c >= 0x80 && !plain)
            decant__text_print(text, "\\x%02x", c);
        else
            decant__text_print(text, "%c", c);
    }
}

void decant__model_put_columns(decant__metadata *metadata, const decant_model *model) {
    decant__text text = {0};
    if (model->index_base != DECANT_INDEX_AUTO)
        decant__settings_put_count(metadata, "columns.first-index",
                                   model->index_base == DECANT_INDEX_FROM_1);
    if (model->column_names == NULL) return;
    for (size_t j = 0; j < model->d; j++) {
        if (j > 0) decant__text_print(&text, "\n");
        decant__name_print(&text, model->column_names[j]);
    }
    if (text.failed)
        metadata->status = DECANT_ENOMEM;
    else
        decant__metadata_put(metadata, "columns.names", text.bytes != NULL ? text.bytes : "");
    decant__text_free(&text);
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

int decant__name_parse(const char **from, char **to) {
    const char *p = *from;
    for (; *p != '\n' && *p != '\0'; p++) {
        if (*p != '\\') {
            *(*to)++ = *p;
            continue;
        }
        p++;
        if (*p == 'x') {
            int high = hex_digit(p[1]), low = high >= 0 ? hex_digit(p[2]) : -1;
            if (low < 0) return 0;
            *(*to)++ = (char)(unsigned char)(16 * high + low);
            p += 2;
        } else if (*p == 'n' || *p == '\\') {
            *(*to)++ = *p == 'n' ? '\n' : '\\';
        } else {
            return 0;
        }
    }
    *(*to)++ = '\0';
    *from = p;
    return 1;
}

static decant_status bad_names(const decant__tensor_file *file) {
    return decant__fail(DECANT_EFORMAT, "%s: is damaged: its names of columns are not valid",
                        file->path);
}

/* One block of memory: pointers to the names, then the names. */
static decant_status get_names(const decant__tensor_file *file, decant_model *model) {
    const char *text = decant__tensors_text(file, "columns.names");
    if (text == NULL) return DECANT_EFORMAT;
    size_t length = strlen(text), lines = 1;
    for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
    if (lines != model->d) return bad_names(file);
    model->column_names = decant__alloc_array(lines * sizeof(char *) + length + 1, 1);
    if (model->column_names == NULL) return DECANT_ENOMEM;
    char *to = (char *)(model->column_names + lines);
    for (size_t j = 0; j < lines; j++) {
        model->column_names[j] = to;
        if (!decant__name_parse(&text, &to)) return bad_names(file);
        text++;
    }
    return DECANT_OK;
}

decant_status decant__model_get_columns(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    uint64_t first;
    if (decant__tensors_find_text(file, "columns.first-index") != NULL) {
        TRY(decant__settings_get_limited(file, "columns.first-index", 1, &first));
        model->index_base = first == 1 ? DECANT_INDEX_FROM_1 : DECANT_INDEX_FROM_0;
    }
    if (decant__tensors_find_text(file, "columns.names") != NULL) TRY(get_names(file, model));
done:
    return status;
}
