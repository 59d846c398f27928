/* Files made from the tables: the man page (decant help --man) and the bash completion
 * (decant help --completion). */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* ---- roff ---- */

/* Text, with everything escaped that roff would read as a command. */
static void put_roff(const char *text) {
    for (int line_start = 1; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void put_roff_flag(const cli_flag *row) {
    printf(".TP\n\\fB");
    if (row->letter) printf("\\-%c\\fR, \\fB", row->letter);
    printf("\\-\\-");
    put_roff(row->name);
    printf("\\fR");
    if (row->argument) printf(" \\fI%s\\fR", row->argument);
    putchar('\n');
    put_roff(row->help);
    putchar('\n');
}

static void put_roff_option(size_t index) {
    const decant_option_info *info = decant_option_at(index);
    const char *name, *value;
    printf(".TP\n\\fB\\-\\-");
    put_roff(info->name);
    printf("\\fR");
    if (info->argument) {
        printf(" \\fI");
        put_roff(info->argument);
        printf("\\fR");
    } else {
        printf(", \\fB\\-\\-no\\-%s\\fR", info->name);
    }
    putchar('\n');
    put_roff(info->help);
    printf(".\n");
    if (info->range) printf("Range: %s.\n", info->range);
    if (strcmp(info->name, "k") != 0) {
        printf("Default: ");
        put_roff(info->fallback);
        printf(".\n");
    }
    for (int p = 0; (name = decant_preset_name((decant_preset)p)) != NULL; p++)
        if ((value = decant_option_in_preset(index, (decant_preset)p)) != NULL)
            printf("In preset %s: %s.\n", name, value);
}

static void put_roff_command(const cli_command *command) {
    printf(".SS decant %s ", command->name);
    put_roff(command->usage);
    putchar('\n');
    put_roff(command->text);
    putchar('\n');
    for (size_t i = 0; i < flag_count(); i++)
        if (flag_at(i)->help && (flag_at(i)->commands & (unsigned)command->id))
            put_roff_flag(flag_at(i));
}

static void put_roff_options(void) {
    const char *group = "";
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (strcmp(group, info->group) != 0) printf(".SS %s\n", info->group);
        group = info->group;
        put_roff_option(i);
    }
}

void print_man_page(void) {
    printf(
        ".TH DECANT 1 \"\" \"decant %s\" \"User Commands\"\n"
        ".SH NAME\ndecant \\- deep embedded clustering\n"
        ".SH SYNOPSIS\n.B decant\n.I command\n[flags] [files]\n"
        ".SH DESCRIPTION\n"
        "Learns a feature space and a clustering together (Xie, Girshick and Farhadi, ICML 2016),\n"
        "from files on disk to labels, a model and a record of the run.\n"
        ".SH COMMANDS\n",
        decant_version());
    for (size_t i = 0; i < command_count(); i++) put_roff_command(command_at(i));
    printf(
        ".SH OPTIONS OF FIT\n"
        "The last group also applies to predict and embed.\n");
    put_roff_options();
    printf(
        ".SH EXIT STATUS\n"
        ".TP\n0\ndone\n.TP\n1\nfailed; one line on stderr says why\n.TP\n2\nwrong usage\n"
        ".TP\n130\ninterrupted; a fit leaves a checkpoint, and \\-\\-resume continues it\n");
}

/* ---- bash ---- */

static void put_words_of(const cli_command *command) {
    printf("        %s) flags='", command->name);
    for (size_t i = 0; i < flag_count(); i++)
        if (flag_at(i)->help && (flag_at(i)->commands & (unsigned)command->id))
            printf("--%s ", flag_at(i)->name);
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (!command_takes(command, info)) continue;
        printf("--%s ", info->name);
        if (info->argument == NULL) printf("--no-%s ", info->name);
    }
    printf("' ;;\n");
}

static void put_choices(void) {
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (info->argument == NULL || strchr(info->argument, '|') == NULL) continue;
        printf("        --%s) words='", info->name);
        for (const char *c = info->argument; *c != '\0'; c++) putchar(*c == '|' ? ' ' : *c);
        printf("' ;;\n");
    }
}

void print_completion(void) {
    printf(
        "# bash completion for decant; made by `decant help --completion`, do not edit\n"
        "_decant() {\n"
        "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - "
        "1]}\"\n"
        "    local commands='");
    for (size_t i = 0; i < command_count(); i++) printf("%s%s", i ? " " : "", command_at(i)->name);
    printf(
        "' flags= words=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"$previous\" in\n"
        "        help) words=\"$commands options files\" ;;\n");
    put_choices();
    printf(
        "    esac\n"
        "    case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; i < command_count(); i++) put_words_of(command_at(i));
    printf(
        "    esac\n"
        "    case \"$words:$current\" in\n"
        "        ?*:*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
        "        :-*) COMPREPLY=($(compgen -W \"$flags\" -- \"$current\")) ;;\n"
        "        *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
        "    esac\n"
        "}\n"
        "complete -o filenames -F _decant decant\n");
}
