#include "features/stems.h"

#include <libstemmer.h>
#include <stdio.h>
#include <string.h>

static decant_status unknown_language(const char *language) {
    char list[512];
    size_t used = 0;
    list[0] = '\0';
    for (const char **name = sb_stemmer_list(); *name != NULL && used < sizeof list; name++)
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s", *name);
    return decant__fail(DECANT_EINVAL, "language: expected none%s, got '%s'", list, language);
}

static decant_status add_stop_words(decant__stemmer *stemmer, const char *list) {
    while (*list != '\0') {
        uint32_t number;
        size_t length = strcspn(list, " ");
        decant_status status = decant__names_add(&stemmer->stop, list, length, &number);
        if (status != DECANT_OK) return status;
        list += length;
        list += strspn(list, " ");
    }
    return DECANT_OK;
}

decant_status decant__stemmer_new(decant__stemmer *stemmer, const char *language, int stop_words) {
    *stemmer = (decant__stemmer){0};
    if (strcmp(language, "none") == 0) return DECANT_OK;
    stemmer->snowball = sb_stemmer_new(language, NULL);
    if (stemmer->snowball == NULL) return unknown_language(language);
    decant_status status =
        stop_words ? add_stop_words(stemmer, decant__stop_words(language)) : DECANT_OK;
    if (status != DECANT_OK) decant__stemmer_free(stemmer);
    return status;
}

decant_status decant__stemmer_stem(decant__stemmer *stemmer, const char *word, size_t length,
                                   const char **stem, size_t *stem_length) {
    *stem = word;
    *stem_length = length;
    if (stemmer->snowball == NULL) return DECANT_OK;
    if (decant__names_find(&stemmer->stop, word, length) != DECANT__NO_NAME) {
        *stem = NULL;
        return DECANT_OK;
    }
    if (length > INT32_MAX / 8) return DECANT_OK; /* Snowball counts in int; this is no word */
    const sb_symbol *found =
        sb_stemmer_stem(stemmer->snowball, (const sb_symbol *)word, (int)length);
    if (found == NULL) return decant__fail(DECANT_ENOMEM, "out of memory for a stem");
    *stem = (const char *)found;
    *stem_length = (size_t)sb_stemmer_length(stemmer->snowball);
    return DECANT_OK;
}

void decant__stemmer_free(decant__stemmer *stemmer) {
    sb_stemmer_delete(stemmer->snowball);
    decant__names_free(&stemmer->stop);
    *stemmer = (decant__stemmer){0};
}
