#include "args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"

#define AT(field) offsetof(cli_arguments, field)
#define FITTING (COMMAND_FIT | COMMAND_SWEEP | COMMAND_SELECT_K)
#define WRITING (FITTING | COMMAND_PREDICT | COMMAND_EMBED | COMMAND_FEATURES | COMMAND_TSNE)
#define READING (WRITING | COMMAND_REPORT | COMMAND_INFO)
#define RAW_GROUP "Raw images and text" /* in the library's table */
#define SHOWING (FITTING | COMMAND_PREDICT | COMMAND_EVAL | COMMAND_INFO | COMMAND_COMPARE)

/* name, letter, argument, help, type, field, commands */
static const cli_flag table[] = {
    {"data", 0, "PATH",
     "reproduce: folder with the data sets; merge, match: the rows of RUN, if they have moved",
     FLAG_TEXT, AT(data), COMMAND_REPRODUCE | COMMAND_MERGE | COMMAND_MATCH},
    {"seeds", 0, "N", "number of seeds to average over (default 3)", FLAG_COUNT, AT(seeds),
     COMMAND_REPRODUCE},
    {"output", 'o', "PATH",
     "file for the result; fit, merge, match, select-k, sweep and reproduce: a folder", FLAG_TEXT,
     AT(output), WRITING | COMMAND_REPRODUCE | COMMAND_EXPORT | COMMAND_MERGE | COMMAND_MATCH},
    {"labels", 0, "FILE",
     "known classes of the rows, only used for scores; once for each data file", FLAG_LIST,
     AT(labels),
     FITTING | COMMAND_PREDICT | COMMAND_FEATURES | COMMAND_TSNE | COMMAND_REPORT | COMMAND_INFO},
    {"id-column", 0, "NAME", "CSV: name or number of the column that identifies rows", FLAG_TEXT,
     AT(id_column), READING | COMMAND_EVAL},
    {"label-column", 0, "NAME", "CSV: name or number of the column with known classes", FLAG_TEXT,
     AT(label_column), READING | COMMAND_EVAL},
    {"graph", 0, "FILE",
     "spectral, sec, ldmgi: neighbour graph; FILE is read if it exists, else written", FLAG_TEXT,
     AT(graph), COMMAND_FIT | COMMAND_SWEEP},
    {"pretrained", 0, "FILE", "pretrained network; FILE is read if it exists, else written",
     FLAG_TEXT, AT(pretrained), FITTING},
    {"like", 0, "RUN",
     "start from the network and clusters of an earlier run, keep their numbers and names",
     FLAG_TEXT, AT(like), COMMAND_FIT},
    {"pretrain-extra", 0, "FILE", "more rows, for pretraining only; may be repeated", FLAG_LIST,
     AT(extra), FITTING},
    {"text-column", 0, "NAME", "CSV: name or number of the column with documents", FLAG_TEXT,
     AT(text_column), READING},
    {"columns", 0, "NAME,...", "tables: use only these columns (names or numbers)", FLAG_TEXT,
     AT(keep), READING},
    {"drop", 0, "NAME,...", "tables: do not use these columns", FLAG_TEXT, AT(drop), READING},
    {"types", 0, "NAME=TYPE,...",
     "tables: number, yes/no, category, date, id, label or text, where the guess is wrong",
     FLAG_TEXT, AT(types), READING},
    {"topics", 0, "FILE",
     "LYRL2004 token files: relevance file (.qrels); keeps documents with one root", FLAG_TEXT,
     AT(topics), READING},
    {"folder-labels", 0, NULL, "images and texts: the first sub-folder is the class", FLAG_SWITCH,
     AT(folder_labels), READING},
    {"on-error", 0, "stop|skip",
     "stop at a file (images, texts) or a line (tables) that cannot be read, or skip it",
     FLAG_CHOICE, AT(on_error), READING},
    {"resume", 0, NULL, "continue an interrupted run; for fit, -o RUN is enough", FLAG_SWITCH,
     AT(resume), FITTING},
    {"force", 0, NULL, "start over, and replace the result that the folder holds", FLAG_SWITCH,
     AT(force), FITTING | COMMAND_SELECT_K},
    {"checkpoint-seconds", 0, "X", "minimum time between two checkpoints (default 30)",
     FLAG_POSITIVE, AT(checkpoint_seconds), FITTING | COMMAND_REPRODUCE},
    {"perplexity", 0, "X", "effective number of neighbours (default 30)", FLAG_POSITIVE,
     AT(perplexity), COMMAND_TSNE},
    {"iterations", 0, "N", "gradient steps (default 1000)", FLAG_COUNT, AT(iterations),
     COMMAND_TSNE},
    {"no-report", 0, NULL, "do not write report.html", FLAG_SWITCH, AT(no_report),
     COMMAND_FIT | COMMAND_MERGE | COMMAND_MATCH},
    {"image", 0, "WxH", "rows are images of this size (square ones are recognised)", FLAG_TEXT,
     AT(image), COMMAND_FIT | COMMAND_REPORT},
    {"figures", 0, "DIR", "also write the figures as SVG and PNG files into this folder", FLAG_TEXT,
     AT(figures), COMMAND_REPORT},
    {"soft", 0, NULL, "also write the soft assignment to each cluster", FLAG_SWITCH, AT(soft),
     COMMAND_PREDICT},
    {"append", 0, NULL, "write the columns of the CSV file, and the new ones behind them",
     FLAG_SWITCH, AT(append), COMMAND_PREDICT},
    {"names", 0, "FILE", "CSV file with lines of a cluster and its name", FLAG_TEXT, AT(names),
     COMMAND_NAME},
    {"quiet", 'q', NULL, "no progress and no notes on stderr", FLAG_SWITCH, AT(quiet),
     (READING & ~COMMAND_INFO) | COMMAND_REPRODUCE | COMMAND_NAME | COMMAND_EXPORT | COMMAND_MERGE |
         COMMAND_MATCH},
    {"json", 0, NULL, "results as JSON (predict: a line for each row)", FLAG_SWITCH, AT(json),
     SHOWING},
    {"help", 'h', NULL, "show this help (fit -h: the short form)", FLAG_SWITCH, AT(help),
     COMMAND_ALL},
    {"man", 0, NULL, NULL, FLAG_SWITCH, AT(man), COMMAND_HELP},
    {"completion", 0, NULL, NULL, FLAG_SWITCH, AT(completion), COMMAND_HELP},
};

