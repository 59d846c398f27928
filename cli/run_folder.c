#include "run_folder.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "data_args.h"

enum { MAX_FOLDERS = 100000 };

static const char COMMAND_FILE[] = "command.json"; /* while a fit is not finished */

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
        for (default_name(name, sizeof name, number); path_exists(name) && number < MAX_FOLDERS;)
            default_name(name, sizeof name, ++number);
        if (given->resume && number > 1) default_name(name, sizeof name, number - 1);
    }
    char *folder = strdup(given->output ? given->output : name);
    if (folder == NULL) complain_memory();
    return folder;
}

static int folder_holds(const char *folder, const char *name) {
    char *path = join_path(folder, name);
    int found = path != NULL && path_exists(path);
    free(path);
    return found;
}

folder_state folder_look(const char *folder) {
    if (folder_holds(folder, "manifest.json")) return FOLDER_FINISHED;
    int begun =
        folder_holds(folder, "checkpoint.safetensors") || folder_holds(folder, COMMAND_FILE);
    return begun ? FOLDER_UNFINISHED : FOLDER_FREE;
}

int folder_make(const char *folder, char **checkpoint) {
    if (folder == NULL) return 0;
    if (mkdir(folder, 0777) != 0 && !path_exists(folder)) {
        complain("%s: the folder cannot be created: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    *checkpoint = join_path(folder, "checkpoint.safetensors");
    return *checkpoint != NULL ? 0 : EXIT_FAILED;
}

/* ---- Commands ---- */

char *command_text(const cli_arguments *given) {
    const char **words = malloc(((size_t)given->argc + 1) * sizeof *words);
    if (words == NULL) return NULL;
    for (int i = 0; i < given->argc; i++) words[i] = i == 0 ? "decant" : given->argv[i];
    char *text = words_join(words, (size_t)given->argc);
    free(words);
    return text;
}

/* New flags are inserted after the name of the command, so that no "--" is before them. */
static char *command_to_resume(const cli_arguments *given, const char *folder) {
    const char **words = malloc(((size_t)given->argc + 5) * sizeof *words);
    size_t count = 0;
    if (words == NULL) return NULL;
    words[count++] = "decant";
    words[count++] = given->argv[1];
    words[count++] = "--resume";
    if (given->output == NULL) words[count++] = "-o";
    if (given->output == NULL) words[count++] = folder;
    for (int i = 2; i < given->argc; i++)
        if (strcmp(given->argv[i], "--resume") != 0 && strcmp(given->argv[i], "--force") != 0)
            words[count++] = given->argv[i];
    char *text = words_join(words, count);
    free(words);
    return text;
}

/* The folder of a fit has its command line; other commands have to be typed again. */
int explain_interruption(const cli_arguments *given, const char *folder) {
    const char *const short_form[] = {"decant", "fit", "--resume", "-o", folder};
    char *text = folder_holds(folder, COMMAND_FILE)
                     ? words_join(short_form, sizeof short_form / sizeof short_form[0])
                     : command_to_resume(given, folder);
    complain("%s", decant_last_error());
    if (text != NULL) inform("to continue: %s", text);
    free(text);
    return EXIT_INTERRUPTED;
}

/* A text of n bytes has at most n/2 + 1 words. */
static int split_kept(kept_command *kept, const char *path) {
    size_t capacity = strlen(kept->text) / 2 + 1;
    kept->words = calloc(capacity, sizeof *kept->words);
    if (kept->words == NULL) return complain_memory();
    kept->count = words_split(kept->text, kept->words, capacity);
    if (kept->count >= 2) return 0;
    complain("%s: is damaged; to continue, give the whole command again with --resume", path);
    return EXIT_FAILED;
}

static int read_kept(kept_command *kept, const char *path, const json_t *root) {
    const char *text = json_string_value(json_object_get(root, "command"));
    const char *directory = json_string_value(json_object_get(root, "directory"));
    kept->text = strdup(text != NULL ? text : "");
    kept->directory = strdup(directory != NULL ? directory : ".");
    if (kept->text == NULL || kept->directory == NULL) return complain_memory();
    return split_kept(kept, path);
}

int kept_command_read(const char *folder, kept_command *kept) {
    char *path = join_path(folder, COMMAND_FILE);
    int code = EXIT_FAILED;
    if (path == NULL) return code;
    if (path_exists(path)) {
        json_t *root = json_load_file(path, 0, NULL);
        code = read_kept(kept, path, root);
        json_decref(root);
    } else {
        complain("%s: holds no unfinished fit to continue; to start one, name the data", folder);
    }
    free(path);
    return code;
}

void kept_command_free(kept_command *kept) {
    free(kept->text);
    free(kept->directory);
    free(kept->words);
    *kept = (kept_command){0};
}
