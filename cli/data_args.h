/* Files on the command line: reading data and models, and checks of paths. */
#ifndef DECANT_CLI_DATA_ARGS_H
#define DECANT_CLI_DATA_ARGS_H

#include "args.h"

/* The flags for reading, as options of the library; borrows from given. */
decant_read_options read_options(const cli_arguments *given);

/* Reads files into a dataset, with progress, until a signal arrives. 0, or an exit code after an
 * error message. */
int read_data(const cli_arguments *given, const char *const *paths, size_t count,
              const decant_read_options *reading, decant_dataset **out);

/* What was understood of a table: a line for each column, on stderr. */
void print_table(const cli_arguments *given, const decant_dataset *data);

/* The reader's notes on skipped files and the like, on stderr. */
void print_notes(const cli_arguments *given, const decant_dataset *data);

/* Refuses a file to write that is one of the files to read (the same one, by whatever name or link)
 * or one of those in a folder to read. 0, or EXIT_USAGE after an error message. */
int check_output(const cli_arguments *given, const char *path);

/* Refuses a name that ends like that of a table where something else is written. 0, or EXIT_USAGE
 * after an error message. */
int check_format(const char *command, const char *path, const char *written);

/* Refuses a run folder that is to be emptied (--force) and holds a file to read. */
int check_run_folder(const cli_arguments *given, const char *folder);

/* A model file, or the model of a run folder. 0, or an exit code after an error message. */
int load_model(const char *path, decant_model **out);

/* In new memory; NULL (after an error message) when memory ran out. */
char *concatenate(const char *a, const char *b, const char *c);
/* folder/name, in the same way. */
char *join_path(const char *folder, const char *name);

int path_exists(const char *path);

/* Something that can be read only once: a pipe, a terminal. */
int path_is_pipe(const char *path);

#endif
