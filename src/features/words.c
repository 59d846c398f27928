#include "features/words.h"

#include <string.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "features/markup.h"

/* One code point decomposes into at most 4 (canonically), and has at least one byte. */
enum { MAX_DECOMPOSED = 4 };

/* The lower case of an ASCII word character; 0 for all other bytes. */
static char ascii_word(unsigned char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c + ('a' - 'A'));
    int is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    return is_word ? (char)c : 0;
}

static int is_word(utf8proc_int32_t point) {
    switch (utf8proc_category(point)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_NO:
            return 1;
        default:
            return 0;
    }
}

static utf8proc_ssize_t decode(const char *at, const char *end, utf8proc_int32_t *point) {
    return utf8proc_iterate((const utf8proc_uint8_t *)at, end - at, point);
}

decant_status decant__words_begin(decant__words *words, const char *text, size_t length) {
    words->at = text;
    words->end = text + length;
    for (const char *at = text; at < words->end;) {
        utf8proc_int32_t point;
        if ((unsigned char)*at < 0x80) {
            at++;
            continue;
        }
        utf8proc_ssize_t size = decode(at, words->end, &point);
        if (size <= 0)
            return decant__fail(DECANT_EFORMAT,
                                "expected UTF-8 text, found the byte 0x%02X at place %zu "
                                "(iconv makes UTF-8 of other encodings)",
                                (unsigned)(unsigned char)*at, (size_t)(at - text) + 1);
        at += size;
    }
    return DECANT_OK;
}

static decant_status grow_word(decant__words *words, size_t size) {
    if (size <= words->capacity) return DECANT_OK;
    char *grown = decant__realloc_array(words->word, 2 * size, 1);
    if (grown == NULL) return DECANT_ENOMEM;
    words->word = grown;
    words->capacity = 2 * size;
    return DECANT_OK;
}

static decant_status make_points(decant__words *words, size_t count) {
    if (count <= words->point_capacity) return DECANT_OK;
    int32_t *grown = decant__realloc_array(words->points, count, sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    words->points = grown;
    words->point_capacity = count;
    return DECANT_OK;
}

/* Unicode's canonical order: runs of marks ascend in their combining class. Returns count. */
static utf8proc_ssize_t order_marks(int32_t *points, utf8proc_ssize_t count) {
    for (utf8proc_ssize_t i = 1; i < count; i++) {
        int32_t point = points[i];
        int class = utf8proc_get_property(point)->combining_class;
        utf8proc_ssize_t at = i;
        while (class > 0 && at > 0 &&
               utf8proc_get_property(points[at - 1])->combining_class > class) {
            points[at] = points[at - 1];
            at--;
        }
        points[at] = point;
    }
    return count;
}

/* How long the word is that begins here: bytes, and code points. */
typedef struct extent {
    size_t bytes, points;
    int plain; /* nothing but ASCII */
} extent;

static extent next_character(const char *begin, const char *end) {
    extent word = {.plain = 1};
    const char *at = begin;
    while (at < end) {
        utf8proc_int32_t point;
        utf8proc_ssize_t size = 1;
        if ((unsigned char)*at < 0x80) {
            if (!ascii_word((unsigned char)*at)) break;
        } else {
            size = decode(at, end, &point);
            if (!is_word(point)) break;
            word.plain = 0;
        }
        at += size;
        word.points++;
    }
    word.bytes = (size_t)(at - begin);
    return word;
}

/* Lower case, then the composed form: both by code points, in the space behind the word. */
static decant_status take_unicode(decant__words *words, const char *begin, size_t bytes) {
    const utf8proc_option_t composed = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    const char *end = begin + bytes;
    utf8proc_ssize_t count = 0;
    size_t max = MAX_DECOMPOSED * bytes;
    decant_status status = make_points(words, max);
    if (status == DECANT_OK) status = grow_word(words, 4 * max);
    if (status != DECANT_OK) return status;
    while (begin < end) {
        utf8proc_int32_t point;
        int last_class = 0;
        begin += decode(begin, end, &point);
        count += utf8proc_decompose_char(utf8proc_tolower(point), words->points + count,
                                         (utf8proc_ssize_t)max - count, composed, &last_class);
    }
    count = utf8proc_normalize_utf32(words->points, order_marks(words->points, count), composed);
    words->length = 0;
    for (utf8proc_ssize_t i = 0; i < count; i++)
        words->length += (size_t)utf8proc_encode_char(
            words->points[i], (utf8proc_uint8_t *)words->word + words->length);
    return DECANT_OK;
}

static decant_status take_plain(decant__words *words, const char *begin, size_t bytes) {
    decant_status status = grow_word(words, bytes);
    if (status != DECANT_OK) return status;
    for (size_t i = 0; i < bytes; i++) words->word[i] = ascii_word((unsigned char)begin[i]);
    words->length = bytes;
    return DECANT_OK;
}

decant_status decant__words_next(decant__words *words, int *found) {
    *found = 0;
    while (words->at < words->end) {
        const char *begin = words->at;
        size_t markup = decant__markup(begin, words->end);
        if (markup > 0) {
            words->at += markup;
            continue;
        }
        extent word = next_character(begin, words->end);
        words->at += word.bytes;
        if (word.points >= 2) {
            *found = 1;
            return word.plain ? take_plain(words, begin, word.bytes)
                              : take_unicode(words, begin, word.bytes);
        }
        if (word.bytes > 0 || words->at == words->end) continue;
        utf8proc_int32_t point; /* not a word character: skip it */
        words->at += (unsigned char)*words->at < 0x80 ? 1 : decode(words->at, words->end, &point);
    }
    return DECANT_OK;
}

void decant__words_free(decant__words *words) {
    decant__free(words->word);
    decant__free(words->points);
    *words = (decant__words){0};
}
