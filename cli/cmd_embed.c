/* The feature space as .npy, block by block. The number of rows stands at the head of the file but
 * is known at the end: a file's head is written again then; for a pipe the rows are counted first,
 * by reading the data twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "cmd.h"
#include "input.h"
#include "npy.h"
#include "output.h"

typedef struct embedding {
    const cli_arguments *given;
    const decant_model *model;
    cli_output output;
    float *z; /* of a block */
    size_t rows;
} embedding;

static int count_block(const decant_dataset *block, void *user) {
    *(size_t *)user += decant_dataset_rows(block);
    return 0;
}

static int embed_block(const decant_dataset *block, void *user) {
    embedding *work = user;
    decant_status status =
        decant_model_embed(work->model, block, work->given->options.threads, work->z);
    if (status != DECANT_OK) return complain_status(status);
    size_t rows = decant_dataset_rows(block);
    npy_write_values(work->output.file, work->z, rows * decant_model_latent(work->model));
    work->rows += rows;
    return ferror(work->output.file) ? EXIT_FAILED : 0; /* output_commit says why */
}

static int write_all(embedding *work) {
    size_t columns = decant_model_latent(work->model), expected = 0;
    int rewritable = output_rewritable(&work->output), code = 0;
    if (!rewritable) code = each_block(work->given, work->model, count_block, &expected);
    if (code != 0) return code;
    npy_write_head(work->output.file, expected, columns);
    code = each_block(work->given, work->model, embed_block, work);
    if (code != 0) return code;
    if (rewritable) {
        rewind(work->output.file);
        npy_write_head(work->output.file, work->rows, columns);
    } else if (work->rows != expected) {
        complain("the data changed while it was read: %zu rows, then %zu", expected, work->rows);
        return EXIT_FAILED;
    }
    return 0;
}

static int embed(embedding *work) {
    work->z = calloc(BLOCK_ROWS * decant_model_latent(work->model) + 1, sizeof *work->z);
    if (work->z == NULL) {
        complain("memory ran out");
        return EXIT_FAILED;
    }
    int code = output_open(&work->output, work->given->output);
    if (code != 0) return code;
    code = write_all(work);
    if (code == 0 || ferror(work->output.file)) {
        int written = output_commit(&work->output);
        code = written != 0 ? written : code;
    }
    output_abandon(&work->output);
    return code;
}

int cmd_embed(const cli_arguments *given) {
    decant_model *model = NULL;
    if (given->output == NULL && isatty(STDOUT_FILENO))
        return complain_usage("embed", "embed writes binary data: name a file with -o FILE.npy");
    int code = load_model(given->inputs[0], &model);
    if (code != 0) return code;
    embedding work = {.given = given, .model = model};
    if (!decant_model_has_network(model)) {
        complain("%s: has no network, so there is no feature space", given->inputs[0]);
        code = EXIT_FAILED;
    } else {
        code = embed(&work);
    }
    if (code == 0 && !given->quiet)
        fprintf(stderr, "embedded %zu rows of %zu features\n", work.rows,
                decant_model_latent(model));
    free(work.z);
    decant_model_free(model);
    return code;
}
