/* decant fit: reads data, fits into a run folder, writes the report; or continues such a run. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "run_folder.h"
#include "changes.h"
#include "data_args.h"
#include "progress.h"
#include "ranks.h"
#include "model_columns.h"
#include "signals.h"
#include "decant/model.h"
#include "decant/report.h"

static int check_fit_flags(const cli_arguments *given) {
    if (given->options.k < 2 && given->options.k_max == 0 && given->like == NULL)
        return complain_usage("fit",
                              "fit needs the number of clusters, 2 or more: -k N, or -k auto");
    if (given->resume && given->force)
        return complain_usage("fit",
                              "--resume continues and --force starts over: give only one of them");
    return check_image_size(given, &(decant_report_options){0});
}

/* Checked before the data is read, which may take minutes. */
static int check_fit_folder(const cli_arguments *given, const char *folder, folder_state state) {
    if (state == FOLDER_FREE || given->force || given->resume) return 0;
    if (state == FOLDER_FINISHED)
        complain(
            "%s: holds a finished run; name another folder with -o, or replace it with --force",
            folder);
    else
        complain("%s: holds an unfinished run; --resume continues it, --force starts over", folder);
    return EXIT_FAILED;
}

static void print_data_summary(const cli_arguments *given, const decant_dataset *data) {
    if (given->quiet || !is_leader()) return;
    const char *format = decant_dataset_format(data);
    size_t n = decant_dataset_rows(data), d = decant_dataset_columns(data);
    fprintf(stderr, "read %s%s%zu row%s of %zu number%s%s", format, format[0] ? ": " : "", n,
            plural(n), d, plural(d), decant_dataset_is_sparse(data) ? ", sparse" : "");
    if (decant_dataset_labels(data) != NULL)
        fprintf(stderr, ", %zu class%s", decant_dataset_class_count(data),
                decant_dataset_class_count(data) == 1 ? "" : "es");
    if (decant_dataset_extra(data) > 0)
        fprintf(stderr, ", %zu more for pretraining", decant_dataset_extra(data));
    if (decant_dataset_seconds(data) >= 1)
        fprintf(stderr, ", in %.1f s", decant_dataset_seconds(data));
    fputc('\n', stderr);
    print_table(given, data);
    print_notes(given, data);
}

/* Options that are those of the earlier run, whatever the command line says: another value is
 * refused, where it would be without effect. 0, or EXIT_USAGE after an error message. */
static int check_like(const cli_arguments *given, const decant_model *like) {
    static const char *const kept[] = {"method",     "scaling",    "mean-square",   "features",
                                       "resize",     "vocabulary", "vocabulary-by", "language",
                                       "stop-words", "layers",     "alpha"};
    decant_options before;
    decant_options_init(&before, sizeof before);
    decant_model_options(like, &before); /* cannot fail: the struct was filled */
    for (size_t i = 0; i < given->chosen.count; i++)
        for (size_t j = 0; j < sizeof kept / sizeof kept[0]; j++) {
            char asked[256], earlier[256];
            if (strcmp(given->chosen.words[i], kept[j]) != 0) continue;
            decant_options_get(&given->options, kept[j], asked, sizeof asked);
            decant_options_get(&before, kept[j], earlier, sizeof earlier);
            if (strcmp(asked, earlier) != 0 && strcmp(asked, "auto") != 0)
                return complain_usage(
                    "fit", "--%s is that of the earlier run, %s: leave it out, or leave out --like",
                    kept[j], earlier);
        }
    return 0;
}

/* --like: k and network are those of the earlier run. */
static void take_options(const decant_model *like, decant_options *options) {
    decant_options before;
    decant_options_init(&before, sizeof before);
    decant_model_options(like, &before); /* cannot fail: the struct was filled */
    if (options->k == 0 && options->k_max == 0) options->k = before.k;
    options->method = before.method;
    options->alpha = before.alpha;
    options->layer_count = before.layer_count;
    memcpy(options->layers, before.layers, sizeof options->layers);
}

static int fit(const cli_arguments *given, const decant_dataset *data, const decant_model *like,
               const char *folder) {
    cli_progress progress;
    decant_monitor monitor = progress_monitor(&progress, given);
    decant_options options = given->options;
    if (like != NULL) take_options(like, &options);
    monitor.like = like;
    decant_result *result = NULL;
    char *command = command_text(given);
    signals_watch();
    decant_status status = decant_run_fit(folder, data, &options, &monitor, command, &result);
    free(command);
    progress_end(&progress);
    decant_result_free(result);
    if (status == DECANT_ECANCELLED) return explain_interruption(given, folder);
    return status == DECANT_OK ? EXIT_DONE : complain_status(status);
}

