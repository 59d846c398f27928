/* Help from the tables: commands (main.c), the program's flags (args.c), the library's options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "suggest.h"

enum { NAME_WIDTH = 28, MIN_WIDTH = 50, USUAL_WIDTH = 79, MAX_WIDTH = 110 };

/* The width of the terminal, within what reads well; always the same in files and pipes. */
static int line_width(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL_WIDTH;
    int width = size.ws_col - 1;
    return width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
}

/* Fills lines with words. The first line begins where the cursor is, at `column`; so do the
 * others. A blank line in the text stays one. */
static void print_wrapped(const char *text, int column) {
    int width = line_width(), at = column;
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (at > column && at + 1 + length > width) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            printf("\n\n%*s", column, "");
            at = column;
        }
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void print_row(const char *name, const char *text) {
    int width = printf("  %s", name);
    if (width >= NAME_WIDTH) {
        putchar('\n');
        width = 0;
    }
    printf("%*s", NAME_WIDTH - width, "");
    print_wrapped(text, NAME_WIDTH);
}

static void print_flag(const cli_flag *row) {
    char name[64];
    int used = row->letter ? snprintf(name, sizeof name, "-%c, ", row->letter) : 0;
    snprintf(name + used, sizeof name - (size_t)used, "--%s%s%s", row->name,
             row->argument ? " " : "", row->argument ? row->argument : "");
    print_row(name, row->help);
}

/* "a|b" as " {a, b}". Returns the length. */
static int add_choices(char *text, size_t size, const char *choices) {
    int used = snprintf(text, size, " {");
    for (const char *c = choices; *c != '\0'; c++)
        used += snprintf(text + used, size - (size_t)used, *c == '|' ? ", " : "%c", *c);
    return used + snprintf(text + used, size - (size_t)used, "}");
}

/* The values of the presets that differ: " [paper: 40] [authors: 160]". Returns the length. */
static int add_presets(char *text, size_t size, size_t index) {
    int used = 0;
    const char *name, *value;
    for (int p = 0; (name = decant_preset_name((decant_preset)p)) != NULL; p++)
        if ((value = decant_option_in_preset(index, (decant_preset)p)) != NULL)
            used += snprintf(text + used, size - (size_t)used, " [%s: %s]", name, value);
    return used;
}

/* Choices can be long, so they move from the name into the text. */
static void print_option(size_t index) {
    const decant_option_info *info = decant_option_at(index);
    char name[64], text[1024];
    int choices = info->argument != NULL && strchr(info->argument, '|') != NULL;
    const char *argument = choices ? "NAME" : info->argument;
    if (strlen(info->name) == 1)
        snprintf(name, sizeof name, "-%s, --%s N", info->name, info->name);
    else if (argument == NULL)
        snprintf(name, sizeof name, "--%s, --no-%s", info->name, info->name);
    else
        snprintf(name, sizeof name, "--%s %s", info->name, argument);
    int used = snprintf(text, sizeof text, "%s", info->help);
    if (choices) used += add_choices(text + used, sizeof text - (size_t)used, info->argument);
    if (info->range)
        used += snprintf(text + used, sizeof text - (size_t)used, " (%s)", info->range);
    if (strcmp(info->name, "k") != 0)
        used += snprintf(text + used, sizeof text - (size_t)used, " [%s]", info->fallback);
    used += add_presets(text + used, sizeof text - (size_t)used, index);
    print_row(name, text);
}

static void print_options(const cli_command *command) {
    const char *group = "";
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (!command_takes(command, info)) continue;
        if (strcmp(group, info->group) != 0) printf("\n%s:\n", info->group);
        group = info->group;
        print_option(i);
    }
}

static int takes_flag(const cli_command *command, const cli_flag *row) {
    return row->help != NULL && (row->commands & (unsigned)command->id);
}

static void print_usage(const cli_command *command) {
    printf("usage: decant %s%s%s\n\n", command->name, command->usage[0] ? " " : "", command->usage);
    printf("%c%s.\n\n", toupper((unsigned char)command->summary[0]), command->summary + 1);
    print_wrapped(command->text, 0);
}

void print_command_help(const cli_command *command) {
    print_usage(command);
    printf("\nFlags:\n");
    for (size_t i = 0; i < flag_count(); i++)
        if (takes_flag(command, flag_at(i))) print_flag(flag_at(i));
    print_options(command);
}

/* Its index; the number of options: there is none. */
static size_t option_named(const char *name) {
    size_t i = 0;
    while (i < decant_option_count() && strcmp(decant_option_at(i)->name, name) != 0) i++;
    return i;
}

