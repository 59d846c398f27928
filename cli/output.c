#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"

static const char *name_of(const cli_output *output) {
    return output->path ? output->path : "standard output";
}

/* Renaming over a device or a pipe would replace it by a plain file. */
static int written_in_place(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

int output_open(cli_output *output, const char *path) {
    *output = (cli_output){.path = path};
    if (path == NULL) {
        output->file = stdout;
        return 0;
    }
    if (!written_in_place(path)) {
        size_t size = strlen(path) + sizeof ".tmp";
        output->temporary = malloc(size);
        if (output->temporary == NULL) {
            complain("memory ran out");
            return EXIT_FAILED;
        }
        snprintf(output->temporary, size, "%s.tmp", path);
    }
    output->file = fopen(output->temporary ? output->temporary : path, "wb");
    if (output->file != NULL) return 0;
    complain("%s: cannot be written: %s", path, strerror(errno));
    free(output->temporary);
    output->temporary = NULL;
    return EXIT_FAILED;
}

static int close_file(cli_output *output) {
    int error = 0;
    if (ferror(output->file)) error = EIO;
    if (fflush(output->file) != 0) error = errno;
    if (error == 0 && output->temporary && fsync(fileno(output->file)) != 0) error = errno;
    if (output->file != stdout && fclose(output->file) != 0 && error == 0) error = errno;
    output->file = NULL;
    return error;
}

int output_commit(cli_output *output) {
    int error = close_file(output);
    if (error == 0 && output->temporary != NULL && rename(output->temporary, output->path) != 0)
        error = errno;
    if (error != 0)
        complain("%s: could not be written: %s", name_of(output), strerror(error));
    else if (output->temporary != NULL)
        output->temporary[0] = '\0'; /* it has become the file */
    output_abandon(output);
    return error == 0 ? 0 : EXIT_FAILED;
}

int output_text(const char *path, const char *text) {
    cli_output output;
    int code = output_open(&output, path);
    if (code != 0) return code;
    fputs(text, output.file);
    return output_commit(&output);
}

void output_abandon(cli_output *output) {
    if (output->file != NULL && output->file != stdout) fclose(output->file);
    if (output->temporary != NULL && output->temporary[0] != '\0') remove(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    output->file = NULL;
}

int output_rewritable(const cli_output *output) { return output->temporary != NULL; }

int write_text(const char *path, const char *text) {
    cli_output output;
    int code = output_open(&output, path);
    if (code != 0) return code;
    fputs(text, output.file);
    return output_commit(&output);
}
