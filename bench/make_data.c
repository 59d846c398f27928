/* Writes the rows that the benchmarks use:
 *
 *     make_data dense OUT.npy ROWS [MNIST]
 *     make_data words OUT.svm OUT.npy ROWS
 *     make_data groups OUT.npy ROWS
 *
 * Groups are ten round ones of 100 columns, for files that are larger than the memory.
 * Words are rows of 2000 columns of which 60 are not 0, the same ones sparse and dense. MNIST is a
 * folder with its two gzipped files of images: their 70 000 rows (pixels / 255), and from then on
 * the same again with noise. Without it, rows of the same shape are made up: strokes around ten
 * centres in a plane of 28 x 28, mostly zeros like those of handwriting. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    SIDE = 28,
    COLUMNS = SIDE * SIDE,
    IMAGES = 70000,
    STROKES = 5,
    CLASSES = 10,
    WORDS = 60,
    VOCABULARY = 2000,
    NARROW = 100
};

static uint64_t state = 1;

/* Uniform in [0, 1), the same on every machine. */
static float uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) / 16777216.0F;
}

static size_t read_images(const char *folder, const char *name, unsigned char *out, size_t room) {
    char path[4096];
    unsigned char header[16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    gzFile file = gzopen(path, "rb");
    if (file == NULL || gzread(file, header, 16) != 16) return 0;
    int got = gzread(file, out, (unsigned)room);
    gzclose(file);
    return got > 0 ? (size_t)got : 0;
}

static unsigned char *read_mnist(const char *folder) {
    size_t bytes = (size_t)IMAGES * COLUMNS, got;
    unsigned char *pixels = malloc(bytes);
    if (pixels == NULL) return NULL;
    got = read_images(folder, "train-images-idx3-ubyte.gz", pixels, bytes);
    got += read_images(folder, "t10k-images-idx3-ubyte.gz", pixels + got, bytes - got);
    if (got == bytes) return pixels;
    free(pixels);
    return NULL;
}

/* Noise falls on the ink only, so that the share of zeros stays. */
static void copy_image(const unsigned char *pixels, int noisy, float *row) {
    for (size_t j = 0; j < COLUMNS; j++) {
        float value = (float)pixels[j] / 255;
        if (noisy && value > 0) value = fminf(1, fmaxf(0, value + 0.2F * (uniform() - 0.5F)));
        row[j] = value;
    }
}

/* A class is a few strokes; a row has them a little moved. */
static void draw(size_t class, float *row) {
    uint64_t keep = state;
    float at[STROKES][4];
    state = 1000 + class;
    for (int s = 0; s < STROKES; s++)
        for (int c = 0; c < 4; c++) at[s][c] = 4 + 20 * uniform();
    state = keep;
    memset(row, 0, COLUMNS * sizeof *row);
    for (int s = 0; s < STROKES; s++) {
        float end[4];
        for (int c = 0; c < 4; c++) end[c] = at[s][c] + 3 * (uniform() - 0.5F);
        for (int t = 0; t <= 40; t++) {
            float along = (float)t / 40;
            int y = (int)(end[0] + along * (end[2] - end[0]));
            int x = (int)(end[1] + along * (end[3] - end[1]));
            for (int i = y; i < y + 2; i++)
                for (int j = x; j < x + 2; j++) row[i * SIDE + j] = 0.6F + 0.4F * uniform();
        }
    }
}

static int write_header(FILE *file, size_t rows, size_t columns) {
    char text[118];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }", rows, columns);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof text, 0};
    return fwrite(magic, sizeof magic, 1, file) == 1 && fwrite(text, sizeof text, 1, file) == 1;
}

static int write_dense(const char *path, size_t rows, const unsigned char *pixels) {
    float row[COLUMNS];
    FILE *file = fopen(path, "wb");
    int ok = file != NULL && write_header(file, rows, COLUMNS);
    for (size_t i = 0; ok && i < rows; i++) {
        if (pixels != NULL)
            copy_image(pixels + i % IMAGES * COLUMNS, i >= IMAGES, row);
        else
            draw(i % CLASSES, row);
        ok = fwrite(row, sizeof row, 1, file) == 1;
    }
    if (file != NULL && fclose(file) != 0) ok = 0;
    if (!ok) perror(path);
    return ok;
}

/* One word of each stripe of the vocabulary; a class prefers some of them. */
static int write_words(const char *sparse_path, const char *dense_path, size_t rows) {
    float row[VOCABULARY];
    FILE *sparse = fopen(sparse_path, "w"), *dense = fopen(dense_path, "wb");
    int ok = sparse != NULL && dense != NULL && write_header(dense, rows, VOCABULARY);
    for (size_t i = 0; ok && i < rows; i++) {
        memset(row, 0, sizeof row);
        fprintf(sparse, "%zu", i % CLASSES);
        for (size_t w = 0; w < WORDS; w++) {
            size_t from = w * VOCABULARY / WORDS, stripe = (w + 1) * VOCABULARY / WORDS - from;
            size_t place = from + (size_t)(uniform() * (float)stripe);
            if (uniform() < 0.5F) place = from + (i % CLASSES * 7 + w) % stripe;
            row[place] = 0.5F + uniform();
            fprintf(sparse, " %zu:%.9g", place + 1, (double)row[place]);
        }
        ok = fputc('\n', sparse) != EOF && fwrite(row, sizeof row, 1, dense) == 1;
    }
    if (sparse != NULL && fclose(sparse) != 0) ok = 0;
    if (dense != NULL && fclose(dense) != 0) ok = 0;
    if (!ok) perror(sparse_path);
    return ok;
}

/* Centres in the unit cube, and around them sums of three uniform numbers. */
static int write_groups(const char *path, size_t rows) {
    static float centre[CLASSES][NARROW];
    float row[NARROW];
    FILE *file = fopen(path, "wb");
    int ok = file != NULL && write_header(file, rows, NARROW);
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t j = 0; j < NARROW; j++) centre[c][j] = uniform();
    for (size_t i = 0; ok && i < rows; i++) {
        size_t class = (size_t)(uniform() * CLASSES);
        for (size_t j = 0; j < NARROW; j++) {
            row[j] = centre[class][j] + uniform() - 1.5F;
            row[j] += uniform();
            row[j] += uniform();
        }
        ok = fwrite(row, sizeof row, 1, file) == 1;
    }
    if (file != NULL && fclose(file) != 0) ok = 0;
    if (!ok) perror(path);
    return ok;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "words") == 0)
        return !write_words(argv[2], argv[3], (size_t)strtoull(argv[4], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "groups") == 0)
        return !write_groups(argv[2], (size_t)strtoull(argv[3], NULL, 10));
    if (argc < 4 || strcmp(argv[1], "dense") != 0) {
        fprintf(stderr,
                "usage: make_data dense OUT.npy ROWS [MNIST]\n"
                "       make_data words OUT.svm OUT.npy ROWS\n"
                "       make_data groups OUT.npy ROWS\n");
        return 2;
    }
    unsigned char *pixels = argc > 4 ? read_mnist(argv[4]) : NULL;
    if (argc > 4 && pixels == NULL) {
        fprintf(stderr, "make_data: %s does not have the images of MNIST\n", argv[4]);
        return 1;
    }
    int ok = write_dense(argv[2], (size_t)strtoull(argv[3], NULL, 10), pixels);
    free(pixels);
    return !ok;
}
