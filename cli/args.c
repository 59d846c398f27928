#include "args.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(cli_arguments, field)
#define FITTING (COMMAND_FIT | COMMAND_SWEEP | COMMAND_SELECT_K)
#define WRITING (FITTING | COMMAND_PREDICT | COMMAND_EMBED | COMMAND_FEATURES | COMMAND_TSNE)
#define READING (WRITING | COMMAND_REPORT)
#define RAW_GROUP "Raw images and text" /* in the library's table */
#define SHOWING (FITTING | COMMAND_PREDICT | COMMAND_EVAL | COMMAND_INFO)

/* name, letter, argument, help, type, field, commands */
static const cli_flag table[] = {
    {"data", 0, "DIR", "folder with the data sets", FLAG_TEXT, AT(data), COMMAND_REPRODUCE},
    {"seeds", 0, "N", "over how many seeds means are taken (default 3)", FLAG_POSITIVE, AT(seeds),
     COMMAND_REPRODUCE},
    {"output", 'o', "PATH", "where the result goes (fit, select-k, sweep, reproduce: a folder)",
     FLAG_TEXT, AT(output), WRITING | COMMAND_REPRODUCE},
    {"labels", 0, "FILE", "known classes, only used for scores; once for each data file", FLAG_LIST,
     AT(labels), FITTING | COMMAND_PREDICT | COMMAND_FEATURES | COMMAND_TSNE | COMMAND_REPORT},
    {"id-column", 0, "NAME", "CSV: name or number of the column that identifies rows", FLAG_TEXT,
     AT(id_column), READING},
    {"label-column", 0, "NAME", "CSV: name or number of the column with known classes", FLAG_TEXT,
     AT(label_column), READING | COMMAND_EVAL},
    {"graph", 0, "FILE",
     "spectral, sec, ldmgi: the neighbour graph, used if FILE is there and written if not",
     FLAG_TEXT, AT(graph), COMMAND_FIT | COMMAND_SWEEP},
    {"pretrained", 0, "FILE", "the pretrained network, used if FILE is there and written if not",
     FLAG_TEXT, AT(pretrained), FITTING},
    {"pretrain-extra", 0, "FILE", "further rows that only pretraining sees; may be given again",
     FLAG_LIST, AT(extra), FITTING},
    {"text-column", 0, "NAME", "CSV: name or number of the column with documents", FLAG_TEXT,
     AT(text_column), READING},
    {"topics", 0, "FILE", "token files: the relevance file (.qrels); keeps documents of one root",
     FLAG_TEXT, AT(topics), READING},
    {"folder-labels", 0, NULL, "raw files: the first sub-folder is the known class", FLAG_SWITCH,
     AT(folder_labels), READING},
    {"on-error", 0, "stop|skip", "raw files: what to do about one that cannot be read", FLAG_CHOICE,
     AT(on_error), READING},
    {"resume", 0, NULL, "go on with an interrupted run", FLAG_SWITCH, AT(resume), FITTING},
    {"force", 0, NULL, "start over in a folder that already holds a result", FLAG_SWITCH, AT(force),
     FITTING | COMMAND_SELECT_K},
    {"checkpoint-seconds", 0, "X", "least time between two checkpoints (default 30)", FLAG_POSITIVE,
     AT(checkpoint_seconds), FITTING | COMMAND_REPRODUCE},
    {"perplexity", 0, "X", "about how many neighbours count (default 30)", FLAG_POSITIVE,
     AT(perplexity), COMMAND_TSNE},
    {"iterations", 0, "N", "steps of the descent (default 1000)", FLAG_POSITIVE, AT(iterations),
     COMMAND_TSNE},
    {"no-report", 0, NULL, "leave out report.html", FLAG_SWITCH, AT(no_report), COMMAND_FIT},
    {"image", 0, "WxH", "rows are pictures of this size (squares are recognised)", FLAG_TEXT,
     AT(image), COMMAND_FIT | COMMAND_REPORT},
    {"figures", 0, "DIR", "also write the drawings as SVG and PNG files into this folder",
     FLAG_TEXT, AT(figures), COMMAND_REPORT},
    {"quiet", 'q', NULL, "no progress and no notes on stderr", FLAG_SWITCH, AT(quiet),
     READING | COMMAND_REPRODUCE},
    {"json", 0, NULL, "results as JSON", FLAG_SWITCH, AT(json), SHOWING},
    {"help", 'h', NULL, "this text", FLAG_SWITCH, AT(help), COMMAND_ALL},
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

/* ---- Complaints ---- */

static void complain_list(const char *format, va_list arguments) {
    fputs("decant: ", stderr);
    vfprintf(stderr, format, arguments);
}

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain_list(format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int complain_status(decant_status status) {
    complain("%s", decant_last_error());
    return status == DECANT_ECANCELLED ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int complain_usage(const char *topic, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain_list(format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see 'decant help%s%s')\n", topic ? " " : "", topic ? topic : "");
    return EXIT_USAGE;
}

/* ---- "Did you mean": Levenshtein distance by one row of the table ---- */

enum { LONGEST_WORD = 40 };

static size_t least_of(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static size_t edit_distance(const char *a, const char *b) {
    size_t row[LONGEST_WORD + 1], length = strlen(b);
    if (length > LONGEST_WORD) return LONGEST_WORD;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t above = row[j + 1];
            row[j + 1] = least_of(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
            diagonal = above;
        }
    }
    return row[length];
}

/* A beginning of a word counts as near; otherwise a third of the letters may be wrong. */
void guess_consider(cli_guess *guess, const char *word) {
    size_t typed = strlen(guess->typed);
    size_t distance = edit_distance(guess->typed, word);
    if (typed >= 3 && strncmp(word, guess->typed, typed) == 0) distance = 1;
    if (distance > 2 && distance > typed / 3) return;
    if (distance >= typed || (guess->best != NULL && distance >= guess->distance)) return;
    guess->best = word;
    guess->distance = distance;
}

/* ---- Parsing ---- */

/* An option of the library's table that was given; applied after all of them are known. */
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

static const cli_flag *find_flag(const cli_command *command, const char *name, size_t length) {
    for (size_t i = 0; i < FLAGS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return table[i].commands & (unsigned)command->id ? &table[i] : NULL;
    return NULL;
}

static const decant_option_info *find_option(const cli_command *command, const char *name,
                                             size_t length) {
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (strlen(info->name) == length && strncmp(info->name, name, length) == 0)
            return command_takes(command, info) ? info : NULL;
    }
    return NULL;
}

static int unknown_flag(const cli_parser *parser, const char *word, const char *name,
                        size_t length) {
    char typed[LONGEST_WORD + 1];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    cli_guess guess = {.typed = typed};
    for (size_t i = 0; i < FLAGS; i++)
        if (table[i].help != NULL && (table[i].commands & (unsigned)parser->command->id))
            guess_consider(&guess, table[i].name);
    for (size_t i = 0; i < decant_option_count(); i++)
        if (command_takes(parser->command, decant_option_at(i)))
            guess_consider(&guess, decant_option_at(i)->name);
    if (guess.best == NULL)
        return complain_usage(parser->command->name, "%s has no flag %s", parser->command->name,
                              word);
    return complain_usage(parser->command->name, "%s has no flag %s; did you mean --%s?",
                          parser->command->name, word, guess.best);
}

/* The value of a flag: attached, or the next word. A word that begins with -- is taken for a
 * forgotten value; --flag=--word still gets it through. */
static const char *take_value(cli_parser *parser, const char *attached) {
    if (attached != NULL) return attached;
    if (parser->next >= parser->argc || strncmp(parser->argv[parser->next], "--", 2) == 0)
        return NULL;
    return parser->argv[parser->next++];
}

static int set_positive(const cli_parser *parser, double *target, const char *name,
                        const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !isfinite(number) || number <= 0)
        return complain_usage(parser->command->name, "--%s: expected a number above 0, got '%s'",
                              name, value);
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
    return complain_usage(parser->command->name, "--%s: expected %s, got '%s'", row->name,
                          row->argument, value);
}

static void append(cli_list *list, const char *word) { list->words[list->count++] = word; }

static int set_flag(cli_parser *parser, const cli_flag *row, const char *attached) {
    void *target = (char *)parser->given + row->offset;
    if (row->type == FLAG_SWITCH) {
        if (attached != NULL)
            return complain_usage(parser->command->name, "--%s takes no value", row->name);
        *(int *)target = 1;
        return 0;
    }
    const char *value = take_value(parser, attached);
    if (value == NULL)
        return complain_usage(parser->command->name, "--%s needs a value: %s", row->name,
                              row->argument);
    if (row->type == FLAG_POSITIVE) return set_positive(parser, target, row->name, value);
    if (row->type == FLAG_CHOICE) return set_choice(parser, target, row, value);
    if (row->type == FLAG_LIST)
        append(target, value);
    else
        *(const char **)target = value;
    return 0;
}

static int set_option(cli_parser *parser, const decant_option_info *info, const char *attached,
                      int negated) {
    const char *value = negated ? "no" : "yes";
    if (info->argument != NULL)
        value = take_value(parser, attached);
    else if (attached != NULL)
        value = attached;
    if (value == NULL)
        return complain_usage(parser->command->name, "--%s needs a value: %s", info->name,
                              info->argument);
    parser->settings[parser->setting_count++] = (setting){info, value};
    return 0;
}

static int parse_long(cli_parser *parser, const char *word) {
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const char *attached = equals ? equals + 1 : NULL;
    const cli_flag *row = find_flag(parser->command, name, length);
    if (row != NULL) return set_flag(parser, row, attached);
    const decant_option_info *info = find_option(parser->command, name, length);
    if (info != NULL) return set_option(parser, info, attached, 0);
    if (length > 3 && strncmp(name, "no-", 3) == 0 && attached == NULL) {
        info = find_option(parser->command, name + 3, length - 3);
        if (info != NULL && info->argument == NULL) return set_option(parser, info, NULL, 1);
    }
    return unknown_flag(parser, word, name, length);
}

/* -o run, -orun, -k 10, -k10. One-letter options of the library's table are their own letter. */
static int parse_short(cli_parser *parser, const char *word) {
    const char *attached = word[2] != '\0' ? word + 2 : NULL;
    for (size_t i = 0; i < FLAGS; i++)
        if (table[i].letter == word[1] && (table[i].commands & (unsigned)parser->command->id))
            return set_flag(parser, &table[i], attached);
    const decant_option_info *info = find_option(parser->command, word + 1, 1);
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
            parser->given->inputs[parser->given->input_count++] = word;
        if (code != 0) return code;
    }
    return 0;
}

/* What governs other options comes first. */
static int turn_of(const char *name) {
    return strcmp(name, "preset") == 0 ? 0 : strcmp(name, "method") == 0 ? 1 : 2;
}

/* Preset and method come first whatever the order, so that they never undo another flag. */
static int apply_settings(cli_parser *parser) {
    decant_options_init(&parser->given->options);
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < parser->setting_count; i++) {
            const setting *row = &parser->settings[i];
            if (turn_of(row->info->name) != turn) continue;
            if (decant_options_set(&parser->given->options, row->info->name, row->value) !=
                DECANT_OK)
                return complain_usage(parser->command->name, "%s", decant_last_error());
        }
    return 0;
}

