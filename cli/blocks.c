#include "blocks.h"

#include "data_args.h"
#include "model_columns.h"
#include "signals.h"

static int next_block(const cli_arguments *given, decant_stream *stream, block_fn work, void *user,
                      int *more) {
    decant_dataset *block = NULL;
    decant_status status = decant_stream_next(stream, BLOCK_ROWS, &block);
    if (status != DECANT_OK) return complain_status(status);
    *more = block != NULL;
    if (block != NULL) print_notes(given, block);
    int code = block != NULL ? work(block, user) : 0;
    decant_dataset_free(block);
    if (code == 0 && signals_stop()) {
        complain("interrupted");
        return EXIT_INTERRUPTED;
    }
    return code;
}

int each_block(const cli_arguments *given, const decant_model *model, block_fn work, void *user) {
    decant_stream *stream = NULL;
    decant_monitor monitor = signals_monitor();
    decant_read_options reading = read_options(given);
    int code = model != NULL ? check_recipe(given, model) : 0;
    if (code != 0) return code;
    if (model != NULL && decant_model_reading(model, &reading) != DECANT_OK)
        return complain_status(DECANT_EINVAL);
    decant_status status =
        decant_stream_open(given->inputs + 1, given->input_count - 1, &reading, &monitor, &stream);
    if (status != DECANT_OK) return complain_status(status);
    for (int more = 1; more && code == 0;) code = next_block(given, stream, work, user, &more);
    decant_stream_close(stream);
    return code;
}
