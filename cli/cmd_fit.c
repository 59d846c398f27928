#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "folder.h"
#include "input.h"
#include "progress.h"
#include "signals.h"

static int check_flags(const cli_arguments *given) {
    if (given->options.k < 2 && given->options.k_most == 0)
        return complain_usage("fit",
                              "fit needs the number of clusters, 2 or more: -k N, or -k auto");
    if (given->resume && given->force)
        return complain_usage("fit", "--resume goes on and --force starts over: give one of them");
    return check_image_size(given, &(decant_report_options){0});
}

/* What stands in the way, before data is read for minutes. */
static int check_folder(const cli_arguments *given, const char *folder, folder_state state) {
    if (state == FOLDER_FREE || given->force || given->resume) return 0;
    if (state == FOLDER_FINISHED)
        complain("%s: holds a finished run; --force starts over, or name another folder with -o",
                 folder);
    else
        complain("%s: holds an unfinished run; --resume goes on with it, --force starts over",
                 folder);
    return EXIT_FAILED;
}

static void say_what_was_read(const cli_arguments *given, const decant_dataset *data) {
    if (given->quiet) return;
    const char *format = decant_dataset_format(data);
    fprintf(stderr, "read %s%s%zu rows of %zu numbers%s", format, format[0] ? ": " : "",
            decant_dataset_rows(data), decant_dataset_columns(data),
            decant_dataset_is_sparse(data) ? ", sparse" : "");
    if (decant_dataset_labels(data) != NULL)
        fprintf(stderr, ", %zu classes", decant_dataset_class_count(data));
    if (decant_dataset_extra(data) > 0)
        fprintf(stderr, ", %zu more for pretraining", decant_dataset_extra(data));
    if (decant_dataset_seconds(data) >= 1)
        fprintf(stderr, ", in %.1f s", decant_dataset_seconds(data));
    fputc('\n', stderr);
    print_notes(given, data);
}

static int fit(const cli_arguments *given, const decant_dataset *data, const char *folder) {
    cli_progress progress;
    progress_start(&progress, given->quiet);
    decant_monitor monitor = {.progress = progress_report,
                              .user = &progress,
                              .checkpoint_seconds = given->checkpoint_seconds,
                              .resume = given->resume,
                              .overwrite = given->force,
                              .graph = given->graph,
                              .pretrained = given->pretrained};
    decant_result *result = NULL;
    char *command = command_text(given);
    signals_watch();
    decant_status status =
        decant_run_fit(folder, data, &given->options, &monitor, command, &result);
    free(command);
    progress_end(&progress);
    decant_result_free(result);
    if (status == DECANT_ECANCELLED) return explain_interruption(given, folder);
    return status == DECANT_OK ? EXIT_DONE : complain_status(status);
}

static int read_and_fit(const cli_arguments *given, const char *folder) {
    decant_dataset *data = NULL;
    decant_read_options reading = read_options(given);
    decant_status status = decant_dataset_read(given->inputs, given->input_count, &reading, &data);
    if (status != DECANT_OK) return complain_status(status);
    say_what_was_read(given, data);
    int code = fit(given, data, folder), reported = EXIT_DONE;
    if (code == EXIT_DONE && !given->no_report) reported = write_report(given, folder, data);
    decant_dataset_free(data);
    if (reported != EXIT_DONE)
        fprintf(stderr, "the run is finished; to write its report: decant report %s\n", folder);
    if (code == EXIT_DONE) code = print_description(folder, given->json);
    return reported != EXIT_DONE ? reported : code;
}

int cmd_fit(const cli_arguments *given) {
    int code = check_flags(given);
    if (code != 0) return code;
    char *folder = folder_choose(given);
    if (folder == NULL) return EXIT_FAILED;
    folder_state state = folder_look(folder);
    code = check_folder(given, folder, state);
    if (code == 0 && given->resume && state == FOLDER_FINISHED) {
        if (!given->quiet) fprintf(stderr, "%s: this run is already finished\n", folder);
        code = print_description(folder, given->json);
    } else if (code == 0) {
        code = read_and_fit(given, folder);
    }
    free(folder);
    return code;
}
