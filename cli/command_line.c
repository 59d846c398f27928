#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* ---- to a text ---- */

static char *add_quoted(char *end, const char *word) {
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

/* $'...' as in bash, ksh, zsh and POSIX 2024, for names with bytes that cannot be shown. */
static char *add_escaped(char *end, const char *word) {
    memcpy(end, "$'", 2);
    end += 2;
    for (; *word != '\0'; word++) {
        unsigned char byte = (unsigned char)*word;
        if (byte < 0x20 || byte >= 0x7F)
            end += snprintf(end, 5, "\\x%02x", byte);
        else if (byte == '\'' || byte == '\\')
            end += snprintf(end, 3, "\\%c", byte);
        else
            *end++ = *word;
    }
    *end++ = '\'';
    return end;
}

/* At most 4 bytes for each of the word's, and MAX_QUOTES. */
enum { MAX_QUOTES = 3 };

static char *add_word(char *end, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    size_t length = strlen(word);
    if (!is_visible(word)) return add_escaped(end, word);
    if (length == 0 || strspn(word, plain) != length) return add_quoted(end, word);
    memcpy(end, word, length);
    return end + length;
}

char *words_join(const char *const *words, size_t count) {
    size_t size = 1;
    for (size_t i = 0; i < count; i++) size += 4 * strlen(words[i]) + MAX_QUOTES + 1;
    char *text = malloc(size), *end = text;
    if (text == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) *end++ = ' ';
        end = add_word(end, words[i]);
    }
    *end = '\0';
    return text;
}

/* ---- from a text ---- */

static int hex_value(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a backslash escape. Returns a pointer to the text after it. */
static const char *read_escape(const char *from, char *byte) {
    if (from[1] == 'x' && hex_value(from[2]) >= 0 && hex_value(from[3]) >= 0) {
        *byte = (char)(16 * hex_value(from[2]) + hex_value(from[3]));
        return from + 4;
    }
    *byte = from[1];
    return from[1] != '\0' ? from + 2 : from + 1;
}

/* Reads '...' or $'...' into *to, without the quotes. Returns a pointer to the text after it; NULL:
 * the quote is not closed. */
static const char *read_quoted(const char *from, char **to) {
    int escapes = *from == '$';
    from += 1 + escapes;
    while (*from != '\'') {
        if (*from == '\0') return NULL;
        if (escapes && *from == '\\')
            from = read_escape(from, (*to)++);
        else
            *(*to)++ = *from++;
    }
    return from + 1;
}

/* Reads one word, in place. Returns a pointer to the next word. */
static char *read_word(char *text) {
    char *to = text;
    const char *from = text;
    while (from != NULL && *from != '\0' && *from != ' ') {
        if (*from == '\\')
            from = read_escape(from, to++);
        else if (*from == '\'' || strncmp(from, "$'", 2) == 0)
            from = read_quoted(from, &to);
        else
            *to++ = *from++;
    }
    if (from == NULL) return NULL;
    char *rest = text + (from - text) + (*from == ' ');
    *to = '\0';
    return rest;
}

int words_split(char *text, char **words, size_t capacity) {
    size_t count = 0;
    while (*text != '\0' && count < capacity) {
        words[count++] = text;
        text = read_word(text);
        if (text == NULL) return -1;
    }
    return (int)count;
}
