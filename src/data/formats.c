#include "data/formats.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), width = strlen(end);
    return length >= width && strcmp(text + length - width, end) == 0;
}

/* ---- formats without magic bytes of their own ---- */

/* Two zero bytes, a type, a number of dimensions. */
static int looks_like_idx(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 0x08 && bytes[2] <= 0x0E;
}

static int looks_like_mtx(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 14 && strncasecmp(bytes, "%%MatrixMarket", 14) == 0;
}

/* Bytes without a header: the name has to do. */
static int looks_like_stl10(const char *path, const char *bytes, size_t count) {
    (void)bytes, (void)count;
    return ends_with(path, "_X.bin");
}

static int looks_like_topics(const char *path, const char *bytes, size_t count) {
    (void)bytes, (void)count;
    return ends_with(path, ".qrels") || ends_with(path, ".qrels.gz");
}

static int has_zero(const char *path, const char *bytes, size_t count) {
    (void)path;
    return memchr(bytes, '\0', count) != NULL;
}

/* Its magic is four letters, which a table may begin with, too. */
static int looks_like_parquet(const char *path, const char *bytes, size_t count) {
    return count >= 4 && memcmp(bytes, "PAR1", 4) == 0 && has_zero(path, bytes, count);
}

/* So is its first half; the digit is the block size, the rest the first block's magic. */
static int looks_like_bzip2(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 10 && memcmp(bytes, "BZh", 3) == 0 && memcmp(bytes + 4, "1AY&SY", 6) == 0;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p)) p++;
    return p;
}

static const char *skip_token(const char *p, const char *end) {
    while (p < end && !is_blank(*p)) p++;
    return p;
}

/* Whether a token is "12:..." or "qid:...". */
static int is_pair(const char *p, const char *end) {
    if (end - p >= 4 && memcmp(p, "qid:", 4) == 0) return 1;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p > digits && p < end && *p == ':';
}

/* The first line with more than a label decides; lines with only a number are no evidence. */
static int looks_like_svmlight(const char *path, const char *bytes, size_t count) {
    const char *end = bytes + count;
    (void)path;
    for (const char *line = bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline != NULL ? newline : end;
        const char *label = skip_blanks(line, line_end);
        line = line_end + 1;
        if (label == line_end || *label == '#') continue;
        const char *label_end = skip_token(label, line_end);
        const char *pair = skip_blanks(label_end, line_end);
        if (pair < line_end && *pair != '#') return is_pair(pair, line_end);
        double value;
        if (!decant__number_is(label, (size_t)(label_end - label), &value)) return 0;
    }
    return 0;
}

/* Prose and not a table: mostly letters, and several words in a line. */
static int looks_like_prose(const char *path, const char *bytes, size_t count) {
    size_t letters = 0, marks = 0, words = 0, lines = 0;
    int inside = 0, begun = 0; /* a word; a line that is not empty */
    (void)path;
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        int letter = isalpha(c) || c >= 0x80, blank = isspace(c);
        letters += (size_t)letter;
        marks += !letter && !blank;
        words += letter && !inside;
        lines += !blank && !begun;
        begun = c != '\n' && (begun || !blank);
        inside = !blank && (inside || letter);
    }
    return letters > 2 * marks && words >= 3 * lines && lines > 0;
}

static int looks_like_anything(const char *path, const char *bytes, size_t count) {
    (void)path, (void)bytes, (void)count;
    return 1;
}

/* ---- the table ---- */

static const decant__codec png = {decant__png_size, decant__png_decode};
static const decant__codec jpeg = {decant__jpeg_size, decant__jpeg_decode};

#define MAGIC(bytes) bytes, sizeof(bytes) - 1, NULL
#define LOOKS(function) NULL, 0, function
#define READ(name, by, help) \
    { name, by, help }
#define REFUSED(name, advice) {name, advice, NULL}, DECANT__KIND_OTHER

