/* What several commands do with the files they are given. */
#ifndef DECANT_CLI_INPUT_H
#define DECANT_CLI_INPUT_H

#include "args.h"

/* The reading flags as the library wants them; borrows from given. */
decant_read_options read_options(const cli_arguments *given);

/* What the reader has to say about files that it skipped, on stderr. */
void print_notes(const cli_arguments *given, const decant_dataset *data);

/* A model file, or the model of a run folder. 0, or an exit code after a complaint. */
int load_model(const char *path, decant_model **out);

/* folder/name in new memory; NULL (after a complaint) when memory ran out. */
char *join_path(const char *folder, const char *name);

int path_exists(const char *path);

#endif
