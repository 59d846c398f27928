#include "message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

/* One character as it is shown: itself, or \xNN for each of its bytes. */
typedef struct glyph {
    char text[12];
    size_t taken; /* bytes of the source */
    int columns;
} glyph;

static int is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

size_t utf8_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                    : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                    : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                                  : 0;
    for (size_t i = 1; i < length; i++)
        if (!is_continuation(s[i])) return 0;
    int overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    int outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

/* U+0000 to U+001F, U+007F, and U+0080 to U+009F, which some terminals also obey. */
static int is_control(const unsigned char *s, size_t length) {
    if (length == 1) return s[0] < 0x20 || s[0] == 0x7F;
    return length == 2 && s[0] == 0xC2 && s[1] < 0xA0;
}

static glyph next_glyph(const char *text, int keep_lines) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = utf8_length(text);
    glyph g = {.taken = length > 0 ? length : 1, .columns = 1};
    int kept = keep_lines && (s[0] == '\n' || s[0] == '\t');
    if (kept || (length > 0 && !is_control(s, length))) {
        memcpy(g.text, text, length);
        return g;
    }
    g.columns = 0;
    for (size_t i = 0; i < g.taken; i++)
        g.columns +=
            snprintf(g.text + g.columns, sizeof g.text - (size_t)g.columns, "\\x%02x", s[i]);
    return g;
}

static void print_glyphs(FILE *file, const char *text, int keep_lines) {
    while (*text != '\0') {
        glyph g = next_glyph(text, keep_lines);
        fputs(g.text, file);
        text += g.taken;
    }
}

void print_visible(FILE *file, const char *text) { print_glyphs(file, text, 1); }

int name_width(const char *name) {
    int width = 0;
    while (*name != '\0') {
        glyph g = next_glyph(name, 0);
        width += g.columns;
        name += g.taken;
    }
    return width;
}

int is_visible(const char *name) {
    while (*name != '\0') {
        glyph g = next_glyph(name, 0);
        if (g.text[0] == '\\' && *name != '\\') return 0;
        name += g.taken;
    }
    return 1;
}

void print_name(FILE *file, const char *name, int width) {
    int blanks = abs(width) - name_width(name);
    if (width > 0 && blanks > 0) fprintf(file, "%*s", blanks, "");
    print_glyphs(file, name, 0);
    if (width < 0 && blanks > 0) fprintf(file, "%*s", blanks, "");
}

void print_path(const char *path) {
    if (isatty(STDOUT_FILENO))
        print_name(stdout, path, 0);
    else
        fputs(path, stdout);
}

static char kept[512]; /* the last complaint */

const char *last_complaint(void) { return kept; }

/* Without memory for the whole sentence, its beginning is shown. */
__attribute__((format(printf, 1, 0))) static void print_sentence(const char *format,
                                                                 va_list arguments) {
    char beginning[512];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(beginning, sizeof beginning, format, arguments);
    char *whole = length >= (int)sizeof beginning ? malloc((size_t)length + 1) : NULL;
    if (whole != NULL) vsnprintf(whole, (size_t)length + 1, format, again);
    va_end(again);
    print_glyphs(stderr, whole != NULL ? whole : beginning, 0);
    free(whole);
}

/* Does a complaint go to the terminal? It is kept in any case. */
__attribute__((format(printf, 1, 0))) static int keep_complaint(const char *format,
                                                                va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    vsnprintf(kept, sizeof kept, format, again);
    va_end(again);
    return is_leader();
}

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (keep_complaint(format, arguments)) {
        fputs("decant: ", stderr);
        print_sentence(format, arguments);
        fputc('\n', stderr);
    }
    va_end(arguments);
}

int complain_memory(void) {
    complain("memory ran out");
    return EXIT_FAILED;
}

int complain_status(decant_status status) {
    complain("%s", decant_last_error());
    return status == DECANT_ECANCELLED ? EXIT_INTERRUPTED : EXIT_FAILED;
}

int complain_usage(const char *topic, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (keep_complaint(format, arguments)) {
        fputs("decant: ", stderr);
        print_sentence(format, arguments);
        fprintf(stderr, " (see 'decant help%s%s')\n", topic ? " " : "", topic ? topic : "");
    }
    va_end(arguments);
    return EXIT_USAGE;
}

void inform(const char *format, ...) {
    va_list arguments;
    if (!is_leader()) return;
    va_start(arguments, format);
    print_sentence(format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
