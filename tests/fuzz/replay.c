/* Runs fuzz targets on files, without libFuzzer:
 *
 *   fuzz_replay NAME FILE-OR-FOLDER...   runs one target on each file
 *   fuzz_replay --list                   the names of the targets
 *   fuzz_replay --dictionary NAME        words for libFuzzer
 *   fuzz_replay --run FOLDER             makes the run folders that some targets change */
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static size_t runs;

static void run_file(const fuzz_target *target, const char *path) {
    size_t size;
    char *bytes = fuzz_read(path, &size);
    fprintf(stderr, "%s\n", path); /* the last one is the culprit */
    target->run((const uint8_t *)bytes, size);
    free(bytes);
    runs++;
}

static void run_path(const fuzz_target *target, const char *path) {
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) run_file(target, path);
    for (int i = 0; i < count; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') run_file(target, name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static int usage(void) {
    fprintf(
        stderr,
        "usage: fuzz_replay NAME FILE-OR-FOLDER... | --list | --dictionary NAME | --run FOLDER\n");
    return 2;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (const fuzz_target *t = fuzz_targets; t->name != NULL; t++) puts(t->name);
        return 0;
    }
    if (count < 3) return usage();
    if (strcmp(arguments[1], "--run") == 0) {
        FUZZ_CHECK(chdir(arguments[2]) == 0, "%s: is not a folder", arguments[2]);
        fuzz_make_runs();
        return 0;
    }
    int words = strcmp(arguments[1], "--dictionary") == 0;
    const fuzz_target *target = fuzz_find(arguments[words ? 2 : 1]);
    if (target == NULL) return usage();
    char **paths = calloc((size_t)count, sizeof *paths);
    for (int i = 2; i < count && !words; i++) {
        paths[i] = realpath(arguments[i], NULL);
        FUZZ_CHECK(paths[i] != NULL, "%s: is not there", arguments[i]);
    }
    fuzz_thorough = 1;
    fuzz_start(target);
    if (words) fuzz_print_dictionary(stdout, target);
    for (int i = 2; i < count && !words; i++) {
        run_path(target, paths[i]);
        free(paths[i]);
    }
    free(paths);
    if (!words) printf("%s: %zu inputs\n", target->name, runs);
    return words || runs > 0 ? 0 : 1;
}
