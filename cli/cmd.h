/* The commands: each takes the parsed command line and returns the exit code. */
#ifndef DECANT_CLI_CMD_H
#define DECANT_CLI_CMD_H

#include "args.h"
#include "decant/report.h"
#include "decant/table.h"

/* The whole program but for its last breath; returns the exit code. */
int program_run(int argc, char **argv);

int cmd_fit(const cli_arguments *given);
int cmd_select_k(const cli_arguments *given);
int cmd_sweep(const cli_arguments *given);
int cmd_predict(const cli_arguments *given);
int cmd_embed(const cli_arguments *given);
int cmd_export(const cli_arguments *given);
int cmd_features(const cli_arguments *given);
int cmd_name(const cli_arguments *given);
int cmd_merge(const cli_arguments *given);
int cmd_match(const cli_arguments *given);
int cmd_compare(const cli_arguments *given);
int cmd_eval(const cli_arguments *given);
int cmd_info(const cli_arguments *given);
int cmd_tsne(const cli_arguments *given);
int cmd_report(const cli_arguments *given);
int cmd_reproduce(const cli_arguments *given);
int cmd_help(const cli_arguments *given);
int cmd_version(const cli_arguments *given);

/* The help of one command, on stdout: all of it, or for fit the most common flags. */
void print_command_help(const cli_command *command);
void print_short_help(const cli_command *command);

/* --image WxH into the options. 0, or an exit code after an error message. */
int check_image_size(const cli_arguments *given, decant_report_options *options);

/* Writes report.html into the folder of a finished run; data may be NULL. 0, or an exit code after
 * an error message. */
int write_report(const cli_arguments *given, const char *folder, const decant_dataset *data);

/* Generated files, in help_files.c. */
void print_man_page(void);
void print_completion(void);

/* Text about a file on stdout, by decant_describe. 0, or an exit code after an error message. */
int print_description(const char *path, int json);

#endif
