#include "data/block.h"

#include <string.h>

#include "base/memory.h"

enum {
    HINT_NUMBERS = 1 << 26, /* 256 MiB: the most that is allocated for a promise */
    FIRST_NUMBERS = 1 << 12
};

/* Enlarges *array to hold at least `needed` items, by half of what it has, so that appending stays
 * cheap. */
static decant_status enlarge(void *array, size_t *capacity, size_t needed, size_t size) {
    void *old, *grown;
    if (needed <= *capacity) return DECANT_OK;
    size_t target = *capacity + *capacity / 2 + FIRST_NUMBERS / size;
    if (target < needed) target = needed;
    memcpy(&old, array, sizeof old);
    grown = decant__realloc_array(old, target, size);
    if (grown == NULL) return DECANT_ENOMEM;
    memcpy(array, &grown, sizeof grown);
    *capacity = target;
    return DECANT_OK;
}

decant_status decant__block_reserve(decant__block *block, size_t count, int trusted) {
    if (!trusted && count > HINT_NUMBERS) count = HINT_NUMBERS;
    if (count <= block->dense_capacity) return DECANT_OK;
    float *grown = decant__realloc_array(block->dense, count, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    block->dense = grown;
    block->dense_capacity = count;
    return DECANT_OK;
}

decant_status decant__block_extend(decant__block *block, size_t used, size_t count, float **place) {
    size_t begin = block->n * block->d + used;
    decant_status status =
        enlarge(&block->dense, &block->dense_capacity, begin + count, sizeof *block->dense);
    if (status == DECANT_OK) *place = block->dense != NULL ? block->dense + begin : NULL;
    return status;
}

decant_status decant__block_add_entry(decant__block *block, uint32_t column, float value) {
    if (value == 0.0f) return DECANT_OK;
    if (block->nonzeros == block->nonzero_capacity) {
        size_t first = block->nonzero_capacity, second = first;
        decant_status status =
            enlarge(&block->column, &first, block->nonzeros + 1, sizeof *block->column);
        if (status == DECANT_OK)
            status = enlarge(&block->value, &second, block->nonzeros + 1, sizeof *block->value);
        if (status != DECANT_OK) return status;
        block->nonzero_capacity = first;
    }
    block->column[block->nonzeros] = column;
    block->value[block->nonzeros++] = value;
    return DECANT_OK;
}

decant_status decant__block_end_row(decant__block *block) {
    decant_status status =
        enlarge(&block->start, &block->start_capacity, block->n + 2, sizeof *block->start);
    if (status != DECANT_OK) return status;
    block->start[0] = 0;
    block->start[++block->n] = block->nonzeros;
    return DECANT_OK;
}

decant_status decant__block_add_extra(decant__block *block, const decant__block *more) {
    decant_status status = DECANT_OK;
    size_t rows = block->n + block->extra;
    if (rows + more->n > DECANT__MAX_ROWS)
        return decant__fail(DECANT_EFORMAT, "there are more than the %zu rows that are possible",
                            DECANT__MAX_ROWS);
    if (!block->sparse) {
        float *place;
        TRY(decant__block_extend(block, block->extra * block->d, more->n * block->d, &place));
        memcpy(place, more->dense, more->n * block->d * sizeof *place);
    } else {
        TRY(enlarge(&block->start, &block->start_capacity, rows + more->n + 1,
                    sizeof *block->start));
        for (size_t i = 0; i < more->n; i++) {
            for (size_t e = more->start[i]; e < more->start[i + 1]; e++)
                TRY(decant__block_add_entry(block, more->column[e], more->value[e]));
            block->start[rows + i + 1] = block->nonzeros;
        }
    }
    block->extra += more->n;
done:
    return status;
}

decant_status decant__block_add_rows(decant__block *block, const decant__block *more, size_t first,
                                     size_t count) {
    decant_status status = DECANT_OK;
    if (!block->sparse) {
        float *place;
        TRY(decant__block_extend(block, 0, count * block->d, &place));
        memcpy(place, more->dense + first * block->d, count * block->d * sizeof *place);
        block->n += count;
        return DECANT_OK;
    }
    for (size_t i = first; i < first + count; i++) {
        for (size_t e = more->start[i]; e < more->start[i + 1]; e++)
            TRY(decant__block_add_entry(block, more->column[e], more->value[e]));
        TRY(decant__block_end_row(block));
    }
done:
    return status;
}

decant_status decant__block_add_label(decant__block *block, const char *text, size_t length) {
    int32_t number;
    decant_status status = decant__classes_add(block->classes, text, length, &number);
    return status == DECANT_OK ? decant__block_add_label_number(block, number) : status;
}

decant_status decant__block_add_label_number(decant__block *block, int32_t number) {
    decant_status status = enlarge(&block->labels, &block->label_capacity, block->label_count + 1,
                                   sizeof *block->labels);
    if (status == DECANT_OK) block->labels[block->label_count++] = number;
    return status;
}

decant_status decant__block_add_id(decant__block *block, const char *text, size_t length) {
    length = strnlen(text, length);
    decant_status status =
        enlarge(&block->id_text, &block->id_capacity, block->id_length + length + 1, 1);
    if (status != DECANT_OK) return status;
    memcpy(block->id_text + block->id_length, text, length);
    block->id_text[block->id_length + length] = '\0';
    block->id_length += length + 1;
    block->id_count++;
    return DECANT_OK;
}

/* Frees unused capacity. Never fails: if it cannot shrink, the larger block is kept. */
static void *shrunk(void *array, size_t count, size_t capacity, size_t size) {
    if (capacity - count < count / 16 + FIRST_NUMBERS) return array;
    void *smaller = decant__realloc_array(array, count, size);
    return smaller != NULL ? smaller : array;
}

static void move_matrix(decant__block *block, decant_dataset *data) {
    size_t nonzeros = block->nonzeros, rows = block->n + block->extra;
    data->extra = block->extra;
    if (!block->sparse) {
        data->dense = data->owned[0] =
            shrunk(block->dense, rows * block->d, block->dense_capacity, sizeof *block->dense);
    } else {
        size_t capacity = block->nonzero_capacity;
        data->start = data->owned[0] =
            shrunk(block->start, rows + 1, block->start_capacity, sizeof *block->start);
        data->column = data->owned[1] =
            shrunk(block->column, nonzeros, capacity, sizeof *block->column);
        data->value = data->owned[2] =
            shrunk(block->value, nonzeros, capacity, sizeof *block->value);
    }
    block->dense = NULL;
    block->start = NULL;
    block->column = NULL;
    block->value = NULL;
}

/* Pointers and text in one allocation. */
decant_status decant__block_give_ids(const decant__block *block, decant_dataset *data) {
    decant_status status = DECANT_OK;
    if (block->id_count == 0) return DECANT_OK;
    size_t pointers = block->n * sizeof *data->ids, at = 0;
    data->ids = decant__alloc_array(pointers + block->id_length, 1);
    if (data->ids == NULL) return DECANT_ENOMEM;
    char *text = (char *)data->ids + pointers;
    memcpy(text, block->id_text, block->id_length);
    for (size_t i = 0; i < block->n; i++) {
        data->ids[i] = text + at;
        at += strlen(text + at) + 1;
    }
    return status;
}

decant_status decant__block_give_labels(const decant__block *block, int sorted,
                                        decant_dataset *data) {
    decant_status status = DECANT_OK;
    int32_t *rank = NULL;
    if (block->label_count == 0) return DECANT_OK;
    NEW_ARRAY(data->labels, block->n);
    if (sorted) {
        NEW_ARRAY(rank, block->classes->count);
        TRY(decant__classes_rank(block->classes, rank));
    }
    for (size_t i = 0; i < block->n; i++)
        data->labels[i] = sorted ? rank[block->labels[i]] : block->labels[i];
    data->class_count = block->classes->count;
    TRY(decant__classes_export(block->classes, rank, &data->class_names));
done:
    decant__free(rank);
    return status;
}

/* A CSR block without entries still needs arrays that are not NULL. */
static decant_status allocate_empty(decant__block *block) {
    if (!block->sparse || block->nonzero_capacity > 0) return DECANT_OK;
    size_t first = 0, second = 0;
    decant_status status = enlarge(&block->column, &first, 1, sizeof *block->column);
    if (status == DECANT_OK) status = enlarge(&block->value, &second, 1, sizeof *block->value);
    block->nonzero_capacity = status == DECANT_OK ? first : 0;
    return status;
}

decant_status decant__block_finish(decant__block *block, int sorted, decant_dataset **out) {
    decant_status status = DECANT_OK;
    decant_dataset *data = NULL;
    NEW_ZEROED(data, 1);
    data->n = block->n;
    data->d = block->d;
    TRY(decant__block_give_ids(block, data));
    TRY(decant__block_give_labels(block, sorted, data));
    TRY(allocate_empty(block));
    move_matrix(block, data);
    *out = data;
    data = NULL;
    decant__block_free(block);
done:
    decant_dataset_free(data);
    return status;
}

void decant__block_free(decant__block *block) {
    decant__free(block->dense);
    decant__free(block->start);
    decant__free(block->column);
    decant__free(block->value);
    decant__free(block->labels);
    decant__free(block->id_text);
    *block = (decant__block){0};
}
