/* The items that rows were made of, for people to look at: the files of a dataset are read a second
 * time, and only the wanted items are kept. */
#ifndef DECANT_DATA_ITEMS_H
#define DECANT_DATA_ITEMS_H

#include "data/dataset.h"

/* Text: text[i] becomes the beginning of the document of row[i], at most `most` bytes of whole
 * characters; the caller frees each with decant__free. row: ascending. */
decant_status decant__items_texts(const decant_dataset *data, const uint32_t *row, size_t count,
                                  size_t most, char **text);

/* Images: tile[i], height x width x the recipe's channels, becomes the picture of row[i] in that
 * size. */
decant_status decant__items_pictures(const decant_dataset *data, const uint32_t *row, size_t count,
                                     size_t width, size_t height, uint8_t *tile);

#endif