/* What the rows are to be: with --like, those of the earlier model. */
static int read_for(const cli_arguments *given, decant_model **like, decant_dataset **data) {
    decant_read_options reading = read_options(given);
    int code = given->like != NULL ? load_model(given->like, like) : 0;
    if (code == 0 && *like != NULL) code = check_like(given, *like);
    if (code == 0 && *like != NULL) code = check_recipe(given, *like);
    if (code == 0 && *like != NULL && decant_model_reading(*like, &reading) != DECANT_OK)
        code = complain_status(DECANT_EINVAL);
    return code == 0 ? read_data(given, given->inputs, given->input_count, &reading, data) : code;
}

static int read_and_fit(const cli_arguments *given, const char *folder) {
    decant_dataset *data = NULL;
    decant_model *like = NULL;
    int code = read_for(given, &like, &data), reported = EXIT_DONE;
    if (code == 0) {
        print_data_summary(given, data);
        code = fit(given, data, like, folder);
    }
    ranks_part();
    if (!is_leader()) { /* the rest is for rank 0 */
        decant_dataset_free(data);
        decant_model_free(like);
        return code;
    }
    /* The rows of one rank are not enough: the report reads the files again. */
    if (code == EXIT_DONE && !given->no_report)
        reported = write_report(given, folder, ranks_size() > 1 ? NULL : data);
    int has_ids = decant_dataset_id(data, 0) != NULL;
    decant_dataset_free(data);
    decant_model_free(like);
    if (reported != EXIT_DONE)
        inform("the run is finished, only its report is missing; to write it: decant report %s",
               folder);
    if (code == EXIT_DONE) code = print_description(folder, given->json);
    if (code == EXIT_DONE && given->like != NULL && !given->json)
        code = print_changes(given->like, folder, has_ids);
    return reported != EXIT_DONE ? reported : code;
}

static int fit_into(const cli_arguments *given, const char *folder) {
    folder_state state = folder_look(folder);
    ranks_share(&state, sizeof state);
    int code = is_leader() ? check_fit_folder(given, folder, state) : 0;
    if (code == 0 && is_leader()) code = check_run_folder(given, folder);
    code = ranks_share_code(code);
    if (code != 0) return code;
    if (state != FOLDER_FINISHED || given->force) return read_and_fit(given, folder);
    ranks_part();
    if (!is_leader()) return EXIT_DONE;
    if (!given->quiet) inform("%s: this run is already finished", folder);
    return print_description(folder, given->json);
}

static int fit_here(const cli_arguments *given) {
    int code = check_fit_flags(given);
    if (code != 0) return code;
    char *folder = folder_choose(given), name[PATH_MAX] = "";
    if (folder == NULL) return EXIT_FAILED;
    snprintf(name, sizeof name, "%s", folder);
    ranks_share(name, sizeof name);
    code = fit_into(given, ranks_size() > 1 ? name : folder);
    free(folder);
    return code;
}

/* ---- decant fit --resume -o RUN ---- */

/* The command that began the run, followed by the flags of this one. The manifest gets the first
 * part only. */
static int fit_kept(const cli_arguments *given, const kept_command *kept, const char *folder) {
    size_t capacity = (size_t)kept->count + (size_t)given->argc + 4;
    char **words = calloc(capacity, sizeof *words);
    cli_arguments again;
    int count = 0;
    if (words == NULL) return complain_memory();
    for (int i = 0; i < kept->count; i++)
        if (strcmp(kept->words[i], "--force") != 0) words[count++] = kept->words[i];
    int original = count;
    for (int i = 2; i < given->argc; i++) words[count++] = given->argv[i];
    int code = arguments_parse(&again, command_find("fit"), count, words);
    again.argc = original;
    again.output = folder;
    if (code == 0) code = fit_here(&again);
    arguments_free(&again);
    free(words);
    return code;
}

/* Relative paths in the command are relative to the directory where it was typed. */
static int fit_again(const cli_arguments *given) {
    kept_command kept = {0};
    char here[PATH_MAX], *folder = NULL;
    int code = kept_command_read(given->output, &kept);
    if (code == 0 && getcwd(here, sizeof here) != NULL && strcmp(here, kept.directory) == 0) {
        code = fit_kept(given, &kept, given->output);
    } else if (code == 0) {
        folder = realpath(given->output, NULL);
        if (folder == NULL || chdir(kept.directory) != 0) {
            complain("%s: the run was started in this directory, which cannot be entered: %s",
                     kept.directory, strerror(errno));
            code = EXIT_FAILED;
        } else {
            code = fit_kept(given, &kept, folder);
        }
    }
    free(folder);
    kept_command_free(&kept);
    return code;
}

int cmd_fit(const cli_arguments *given) {
    if (!takes_all_from_folder(given)) return fit_here(given);
    folder_state state = folder_look(given->output);
    ranks_share(&state, sizeof state);
    if (state == FOLDER_FINISHED) return fit_into(given, given->output);
    return fit_again(given);
}
