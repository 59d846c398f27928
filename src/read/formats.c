#include "read/formats.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/zip.h"
#include "base/text.h"
#include "table/dialect.h"
#include "read/utf16.h"

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), width = strlen(end);
    return length >= width && strcmp(text + length - width, end) == 0;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

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

/* MATLAB 7.3 puts 512 bytes of its own before the HDF5 file. */
static int looks_like_matlab(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 10 && memcmp(bytes, "MATLAB 7.3", 10) == 0;
}

static int looks_like_tar(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 262 && memcmp(bytes + 257, "ustar", 5) == 0;
}

/* A RIFF file is WebP by its eighth byte; HEIF begins with the size of its first box. */
static int looks_like_other_image(const char *path, const char *bytes, size_t count) {
    (void)path;
    if (count < 12) return 0;
    return memcmp(bytes, "GIF8", 4) == 0 || memcmp(bytes, "II*\0", 4) == 0 ||
           memcmp(bytes, "MM\0*", 4) == 0 || memcmp(bytes + 8, "WEBP", 4) == 0 ||
           memcmp(bytes + 4, "ftyphei", 7) == 0 || memcmp(bytes + 4, "ftypavif", 8) == 0 ||
           (memcmp(bytes, "BM", 2) == 0 && memcmp(bytes + 6, "\0\0\0\0", 4) == 0);
}

/* Lines that end with CR alone, as old Macs and Excel's "CSV (Macintosh)" have them. */
static int has_old_lines(const char *path, const char *bytes, size_t count) {
    (void)path;
    const char *first = memchr(bytes, '\r', count);
    return first != NULL && first + 1 < bytes + count && memchr(bytes, '\n', count) == NULL;
}

/* The serialised objects of R, of saveRDS and save. */
static int looks_like_rds(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 6 &&
           (memcmp(bytes, "X\n\0\0\0\2", 6) == 0 || memcmp(bytes, "X\n\0\0\0\3", 6) == 0);
}

static int looks_like_rdata(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 5 && memcmp(bytes, "RDX", 3) == 0 && bytes[4] == '\n';
}

/* Its oldest versions begin with their number, the byte order and a 1. */
static int looks_like_stata(const char *path, const char *bytes, size_t count) {
    (void)path;
    if (count >= 11 && memcmp(bytes, "<stata_dta>", 11) == 0) return 1;
    return count >= 4 && bytes[0] >= 113 && bytes[0] <= 115 && (bytes[1] == 1 || bytes[1] == 2) &&
           bytes[2] == 1 && bytes[3] == 0;
}

static int looks_like_sas(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 32 && memcmp(bytes + 12, "\xc2\xea\x81\x60\xb3\x14\x11\xcf", 8) == 0;
}

/* ---- zip archives: the name of the first member tells ---- */

typedef struct member_name {
    const char *text;
    size_t length;
} member_name;

/* Length 0: no zip archive. */
static member_name first_member(const char *bytes, size_t count) {
    member_name name = {bytes, 0};
    if (count < 30 || memcmp(bytes, "PK\003\004", 4) != 0) return name;
    name.text = bytes + 30;
    name.length = (size_t)(unsigned char)bytes[26] | (size_t)(unsigned char)bytes[27] << 8;
    if (name.length > count - 30) name.length = count - 30;
    return name;
}

static int name_begins(member_name name, const char *begin) {
    return name.length >= strlen(begin) && memcmp(name.text, begin, strlen(begin)) == 0;
}

static int name_ends(member_name name, const char *end) {
    size_t width = strlen(end);
    return name.length >= width && memcmp(name.text + name.length - width, end, width) == 0;
}

static int looks_like_npz(const char *path, const char *bytes, size_t count) {
    (void)path;
    return name_ends(first_member(bytes, count), ".npy");
}

static int looks_like_office(const char *path, const char *bytes, size_t count) {
    member_name name = first_member(bytes, count);
    return name_begins(name, "[Content_Types]") || name_begins(name, "_rels/") ||
           name_begins(name, "xl/") || name_begins(name, "docProps/") ||
           (name_begins(name, "mimetype") && !ends_with(path, ".zip"));
}

static int looks_like_torch(const char *path, const char *bytes, size_t count) {
    (void)path;
    return name_ends(first_member(bytes, count), "/data.pkl");
}

/* ---- JSON ---- */

static const char *skip_all_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
    return p;
}

/* An object, "{" and then a key or its end; or a list of objects. */
static int looks_like_json(const char *path, const char *bytes, size_t count) {
    const char *end = bytes + count, *p = skip_all_blanks(bytes, end);
    (void)path;
    if (p < end && *p == '[') p = skip_all_blanks(p + 1, end);
    if (p == end || *p != '{') return 0;
    p = skip_all_blanks(p + 1, end);
    return p < end && (*p == '"' || *p == '}');
}