enum { FLAGS = sizeof table / sizeof table[0] };

size_t flag_count(void) { return FLAGS; }
const cli_flag *flag_at(size_t index) { return &table[index]; }

int command_takes(const cli_command *command, const decant_option_info *info) {
    static const char *const mapped[] = {"seed", "scaling"};
    int raw = command->scope == OPTIONS_RAW || command->scope == OPTIONS_MAP;
    if (raw && strcmp(info->group, RAW_GROUP) == 0) return 1;
    for (size_t i = 0; command->scope == OPTIONS_MAP && i < sizeof mapped / sizeof mapped[0]; i++)
        if (strcmp(info->name, mapped[i]) == 0) return 1;
    if (command->scope == OPTIONS_PRESET && strcmp(info->name, "preset") == 0) return 1;
    if (command->scope != OPTIONS_ALL && !info->machine) return 0;
    return command->scope != OPTIONS_NONE;
}

/* ---- Parsing ---- */

/* An option of the library's table with its value; applied after all words are parsed. */
typedef struct setting {
    const decant_option_info *info;
    const char *value;
} setting;

typedef struct cli_parser {
    const cli_command *command;
    cli_arguments *given;
    int argc, next;
    char **argv;
    setting *settings;
    size_t setting_count;
} cli_parser;

static const cli_flag *flag_of_command(const cli_command *command, const char *name,
                                       size_t length) {
    for (size_t i = 0; i < FLAGS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return table[i].commands & (unsigned)command->id ? &table[i] : NULL;
    return NULL;
}

static const decant_option_info *option_of_command(const cli_command *command, const char *name,
                                                   size_t length) {
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (strlen(info->name) == length && strncmp(info->name, name, length) == 0)
            return command_takes(command, info) ? info : NULL;
    }
    return NULL;
}

static int takes_name(const cli_command *command, const char *name) {
    return flag_of_command(command, name, strlen(name)) != NULL ||
           option_of_command(command, name, strlen(name)) != NULL;
}

/* Names of other tools first: --epochs is not similar to the name of our option. */
static const char *nearest_flag(const cli_command *command, const char *typed) {
    cli_guess guess = {.typed = typed};
    const char *meant = suggest_option(typed);
    if (meant != NULL && takes_name(command, meant)) return meant;
    for (size_t i = 0; i < FLAGS; i++)
        if (table[i].help != NULL && (table[i].commands & (unsigned)command->id))
            guess_consider(&guess, table[i].name);
    for (size_t i = 0; i < decant_option_count(); i++)
        if (command_takes(command, decant_option_at(i)))
            guess_consider(&guess, decant_option_at(i)->name);
    return guess.best;
}

static int unknown_flag(const cli_parser *parser, const char *word, const char *name,
                        size_t length) {
    char typed[64];
    const char *command = parser->command->name;
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *nearest = nearest_flag(parser->command, typed);
    if (nearest == NULL) return complain_usage(command, "%s has no flag %s", command, word);
    return complain_usage(command, "%s has no flag %s; did you mean %s%s?", command, word,
                          nearest[1] == '\0' ? "-" : "--", nearest);
}

