/* Rows in the feature space as .npy, block by block. The header has the number of rows, which is
 * known only at the end: in a file the header is written again then; for a pipe the rows are
 * counted first, by reading the data twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "cmd.h"
#include "data_args.h"
#include "output.h"
#include "ranks.h"
#include "signals.h"

typedef struct embedding {
    const cli_arguments *given;
    const decant_model *model;
    decant_file *output;
    float *z; /* of a block */
    size_t rows;
} embedding;

static int count_block(const decant_dataset *block, void *user) {
    *(size_t *)user += decant_dataset_rows(block);
    return 0;
}

static int embed_block(const decant_dataset *block, void *user) {
    embedding *work = user;
    decant_monitor monitor = signals_monitor();
    decant_status status =
        decant_model_embed(work->model, block, work->given->options.threads, &monitor, work->z);
    if (status != DECANT_OK) return complain_status(status);
    size_t rows = decant_dataset_rows(block);
    decant_file_put(work->output, work->z,
                    rows * decant_model_latent(work->model) * sizeof *work->z);
    work->rows += rows;
    return decant_file_failed(work->output) ? EXIT_FAILED : 0; /* output_end says why */
}

static int check_read_twice(const cli_arguments *given) {
    for (size_t i = 1; i < given->input_count; i++)
        if (path_is_pipe(given->inputs[i])) {
            complain("%s: is a pipe, and without -o FILE.npy embed reads its data twice",
                     given->inputs[i]);
            return EXIT_FAILED;
        }
    return 0;
}

static int write_embedding(embedding *work) {
    size_t columns = decant_model_latent(work->model), expected = 0;
    int in_place = ranks_share_code(decant_file_in_place(work->output)), code = 0;
    if (in_place) code = check_read_twice(work->given);
    if (in_place && code == 0) code = each_block(work->given, work->model, count_block, &expected);
    if (code != 0) return code;
    decant_file_npy_header(work->output, expected, columns);
    code = each_block(work->given, work->model, embed_block, work);
    if (code != 0) return code;
    if (!in_place && is_leader()) {
        decant_file_npy_header(work->output, work->rows, columns);
    } else if (in_place && work->rows != expected) {
        complain("the data changed between two readings: %zu rows, then %zu", expected, work->rows);
        return EXIT_FAILED;
    }
    return 0;
}

static int embed_rows(embedding *work) {
    work->z = calloc(BLOCK_ROWS * decant_model_latent(work->model) + 1, sizeof *work->z);
    if (work->z == NULL) return complain_memory();
    int code = output_open(&work->output, work->given->output);
    if (code != 0) return code;
    return output_end(&work->output, write_embedding(work));
}

int cmd_embed(const cli_arguments *given) {
    decant_model *model = NULL;
    if (given->output == NULL && isatty(STDOUT_FILENO))
        return complain_usage("embed", "embed writes binary data: name a file with -o FILE.npy");
    int code = check_output(given, given->output);
    if (code == 0) code = check_format("embed", given->output, "NPY");
    if (code == 0) code = load_model(given->inputs[0], &model);
    if (code != 0) return code;
    embedding work = {.given = given, .model = model};
    if (!decant_model_has_network(model)) {
        complain("%s: this model has no network, and so no feature space to embed into",
                 given->inputs[0]);
        code = EXIT_FAILED;
    } else {
        code = embed_rows(&work);
    }
    if (code == 0 && !given->quiet)
        inform("embedded %zu row%s of %zu feature%s", work.rows, plural(work.rows),
               decant_model_latent(model), plural(decant_model_latent(model)));
    free(work.z);
    decant_model_free(model);
    return code;
}