/* Tried from top to bottom. A name without a header goes first, what any text could be last. */
/* clang-format off */
static const decant__file_format table[] = {
    {READ("STL-10", "the name *_X.bin", "images of 96 x 96 pixels; labels from *_y.bin beside it"),
     DECANT__KIND_STL10, LOOKS(looks_like_stl10), NULL, NULL},
    {READ("LYRL2004 topics", "the name *.qrels", "classes for LYRL2004 token files in its folder"),
     DECANT__KIND_TOPICS, LOOKS(looks_like_topics), NULL, NULL},
    {READ("NPY", "the bytes 93 'NUMPY'", "one numpy array; its first dimension counts rows"),
     DECANT__KIND_NUMBERS, MAGIC(DECANT__NPY_MAGIC), decant__npy_open, NULL},
    {READ("IDX", "two zero bytes, then 8 to 14", "as MNIST; also a folder of its four files"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_idx), decant__idx_open, NULL},
    {READ("Matrix Market", "'%%MatrixMarket'", "coordinate (sparse) or array (dense)"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_mtx), decant__mtx_open, NULL},
    {READ("PNG", "the bytes 89 'PNG'", "an image, usually one of a folder"),
     DECANT__KIND_IMAGES, MAGIC("\x89PNG"), NULL, &png},
    {READ("JPEG", "the bytes FF D8 FF", "an image; turned as its EXIF orientation says"),
     DECANT__KIND_IMAGES, MAGIC("\xff\xd8\xff"), NULL, &jpeg},
    {READ("LYRL2004 tokens", "'.I ' at the beginning", "documents as stems, as in RCV1-v2"),
     DECANT__KIND_TOKENS, MAGIC(".I "), NULL, NULL},
    {REFUSED("a zip archive (.npz, .xlsx)", "save one array with numpy.save, or the sheet as CSV"),
     MAGIC("PK\003\004"), NULL, NULL},
    {REFUSED("an HDF5 file", "save the array with numpy.save"), MAGIC("\x89HDF"), NULL, NULL},
    {REFUSED("a Parquet file", "save the table as CSV"), LOOKS(looks_like_parquet), NULL, NULL},
    {REFUSED("a Feather file", "save the table as CSV"), MAGIC("ARROW1\0"), NULL, NULL},
    {REFUSED("a MATLAB file", "save the array with numpy.save"),
     MAGIC("MATLAB 5.0 MAT-file"), NULL, NULL},
    {REFUSED("an SQLite database", "save the table as CSV"),
     MAGIC("SQLite format 3\0"), NULL, NULL},
    {REFUSED("an old Excel sheet (.xls)", "save it as CSV"),
     MAGIC("\xd0\xcf\x11\xe0\xa1\xb1"), NULL, NULL},
    {REFUSED("a Python pickle", "save the array with numpy.save"), MAGIC("\x80\x04"), NULL, NULL},
    {REFUSED("a Python pickle", "save the array with numpy.save"), MAGIC("\x80\x05"), NULL, NULL},
    {REFUSED("UTF-16 text", "save it as UTF-8"), MAGIC("\xff\xfe"), NULL, NULL},
    {REFUSED("UTF-16 text", "save it as UTF-8"), MAGIC("\xfe\xff"), NULL, NULL},
    {REFUSED("a bzip2 file", "unpack it first"), LOOKS(looks_like_bzip2), NULL, NULL},
    {REFUSED("an xz file", "unpack it first"), MAGIC("\xfd" "7zXZ"), NULL, NULL},
    {REFUSED("a zstd file", "unpack it first"), MAGIC("\x28\xb5\x2f\xfd"), NULL, NULL},
    {REFUSED("a binary file of an unknown kind", "save the numbers as CSV or NPY"),
     LOOKS(has_zero), NULL, NULL},
    {READ("svmlight", "a first row like '1 3:0.5'", "sparse rows with labels, also called libsvm"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_svmlight), decant__svmlight_open, NULL},
    {READ("text", "prose, or --features tfidf", "one document a line, or a folder of documents"),
     DECANT__KIND_LINES, LOOKS(looks_like_prose), NULL, NULL},
    {READ("CSV", "anything else", "rows of numbers between commas, semicolons or tabs"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_anything), decant__csv_open, NULL},
};
/* clang-format on */
enum { FORMATS = sizeof table / sizeof table[0] };

const char *decant__kind_name(decant__kind kind) {
    static const char *const names[DECANT__KINDS] = {
        [DECANT__KIND_OTHER] = "not a file of data",
        [DECANT__KIND_NUMBERS] = "files of numbers",
        [DECANT__KIND_IMAGES] = "images",
        [DECANT__KIND_STL10] = "images of STL-10",
        [DECANT__KIND_LINES] = "text, one document a line",
        [DECANT__KIND_TOKENS] = "LYRL2004 token files",
        [DECANT__KIND_TOPICS] = "topics of token files",
        [DECANT__KIND_FILES] = "a folder of texts",
        [DECANT__KIND_COLUMN] = "text, a column of a CSV file",
    };
    return names[kind];
}

