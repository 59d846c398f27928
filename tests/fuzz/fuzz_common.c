#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

void fuzz_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL, "%s could not be written", path);
    FUZZ_CHECK(size == 0 || fwrite(bytes, 1, size, file) == size, "%s: not written", path);
    FUZZ_CHECK(fclose(file) == 0, "%s could not be closed", path);
}

char *fuzz_read(const char *path, size_t *size) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL && fstat(fileno(file), &about) == 0, "%s could not be read", path);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    FUZZ_CHECK(bytes != NULL, "no memory for %s", path);
    FUZZ_CHECK(fread(bytes, 1, *size, file) == *size, "%s could not be read", path);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

void fuzz_remove(const char *path) {
    char name[PATH_MAX];
    if (remove(path) == 0) return;
    DIR *folder = opendir(path);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        fuzz_remove(name);
    }
    closedir(folder);
    rmdir(path);
}

/* ---- promises ---- */

int fuzz_names, fuzz_thorough;

int fuzz_succeeds(decant_status status) {
    if (status == DECANT_OK) return 1;
    const char *sentence = decant_last_error();
    FUZZ_CHECK((int)status > 0 && status <= DECANT_ECANCELLED, "status %d", (int)status);
    FUZZ_CHECK(sentence[0] != '\0', "status %d without a sentence", (int)status);
    return 0;
}

/* What a file holds is quoted in sentences, never copied as it is. */
static int succeeds_quoted(decant_status status) {
    if (fuzz_succeeds(status)) return 1;
    for (const char *c = decant_last_error(); *c != '\0'; c++)
        FUZZ_CHECK((unsigned char)*c >= 0x20 && *c != 0x7f, "a control character in: %s",
                   decant_last_error());
    return 0;
}

static void check_csr(const decant_dataset *data) {
    const size_t *start;
    const uint32_t *column;
    const float *value;
    size_t n = decant_dataset_rows(data), d = decant_dataset_columns(data);
    decant_dataset_csr(data, &start, &column, &value);
    FUZZ_CHECK(start != NULL && start[0] == 0, "rows do not begin at 0");
    FUZZ_CHECK(start[n] == decant_dataset_nonzeros(data), "another number of non-zeros");
    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(start[i] <= start[i + 1], "row %zu ends before it begins", i);
        for (size_t e = start[i]; e < start[i + 1]; e++) {
            FUZZ_CHECK(column[e] < d, "row %zu has column %u of %zu", i, column[e], d);
            FUZZ_CHECK(e == start[i] || column[e - 1] < column[e], "row %zu is not in order", i);
        }
    }
}

void fuzz_check_dataset(const decant_dataset *data) {
    const int32_t *labels = decant_dataset_labels(data);
    size_t n = decant_dataset_rows(data), classes = decant_dataset_class_count(data);
    FUZZ_CHECK(n > 0, "a dataset without rows");
    if (decant_dataset_is_sparse(data) && decant_dataset_columns(data) > 0) check_csr(data);
    for (size_t i = 0; labels != NULL && i < n; i++)
        FUZZ_CHECK(labels[i] >= 0 && (size_t)labels[i] < classes, "row %zu has class %d of %zu", i,
                   (int)labels[i], classes);
    for (size_t c = 0; labels != NULL && c < classes; c++)
        FUZZ_CHECK(decant_dataset_class_name(data, c) != NULL, "class %zu has no name", c);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK((decant_dataset_id(data, i) == NULL) == (decant_dataset_id(data, 0) == NULL),
                   "row %zu has an id and the first has not, or the reverse", i);
}

static int same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void compare_values(const decant_dataset *whole, size_t row, const decant_dataset *block,
                           size_t i) {
    size_t d = decant_dataset_columns(block);
    if (!decant_dataset_is_sparse(whole)) {
        FUZZ_CHECK(memcmp(decant_dataset_dense(whole) + row * d,
                          decant_dataset_dense(block) + i * d, d * sizeof(float)) == 0,
                   "row %zu differs between reading at once and by blocks", row);
        return;
    }
    const size_t *start, *block_start;
    const uint32_t *column, *block_column;
    const float *value, *block_value;
    decant_dataset_csr(whole, &start, &column, &value);
    decant_dataset_csr(block, &block_start, &block_column, &block_value);
    size_t count = start[row + 1] - start[row];
    FUZZ_CHECK(block_start[i + 1] - block_start[i] == count, "row %zu has another length", row);
    if (count == 0) return;
    FUZZ_CHECK(memcmp(value + start[row], block_value + block_start[i], count * sizeof *value) == 0,
               "row %zu has other values", row);
    FUZZ_CHECK(
        memcmp(column + start[row], block_column + block_start[i], count * sizeof *column) == 0,
        "row %zu has other columns", row);
}

