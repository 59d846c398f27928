#include "data/items.h"

#include "base/memory.h"
#include "data/raw.h"

/* By the features that the rows were made with, so that nothing is looked for again. */
static decant_status open_again(const decant_dataset *data, decant__raw **out) {
    decant_status status = DECANT_OK;
    decant_read_options wanted = decant__origin_options(&data->origin);
    wanted.features = data->features;
    wanted.label_paths = NULL;
    TRY(decant__raw_open((const char *const *)data->origin.data.path, data->origin.data.count,
                         &wanted, out));
    if (*out == NULL)
        status = decant__fail(DECANT_EFORMAT, "%s: is not what it was when it was first read",
                              data->origin.data.path[0]);
done:
    return status;
}

decant_status decant__items_texts(const decant_dataset *data, const uint32_t *row, size_t count,
                                  size_t most, char **text) {
    decant__raw *raw = NULL;
    decant_status status = open_again(data, &raw);
    for (size_t i = 0; i < count; i++) text[i] = NULL;
    if (status == DECANT_OK) status = decant__texts_show(raw, row, count, most, text);
    for (size_t i = 0; status != DECANT_OK && i < count; i++) {
        decant__free(text[i]);
        text[i] = NULL;
    }
    decant__raw_close(raw);
    return status;
}

decant_status decant__items_pictures(const decant_dataset *data, const uint32_t *row, size_t count,
                                     size_t width, size_t height, uint8_t *tile) {
    decant__raw *raw = NULL;
    decant_status status = open_again(data, &raw);
    if (status == DECANT_OK)
        status = decant__images_show(raw, data->ids, row, count, width, height, tile);
    decant__raw_close(raw);
    return status;
}
