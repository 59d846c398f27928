#include "dec/settings.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 256 };

static void option_key(const char *name, char key[TEXT_SIZE]) {
    snprintf(key, TEXT_SIZE, "option.%s", name);
}

/* Machine settings are left out: they do not change the result, and so must not change its bytes.
 */
int decant__settings_put_options(json_t *metadata, const decant_options *options) {
    int failed = 0;
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char key[TEXT_SIZE], text[TEXT_SIZE];
        if (info->machine) continue;
        option_key(info->name, key);
        decant_options_get(options, info->name, text, sizeof text);
        failed |= json_object_set_new(metadata, key, json_string(text));
    }
    return failed;
}

decant_status decant__settings_get_options(const decant__tensor_file *file,
                                           decant_options *options) {
    decant_options_init(options);
    /* The table has preset before all that presets govern. */
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char key[TEXT_SIZE];
        if (info->machine) continue;
        option_key(info->name, key);
        /* A file from before there was such an option: what it then did is the default. */
        const char *text = decant__tensors_find_text(file, key);
        if (text == NULL) continue;
        if (decant_options_set(options, info->name, text) != DECANT_OK)
            return decant__fail_in(DECANT_EFORMAT, file->path);
    }
    return DECANT_OK;
}

int decant__settings_put_count(json_t *metadata, const char *key, uint64_t value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return json_object_set_new(metadata, key, json_string(text));
}

/* Hexadecimal floats read back as the same bits. */
int decant__settings_put_real(json_t *metadata, const char *key, double value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%a", value);
    return json_object_set_new(metadata, key, json_string(text));
}

static decant_status check_end(const decant__tensor_file *file, const char *key, const char *text,
                               const char *end) {
    if (end != text && *end == '\0') return DECANT_OK;
    return decant__fail(DECANT_EFORMAT, "%s: metadata '%s' is not a number: '%s'", file->path, key,
                        text);
}

decant_status decant__settings_get_count(const decant__tensor_file *file, const char *key,
                                         uint64_t *value) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    char *end;
    *value = strtoull(text, &end, 10);
    return check_end(file, key, text, end);
}

decant_status decant__settings_get_real(const decant__tensor_file *file, const char *key,
                                        double *value) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    char *end;
    *value = strtod(text, &end);
    return check_end(file, key, text, end);
}
