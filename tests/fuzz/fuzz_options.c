/* Options: lines of name=value. A value that is accepted is printed, and the printed text is read
 * back as the same value. */
#include <string.h>

#include "fuzz.h"

static void set(decant_options *options, const char *name, const char *value) {
    char before[512], text[512], again[512];
    if (!fuzz_succeeds(decant_options_get(options, name, before, sizeof before))) return;
    if (!fuzz_succeeds(decant_options_set(options, name, value))) {
        FUZZ_CHECK(decant_options_get(options, name, text, sizeof text) == DECANT_OK, "%s", name);
        FUZZ_CHECK(strcmp(text, before) == 0, "%s changed by a value that was refused", name);
        return;
    }
    FUZZ_CHECK(decant_options_get(options, name, text, sizeof text) == DECANT_OK, "%s: %s", name,
               decant_last_error());
    FUZZ_CHECK(decant_options_set(options, name, text) == DECANT_OK,
               "%s: its own text is refused: %s", name, decant_last_error());
    FUZZ_CHECK(decant_options_get(options, name, again, sizeof again) == DECANT_OK, "%s", name);
    FUZZ_CHECK(strcmp(text, again) == 0, "%s: %s is read back as %s", name, text, again);
}

void fuzz_options(const uint8_t *bytes, size_t size) {
    decant_options options;
    decant_options_init(&options, sizeof options);
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL, "no memory");
    if (size > 0) memcpy(text, bytes, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *value = strchr(line, '=');
        if (value == NULL) continue;
        *value++ = '\0';
        set(&options, line, value);
    }
    free(text);
}

void fuzz_options_words(FILE *file) {
    char word[128];
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        snprintf(word, sizeof word, "\n%.60s=", info->name);
        fuzz_print_word(file, word);
        if (info->fallback != NULL) fuzz_print_word(file, info->fallback);
        if (info->argument != NULL) fuzz_print_word(file, info->argument);
    }
}
