/* The one parser of the command line. Flags are the rows of the library's options table and of the
 * small table in args.c; both also make the help, the man page and the completion. */
#ifndef DECANT_CLI_ARGS_H
#define DECANT_CLI_ARGS_H

#include "decant/decant.h"
#include "message.h"

/* The values of a flag that may be repeated. */
typedef struct cli_list {
    const char **words;
    size_t count;
} cli_list;

/* The values of the program's own flags. Strings point into argv. */
typedef struct cli_arguments {
    char **argv; /* the whole command line */
    int argc;
    decant_options options;
    const char *output;
    const char *id_column, *label_column, *text_column, *topics, *graph, *image, *figures,
        *pretrained, *data, *keep, *drop, *types, *names, *like;
    int on_error; /* stop, skip */
    int folder_labels;
    cli_list labels, extra;
    cli_list chosen; /* names of the library's options that were given, each as often as it was */
    double checkpoint_seconds, perplexity, iterations, seeds; /* 0: not given */
    int soft, append;
    int resume, force, no_report, quiet, json, help, man, completion;
    int short_help;      /* -h rather than --help */
    const char **inputs; /* the other words: files, folders, names */
    size_t input_count;
} cli_arguments;

/* A flag of the program itself. */
typedef enum cli_flag_type {
    FLAG_SWITCH,
    FLAG_TEXT,
    FLAG_CHOICE,
    FLAG_LIST,
    FLAG_POSITIVE,
    FLAG_COUNT /* a whole number, from 1 on */
} cli_flag_type;

typedef struct cli_flag {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* placeholder or choices "a|b"; NULL for a switch */
    const char *help;     /* NULL: not shown */
    cli_flag_type type;
    size_t offset;     /* of the field in arguments */
    unsigned commands; /* which commands take it: bits of command_id */
} cli_flag;

typedef enum command_id {
    COMMAND_FIT = 1 << 0,
    COMMAND_PREDICT = 1 << 1,
    COMMAND_EMBED = 1 << 2,
    COMMAND_EVAL = 1 << 3,
    COMMAND_INFO = 1 << 4,
    COMMAND_HELP = 1 << 5,
    COMMAND_VERSION = 1 << 6,
    COMMAND_FEATURES = 1 << 7,
    COMMAND_SWEEP = 1 << 8,
    COMMAND_TSNE = 1 << 9,
    COMMAND_SELECT_K = 1 << 10,
    COMMAND_REPRODUCE = 1 << 12,
    COMMAND_REPORT = 1 << 13,
    COMMAND_EXPORT = 1 << 14,
    COMMAND_NAME = 1 << 15,
    COMMAND_COMPARE = 1 << 16,
    COMMAND_MERGE = 1 << 17,
    COMMAND_MATCH = 1 << 18,
    COMMAND_ALL = (1 << 20) - 1
} command_id;

/* Which rows of the library's options table a command takes. */
typedef enum option_scope {
    OPTIONS_NONE,
    OPTIONS_MACHINE,
    OPTIONS_PRESET, /* and the preset */
    OPTIONS_RAW,    /* and how images and texts become rows */
    OPTIONS_MAP,    /* and those, the seed and the scaling */
    OPTIONS_ALL
} option_scope;

typedef struct cli_command {
    command_id id;
    const char *name;
    const char *alias;   /* "--version"; NULL: none */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *text;    /* paragraphs for help and man page; lines below 79 columns */
    size_t min, max;     /* how many inputs */
    option_scope scope;
    int (*run)(const cli_arguments *given); /* returns the exit code */
} cli_command;

/* The commands, in main.c. */
size_t command_count(void);
const cli_command *command_at(size_t index);
const cli_command *command_find(const char *name);

/* The program's own flags, and which options a command takes. */
size_t flag_count(void);
const cli_flag *flag_at(size_t index);
int command_takes(const cli_command *command, const decant_option_info *info);

/* Reads argv[2..]. 0, or an exit code after one line on stderr. */
int arguments_parse(cli_arguments *given, const cli_command *command, int argc, char **argv);
void arguments_free(cli_arguments *given);

/* Is it `decant fit --resume -o RUN`, without data? Then command.json of the run has the rest. */
int takes_all_from_folder(const cli_arguments *given);

#endif
