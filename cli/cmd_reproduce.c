/* decant reproduce: the paper's tables and figures, each by its name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "suggest.h"
#include "data_args.h"
#include "progress.h"
#include "raster.h"
#include "signals.h"
#include "decant/report.h"
#include "experiments/reproduce.h"

static int list_experiments(void) {
    for (size_t i = 0; i < decant_experiment_count(); i++)
        printf("%-10s  %s\n", decant_experiment_at(i)->name, decant_experiment_at(i)->title);
    printf("%-10s  the tables and figures of the paper\n", "all");
    return EXIT_DONE;
}

static int is_known(const char *name) {
    cli_guess guess = {.typed = name};
    for (size_t i = 0; i < decant_experiment_count(); i++) {
        if (strcmp(decant_experiment_at(i)->name, name) == 0) return 1;
        guess_consider(&guess, decant_experiment_at(i)->name);
    }
    if (guess.best != NULL)
        complain_usage("reproduce", "there is no experiment '%s'; did you mean %s?", name,
                       guess.best);
    else
        complain_usage("reproduce", "there is no experiment '%s'; 'decant reproduce list' has all",
                       name);
    return 0;
}

/* The given names, or for "all" those of the paper. The array holds one for each experiment. */
static int choose_experiments(const cli_arguments *given, const char **names, size_t *count) {
    size_t known = decant_experiment_count();
    if (given->input_count == 1 && strcmp(given->inputs[0], "all") == 0) {
        for (size_t i = 0; i < known; i++)
            if (decant_experiment_at(i)->in_paper)
                names[(*count)++] = decant_experiment_at(i)->name;
        return 0;
    }
    for (size_t i = 0; i < given->input_count && i < known; i++) {
        if (!is_known(given->inputs[i])) return EXIT_USAGE;
        names[(*count)++] = given->inputs[i];
    }
    return 0;
}

typedef struct session {
    cli_progress progress;
    int quiet;
} session;

static void on_run(const char *run, const decant_scores *scores, double seconds, void *user) {
    session *s = user;
    if (s->quiet) return;
    progress_hide(&s->progress);
    if (scores == NULL)
        inform("%s: started", run);
    else if (isfinite(scores->acc))
        inform("%s: ACC %.4f, %.0f s", run, scores->acc, seconds);
    else
        inform("%s: done, %.0f s", run, seconds);
}

/* Drawings are also written as PNG files if the program was built with librsvg. */
static void draw_png(const char *path, const char *svg, void *user) {
    size_t length = strlen(path);
    char *png = can_write_png() && length > 4 ? malloc(length + 1) : NULL;
    (void)user;
    if (png == NULL) return;
    memcpy(png, path, length + 1);
    memcpy(png + length - 4, ".png", 4);
    write_png(png, svg);
    free(png);
}

static int on_progress(const decant_progress *progress, void *user) {
    session *s = user;
    return progress_report(progress, &s->progress);
}

static void print_plan(const decant_reproduction *how, const decant_reproduction_plan *plan) {
    double minutes = ceil(plan->seconds / 60);
    if (plan->missing[0] != '\0')
        inform("not in %s: %s (the result says which files to put where)", how->data,
               plan->missing);
    if (plan->found == 0 && plan->missing[0] != '\0')
        inform("no data set was found: only the paper's numbers will be shown");
    else if (plan->runs == 0)
        inform("all runs are done already");
    else if (minutes < 90)
        inform("%zu runs will take about %.0f minute%s on two cores", plan->runs, minutes,
               minutes > 1 ? "s" : "");
    else
        inform("%zu runs will take about %.1f hours on two cores", plan->runs,
               plan->seconds / 3600);
}

static int print_file(const char *path) {
    char *text = NULL;
    decant_status status = decant_reproduce_page(path, &text);
    if (status != DECANT_OK) return complain_status(status);
    print_visible(stdout, text);
    decant_text_free(text);
    return EXIT_DONE;
}

static char *result_path(const cli_arguments *given, const char *output, const char *file) {
    const char *preset = decant_preset_name(given->options.preset);
    size_t size = strlen(output) + strlen(preset) + strlen(file) + 3;
    char *path = malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s/%s", output, preset, file);
    return path;
}

static void print_results_path(const cli_arguments *given, const char *output) {
    char *path = result_path(given, output, "results.html");
    if (path != NULL) inform("all results on one page: %s", path);
    free(path);
}

/* All pages, in the order of their names. */
static int print_pages(const cli_arguments *given, const decant_reproduction *how,
                       const char **names, size_t count) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s.json", names[i]);
        char *path = result_path(given, how->output, file);
        if (i > 0) putchar('\n');
        code = path != NULL ? print_file(path) : EXIT_FAILED;
        free(path);
    }
    return code;
}

static int reproduce(const cli_arguments *given, const char **names, size_t count) {
    session s = {.quiet = given->quiet};
    decant_reproduction how = {.struct_size = sizeof how,
                               .data = given->data,
                               .output = given->output != NULL ? given->output : "decant-results",
                               .preset = given->options.preset,
                               .seeds = (size_t)given->seeds,
                               .threads = given->options.threads,
                               .on_run = on_run,
                               .on_drawing = draw_png,
                               .user = &s};
    decant_reproduction_plan plan;
    decant_status status = decant_reproduce_plan(names, count, &how, &plan);
    if (status != DECANT_OK) return complain_status(status);
    if (!given->quiet) print_plan(&how, &plan);
    signals_watch();
    decant_monitor monitor = {.struct_size = sizeof monitor,
                              .progress = on_progress,
                              .user = &s,
                              .checkpoint_seconds = given->checkpoint_seconds};
    progress_start(&s.progress, s.quiet);
    status = decant_reproduce(names, count, &how, &monitor);
    progress_end(&s.progress);
    if (status == DECANT_ECANCELLED) {
        complain("%s; the same command continues from there", decant_last_error());
        return EXIT_INTERRUPTED;
    }
    if (status != DECANT_OK) return complain_status(status);
    int code = print_pages(given, &how, names, count);
    if (code == EXIT_DONE && !given->quiet) print_results_path(given, how.output);
    return code;
}

int cmd_reproduce(const cli_arguments *given) {
    size_t count = 0;
    const char *first = given->inputs[0];
    if (strcmp(first, "list") == 0) return list_experiments();
    if (strcmp(first, "page") == 0 && given->input_count == 2) return print_file(given->inputs[1]);
    if (given->data == NULL)
        return complain_usage("reproduce",
                              "reproduce needs the folder of the data sets: --data DIR");
    if (!path_exists(given->data)) {
        complain("%s: no such folder", given->data);
        return EXIT_FAILED;
    }
    const char **names = malloc((decant_experiment_count() + 1) * sizeof *names);
    if (names == NULL) return EXIT_FAILED;
    int code = choose_experiments(given, names, &count);
    if (code == 0) code = reproduce(given, names, count);
    free(names);
    return code;
}