static void compare_block(const decant_dataset *whole, size_t from, const decant_dataset *block) {
    size_t n = decant_dataset_rows(block);
    const int32_t *labels = decant_dataset_labels(whole), *own = decant_dataset_labels(block);
    fuzz_check_dataset(block);
    FUZZ_CHECK(from + n <= decant_dataset_rows(whole), "blocks have more rows than the whole");
    FUZZ_CHECK(decant_dataset_is_sparse(block) == decant_dataset_is_sparse(whole), "sparse or not");
    FUZZ_CHECK((labels == NULL) == (own == NULL), "labels in one only");
    if (!decant_dataset_is_sparse(whole))
        FUZZ_CHECK(decant_dataset_columns(block) == decant_dataset_columns(whole),
                   "%zu columns in a block, %zu in the whole", decant_dataset_columns(block),
                   decant_dataset_columns(whole));
    for (size_t i = 0; i < n; i++) {
        compare_values(whole, from + i, block, i);
        FUZZ_CHECK(same_text(decant_dataset_id(whole, from + i), decant_dataset_id(block, i)),
                   "row %zu has another id", from + i);
        if (labels != NULL)
            FUZZ_CHECK(same_text(decant_dataset_class_name(whole, (size_t)labels[from + i]),
                                 decant_dataset_class_name(block, (size_t)own[i])),
                       "row %zu is of another class", from + i);
    }
}

/* whole NULL: reading at once failed. */
static void read_blocks(const char *path, const decant_read_options *options,
                        const decant_dataset *whole) {
    decant_stream *stream = NULL;
    decant_dataset *block = NULL;
    size_t rows = 0;
    int good = fuzz_succeeds(decant_stream_open(&path, 1, options, NULL, &stream));
    while (good) {
        good = fuzz_succeeds(decant_stream_next(stream, 2, &block));
        if (!good || block == NULL) break;
        if (whole != NULL) compare_block(whole, rows, block);
        rows += decant_dataset_rows(block);
        decant_dataset_free(block);
        block = NULL;
    }
    decant_stream_close(stream);
    FUZZ_CHECK(good || whole == NULL, "%s: fails by blocks only: %s", path, decant_last_error());
    FUZZ_CHECK(!good || whole == NULL || rows == decant_dataset_rows(whole),
               "%s: %zu rows by blocks, %zu at once", path, rows, decant_dataset_rows(whole));
}

/* Of a sparse file a block cannot know how many columns there are, nor whether an index 0 comes
 * later: a model tells it. */
static void tell_sparse(const char *path, const decant_dataset *whole, decant_read_options *known) {
    decant_dataset *from_1 = NULL;
    decant_read_options wanted = *known;
    wanted.index_base = DECANT_INDEX_FROM_1;
    if (!fuzz_succeeds(fuzz_dataset_read(path, &wanted, &from_1)))
        known->index_base = DECANT_INDEX_FROM_0;
    decant_dataset_free(from_1);
    known->columns = decant_dataset_columns(whole);
}

void fuzz_read_both(const char *path, const decant_read_options *options) {
    decant_dataset *whole = NULL;
    decant_status status = fuzz_dataset_read(path, options, &whole);
    if (fuzz_names ? fuzz_succeeds(status) : succeeds_quoted(status)) {
        fuzz_check_dataset(whole);
        FUZZ_CHECK(decant_dataset_columns(whole) > 0, "a dataset without columns");
    } else {
        FUZZ_CHECK(whole == NULL, "an output was set in spite of: %s", decant_last_error());
    }
    decant_read_options known = *options;
    if (whole != NULL && decant_dataset_is_sparse(whole) && decant_dataset_features(whole) == NULL)
        tell_sparse(path, whole, &known);
    read_blocks(path, &known, whole);
    decant_dataset_free(whole);
}