/* A value that is none of "a|b|c". */
static int wrong_choice(const cli_parser *parser, const char *sentence, const char *choices,
                        const char *value) {
    cli_guess guess = {.typed = value};
    guess_consider_choices(&guess, choices);
    if (guess.best == NULL) return complain_usage(parser->command->name, "%s", sentence);
    return complain_usage(parser->command->name, "%s; did you mean %.*s?", sentence,
                          (int)strcspn(guess.best, "|"), guess.best);
}

/* The value of a flag: attached, or the next word. If the next word begins with --, the value was
 * forgotten; --flag=--word still works. */
static const char *flag_value(cli_parser *parser, const char *attached) {
    if (attached != NULL) return attached;
    if (parser->next >= parser->argc || strncmp(parser->argv[parser->next], "--", 2) == 0)
        return NULL;
    return parser->argv[parser->next++];
}

static int set_positive(const cli_parser *parser, double *target, const cli_flag *row,
                        const char *value) {
    enum { MOST = 1000000000 };
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number) || number <= 0)
        return complain_usage(parser->command->name, "--%s: expected a number above 0, got '%s'",
                              row->name, value);
    if (row->type == FLAG_COUNT && (number != floor(number) || number > MOST))
        return complain_usage(parser->command->name,
                              "--%s: expected a whole number from 1 to %d, got '%s'", row->name,
                              MOST, value);
    *target = number;
    return 0;
}

static int set_choice(const cli_parser *parser, int *target, const cli_flag *row,
                      const char *value) {
    const char *choice = row->argument;
    for (int index = 0;; index++) {
        size_t width = strcspn(choice, "|");
        if (strlen(value) == width && strncmp(choice, value, width) == 0) {
            *target = index;
            return 0;
        }
        if (choice[width] == '\0') break;
        choice += width + 1;
    }
    char sentence[256];
    snprintf(sentence, sizeof sentence, "--%s: expected %s, got '%s'", row->name, row->argument,
             value);
    return wrong_choice(parser, sentence, row->argument, value);
}

/* "-" is standard input. */
static const char *input_path(const char *word) {
    return strcmp(word, "-") == 0 ? "/dev/stdin" : word;
}

static void add_input(cli_arguments *given, const char *word) {
    given->inputs[given->input_count++] = input_path(word);
}

static void add_to_list(cli_list *list, const char *word) {
    list->words[list->count++] = input_path(word);
}

static int set_flag(cli_parser *parser, const cli_flag *row, const char *attached) {
    void *target = (char *)parser->given + row->offset;
    if (row->type == FLAG_SWITCH) {
        if (attached != NULL)
            return complain_usage(parser->command->name, "--%s takes no value", row->name);
        *(int *)target = 1;
        return 0;
    }
    const char *value = flag_value(parser, attached);
    if (value == NULL)
        return complain_usage(parser->command->name, "--%s needs a value: %s", row->name,
                              row->argument);
    if (row->type == FLAG_POSITIVE || row->type == FLAG_COUNT)
        return set_positive(parser, target, row, value);
    if (row->type == FLAG_CHOICE) return set_choice(parser, target, row, value);
    if (row->type == FLAG_LIST)
        add_to_list(target, value);
    else
        *(const char **)target = value;
    return 0;
}

static int set_option(cli_parser *parser, const decant_option_info *info, const char *attached,
                      int negated) {
    const char *value = negated ? "no" : "yes";
    if (info->argument != NULL)
        value = flag_value(parser, attached);
    else if (attached != NULL)
        value = attached;
    if (value == NULL)
        return complain_usage(parser->command->name, "--%s needs a value: %s", info->name,
                              info->argument);
    parser->settings[parser->setting_count++] = (setting){info, value};
    parser->given->chosen.words[parser->given->chosen.count++] = info->name;
    return 0;
}

static int parse_long(cli_parser *parser, const char *word) {
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const char *attached = equals ? equals + 1 : NULL;
    const cli_flag *row = flag_of_command(parser->command, name, length);
    if (row != NULL) return set_flag(parser, row, attached);
    const decant_option_info *info = option_of_command(parser->command, name, length);
    if (info != NULL) return set_option(parser, info, attached, 0);
    if (length > 3 && strncmp(name, "no-", 3) == 0 && attached == NULL) {
        info = option_of_command(parser->command, name + 3, length - 3);
        if (info != NULL && info->argument == NULL) return set_option(parser, info, NULL, 1);
    }
    if (parser->command->id == COMMAND_HELP) { /* decant help --seed */
        add_input(parser->given, name);
        return 0;
    }
    return unknown_flag(parser, word, name, length);
}

