#include "read/labels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "read/formats.h"
#include "read/listing.h"
#include "base/number.h"

decant_status decant__labels_mismatch(const char *path, size_t labels, const char *data_path,
                                      const char *about, size_t rows) {
    return decant__fail(DECANT_EFORMAT, "%s: has %zu labels, but %s has %s%zu rows", path, labels,
                        data_path, about, rows);
}

static float number_in(const decant__block *block, size_t row) {
    if (!block->sparse) return block->dense[row];
    size_t begin = block->start[row];
    return block->start[row + 1] > begin ? block->value[begin] : 0.0f;
}

/* Numbers to names. Floats are exact for whole numbers below 2^24; beyond that, different labels
 * could become the same one. */
static decant_status name_numbers(const char *path, decant__block *block) {
    decant_status status = DECANT_OK;
    for (size_t i = 0; i < block->n; i++) {
        float value = number_in(block, i);
        char text[32];
        if (value != floorf(value) || fabsf(value) >= 0x1p24f)
            TRY(decant__fail(
                DECANT_EFORMAT,
                "%s: row %zu: expected a whole number below 2^24 for a label, found %g", path,
                i + 1, (double)value));
        int length = snprintf(text, sizeof text, "%ld", (long)value);
        TRY(decant__block_add_label(block, text, (size_t)length));
    }
done:
    return status;
}

/* Whether the first of the labels is the heading of a column of numbers. */
static int has_header(const decant__block *block) {
    double number;
    const decant__classes *classes = block->classes;
    if (block->label_count < 2) return 0;
    for (size_t i = 0; i < classes->count; i++) {
        const char *name = decant__names_at(classes, i);
        int is_number = decant__number_is(name, strlen(name), &number);
        if (is_number == (i == 0)) return 0;
    }
    for (size_t i = 1; i < block->label_count; i++)
        if (block->labels[i] == 0) return 0;
    return 1;
}

/* Reads the whole file into a block with labels. */
static decant_status read_block(decant__input *input, const char *column, decant__block *block,
                                int *text) {
    decant_status status = DECANT_OK;
    decant__index_base base = {.base = -1, .max_columns = DECANT__MAX_COLUMNS, .file = input->path};
    decant__reader_options options = {.labels_only = 1, .label_column = column, .base = &base};
    decant__reader *reader = NULL;
    const decant__file_format *format;
    TRY(decant__format_detect(input, 0, &format));
    TRY(decant__format_recode(format, input));
    TRY(decant__format_open(format, input, &options, &reader));
    *text = reader->d == 0; /* CSV, or svmlight, which has labels of its own */
    if (!*text && reader->d != 1)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected one label for each row, found %zu columns",
                         input->path, reader->d));
    block->sparse = reader->sparse;
    block->d = reader->d;
    for (size_t before = SIZE_MAX; before != block->n;) {
        before = block->n;
        TRY(reader->next(reader, DECANT__MAX_ROWS - before, block));
    }
    if (!*text) TRY(name_numbers(input->path, block));
done:
    decant__reader_close(reader);
    return status;
}

/* From the numbers of one table to those of another. */
static decant_status translate(const decant__block *block, size_t first, decant__classes *classes,
                               int32_t *labels) {
    decant_status status = DECANT_OK;
    int32_t *number;
    NEW_ARRAY(number, block->classes->count);
    for (size_t i = first; i < block->classes->count; i++) {
        const char *name = decant__names_at(block->classes, i);
        TRY(decant__classes_add(classes, name, strlen(name), &number[i]));
    }
    for (size_t i = first; i < block->label_count; i++)
        labels[i - first] = number[block->labels[i]];
done:
    decant__free(number);
    return status;
}

decant_status decant__labels_read(const char *path, const char *column, decant__meter *meter,
                                  decant__classes *classes, int32_t **labels, size_t *count) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    decant__classes own = {0};
    decant__block block = {.classes = &own};
    int32_t *numbers = NULL;
    int text = 0;
    TRY(decant__input_open(&input, path, meter));
    TRY(read_block(&input, column, &block, &text));
    size_t first = text && has_header(&block); /* a header is class 0 too: it came first */
    if (block.label_count == first) TRY(decant__fail(DECANT_EFORMAT, "%s: has no labels", path));
    NEW_ARRAY(numbers, block.label_count);
    TRY(translate(&block, first, classes, numbers));
    *labels = numbers;
    *count = block.label_count - first;
    numbers = NULL;
done:
    decant__free(numbers);
    decant__block_free(&block);
    decant__names_free(&own);
    decant__input_close(&input);
    return status;
}

decant_status decant_labels_read(const char *path, const char *column,
                                 const decant_monitor *monitor, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant__classes classes = {0};
    decant__block block = {.classes = &classes};
    decant_dataset *data = NULL;
    decant__meter meter;
    if (path == NULL || out == NULL)
        return decant__fail(DECANT_EINVAL, "decant_labels_read needs a path and an output");
    if (decant__is_folder(path)) return decant_dataset_read(&path, 1, NULL, monitor, out);
    decant_status started = decant__meter_start(&meter, monitor);
    if (started != DECANT_OK) return started;
    NEW_ZEROED(data, 1);
    data->format = "labels";
    TRY(decant__labels_read(path, column, &meter, &classes, &block.labels, &block.label_count));
    TRY(decant__meter_report(&meter));
    data->n = block.n = block.label_count;
    TRY(decant__block_give_labels(&block, 1, data));
    *out = data;
    data = NULL;
done:
    decant__block_free(&block);
    decant__names_free(&classes);
    decant_dataset_free(data);
    return status;
}
