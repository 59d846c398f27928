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

/* Without a file: what this program runs on. */
static int print_program(int json) {
    const char *reason = NULL, *kernel = decant_kernel(&reason);
    if (json)
        printf("{\"decant\": \"%s\", \"kernel\": \"%s\", \"kernel_reason\": \"%s\"}\n",
               decant_version(), kernel, reason);
    else
        printf("decant %s\nkernel: %s, %s\n", decant_version(), kernel, reason);
    return EXIT_DONE;
}

int cmd_info(const cli_arguments *given) {
    if (given->input_count == 0) return print_program(given->json);
    decant_read_options reading = read_options(given);
    return print_about(given->inputs[0], &reading, given->json);
}
