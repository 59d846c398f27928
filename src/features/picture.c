#include "features/picture.h"

#include "base/memory.h"
#include "features/colormap.h"

static int has_hog(decant_feature_kind kind) {
    return kind == DECANT_FEATURES_HOG || kind == DECANT_FEATURES_HOG31 ||
           kind == DECANT_FEATURES_HOG_COLORMAP;
}

decant_status decant__picture_new(decant__picture *picture, decant_features *features) {
    decant_status status = DECANT_OK;
    *picture = (decant__picture){.features = features};
    size_t columns = 0;
    if (has_hog(features->kind)) {
        TRY(decant__hog_new(&picture->hog, features->kind == DECANT_FEATURES_HOG31, features->width,
                            features->height));
        columns = decant__hog_columns(&picture->hog);
    }
    if (features->kind == DECANT_FEATURES_COLORMAP ||
        features->kind == DECANT_FEATURES_HOG_COLORMAP)
        columns += DECANT__COLORMAP_COLUMNS;
    if (features->kind == DECANT_FEATURES_PIXELS)
        columns = features->width * features->height * features->channels;
    features->d = columns;
done:
    return status;
}

void decant__picture_free(decant__picture *picture) {
    decant__hog_free(&picture->hog);
    *picture = (decant__picture){0};
}

decant_status decant__picture_scratch_new(const decant__picture *picture,
                                          decant__picture_scratch *scratch) {
    decant_status status = DECANT_OK;
    *scratch = (decant__picture_scratch){0};
    if (has_hog(picture->features->kind))
        NEW_ARRAY(scratch->hog, decant__hog_scratch_size(&picture->hog));
done:
    return status;
}

void decant__picture_scratch_free(decant__picture_scratch *scratch) {
    decant__image_free(&scratch->resized);
    decant__resizer_free(&scratch->resizer);
    decant__free(scratch->hog);
    *scratch = (decant__picture_scratch){0};
}

static void copy_pixels(const decant__image *image, float *row) {
    size_t count = image->width * image->height * image->channels;
    for (size_t i = 0; i < count; i++) row[i] = (float)image->pixels[i];
}

decant_status decant__picture_row(const decant__picture *picture, const decant__image *image,
                                  decant__picture_scratch *scratch, float *row) {
    const decant_features *features = picture->features;
    decant_feature_kind kind = features->kind;
    if (image->width != features->width || image->height != features->height) {
        decant_status status = decant__image_resize(image, features->width, features->height,
                                                    &scratch->resizer, &scratch->resized);
        if (status != DECANT_OK) return status;
        image = &scratch->resized;
    }
    size_t hog_columns = has_hog(kind) ? decant__hog_columns(&picture->hog) : 0;
    if (hog_columns > 0) decant__hog_compute(&picture->hog, image, scratch->hog, row);
    if (kind == DECANT_FEATURES_PIXELS) copy_pixels(image, row);
    if (kind == DECANT_FEATURES_COLORMAP || kind == DECANT_FEATURES_HOG_COLORMAP)
        decant__colormap_compute(image, row + hog_columns);
    if (kind != DECANT_FEATURES_HOG_COLORMAP) return DECANT_OK;
    for (size_t j = 0; j < hog_columns; j++) row[j] = (row[j] - 0.2f) * 10;
    for (size_t j = hog_columns; j < features->d; j++) row[j] = (row[j] - 128) / 10;
    return DECANT_OK;
}
