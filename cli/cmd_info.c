#include <stdio.h>

#include "cmd.h"

int print_description(const char *path, int json) {
    char *text;
    decant_status status = decant_describe(path, json, &text);
    if (status != DECANT_OK) return complain_status(status);
    fputs(text, stdout);
    decant_text_free(text);
    return EXIT_DONE;
}

int cmd_info(const cli_arguments *given) {
    return print_description(given->inputs[0], given->json);
}
