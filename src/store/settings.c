#include "store/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { TEXT_SIZE = 256 };

static void option_key(const char *name, char key[TEXT_SIZE]) {
    snprintf(key, TEXT_SIZE, "option.%s", name);
}

/* Machine options (threads) are left out: they do not change the result, so they must not change
 * the bytes of the file. */
void decant__settings_put_options(decant__metadata *metadata, const decant_options *options) {
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char key[TEXT_SIZE], text[TEXT_SIZE];
        if (info->machine) continue;
        option_key(info->name, key);
        decant_options_get(options, info->name, text, sizeof text);
        decant__metadata_put(metadata, key, text);
    }
}

decant_status decant__settings_get_options(const decant__tensor_file *file,
                                           decant_options *options) {
    decant_options_init(options, sizeof *options);
    /* In the table, preset comes before all options that it changes. */
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char key[TEXT_SIZE];
        if (info->machine) continue;
        option_key(info->name, key);
        /* An older file, from before there was this option: the default is what it did. */
        const char *text = decant__tensors_find_text(file, key);
        if (text == NULL) continue;
        if (decant_options_set(options, info->name, text) != DECANT_OK)
            return decant__fail_in(DECANT_EFORMAT, file->path);
    }
    return DECANT_OK;
}

void decant__settings_put_count(decant__metadata *metadata, const char *key, uint64_t value) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    decant__metadata_put(metadata, key, text);
}

/* Hexadecimal floats read back as the same bits. */
void decant__settings_put_real(decant__metadata *metadata, const char *key, double value) {
    char text[TEXT_SIZE];
    decant__format(text, sizeof text, "%a", value);
    decant__metadata_put(metadata, key, text);
}

void decant__settings_put_digest(decant__metadata *metadata, const uint64_t digest[2]) {
    decant__settings_put_count(metadata, "digest.high", digest[0]);
    decant__settings_put_count(metadata, "digest.low", digest[1]);
}

static decant_status not_a_number(const decant__tensor_file *file, const char *key,
                                  const char *text) {
    return decant__fail(DECANT_EFORMAT, "%s: metadata '%s' is not a number: '%.50s'", file->path,
                        key, text);
}

/* Digits and nothing else; strtoull alone would take "-1". */
decant_status decant__settings_get_count(const decant__tensor_file *file, const char *key,
                                         uint64_t *value) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
        return not_a_number(file, key, text);
    errno = 0;
    *value = strtoull(text, NULL, 10);
    return errno == 0 ? DECANT_OK : not_a_number(file, key, text);
}

decant_status decant__settings_get_limited(const decant__tensor_file *file, const char *key,
                                           uint64_t max, uint64_t *value) {
    decant_status status = decant__settings_get_count(file, key, value);
    if (status != DECANT_OK || *value <= max) return status;
    return decant__fail(DECANT_EFORMAT, "%s: metadata '%s' is %llu, expected at most %llu",
                        file->path, key, (unsigned long long)*value, (unsigned long long)max);
}

decant_status decant__settings_match_digest(const decant__tensor_file *file,
                                            const uint64_t digest[2], int *same) {
    uint64_t high = 0, low = 0;
    decant_status status = decant__settings_get_count(file, "digest.high", &high);
    if (status == DECANT_OK) status = decant__settings_get_count(file, "digest.low", &low);
    if (status == DECANT_OK) *same = high == digest[0] && low == digest[1];
    return status;
}

decant_status decant__settings_get_real(const decant__tensor_file *file, const char *key,
                                        double *value) {
    const char *text = decant__tensors_text(file, key);
    if (text == NULL) return DECANT_EFORMAT;
    return decant__number_read(text, value) ? DECANT_OK : not_a_number(file, key, text);
}
