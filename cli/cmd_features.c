/* Raw files to a matrix, block by block: rows of svmlight where they are sparse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "cmd.h"
#include "csv.h"
#include "input.h"
#include "npy.h"
#include "output.h"

/* What is written: the matrix, and tables beside it. */
typedef struct matrix {
    const cli_arguments *given;
    cli_output values, rows;
    char *rows_path, *stems_path;
    size_t count, columns;
    int sparse;
} matrix;

static char *beside(const char *path, const char *ending) {
    size_t size = strlen(path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name == NULL)
        complain("memory ran out");
    else
        snprintf(name, size, "%s%s", path, ending);
    return name;
}

/* The class by its number, indices from 1. */
static void write_svmlight(FILE *file, const decant_dataset *block) {
    const size_t *start;
    const uint32_t *column;
    const float *value;
    const int32_t *labels = decant_dataset_labels(block);
    decant_dataset_csr(block, &start, &column, &value);
    for (size_t i = 0; i < decant_dataset_rows(block); i++) {
        fprintf(file, "%d", labels != NULL ? (int)labels[i] : 0);
        for (size_t e = start[i]; e < start[i + 1]; e++)
            fprintf(file, " %u:%.9g", column[e] + 1, (double)value[e]);
        fputc('\n', file);
    }
}

static void write_rows(matrix *work, const decant_dataset *block) {
    FILE *file = work->rows.file;
    const int32_t *labels = decant_dataset_labels(block);
    for (size_t i = 0; i < decant_dataset_rows(block); i++) {
        const char *id = decant_dataset_id(block, i);
        if (id != NULL)
            csv_print_field(file, id);
        else
            fprintf(file, "%zu", work->count + i);
        fputc(',', file);
        if (labels != NULL)
            csv_print_field(file, decant_dataset_class_name(block, (size_t)labels[i]));
        fputc('\n', file);
    }
}

static int write_stems(const matrix *work, const decant_features *features) {
    cli_output output = {0};
    if (decant_features_stem(features, 0) == NULL) return 0;
    int code = output_open(&output, work->stems_path);
    if (code != 0) return code;
    fputs("column,stem,idf\n", output.file);
    for (size_t j = 0; j < decant_features_columns(features); j++) {
        fprintf(output.file, "%zu,", j + 1);
        csv_print_field(output.file, decant_features_stem(features, j));
        fprintf(output.file, ",%.17g\n", decant_features_idf(features, j));
    }
    return output_commit(&output);
}

static int begin(matrix *work, const decant_dataset *block) {
    const decant_features *features = decant_dataset_features(block);
    if (features == NULL) {
        complain("%s: is made of numbers already", work->given->inputs[1]);
        return EXIT_FAILED;
    }
    if (!work->given->quiet) fprintf(stderr, "found %s\n", decant_dataset_format(block));
    work->columns = decant_dataset_columns(block);
    work->sparse = decant_dataset_is_sparse(block);
    if (!work->sparse) npy_write_head(work->values.file, 0, work->columns);
    return write_stems(work, features);
}

static int write_block(const decant_dataset *block, void *user) {
    matrix *work = user;
    int code = work->columns == 0 ? begin(work, block) : 0;
    if (code != 0) return code;
    size_t rows = decant_dataset_rows(block);
    if (work->sparse)
        write_svmlight(work->values.file, block);
    else
        npy_write_values(work->values.file, decant_dataset_dense(block), rows * work->columns);
    write_rows(work, block);
    work->count += rows;
    return ferror(work->values.file) || ferror(work->rows.file) ? EXIT_FAILED : 0;
}

static int write_all(matrix *work) {
    int code = output_open(&work->values, work->given->output);
    if (code == 0) code = output_open(&work->rows, work->rows_path);
    if (code != 0) return code;
    if (!output_rewritable(&work->values)) {
        complain("%s: is not a file that can be written", work->given->output);
        return EXIT_FAILED;
    }
    fputs("id,class\n", work->rows.file);
    code = each_block(work->given, NULL, write_block, work);
    if (code == 0 && work->count == 0) {
        complain("%s: holds nothing to make rows of", work->given->inputs[1]);
        code = EXIT_FAILED;
    }
    if (code == 0 && !work->sparse) {
        rewind(work->values.file);
        npy_write_head(work->values.file, work->count, work->columns);
    }
    int failed = work->values.file != NULL && ferror(work->values.file);
    if (code == 0 || failed) {
        int written = output_commit(&work->values);
        code = written != 0 ? written : code;
    }
    if (code == 0 || (!failed && ferror(work->rows.file))) {
        int written = output_commit(&work->rows);
        code = written != 0 ? written : code;
    }
    return code;
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
    work.rows_path = beside(given->output, ".rows.csv");
    work.stems_path = beside(given->output, ".stems.csv");
    int code = work.rows_path != NULL && work.stems_path != NULL ? write_all(&work) : EXIT_FAILED;
    output_abandon(&work.values);
    output_abandon(&work.rows);
    if (code == 0 && !given->quiet)
        fprintf(stderr, "wrote %zu rows of %zu numbers\n", work.count, work.columns);
    free(work.rows_path);
    free(work.stems_path);
    return code;
}
