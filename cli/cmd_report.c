/* decant report: report.html of a finished run, and its figures as files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "data_args.h"
#include "output.h"
#include "progress.h"
#include "model_columns.h"
#include "raster.h"
#include "signals.h"
#include "decant/report.h"

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

/* Where figures go, and the exit code of the first that could not be written; why there are no
 * rows, NULL: there are. */
typedef struct figure_folder {
    const char *path;
    int code;
    char *missing;
} figure_folder;

static void keep_reason(const char *reason, void *user) {
    ((figure_folder *)user)->missing = strdup(reason);
}

/* After the progress, which ends its line. */
static void print_reason(const cli_arguments *given, const char *folder, char *reason) {
    if (reason != NULL && !given->quiet)
        inform(
            "note: the report is without the rows: %s; to write it with them: decant report %s "
            "DATA",
            reason, folder);
    free(reason);
}

/* Writes a figure as SVG and, if the program was built with librsvg, as PNG. */
static decant_status write_report_figure(const char *name, const char *svg, void *user) {
    figure_folder *folder = user;
    char file[64];
    folder->code = EXIT_FAILED;
    snprintf(file, sizeof file, "%.50s.svg", name);
    char *path = join_path(folder->path, file);
    if (path != NULL) folder->code = output_text(path, svg);
    if (folder->code == 0 && can_write_png()) {
        memcpy(path + strlen(path) - 3, "png", 3);
        folder->code = write_png(path, svg);
    }
    free(path);
    return folder->code == 0 ? DECANT_OK : DECANT_EIO;
}

/* 0, or an exit code after an error message. */
static int make_figure_folder(const char *folder) {
    if (folder == NULL || mkdir(folder, 0777) == 0 || errno == EEXIST) return 0;
    complain("%s: the folder cannot be created: %s", folder, strerror(errno));
    return EXIT_FAILED;
}

int write_report(const cli_arguments *given, const char *folder, const decant_dataset *data) {
    cli_progress progress;
    figure_folder figures = {.path = given->figures};
    decant_report_options options;
    decant_monitor monitor = {
        .struct_size = sizeof monitor, .progress = progress_report, .user = &progress};
    decant_report_options_init(&options, sizeof options);
    options.threads = given->options.threads;
    int code = check_image_size(given, &options);
    if (code == 0) code = make_figure_folder(given->figures);
    if (code != 0) return code;
    if (given->figures != NULL) options.figure = write_report_figure;
    options.user = &figures;
    options.without_rows = keep_reason;
    progress_start(&progress, given->quiet);
    signals_watch();
    decant_status status = decant_report_write(folder, data, &options, &monitor);
    progress_end(&progress);
    print_reason(given, folder, figures.missing);
    if (figures.code != 0) return figures.code; /* the message has been printed */
    return status == DECANT_OK ? EXIT_DONE : complain_status(status);
}

/* Images and texts become rows by the features of the run's model. */
static int read_files(const cli_arguments *given, const char *folder, decant_dataset **out) {
    decant_model *model = NULL;
    int code = load_model(folder, &model);
    if (code != 0) return code;
    code = check_recipe(given, model);
    decant_read_options reading = read_options(given);
    decant_options options;
    decant_options_init(&options, sizeof options);
    decant_model_options(model, &options); /* cannot fail: the struct was filled */
    reading.options = &options;
    decant_model_reading(model, &reading); /* nor can this */
    if (code == 0)
        code = read_data(given, given->inputs + 1, given->input_count - 1, &reading, out);
    decant_model_free(model);
    return code;
}

/* Without DATA the rows are read as the fit read them. */
static int check_reading(const cli_arguments *given) {
    const struct {
        const char *flag;
        int given;
    } reading[] = {
        {"labels", given->labels.count > 0},     {"label-column", given->label_column != NULL},
        {"id-column", given->id_column != NULL}, {"text-column", given->text_column != NULL},
        {"columns", given->keep != NULL},        {"drop", given->drop != NULL},
        {"types", given->types != NULL},         {"topics", given->topics != NULL},
        {"folder-labels", given->folder_labels}, {"on-error", given->on_error}};
    for (size_t i = 0; given->input_count == 1 && i < sizeof reading / sizeof reading[0]; i++)
        if (reading[i].given)
            return complain_usage("report",
                                  "--%s says how data is read: name the data, too, as in report "
                                  "RUN DATA --%s ...",
                                  reading[i].flag, reading[i].flag);
    return 0;
}

int cmd_report(const cli_arguments *given) {
    const char *folder = given->inputs[0];
    decant_dataset *data = NULL;
    int code = check_reading(given);
    if (code == 0 && given->input_count > 1) code = read_files(given, folder, &data);
    if (code == 0) code = write_report(given, folder, data);
    decant_dataset_free(data);
    if (code == 0) {
        print_path(folder);
        printf("/report.html\n");
    }
    return code;
}
