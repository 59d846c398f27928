/* Targets that read data: tables of numbers, texts, images, labels, folders. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decant/table.h"
#include "fuzz.h"

enum { STL10_IMAGE = 96 * 96 * 3 };

static decant_options raw_options(decant_feature_kind kind) {
    decant_options options = fuzz_fit_options(DECANT_METHOD_KMEANS);
    options.features = kind;
    options.resize_width = options.resize_height = 8;
    options.vocabulary = 50;
    return options;
}

static void read_with(const char *path, const char *id, const char *label) {
    decant_read_options reading = fuzz_read_options();
    reading.id_column = id;
    reading.label_column = label;
    fuzz_read_both(path, &reading);
}

/* By the recipe that the file itself gave, lines that are no rows left out: the same rows. */
static void read_by_recipe(const char *path) {
    decant_dataset *data = NULL;
    decant_read_options reading = fuzz_read_options();
    reading.skip_broken = 1;
    if (decant_dataset_read(&path, 1, &reading, NULL, &data) != DECANT_OK) return;
    reading.table = decant_dataset_table(data);
    if (reading.table != NULL) fuzz_read_both(path, &reading);
    decant_dataset_free(data);
}

/* Numbers in any format: the first bytes say which. */
void fuzz_table(const uint8_t *bytes, size_t size) {
    fuzz_write("table", bytes, size);
    read_with("table", NULL, NULL);
    read_with("table", "1", "2");
    read_with("table", NULL, "label");
    read_by_recipe("table");
    fuzz_describe("table");
}

void fuzz_column_of_texts(const uint8_t *bytes, size_t size) {
    decant_options options = raw_options(DECANT_FEATURES_AUTO);
    decant_read_options reading = fuzz_read_options();
    fuzz_write("texts.csv", bytes, size);
    reading.options = &options;
    reading.text_column = "2";
    fuzz_read_both("texts.csv", &reading);
    reading.label_column = "label";
    reading.id_column = "1";
    reading.text_column = "text";
    fuzz_read_both("texts.csv", &reading);
    reading.skip_broken = 1;
    fuzz_read_both("texts.csv", &reading);
}

/* Numbers, and a field of texts. */
void fuzz_json_lines(const uint8_t *bytes, size_t size) {
    decant_options options = raw_options(DECANT_FEATURES_AUTO);
    decant_read_options reading = fuzz_read_options();
    fuzz_table(bytes, size);
    reading.options = &options;
    reading.text_column = "text";
    fuzz_read_both("table", &reading);
}

/* Anything, from standard input. */
void fuzz_pipe(const uint8_t *bytes, size_t size) {
    decant_options options = raw_options(DECANT_FEATURES_AUTO);
    decant_read_options reading = fuzz_read_options();
    fuzz_write("table", bytes, size);
    reading.options = &options;
    fuzz_read_pipe("table", bytes, size, &reading);
    reading.text_column = "text";
    fuzz_read_pipe("table", bytes, size, &reading);
    reading.text_column = NULL;
    options.features = DECANT_FEATURES_TFIDF;
    fuzz_read_pipe("table", bytes, size, &reading);
}

/* Any bytes, under the names that an AnnData file and other files are asked for. */
void fuzz_hdf5(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"table", "table:X", "table:layers/twice", "table:nothing"};
    fuzz_write("table", bytes, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        read_with(names[i], NULL, NULL);
        read_with(names[i], "number", "kind");
    }
}

void fuzz_lines(const uint8_t *bytes, size_t size) {
    decant_options options = raw_options(DECANT_FEATURES_TFIDF);
    decant_read_options reading = fuzz_read_options();
    fuzz_write("lines.txt", bytes, size);
    reading.options = &options;
    fuzz_read_both("lines.txt", &reading);
    options.stop_words = !options.stop_words;
    snprintf(options.language, sizeof options.language, "none");
    fuzz_read_both("lines.txt", &reading);
}

/* LYRL2004 token files, with and without topics. */
static void read_tokens(const char *topics) {
    decant_options options = raw_options(DECANT_FEATURES_AUTO);
    decant_read_options reading = fuzz_read_options();
    reading.options = &options;
    fuzz_read_both("tokens.dat", &reading);
    reading.topics = topics;
    fuzz_read_both("tokens.dat", &reading);
}

void fuzz_tokens(const uint8_t *bytes, size_t size) {
    static const char topics[] = "CCAT 1 1\nMCAT 2 1\nCCAT 3 1\nC15 3 1\n";
    fuzz_write("tokens.dat", bytes, size);
    fuzz_write("topics.qrels", topics, sizeof topics - 1);
    read_tokens("topics.qrels");
}

void fuzz_topics(const uint8_t *bytes, size_t size) {
    static const char tokens[] =
        ".I 1\n.W\nshare bank\n\n.I 2\n.W\nsun rain\n\n.I 3\n.W\nbank rain\n";
    fuzz_write("tokens.dat", tokens, sizeof tokens - 1);
    fuzz_write("topics.qrels", bytes, size);
    read_tokens("topics.qrels");
}