static int check_inputs(const cli_parser *parser) {
    const cli_command *command = parser->command;
    size_t count = parser->given->input_count;
    if (count >= command->least && count <= command->most) return 0;
    return complain_usage(command->name, "usage: decant %s %s", command->name, command->usage);
}

int arguments_parse(cli_arguments *given, const cli_command *command, int argc, char **argv) {
    cli_parser parser = {.command = command,
                         .given = given,
                         .argc = argc,
                         .next = 2 < argc ? 2 : argc,
                         .argv = argv};
    size_t room = (size_t)argc + 1;
    *given = (cli_arguments){.argv = argv, .argc = argc};
    given->inputs = calloc(room, sizeof *given->inputs);
    given->labels.words = calloc(room, sizeof *given->labels.words);
    given->extra.words = calloc(room, sizeof *given->extra.words);
    parser.settings = calloc(room, sizeof *parser.settings);
    int code = EXIT_FAILED;
    if (given->inputs == NULL || given->labels.words == NULL || given->extra.words == NULL ||
        parser.settings == NULL)
        complain("memory ran out");
    else
        code = parse_words(&parser);
    if (code == 0 && !given->help) code = apply_settings(&parser);
    if (code == 0 && !given->help) code = check_inputs(&parser);
    free(parser.settings);
    return code;
}

void arguments_free(cli_arguments *given) {
    free(given->inputs);
    free(given->labels.words);
    free(given->extra.words);
    *given = (cli_arguments){0};
}
