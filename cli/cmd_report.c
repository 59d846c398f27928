#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "input.h"
#include "progress.h"
#include "signals.h"

int check_image_size(const cli_arguments *given, decant_report_options *options) {
    unsigned width, height;
    char rest;
    if (given->image == NULL) return 0;
    if (sscanf(given->image, "%5ux%5u%c", &width, &height, &rest) != 2 || width == 0 || height == 0)
        return complain_usage(NULL, "--image: expected a size like 28x28, got '%s'", given->image);
    options->image_width = width;
    options->image_height = height;
    return 0;
}

int write_report(const cli_arguments *given, const char *folder, const decant_dataset *data) {
    cli_progress progress;
    decant_report_options options;
    decant_monitor monitor = {.progress = progress_report, .user = &progress};
    decant_report_options_init(&options);
    options.threads = given->options.threads;
    int code = check_image_size(given, &options);
    if (code != 0) return code;
    progress_start(&progress, given->quiet);
    signals_watch();
    decant_status status = decant_report_write(folder, data, &options, &monitor);
    progress_end(&progress);
    return status == DECANT_OK ? EXIT_DONE : complain_status(status);
}

/* The rows by the features of the run's model, where they are raw files. */
static int read_data(const cli_arguments *given, const char *folder, decant_dataset **out) {
    decant_model *model = NULL;
    int code = load_model(folder, &model);
    if (code != 0) return code;
    decant_read_options reading = read_options(given);
    reading.options = decant_model_options(model);
    reading.features = decant_model_features(model);
    decant_status status =
        decant_dataset_read(given->inputs + 1, given->input_count - 1, &reading, out);
    decant_model_free(model);
    return status == DECANT_OK ? 0 : complain_status(status);
}

int cmd_report(const cli_arguments *given) {
    const char *folder = given->inputs[0];
    decant_dataset *data = NULL;
    int code = given->input_count > 1 ? read_data(given, folder, &data) : 0;
    if (code == 0) code = write_report(given, folder, data);
    decant_dataset_free(data);
    if (code == 0) printf("%s/report.html\n", folder);
    return code;
}