/* What a pipe can hold before it is read; -1 where /dev/fd or pipes are not to be had. */
static int full_pipe(const void *bytes, size_t size) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    ssize_t written = write(ends[1], bytes, size);
    close(ends[1]);
    if (written == (ssize_t)size) return ends[0];
    close(ends[0]);
    return -1;
}

void fuzz_read_pipe(const char *path, const void *bytes, size_t size,
                    const decant_read_options *options) {
    enum { ROOM = 1 << 15 };
    decant_dataset *whole = NULL, *piped = NULL;
    char name[40];
    int end = size <= ROOM ? full_pipe(bytes, size) : -1;
    if (end < 0) return;
    snprintf(name, sizeof name, "/dev/fd/%d", end);
    int good = fuzz_succeeds(fuzz_dataset_read(path, options, &whole));
    int same = fuzz_succeeds(fuzz_dataset_read(name, options, &piped));
    FUZZ_CHECK(
        same == good || (good && strstr(decant_last_error(), "cannot come from a pipe") != NULL),
        "%s from a pipe only: %s", good ? "it fails" : "it is read", decant_last_error());
    if (whole != NULL && piped != NULL) {
        FUZZ_CHECK(decant_dataset_rows(whole) == decant_dataset_rows(piped),
                   "%zu rows, %zu from a pipe", decant_dataset_rows(whole),
                   decant_dataset_rows(piped));
        FUZZ_CHECK(decant_dataset_columns(whole) == decant_dataset_columns(piped),
                   "%zu columns, %zu from a pipe", decant_dataset_columns(whole),
                   decant_dataset_columns(piped));
        compare_block(whole, 0, piped);
    }
    decant_dataset_free(whole);
    decant_dataset_free(piped);
    close(end);
}

void fuzz_describe(const char *path) {
    for (int json = 0; json < 2; json++) {
        char *text = NULL;
        if (fuzz_succeeds(decant_describe(path, NULL, json, NULL, &text)))
            FUZZ_CHECK(text != NULL && text[0] != '\0', "%s: an empty description", path);
        decant_text_free(text);
    }
}

/* ---- calls ---- */

decant_read_options fuzz_read_options(void) {
    decant_read_options options;
    decant_read_options_init(&options, sizeof options);
    return options;
}

decant_monitor fuzz_monitor(void) {
    decant_monitor monitor;
    decant_monitor_init(&monitor, sizeof monitor);
    return monitor;
}

decant_status fuzz_dataset_read(const char *path, const decant_read_options *options,
                                decant_dataset **out) {
    return decant_dataset_read(&path, 1, options, NULL, out);
}

const decant_dataset *fuzz_rows(void) {
    enum { N = 12, D = 3 };
    static float x[N * D];
    static decant_dataset *data;
    if (data != NULL) return data;
    for (size_t i = 0; i < N * D; i++)
        x[i] = (float)(i / D % 2 * 4 + (i * i + 3 * i) % 7) + 0.25F * (float)(i % 5);
    FUZZ_CHECK(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data) == DECANT_OK, "%s",
               decant_last_error());
    return data;
}

decant_options fuzz_fit_options(decant_method method) {
    decant_options o;
    decant_options_init(&o, sizeof o);
    o.method = method;
    o.k = 2;
    o.layer_count = 2;
    o.layers[0] = 4;
    o.layers[1] = 2;
    o.batch = 6;
    o.greedy_iterations = 2;
    o.finetune_iterations = 6;
    o.restarts = 2;
    o.neighbours = 3;
    o.smooth_steps = 1;
    o.update_interval = 2;
    o.max_iterations = 6;
    o.threads = 1;
    return o;
}

/* ---- dictionaries ---- */

void fuzz_print_word(FILE *file, const char *word) {
    fputc('"', file);
    for (const char *c = word; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\')
            fprintf(file, "\\x%02x", byte);
        else
            fputc(byte, file);
    }
    fputs("\"\n", file);
}

void fuzz_print_dictionary(FILE *file, const fuzz_target *target) {
    char word[64];
    const char *at = target->words;
    while (at != NULL && *(at += strspn(at, " ")) != '\0') {
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        fuzz_print_word(file, word);
        at += length;
    }
    if (target->print_words != NULL) target->print_words(file);
}
