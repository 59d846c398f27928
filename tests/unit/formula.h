/* What the files of tests/data/gen_formats.py hold. */
#ifndef DECANT_TEST_FORMULA_H
#define DECANT_TEST_FORMULA_H

#include "files.h"

#include "data/dataset.h"

/* Its formula. */
static float formula(size_t i, size_t j) { return (float)((int)((i * 5 + j * 3) % 11) - 2); }
static float sparse_formula(size_t i, size_t j) {
    return (i * 5 + j * 3) % 11 % 3 == 0 ? formula(i, j) : 0;
}

static void assert_numbers(const char *path, float (*expected)(size_t, size_t)) {
    decant_dataset *data = NULL;
    float row[6];
    assert_ok(read_one(path, &data));
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 6);
    for (size_t i = 0; i < 4; i++) {
        assert_ok(decant_dataset_row(data, i, row));
        for (size_t j = 0; j < 6; j++) assert_true(row[j] == expected(i, j));
    }
    decant_dataset_free(data);
}

#endif
