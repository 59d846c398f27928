#include "records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

int records_open(cli_records *records, const char *path) {
    *records = (cli_records){.path = path, .file = fopen(path, "rb")};
    if (records->file != NULL) return 0;
    complain("%s: cannot be opened: %s", path, strerror(errno));
    return EXIT_FAILED;
}

void records_close(cli_records *records) {
    if (records->file != NULL) fclose(records->file);
    free(records->text);
    *records = (cli_records){0};
}

static int put(cli_records *records, int c) {
    if (records->length + 2 > records->capacity) {
        size_t capacity = 2 * records->capacity + 256;
        char *grown = realloc(records->text, capacity);
        if (grown == NULL) {
            complain_memory();
            return -1;
        }
        records->text = grown;
        records->capacity = capacity;
    }
    records->text[records->length++] = (char)c;
    records->text[records->length] = '\0';
    return 0;
}

/* Quotes only count at the beginning of a cell; inside of them a line end belongs to the cell. */
static int read_record(cli_records *records) {
    int c, quoted = 0, fresh = 1;
    records->length = 0;
    while ((c = fgetc(records->file)) != EOF) {
        if (c == '\n' && !quoted) break;
        if (c == '"') quoted = quoted ? 0 : fresh || records->text[records->length - 1] == '"';
        fresh = !quoted && (c == ',' || c == ';' || c == '\t' || c == '|');
        if (put(records, c) != 0) return -1;
    }
    if (ferror(records->file)) {
        complain("%s: cannot be read", records->path);
        return -1;
    }
    if (records->length > 0 && records->text[records->length - 1] == '\r')
        records->text[--records->length] = '\0';
    return c != EOF || records->length > 0;
}

static int passed_over(cli_records *records) {
    char *text = records->text;
    if (records->length == 0 || text[0] == '#') return 1;
    if (strncmp(text, "sep=", 4) == 0 && records->length == 5) {
        records->delimiter = text[4];
        return 1;
    }
    return 0;
}

/* The one that occurs most often outside of quotes. */
static char find_delimiter(const char *text) {
    static const char marks[] = ",;\t|";
    size_t count[4] = {0}, best = 0;
    int quoted = 0;
    for (; *text != '\0'; text++) {
        if (*text == '"') quoted = !quoted;
        const char *found = quoted ? NULL : strchr(marks, *text);
        if (found != NULL) count[found - marks]++;
    }
    for (size_t i = 1; i < 4; i++)
        if (count[i] > count[best]) best = i;
    return marks[best];
}

int records_next(cli_records *records) {
    int first = ftell(records->file) == 0, found;
    do {
        found = read_record(records);
        if (found == 1 && first && strncmp(records->text, "\xef\xbb\xbf", 3) == 0) {
            memmove(records->text, records->text + 3, records->length - 2);
            records->length -= 3;
        }
        first = 0;
    } while (found == 1 && (records->length == 0 || (!records->plain && passed_over(records))));
    if (found == 1 && records->delimiter == '\0')
        records->delimiter = find_delimiter(records->text);
    return found;
}

char *record_cell(char **at, char delimiter) {
    char *from = *at, *to = *at, *begin = *at;
    if (from == NULL) return NULL;
    int quoted = *from == '"';
    if (quoted) from++;
    for (; *from != '\0'; from++) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                quoted = 0;
                continue;
            }
            from++;
        } else if (!quoted && *from == delimiter) {
            break;
        }
        *to++ = *from;
    }
    *at = *from == '\0' ? NULL : from + 1;
    *to = '\0';
    return begin;
}