/* The first line is a whole object, unless it is longer than what is shown. */
static int looks_like_json_lines(const char *path, const char *bytes, size_t count) {
    const char *end = bytes + count, *begin = skip_all_blanks(bytes, end);
    if (begin == end || *begin != '{' || !looks_like_json(path, bytes, count)) return 0;
    const char *stop = memchr(begin, '\n', (size_t)(end - begin));
    if (stop == NULL) stop = end;
    if (stop == end && count >= DECANT__INPUT_PEEK - 3) return 1;
    while (stop > begin && (stop[-1] == '\r' || is_blank(stop[-1]))) stop--;
    return stop > begin && stop[-1] == '}';
}

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

static int looks_like_utf16(const char *path, const char *bytes, size_t count) {
    (void)path;
    return count >= 4 && count % 2 == 0 && decant__utf16_mark(bytes, count) != DECANT__UTF16_NONE;
}

/* A table even where a column is full of words; of prose with as many commas in each line only the
 * name can tell. */
static int looks_like_table(const char *path, const char *bytes, size_t count) {
    decant__dialect dialect;
    decant__likeness likeness;
    if (decant__dialect_find(bytes, count, count < DECANT__INPUT_PEEK, NULL, 0, &dialect,
                             &likeness) != DECANT_OK)
        return -1;
    if (likeness == DECANT__SURE_TABLE) return 1;
    int named = ends_with(path, ".csv") || ends_with(path, ".tsv") || ends_with(path, ".csv.gz") ||
                ends_with(path, ".tsv.gz") || ends_with(path, ".tab");
    return dialect.cells > 1 && (likeness == DECANT__MAYBE_TABLE || named) &&
           (named || !looks_like_prose(path, bytes, count));
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
/* advice: a command that converts it, FILE being its path; NULL: none is known. */
#define REFUSED(name, advice) {name, advice, NULL}, DECANT__KIND_OTHER
#define PANDAS(reader) \
    "python -c \"import pandas; pandas." reader "('FILE').to_csv('FILE.csv', index=False)\""
#define PICKLED "a Python pickle, which can run code of its author when it is read"
#define PICKLE                    \
    "python -c \"import pandas; " \
    "pandas.DataFrame(pandas.read_pickle('FILE')).to_csv('FILE.csv', index=False)\""

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
    {READ("NPZ", "a zip file that begins with *.npy", "numpy arrays; also scipy.sparse matrices"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_npz), decant__npz_open, NULL},
    {READ("HDF5", "the bytes 89 'HDF'", "one dataset, or the X of an AnnData file (.h5ad)"),
     DECANT__KIND_NUMBERS, MAGIC("\x89HDF\r\n\x1a\n"), decant__hdf5_open, NULL},
    {REFUSED("a sheet or document of an office program", PANDAS("read_excel")),
     LOOKS(looks_like_office), NULL, NULL},
    {REFUSED("a PyTorch file", "python -c \"import torch, numpy; "
     "numpy.save('FILE.npy', torch.load('FILE').numpy())\""), LOOKS(looks_like_torch), NULL, NULL},
    {READ("zip", "'PK' 3 4 at the beginning", "images or texts, as a folder; or one file of data"),
     DECANT__KIND_ZIP, MAGIC("PK\003\004"), NULL, NULL},
    {REFUSED("an empty zip archive", "zip -r FILE FOLDER"), MAGIC("PK\005\006"), NULL, NULL},
    {REFUSED("a Parquet file", PANDAS("read_parquet")), LOOKS(looks_like_parquet), NULL, NULL},
    {REFUSED("a Feather (Arrow) file", PANDAS("read_feather")), MAGIC("ARROW1\0"), NULL, NULL},
    {REFUSED("an ORC file", PANDAS("read_orc")), MAGIC("ORC\n"), NULL, NULL},
    {REFUSED("a MATLAB file", "python -c \"import scipy.io, numpy; "
     "numpy.save('FILE.npy', scipy.io.loadmat('FILE')['NAME'])\""),
     MAGIC("MATLAB 5.0 MAT-file"), NULL, NULL},
    {REFUSED("a MATLAB 7.3 file", "python -c \"import h5py, numpy; "
     "numpy.save('FILE.npy', h5py.File('FILE')['NAME'][()].T)\""),
     LOOKS(looks_like_matlab), NULL, NULL},
    {REFUSED("an SQLite database", "sqlite3 -header -csv FILE 'select * from NAME' > FILE.csv"),
     MAGIC("SQLite format 3\0"), NULL, NULL},
    {REFUSED("an old Excel sheet (.xls)", PANDAS("read_excel")),
     MAGIC("\xd0\xcf\x11\xe0\xa1\xb1"), NULL, NULL},
    {REFUSED("a Stata file", PANDAS("read_stata")), LOOKS(looks_like_stata), NULL, NULL},
    {REFUSED("an SPSS file", PANDAS("read_spss")), MAGIC("$FL2@(#)"), NULL, NULL},
    {REFUSED("a SAS file", PANDAS("read_sas")), LOOKS(looks_like_sas), NULL, NULL},
    {REFUSED("a file of R (saveRDS)",
     "Rscript -e \"write.csv(readRDS('FILE'), 'FILE.csv', row.names=FALSE)\""),
     LOOKS(looks_like_rds), NULL, NULL},
    {REFUSED("a file of R (save)",
     "Rscript -e \"write.csv(get(load('FILE')[1]), 'FILE.csv', row.names=FALSE)\""),
     LOOKS(looks_like_rdata), NULL, NULL},
    {REFUSED(PICKLED, PICKLE), MAGIC("\x80\x02"), NULL, NULL},
    {REFUSED(PICKLED, PICKLE), MAGIC("\x80\x03"), NULL, NULL},
    {REFUSED(PICKLED, PICKLE), MAGIC("\x80\x04"), NULL, NULL},
    {REFUSED(PICKLED, PICKLE), MAGIC("\x80\x05"), NULL, NULL},
    {REFUSED("a tar archive", "mkdir FILE.d && tar -xf FILE -C FILE.d"), LOOKS(looks_like_tar),
     NULL, NULL},
    {REFUSED("a 7z archive", "7z x -oFILE.d FILE"), MAGIC("7z\xbc\xaf\x27\x1c"), NULL, NULL},
    {REFUSED("a PDF document", "pdftotext FILE"), MAGIC("%PDF-"), NULL, NULL},
    {REFUSED("an image that is neither PNG nor JPEG", "convert FILE FILE.png"),
     LOOKS(looks_like_other_image), NULL, NULL},
    {READ("UTF-16 CSV", "the bytes FF FE or FE FF", "a table, as below, in UTF-16"),
     DECANT__KIND_TABLE, LOOKS(looks_like_utf16), NULL, NULL},
    {REFUSED("a binary file of an unknown kind", NULL), LOOKS(has_zero), NULL, NULL},
    {REFUSED("a text whose lines end with CR alone", "tr '\\r' '\\n' < FILE > FILE.csv"),
     LOOKS(has_old_lines), NULL, NULL},
    {READ("JSON lines", "a first line like '{\"a\": 1}'", "a table: each line is an object"),
     DECANT__KIND_TABLE, LOOKS(looks_like_json_lines), decant__json_lines_open, NULL},
    {REFUSED("JSON, but not one object on each line", "jq -c 'if type == \"array\" then .[] else . "
     "end' FILE > FILE.jsonl"), LOOKS(looks_like_json), NULL, NULL},
    {READ("svmlight", "a first row like '1 3:0.5'", "sparse rows with labels, also called libsvm"),
     DECANT__KIND_NUMBERS, LOOKS(looks_like_svmlight), decant__svmlight_open, NULL},
    {READ("CSV", "as many cells in each line", "a table: commas, semicolons, tabs, bars or blanks"),
     DECANT__KIND_TABLE, LOOKS(looks_like_table), decant__csv_open, NULL},
    {READ("text", "prose, or --features tfidf", "one document a line, or a folder of documents"),
     DECANT__KIND_LINES, LOOKS(looks_like_prose), NULL, NULL},
    {{"CSV", "anything else", NULL}, DECANT__KIND_TABLE, LOOKS(looks_like_anything),
     decant__csv_open, NULL},
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
        [DECANT__KIND_ZIP] = "a zip archive",
        [DECANT__KIND_TABLE] = "a table",
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
    for (const decant__file_format *format = table;; format++) { /* the last one matches anything */
        if (is_text && format->kind == DECANT__KIND_LINES) return format;
        if (is_text && format->kind == DECANT__KIND_TABLE) continue;
        int match = matches(format, path, bytes, count);
        if (match != 0) return match > 0 ? format : NULL;
    }
}

