#include "data/reader.h"

#include <string.h>
#include <strings.h>

#include "data/number.h"

static int begins_with(const char *bytes, size_t count, const char *magic) {
    size_t length = strlen(magic);
    return count >= length && memcmp(bytes, magic, length) == 0;
}

/* Two zero bytes, a type, a number of dimensions. */
static int looks_like_idx(const char *bytes, size_t count) {
    return count >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 0x08 && bytes[2] <= 0x0E;
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
    if (begins_with(p, (size_t)(end - p), "qid:")) return 1;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p > digits && p < end && *p == ':';
}

/* The first line with more than a label decides; lines with only a number are no evidence. */
static int looks_like_svmlight(const char *bytes, size_t count) {
    const char *end = bytes + count;
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

static int looks_like_npy(const char *bytes, size_t count) {
    return begins_with(bytes, count, "\x93NUMPY");
}

static int looks_like_mtx(const char *bytes, size_t count) {
    return count >= 14 && strncasecmp(bytes, "%%MatrixMarket", 14) == 0;
}

int decant__reader_recognise(const char *bytes, size_t count) {
    return looks_like_idx(bytes, count) || looks_like_npy(bytes, count) ||
           looks_like_mtx(bytes, count) || looks_like_svmlight(bytes, count);
}

/* Files that people will try; better to call them by their name. */
static decant_status refuse(const char *path, const char *bytes, size_t count) {
    static const struct {
        const char *magic, *name;
    } known[] = {{"PK\003\004", "a zip archive (.npz, .xlsx)"},
                 {"\x89HDF", "an HDF5 file"},
                 {"PAR1", "a Parquet file"},
                 {"\x89PNG", "a PNG image"},
                 {"\xff\xd8\xff", "a JPEG image"},
                 {"\x80\x04", "a Python pickle"},
                 {"\xff\xfe", "UTF-16 text"},
                 {"\xfe\xff", "UTF-16 text"},
                 {"BZh", "a bzip2 file"},
                 {"\xfd"
                  "7zXZ",
                  "an xz file"},
                 {"\x28\xb5\x2f\xfd", "a zstd file"}};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known && name == NULL; i++)
        if (begins_with(bytes, count, known[i].magic)) name = known[i].name;
    if (name == NULL && memchr(bytes, 0, count) != NULL) name = "a binary file of an unknown kind";
    if (name == NULL) return DECANT_OK;
    return decant__fail(DECANT_EFORMAT,
                        "%s: expected IDX, NPY, CSV, svmlight or Matrix Market, plain or gzipped, "
                        "found %s",
                        path, name);
}

decant_status decant__reader_open(decant__input *input, const decant__reader_options *options,
                                  decant__reader **out) {
    const char *bytes;
    size_t count;
    decant_status status = decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count);
    if (status != DECANT_OK) return status;
    if (count == 0) return decant__fail(DECANT_EFORMAT, "%s: the file is empty", input->path);
    if (begins_with(bytes, count, "\xef\xbb\xbf")) { /* the UTF-8 byte order mark */
        decant__input_skip(input, 3);
        bytes += 3;
        count -= 3;
    }
    int npy = looks_like_npy(bytes, count), idx = looks_like_idx(bytes, count);
    int mtx = looks_like_mtx(bytes, count);
    if (!npy && !idx) status = refuse(input->path, bytes, count);
    if (status != DECANT_OK) return status;
    int svmlight = !npy && !idx && !mtx && looks_like_svmlight(bytes, count);
    if ((npy || idx || mtx || svmlight) &&
        (options->id_column != NULL || options->label_column != NULL))
        return decant__fail(DECANT_EINVAL, "%s: id and label columns are for CSV, this is %s",
                            input->path,
                            npy   ? "NPY"
                            : idx ? "IDX"
                            : mtx ? "Matrix Market"
                                  : "svmlight");
    if (npy) return decant__npy_open(input, out);
    if (idx) return decant__idx_open(input, out);
    if (mtx) return decant__mtx_open(input, out);
    if (svmlight) return decant__svmlight_open(input, options, out);
    return decant__csv_open(input, options, out);
}

void decant__reader_close(decant__reader *reader) {
    if (reader != NULL) reader->close(reader);
}

decant_status decant__check_shape(const char *path, uint64_t n, uint64_t d) {
    if (n == 0) return decant__fail(DECANT_EFORMAT, "%s: has no rows", path);
    if (d == 0) return decant__fail(DECANT_EFORMAT, "%s: has no columns", path);
    if (n > DECANT__MOST_ROWS)
        return decant__fail(DECANT_EFORMAT, "%s: has %llu rows, but at most %zu are possible", path,
                            (unsigned long long)n, DECANT__MOST_ROWS);
    if (d > DECANT__MOST_COLUMNS)
        return decant__fail(DECANT_EFORMAT, "%s: has more columns than the %zu that are possible",
                            path, DECANT__MOST_COLUMNS);
    return DECANT_OK;
}

decant__excerpt decant__quote(const char *text, size_t length) {
    decant__excerpt excerpt;
    const size_t most = sizeof excerpt.text - 6;
    size_t shown = length < most ? length : most, at = 0;
    excerpt.text[at++] = '"';
    for (size_t i = 0; i < shown; i++)
        excerpt.text[at++] = (unsigned char)text[i] < 0x20 ? '?' : text[i];
    memcpy(excerpt.text + at, shown < length ? "...\"" : "\"", shown < length ? 5 : 2);
    return excerpt;
}
