/* Help from the tables: commands (main.c), the program's flags (args.c), the library's options. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

enum { NAME_WIDTH = 28, LINE_WIDTH = 79 };

/* Fills lines with words from a column on; the cursor stands at `at`. */
static void print_wrapped(const char *text, int column, int at) {
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > LINE_WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
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
    print_wrapped(text, NAME_WIDTH, NAME_WIDTH);
}

static void print_flag(const cli_flag *row) {
    char name[64];
    int used = row->letter ? snprintf(name, sizeof name, "-%c, ", row->letter) : 0;
    snprintf(name + used, sizeof name - (size_t)used, "--%s%s%s", row->name,
             row->argument ? " " : "", row->argument ? row->argument : "");
    print_row(name, row->help);
}

/* Choices can be long, so they move from the name into the text. */
static void print_option(const decant_option_info *info) {
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
    if (choices) used += snprintf(text + used, sizeof text - (size_t)used, " {%s}", info->argument);
    if (info->range)
        used += snprintf(text + used, sizeof text - (size_t)used, " (%s)", info->range);
    if (strcmp(info->name, "k") != 0)
        used += snprintf(text + used, sizeof text - (size_t)used, " [%s]", info->fallback);
    if (info->paper) snprintf(text + used, sizeof text - (size_t)used, " [paper: %s]", info->paper);
    print_row(name, text);
}

static void print_options(const cli_command *command) {
    const char *group = "";
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (!command_takes(command, info)) continue;
        if (strcmp(group, info->group) != 0) printf("\n%s:\n", info->group);
        group = info->group;
        print_option(info);
    }
}

void print_command_help(const cli_command *command) {
    printf("usage: decant %s%s%s\n\n%s.\n\n%s\n\nFlags:\n", command->name,
           command->usage[0] ? " " : "", command->usage, command->summary, command->text);
    for (size_t i = 0; i < flag_count(); i++)
        if (flag_at(i)->help && (flag_at(i)->commands & (unsigned)command->id))
            print_flag(flag_at(i));
    print_options(command);
}

static void print_overview(void) {
    printf("decant %s: deep embedded clustering, a feature space and clusters learned together\n\n",
           decant_version());
    for (size_t i = 0; i < command_count(); i++)
        print_row(command_at(i)->name, command_at(i)->summary);
    printf(
        "\nFirst steps:\n"
        "  decant fit data.csv -k 10 -o run     cluster the rows of a file\n"
        "  decant info run                      look at the result again\n"
        "  decant predict run new.csv           assign new rows\n\n"
        "'decant help COMMAND' tells more about a command, 'decant help options' about\n"
        "every option of fit.\n");
}

static void print_all_options(void) {
    printf(
        "Options of decant fit, with ranges in (), defaults in [] and the values of\n"
        "--preset paper where they differ.\n");
    print_options(command_find("fit"));
}

/* The flags of the overview's other forms, each with what it prints. */
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
    else if (command != NULL)
        print_command_help(command);
    else
        return complain_usage(NULL, "there is no help about '%s'", topic);
    return EXIT_DONE;
}

int cmd_version(const cli_arguments *given) {
    (void)given;
    printf("decant %s\n", decant_version());
    return EXIT_DONE;
}