/* A zip archive with a single file that is no image is read as that file. */
static decant_status detect_in_zip(decant__input *input, int is_text,
                                   const decant__file_format **out) {
    decant_status status = DECANT_OK;
    decant__zip *zip = NULL;
    decant__input member = {0};
    const decant__file_format *format;
    const decant__zip_member *wanted = NULL;
    TRY(decant__zip_open(input, &zip));
    if (input->member != NULL) wanted = decant__zip_find(zip, input->member, "");
    if (input->member != NULL && wanted == NULL)
        TRY(decant__fail(DECANT_EFORMAT, "%s: holds no file %s", zip->path,
                         decant__quote(input->member, strlen(input->member)).text));
    if (wanted == NULL && zip->count > 1) goto done;
    TRY(decant__zip_input(zip, wanted != NULL ? wanted : zip->members, input->meter, &member));
    TRY(decant__format_detect(&member, is_text, &format));
    if (format->kind == DECANT__KIND_IMAGES || format->kind == DECANT__KIND_ZIP) goto done;
    decant__input_close(input);
    *input = member;
    member = (decant__input){0};
    *out = format;
done:
    decant__input_close(&member);
    decant__zip_close(zip);
    return status;
}

/* The reader of tables recodes UTF-16 itself; other text becomes UTF-8 here. */
static decant_status detect_utf16(decant__input *input, int is_text,
                                  const decant__file_format **out) {
    decant_status status = DECANT_OK;
    char *text = NULL;
    const char *bytes;
    size_t count, used;
    TRY(decant__input_peek(input, DECANT__INPUT_PEEK, &bytes, &count));
    decant__utf16 order = decant__utf16_mark(bytes, count);
    NEW_ARRAY(text, count / 2 * 3 + 3);
    size_t length =
        decant__utf16_recode(order, (const unsigned char *)bytes, count, 1, text, &used);
    const decant__file_format *format = decant__format_find(input->path, text, length, is_text);
    if (format == NULL) TRY(DECANT_ENOMEM);
    if (format->open == decant__csv_open)
        *out = decant__format_find(input->path, bytes, count, 0);
    else
        TRY(decant__utf16_translate(input, order));
    if (format->open != decant__csv_open) *out = format;
    if (format->open == decant__json_lines_open) TRY(decant__json_lines_translate(input));
done:
    decant__free(text);
    return status;
}

