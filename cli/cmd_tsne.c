/* decant tsne: a map of the rows as coordinates or as a drawing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "data_args.h"
#include "output.h"
#include "progress.h"
#include "raster.h"
#include "signals.h"
#include "decant/report.h"
#include "decant/file.h"

typedef int (*map_writer)(const char *path, const decant_dataset *data, const float *map);

static int write_map_npy(const char *path, const decant_dataset *data, const float *map) {
    decant_status status = decant_npy_write(path, map, decant_dataset_rows(data), 2);
    return status == DECANT_OK ? 0 : complain_status(status);
}

static int write_drawing(const char *path, const decant_dataset *data, const float *map,
                         int (*write)(const char *path, const char *svg)) {
    char *svg = NULL;
    decant_status status = decant_map_svg(data, map, &svg);
    if (status != DECANT_OK) return complain_status(status);
    int code = write(path, svg);
    decant_text_free(svg);
    return code;
}

static int write_map_svg(const char *path, const decant_dataset *data, const float *map) {
    return write_drawing(path, data, map, output_text);
}

static int write_map_png(const char *path, const decant_dataset *data, const float *map) {
    return write_drawing(path, data, map, write_png);
}

/* By the extension; NULL after an error message. */
static map_writer choose_writer(const char *path) {
    static const struct {
        const char *end;
        map_writer write;
    } writers[] = {{".npy", write_map_npy}, {".svg", write_map_svg}, {".png", write_map_png}};
    const char *end = path != NULL ? strrchr(path, '.') : NULL;
    for (size_t i = 0; end != NULL && i < sizeof writers / sizeof writers[0]; i++)
        if (strcmp(end, writers[i].end) == 0) return writers[i].write;
    complain_usage("tsne", "tsne needs a file for the map: -o FILE.npy, FILE.svg or FILE.png");
    return NULL;
}

static int make_tsne_map(const cli_arguments *given, const decant_dataset *data, map_writer write) {
    cli_progress progress;
    decant_map_options options;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = progress_report, .user = &progress};
    double kl;
    float *map = malloc(2 * decant_dataset_rows(data) * sizeof *map);
    if (map == NULL) return complain_memory();
    decant_map_options_init(&options, sizeof options);
    if (given->perplexity > 0) options.perplexity = given->perplexity;
    if (given->iterations > 0) options.iterations = (size_t)given->iterations;
    options.seed = given->options.seed;
    options.threads = given->options.threads;
    options.scaling = given->options.scaling; /* t-SNE does not depend on one common factor */
    progress_start(&progress, given->quiet);
    signals_watch();
    decant_status status = decant_map_rows(data, &options, &monitor, map, &kl);
    progress_end(&progress);
    int code = status == DECANT_OK ? write(given->output, data, map) : complain_status(status);
    if (code == 0 && !given->quiet)
        inform("%s: a map of %zu row%s, KL divergence %.4f", given->output,
               decant_dataset_rows(data), plural(decant_dataset_rows(data)), kl);
    free(map);
    return code;
}

int cmd_tsne(const cli_arguments *given) {
    map_writer write = choose_writer(given->output);
    decant_dataset *data = NULL;
    decant_read_options reading = read_options(given);
    if (write == NULL) return EXIT_USAGE;
    int code = check_output(given, given->output);
    if (code != 0) return code;
    if (write == write_map_png && !can_write_png()) return write_png(given->output, NULL);
    code = read_data(given, given->inputs, given->input_count, &reading, &data);
    if (code != 0) return code;
    code = make_tsne_map(given, data, write);
    decant_dataset_free(data);
    return code;
}