/* A file of its own: PNG and JPEG are told apart by their bytes. */
void fuzz_image(const uint8_t *bytes, size_t size) {
    static const decant_feature_kind kinds[] = {DECANT_FEATURES_PIXELS,
                                                DECANT_FEATURES_HOG_COLORMAP};
    fuzz_write("image.png", bytes, size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        decant_options options = raw_options(kinds[i]);
        decant_read_options reading = fuzz_read_options();
        options.resize_width = options.resize_height = kinds[i] == DECANT_FEATURES_PIXELS ? 0 : 16;
        reading.options = &options;
        fuzz_read_both("image.png", &reading);
    }
}

/* A byte that says how many images, one that says how many labels, then both; what is missing of
 * the images is 0, so that an input need not have 27 648 bytes for each. */
void fuzz_stl10(const uint8_t *bytes, size_t size) {
    decant_options options = raw_options(DECANT_FEATURES_PIXELS);
    decant_read_options reading = fuzz_read_options();
    if (size < 2) return;
    size_t images = bytes[0] % 4, labels = bytes[1] % 5, extra = bytes[0] / 128;
    bytes += 2;
    size -= 2;
    if (labels > size) labels = size;
    fuzz_write("fuzz_y.bin", bytes, labels);
    size_t length = images * STL10_IMAGE + extra, given = size - labels;
    uint8_t *pixels = calloc(length + 1, 1);
    FUZZ_CHECK(pixels != NULL, "no memory for the images");
    memcpy(pixels, bytes + labels, given < length ? given : length);
    fuzz_write("fuzz_X.bin", pixels, length);
    free(pixels);
    reading.options = &options;
    fuzz_read_both("fuzz_X.bin", &reading);
}

static void read_labels(const char *column) {
    decant_dataset *labels = NULL;
    if (fuzz_succeeds(decant_labels_read("labels", column, NULL, &labels))) {
        fuzz_check_dataset(labels);
        FUZZ_CHECK(decant_dataset_labels(labels) != NULL, "labels were read, and are not there");
    }
    decant_dataset_free(labels);
}

/* Labels by themselves, and as those of a file with three rows. */
void fuzz_labels(const uint8_t *bytes, size_t size) {
    static const char rows[] = "1,2\n3,4\n5,6\n";
    const char *paths[] = {"labels"};
    fuzz_write("labels", bytes, size);
    fuzz_write("rows.csv", rows, sizeof rows - 1);
    read_labels(NULL);
    read_labels("2");
    read_labels("class");
    decant_read_options reading = fuzz_read_options();
    reading.label_paths = paths;
    reading.label_path_count = 1;
    fuzz_read_both("rows.csv", &reading);
}

/* ---- folders ---- */

static const char SEPARATOR[] = "\n=== ";

/* A file's name out of any bytes: at most one sub-folder, nothing outside. */
static void clean_name(const uint8_t *bytes, size_t size, char name[64]) {
    size_t length = size < 63 ? size : 63, slash = length;
    for (size_t i = 0; i < length; i++) {
        name[i] = bytes[i] == 0 ? '_' : (char)bytes[i];
        if (name[i] != '/') continue;
        if (slash < length || i == 0 || i + 1 == length || name[i - 1] == '.')
            name[i] = '_';
        else
            slash = i;
    }
    name[length] = '\0';
    if (length == 0 || strcmp(name, ".") == 0) strcpy(name, "a");
    if (strcmp(name, "..") == 0 || strstr(name, "/.") != NULL) strcpy(name, "b/c");
}

static void add_file(const uint8_t *bytes, size_t size) {
    char name[64], path[80];
    const uint8_t *newline = memchr(bytes, '\n', size);
    size_t length = newline != NULL ? (size_t)(newline - bytes) : size;
    clean_name(bytes, length, name);
    snprintf(path, sizeof path, "folder/%s", name);
    char *slash = strchr(path + 7, '/');
    if (slash != NULL) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && access(path, F_OK) != 0) return;
        *slash = '/';
    }
    struct stat about;
    if (stat(path, &about) == 0) return; /* a second one of that name */
    FILE *file = fopen(path, "wb");
    if (file == NULL) return; /* a file stands where a folder should be */
    if (newline != NULL) fwrite(newline + 1, 1, size - length - 1, file);
    fclose(file);
}

/* Files one after the other: a line with the name, the content, then "\n=== " and the next one. */
void fuzz_folder(const uint8_t *bytes, size_t size) {
    fuzz_remove("folder");
    FUZZ_CHECK(mkdir("folder", 0777) == 0, "the folder could not be made");
    const uint8_t *end = bytes + size, *start = bytes;
    for (const uint8_t *at = bytes; at < end; at++) {
        size_t width = sizeof SEPARATOR - 1;
        if ((size_t)(end - at) < width || memcmp(at, SEPARATOR, width) != 0) continue;
        add_file(start, (size_t)(at - start));
        start = at + width;
        at = start - 1;
    }
    add_file(start, (size_t)(end - start));
    decant_options options = raw_options(DECANT_FEATURES_AUTO);
    decant_read_options reading = fuzz_read_options();
    reading.options = &options;
    fuzz_names = 1;
    fuzz_read_both("folder", &reading);
    reading.folder_labels = 1;
    reading.skip_broken = 1;
    fuzz_read_both("folder", &reading);
    fuzz_describe("folder");
}
