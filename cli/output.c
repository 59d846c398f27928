#include "output.h"

#include <string.h>

#include "message.h"
#include "ranks.h"
#include "signals.h"

int is_stdout(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

int output_open(decant_file **file, const char *path) {
    if (!is_leader()) path = "/dev/null"; /* rank 0 writes */
    decant_status status = decant_file_open(is_stdout(path) ? NULL : path, file);
    return status == DECANT_OK ? 0 : complain_status(status);
}

int output_commit(decant_file **file) {
    decant_status status = decant_file_commit(*file);
    *file = NULL;
    if (status != DECANT_OK && signals_pipe_closed()) return EXIT_PIPE;
    return status == DECANT_OK ? 0 : complain_status(status);
}

void output_discard(decant_file **file) {
    decant_file_discard(*file);
    *file = NULL;
}

int output_end(decant_file **file, int code) {
    if (*file == NULL || (code != 0 && !decant_file_failed(*file))) {
        output_discard(file);
        return code;
    }
    int written = output_commit(file);
    return written != 0 ? written : code;
}

int output_text(const char *path, const char *text) {
    decant_file *file = NULL;
    int code = output_open(&file, path);
    if (code != 0) return code;
    decant_file_put(file, text, strlen(text));
    return output_commit(&file);
}