static const cli_flag *flag_named(const char *name) {
    for (size_t i = 0; i < flag_count(); i++)
        if (flag_at(i)->help != NULL && strcmp(flag_at(i)->name, name) == 0) return flag_at(i);
    return NULL;
}

static void print_named(const char *name) {
    size_t index = option_named(name);
    if (index < decant_option_count())
        print_option(index);
    else if (flag_named(name) != NULL)
        print_flag(flag_named(name));
}

/* The most common flags of fit; the other commands have few flags and show all. */
void print_short_help(const cli_command *command) {
    static const char *const common[] = {"k",      "output", "labels",  "label-column", "id-column",
                                         "method", "seed",   "threads", "resume"};
    if (command->id != COMMAND_FIT) {
        print_command_help(command);
        return;
    }
    printf("usage: decant %s %s\n\n", command->name, command->usage);
    print_wrapped("DATA is a table of numbers (CSV, NPY, ...), or a folder of images or texts.", 0);
    putchar('\n');
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) print_named(common[i]);
    printf("\nAll flags: 'decant fit --help'. One of them: 'decant help seed'.\n");
}

/* One flag or option, and the commands that take it. 0: there is none of that name. */
static int print_topic(const char *name) {
    const decant_option_info *info = decant_option_at(option_named(name));
    const cli_flag *flag = flag_named(name);
    if (info == NULL && flag == NULL) return 0;
    print_named(name);
    printf("\ncommands:");
    for (size_t i = 0; i < command_count(); i++) {
        const cli_command *command = command_at(i);
        if (info != NULL ? command_takes(command, info) : takes_flag(command, flag))
            printf(" %s", command->name);
    }
    putchar('\n');
    return 1;
}

static void print_overview(void) {
    printf("decant %s: deep embedded clustering, a feature space and clusters learned together\n\n",
           decant_version());
    for (size_t i = 0; i < command_count(); i++)
        print_row(command_at(i)->name, command_at(i)->summary);
    printf(
        "\nFirst steps:\n"
        "  decant fit data.csv -k 10 -o run     cluster the rows of a table of numbers\n"
        "  decant info run                      look at the result again\n"
        "  decant predict run new.csv           assign new rows\n\n");
    print_wrapped(
        "'decant help COMMAND' explains a command, 'decant help options' lists every option of "
        "fit, 'decant help seed' explains one of them, 'decant help files' lists the formats.",
        0);
}

static void print_all_options(void) {
    print_wrapped(
        "Options of decant fit, with ranges in (), defaults in [] and the values of other "
        "presets where they differ.",
        0);
    print_options(command_find("fit"));
}

/* The common formats are recognised last: the table is in the order of recognition. */
static void print_formats(void) {
    print_wrapped(
        "The formats that decant reads. A file's format is recognised by its first bytes, for two "
        "formats by its name. Every file may be compressed (gzip, zstd, xz, "
        "bzip2). FILE:NAME is one array of an NPZ or HDF5 file, or one file of a zip archive.",
        0);
    putchar('\n');
    for (size_t i = decant_format_count(); i-- > 0;) {
        const decant_format_info *info = decant_format_at(i);
        char text[256];
        snprintf(text, sizeof text, "%s (recognised by %s)", info->help, info->recognised);
        print_row(info->name, text);
    }
}

static int unknown_topic(const char *topic) {
    cli_guess guess = {.typed = topic};
    const char *meant = suggest_option(topic);
    for (size_t i = 0; i < command_count(); i++) guess_consider(&guess, command_at(i)->name);
    for (size_t i = 0; i < flag_count(); i++)
        if (flag_at(i)->help != NULL) guess_consider(&guess, flag_at(i)->name);
    for (size_t i = 0; i < decant_option_count(); i++)
        guess_consider(&guess, decant_option_at(i)->name);
    if (meant == NULL) meant = guess.best;
    if (meant == NULL) return complain_usage(NULL, "there is no help about '%s'", topic);
    return complain_usage(NULL, "there is no help about '%s'; did you mean %s?", topic, meant);
}

int cmd_help(const cli_arguments *given) {
    const char *topic = given->input_count > 0 ? given->inputs[0] : NULL;
    const cli_command *command = topic ? command_find(topic) : NULL;
    if (given->man)
        print_man_page();
    else if (given->completion)
        print_completion();
    else if (topic == NULL)
        print_overview();
    else if (strcmp(topic, "options") == 0)
        print_all_options();
    else if (strcmp(topic, "files") == 0)
        print_formats();
    else if (command != NULL)
        print_command_help(command);
    else if (!print_topic(topic))
        return unknown_topic(topic);
    return EXIT_DONE;
}

int cmd_version(const cli_arguments *given) {
    (void)given;
    printf("decant %s\n", decant_version());
    return EXIT_DONE;
}