decant_status decant__format_recode(const decant__file_format *format, decant__input *input) {
    const char *bytes;
    size_t count;
    if (format->looks != looks_like_utf16) return DECANT_OK;
    decant_status status = decant__input_peek(input, 2, &bytes, &count);
    if (status != DECANT_OK) return status;
    return decant__utf16_translate(input, decant__utf16_mark(bytes, count));
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
    if (decant__utf16_mark(bytes, count) != DECANT__UTF16_NONE)
        return detect_utf16(input, is_text, out);
    *out = decant__format_find(input->path, bytes, count, is_text);
    if (*out == NULL) return DECANT_ENOMEM;
    if ((*out)->kind == DECANT__KIND_ZIP) return detect_in_zip(input, is_text, out);
    if ((*out)->open == decant__json_lines_open) return decant__json_lines_translate(input);
    return DECANT_OK;
}

/* ---- what cannot be read ---- */

/* Says what the file is and gives the command that converts it. */
static decant_status refuse(const decant__file_format *format, const char *path) {
    const char *advice = format->info.recognised;
    decant__text command = {0};
    if (advice == NULL)
        return decant__fail(DECANT_EFORMAT,
                            "%s: is %s; `decant help files` lists what is read: save the numbers "
                            "as CSV or NPY",
                            path, format->info.name);
    for (const char *next; (next = strstr(advice, "FILE")) != NULL; advice = next + 4) {
        decant__text_put(&command, advice, (size_t)(next - advice));
        decant__text_put(&command, path, strlen(path));
    }
    decant__text_put(&command, advice, strlen(advice) + 1);
    decant_status status = command.failed
                               ? DECANT_ENOMEM
                               : decant__fail(DECANT_EFORMAT, "%s: is %s; to convert it: %s", path,
                                              format->info.name, command.bytes);
    decant__text_free(&command);
    return status;
}

/* May ids and labels be columns? */
static int has_columns(const decant__file_format *format) {
    return format->open == decant__csv_open || format->open == decant__json_lines_open ||
           format->open == decant__hdf5_open;
}

decant_status decant__format_open(const decant__file_format *format, decant__input *input,
                                  const decant__reader_options *options, decant__reader **out) {
    const char *bytes;
    size_t count;
    decant_status status = decant__input_peek(input, 1, &bytes, &count);
    if (status != DECANT_OK) return status;
    if (count == 0) return decant__fail(DECANT_EFORMAT, "%s: the file is empty", input->path);
    if (format->kind == DECANT__KIND_OTHER) return refuse(format, input->path);
    if (format->open == NULL && options->labels_only) /* names of classes can look like prose */
        return decant__csv_open(input, options, out);
    if (format->open == NULL)
        return decant__fail(DECANT_EFORMAT, "%s: expected numbers, found %s", input->path,
                            format->info.name);
    if (!has_columns(format) && (options->id_column != NULL || options->label_column != NULL))
        return decant__fail(DECANT_EINVAL, "%s: id and label columns are for tables, this is %s",
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
