/* decant info: what is in a data file, a model file or a run folder. */
#include <stdio.h>

#include "cmd.h"
#include "data_args.h"
#include "signals.h"
#include "decant/report.h"

static int print_about(const char *path, const decant_read_options *reading, int json) {
    char *text;
    decant_monitor monitor = signals_monitor();
    decant_status status = decant_describe(path, reading, json, &monitor, &text);
    if (status != DECANT_OK) return complain_status(status);
    print_visible(stdout, text);
    decant_text_free(text);
    return EXIT_DONE;
}

int print_description(const char *path, int json) { return print_about(path, NULL, json); }

int cmd_info(const cli_arguments *given) {
    decant_read_options reading = read_options(given);
    return print_about(given->inputs[0], &reading, given->json);
}