/* ---- the public view: the formats that are read ---- */

size_t decant_format_count(void) {
    size_t count = 0;
    for (size_t i = 0; i < FORMATS; i++) count += table[i].info.help != NULL;
    return count;
}

const decant_format_info *decant_format_at(size_t index) {
    for (size_t i = 0; i < FORMATS; i++)
        if (table[i].info.help != NULL && index-- == 0) return &table[i].info;
    return NULL;
}

/* ---- detection ---- */

static int matches(const decant__file_format *format, const char *path, const char *bytes,
                   size_t count) {
    if (format->magic == NULL) return format->looks(path, bytes, count);
    return count >= format->magic_length && memcmp(bytes, format->magic, format->magic_length) == 0;
}

const decant__file_format *decant__format_find(const char *path, const char *bytes, size_t count,
                                               int is_text) {
    const decant__file_format *format = table;
    while (!matches(format, path, bytes, count) && !(is_text && format->kind == DECANT__KIND_LINES))
        format++; /* the last one matches anything */
    return format;
}

decant_status decant__format_detect(decant__input *input, int is_text,
                                    const decant__file_format **out) {
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
    const char *bytes;
    size_t count;
    decant_status status = decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count);
    if (status != DECANT_OK) return status;
    if (count >= 3 && memcmp(bytes, mark, 3) == 0) {
        decant__input_skip(input, 3);
        bytes += 3;
        count -= 3;
    }
    *out = decant__format_find(input->path, bytes, count, is_text);
    return DECANT_OK;
}

decant_status decant__format_open(const decant__file_format *format, decant__input *input,
                                  const decant__reader_options *options, decant__reader **out) {
    const char *bytes;
    size_t count;
    decant_status status = decant__input_peek(input, 1, &bytes, &count);
    if (status != DECANT_OK) return status;
    if (count == 0) return decant__fail(DECANT_EFORMAT, "%s: the file is empty", input->path);
    if (format->kind == DECANT__KIND_OTHER)
        return decant__fail(DECANT_EFORMAT,
                            "%s: expected IDX, NPY, CSV, svmlight or Matrix Market, plain or "
                            "gzipped, found %s: %s",
                            input->path, format->info.name, format->info.recognised);
    if (format->open == NULL && options->labels_only) /* names of classes can look like prose */
        return decant__csv_open(input, options, out);
    if (format->open == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: expected numbers, found %s", input->path,
                            format->info.name);
    if (format->open != decant__csv_open &&
        (options->id_column != NULL || options->label_column != NULL))
        return decant__fail(DECANT_EINVAL, "%s: id and label columns are for CSV, this is %s",
                            input->path, format->info.name);
    return format->open(input, options, out);
}

/* ---- what readers share ---- */

void decant__reader_close(decant__reader *reader) {
    if (reader != NULL) reader->close(reader);
}

decant_status decant__check_shape(const char *path, uint64_t n, uint64_t d) {
    if (n == 0) return decant__fail(DECANT_EFORMAT, "%s: has no rows", path);
    if (d == 0) return decant__fail(DECANT_EFORMAT, "%s: has no columns", path);
    if (n > DECANT__MAX_ROWS)
        return decant__fail(DECANT_EFORMAT, "%s: has %llu rows, but at most %zu are possible", path,
                            (unsigned long long)n, DECANT__MAX_ROWS);
    if (d > DECANT__MAX_COLUMNS)
        return decant__fail(DECANT_EFORMAT, "%s: has more columns than the %zu that are possible",
                            path, DECANT__MAX_COLUMNS);
    return DECANT_OK;
}

decant_status decant__too_many_columns(const char *path, size_t line, size_t found, size_t max) {
    if (line > 0)
        return decant__fail(DECANT_EFORMAT,
                            "%s: line %zu: the index %zu asks for more columns than the %zu that "
                            "the memory option allows for",
                            path, line, found, max);
    return decant__fail(DECANT_EFORMAT, "%s: has %zu columns, but the memory option allows for %zu",
                        path, found, max);
}

decant__excerpt decant__quote(const char *text, size_t length) {
    decant__excerpt excerpt;
    const size_t max = sizeof excerpt.text - 6;
    size_t shown = length < max ? length : max, at = 0;
    excerpt.text[at++] = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text[i];
        excerpt.text[at++] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    memcpy(excerpt.text + at, shown < length ? "...\"" : "\"", shown < length ? 5 : 2);
    return excerpt;
}
