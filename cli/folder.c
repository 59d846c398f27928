#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input.h"

enum { MOST_FOLDERS = 100000 };

static void default_name(char *name, size_t size, int number) {
    if (number == 1)
        snprintf(name, size, "decant-run");
    else
        snprintf(name, size, "decant-run-%d", number);
}

char *folder_choose(const cli_arguments *given) {
    char name[32];
    int number = 1;
    if (given->output == NULL) {
        for (default_name(name, sizeof name, number); path_exists(name) && number < MOST_FOLDERS;)
            default_name(name, sizeof name, ++number);
        if (given->resume && number > 1) default_name(name, sizeof name, number - 1);
    }
    char *folder = strdup(given->output ? given->output : name);
    if (folder == NULL) complain("memory ran out");
    return folder;
}

folder_state folder_look(const char *folder) {
    char *manifest = join_path(folder, "manifest.json");
    char *checkpoint = join_path(folder, "checkpoint.safetensors");
    folder_state state = manifest && path_exists(manifest)       ? FOLDER_FINISHED
                         : checkpoint && path_exists(checkpoint) ? FOLDER_UNFINISHED
                                                                 : FOLDER_FREE;
    free(manifest);
    free(checkpoint);
    return state;
}

int folder_make(const char *folder, char **checkpoint) {
    if (folder == NULL) return 0;
    if (mkdir(folder, 0777) != 0 && !path_exists(folder)) {
        complain("%s: cannot be made", folder);
        return EXIT_FAILED;
    }
    *checkpoint = join_path(folder, "checkpoint.safetensors");
    return *checkpoint != NULL ? 0 : EXIT_FAILED;
}

int explain_interruption(const cli_arguments *given, const char *folder) {
    char *text = command_to_resume(given, folder);
    complain("%s", decant_last_error());
    if (text != NULL) fprintf(stderr, "to go on: %s\n", text);
    free(text);
    return EXIT_INTERRUPTED;
}

/* Puts a word at the end of the line, quoted where a shell would take it apart. Room for it is
 * there: 4 bytes for each of the word's, and 3. */
static char *add_word(char *end, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    *end++ = ' ';
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        size_t length = strlen(word);
        memcpy(end, word, length);
        return end + length;
    }
    *end++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            memcpy(end, "'\\''", 4);
            end += 4;
        } else {
            *end++ = *word;
        }
    }
    *end++ = '\'';
    return end;
}

static char *new_line(const cli_arguments *given, size_t extra) {
    size_t size = sizeof "decant" + extra;
    for (int i = 1; i < given->argc; i++) size += 4 * strlen(given->argv[i]) + 3;
    char *text = malloc(size);
    if (text != NULL) memcpy(text, "decant", sizeof "decant");
    return text;
}

char *command_text(const cli_arguments *given) {
    char *text = new_line(given, 0);
    if (text == NULL) return NULL;
    char *end = text + strlen(text);
    for (int i = 1; i < given->argc; i++) end = add_word(end, given->argv[i]);
    *end = '\0';
    return text;
}

/* New flags go right behind the command's name, where no "--" can come before them. */
char *command_to_resume(const cli_arguments *given, const char *folder) {
    char *text = new_line(given, 4 * strlen(folder) + 32);
    if (text == NULL) return NULL;
    char *end = add_word(text + strlen(text), given->argv[1]);
    end = add_word(end, "--resume");
    if (given->output == NULL) end = add_word(add_word(end, "-o"), folder);
    for (int i = 2; i < given->argc; i++)
        if (strcmp(given->argv[i], "--resume") != 0 && strcmp(given->argv[i], "--force") != 0)
            end = add_word(end, given->argv[i]);
    *end = '\0';
    return text;
}
