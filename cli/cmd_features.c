/* Images or texts to a matrix, block by block: NPY if it is dense, svmlight if it is sparse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cmd.h"
#include "data_args.h"
#include "output.h"
#include "ranks.h"

/* What is written: the matrix, and two tables beside it. */
typedef struct matrix {
    const cli_arguments *given;
    decant_file *values, *rows;
    char *rows_path, *stems_path;
    size_t count, columns;
    int sparse;
} matrix;

/* The class by its number, indices from 1. */
static void write_svmlight(decant_file *file, const decant_dataset *block) {
    const size_t *start;
    const uint32_t *column;
    const float *value;
    const int32_t *labels = decant_dataset_labels(block);
    decant_dataset_csr(block, &start, &column, &value);
    for (size_t i = 0; i < decant_dataset_rows(block); i++) {
        decant_file_print(file, "%d", labels != NULL ? (int)labels[i] : 0);
        for (size_t e = start[i]; e < start[i + 1]; e++)
            decant_file_print(file, " %u:%.9g", column[e] + 1, (double)value[e]);
        decant_file_print(file, "\n");
    }
}

static void write_rows(matrix *work, const decant_dataset *block) {
    decant_file *file = work->rows;
    const int32_t *labels = decant_dataset_labels(block);
    for (size_t i = 0; i < decant_dataset_rows(block); i++) {
        const char *id = decant_dataset_id(block, i);
        if (id != NULL)
            decant_file_put_csv(file, id);
        else
            decant_file_print(file, "%zu", work->count + i);
        decant_file_print(file, ",");
        if (labels != NULL)
            decant_file_put_csv(file, decant_dataset_class_name(block, (size_t)labels[i]));
        decant_file_print(file, "\n");
    }
}

static int write_stems(const matrix *work, const decant_features *features) {
    decant_file *output = NULL;
    if (decant_features_stem(features, 0) == NULL) return 0;
    int code = output_open(&output, work->stems_path);
    if (code != 0) return code;
    decant_file_print(output, "column,stem,idf\n");
    for (size_t j = 0; j < decant_features_columns(features); j++) {
        decant_file_print(output, "%zu,", j + 1);
        decant_file_put_csv(output, decant_features_stem(features, j));
        decant_file_print(output, ",%.17g\n", decant_features_idf(features, j));
    }
    return output_commit(&output);
}

static int begin_matrix(matrix *work, const decant_dataset *block) {
    const decant_features *features = decant_dataset_features(block);
    if (features == NULL) {
        complain("%s: holds numbers already; features are made from images or texts",
                 work->given->inputs[1]);
        return EXIT_FAILED;
    }
    if (!work->given->quiet) inform("found %s", decant_dataset_format(block));
    work->columns = decant_dataset_columns(block);
    work->sparse = decant_dataset_is_sparse(block);
    if (!work->sparse) decant_file_npy_header(work->values, 0, work->columns);
    return write_stems(work, features);
}

static int write_block(const decant_dataset *block, void *user) {
    matrix *work = user;
    int code = work->columns == 0 ? begin_matrix(work, block) : 0;
    if (code != 0) return code;
    size_t rows = decant_dataset_rows(block);
    if (work->sparse)
        write_svmlight(work->values, block);
    else
        decant_file_put(work->values, decant_dataset_dense(block),
                        rows * work->columns * sizeof(float));
    write_rows(work, block);
    work->count += rows;
    int failed = decant_file_failed(work->values) || decant_file_failed(work->rows);
    return failed ? EXIT_FAILED : 0; /* output_end says why */
}

static int write_matrix(matrix *work) {
    int code = output_open(&work->values, work->given->output);
    if (code == 0) code = output_open(&work->rows, work->rows_path);
    if (code != 0) return code;
    if (ranks_share_code(decant_file_in_place(work->values))) {
        complain("%s: is not a regular file, and the matrix cannot be written to a pipe",
                 work->given->output);
        return EXIT_FAILED;
    }
    decant_file_print(work->rows, "id,class\n");
    code = each_block(work->given, NULL, write_block, work);
    if (code == 0 && work->count == 0) {
        complain("%s: holds no images or texts", work->given->inputs[1]);
        code = EXIT_FAILED;
    }
    if (code == 0 && !work->sparse && is_leader())
        decant_file_npy_header(work->values, work->count, work->columns);
    int failed = decant_file_failed(work->values);
    code = output_end(&work->values, code);
    if (failed) output_discard(&work->rows); /* one sentence is enough */
    return output_end(&work->rows, code);
}

int cmd_features(const cli_arguments *given) {
    cli_arguments chosen = *given;
    matrix work = {.given = &chosen};
    const char *kind = given->inputs[0];
    if (strcmp(kind, "auto") == 0 ||
        decant_options_set(&chosen.options, "features", kind) != DECANT_OK)
        return complain_usage("features", "there is no kind of features '%s'", kind);
    if (given->output == NULL)
        return complain_usage("features", "features needs a file to write: -o FILE");
    work.rows_path = concatenate(given->output, ".rows", ".csv");
    work.stems_path = concatenate(given->output, ".stems", ".csv");
    int code = work.rows_path != NULL && work.stems_path != NULL ? 0 : EXIT_FAILED;
    if (code == 0) code = check_output(given, given->output);
    if (code == 0) code = check_output(given, work.rows_path);
    if (code == 0) code = check_output(given, work.stems_path);
    if (code == 0)
        code = check_format("features", given->output, "NPY, or svmlight of sparse rows,");
    if (code == 0) code = write_matrix(&work);
    output_discard(&work.values);
    output_discard(&work.rows);
    if (code == 0 && !given->quiet)
        inform("wrote %zu row%s of %zu number%s", work.count, plural(work.count), work.columns,
               plural(work.columns));
    free(work.rows_path);
    free(work.stems_path);
    return code;
}