/* -o run, -orun, -k 10, -k10. One-letter options of the library's table are their own letter. */
static int parse_short(cli_parser *parser, const char *word) {
    const char *attached = word[2] != '\0' ? word + 2 : NULL;
    if (strcmp(word, "-h") == 0) parser->given->short_help = 1;
    for (size_t i = 0; i < FLAGS; i++)
        if (table[i].letter == word[1] && (table[i].commands & (unsigned)parser->command->id))
            return set_flag(parser, &table[i], attached);
    const decant_option_info *info = option_of_command(parser->command, word + 1, 1);
    if (info != NULL) return set_option(parser, info, attached, 0);
    return unknown_flag(parser, word, word + 1, strlen(word + 1));
}

static int parse_words(cli_parser *parser) {
    int flags = 1;
    while (parser->next < parser->argc) {
        const char *word = parser->argv[parser->next++];
        int code = 0;
        if (flags && strcmp(word, "--") == 0)
            flags = 0;
        else if (flags && strncmp(word, "--", 2) == 0)
            code = parse_long(parser, word);
        else if (flags && word[0] == '-' && word[1] != '\0')
            code = parse_short(parser, word);
        else
            add_input(parser->given, word);
        if (code != 0) return code;
    }
    return 0;
}

/* The pass in which an option is set. Preset and method change other options: they are set first.
 */
static int pass_of(const char *name) {
    return strcmp(name, "preset") == 0 ? 0 : strcmp(name, "method") == 0 ? 1 : 2;
}

static int refuse_setting(const cli_parser *parser, const setting *row) {
    const char *choices = row->info->argument;
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", decant_last_error());
    if (choices == NULL || strchr(choices, '|') == NULL) choices = "";
    return wrong_choice(parser, sentence, choices, row->value);
}

/* In three passes; the order of the flags on the command line does not matter. */
static int apply_settings(cli_parser *parser) {
    decant_options_init(&parser->given->options, sizeof parser->given->options);
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < parser->setting_count; i++) {
            const setting *row = &parser->settings[i];
            if (pass_of(row->info->name) != pass) continue;
            if (decant_options_set(&parser->given->options, row->info->name, row->value) !=
                DECANT_OK)
                return refuse_setting(parser, row);
        }
    return 0;
}

int takes_all_from_folder(const cli_arguments *given) {
    return given->resume && given->output != NULL && given->input_count == 0;
}

/* "" is the usual end of a variable of the shell that was not set. A name may be empty. */
static int check_words(const cli_parser *parser) {
    const cli_arguments *given = parser->given;
    const char *command = parser->command->name;
    size_t paths = parser->command->id == COMMAND_NAME ? 1 : given->input_count;
    for (size_t i = 0; i < paths && i < given->input_count; i++)
        if (given->inputs[i][0] == '\0')
            return complain_usage(command, "expected the name of a file, found an empty word");
    if (given->output != NULL && given->output[0] == '\0')
        return complain_usage(command, "--output: expected a path, found an empty word");
    return 0;
}

static int check_inputs(const cli_parser *parser) {
    const cli_command *command = parser->command;
    size_t count = parser->given->input_count;
    if (command->id == COMMAND_FIT && takes_all_from_folder(parser->given)) return 0;
    if (count >= command->min && count <= command->max) return 0;
    return complain_usage(command->name, "usage: decant %s %s", command->name, command->usage);
}

int arguments_parse(cli_arguments *given, const cli_command *command, int argc, char **argv) {
    cli_parser parser = {.command = command,
                         .given = given,
                         .argc = argc,
                         .next = 2 < argc ? 2 : argc,
                         .argv = argv};
    size_t capacity = (size_t)argc + 1;
    *given = (cli_arguments){.argv = argv, .argc = argc};
    given->inputs = calloc(capacity, sizeof *given->inputs);
    given->labels.words = calloc(capacity, sizeof *given->labels.words);
    given->extra.words = calloc(capacity, sizeof *given->extra.words);
    given->chosen.words = calloc(capacity, sizeof *given->chosen.words);
    parser.settings = calloc(capacity, sizeof *parser.settings);
    int code = EXIT_FAILED;
    if (given->inputs == NULL || given->labels.words == NULL || given->extra.words == NULL ||
        given->chosen.words == NULL || parser.settings == NULL)
        complain_memory();
    else
        code = parse_words(&parser);
    if (code == 0 && !given->help) code = apply_settings(&parser);
    if (code == 0 && !given->help) code = check_inputs(&parser);
    if (code == 0 && !given->help) code = check_words(&parser);
    free(parser.settings);
    return code;
}

void arguments_free(cli_arguments *given) {
    free(given->inputs);
    free(given->labels.words);
    free(given->extra.words);
    free(given->chosen.words);
    *given = (cli_arguments){0};
}
