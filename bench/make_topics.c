/* Writes rows like those of REUTERS with known classes, in svmlight format:
 *
 *     make_topics OUT.svm ROWS [SEED]
 *
 * 2000 columns, four classes with the shares of RCV1-v2's single-root documents. Each class has six
 * topics of its own, and eight are everybody's; a topic is a random order of the words with Zipf's
 * frequencies. A document is half from one topic of its class, a fifth from a second one, the rest
 * from a common topic and from the language at large; about 60 of its words differ. Values are
 * 1 + ln(count), rows of length 1. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 2000, CLASSES = 4, OWN = 6, COMMON = 8, TOPICS = CLASSES * OWN + COMMON + 1 };
enum { MIN_TOKENS = 40, MORE_TOKENS = 50 };

static const double SHARE[CLASSES] = {0.4103, 0.2238, 0.2840, 0.0819};

static uint64_t state;

/* Uniform in [0, 1), the same on every machine. */
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static size_t below(size_t n) { return (size_t)(uniform() * (double)n); }

/* Cumulative frequencies of the ranks, and which word has which rank in each topic. */
static double cumulative[WORDS];
static uint16_t word_of[TOPICS][WORDS];

static void make_topics(void) {
    double sum = 0;
    for (size_t r = 0; r < WORDS; r++) cumulative[r] = sum += 1 / (double)(r + 8);
    for (size_t r = 0; r < WORDS; r++) cumulative[r] /= sum;
    for (size_t t = 0; t < TOPICS; t++) {
        for (size_t r = 0; r < WORDS; r++) word_of[t][r] = (uint16_t)r;
        for (size_t r = WORDS; r > 1; r--) {
            size_t other = below(r);
            uint16_t swap = word_of[t][r - 1];
            word_of[t][r - 1] = word_of[t][other];
            word_of[t][other] = swap;
        }
    }
}

static size_t draw_word(size_t topic) {
    double u = uniform();
    size_t low = 0, high = WORDS - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cumulative[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return word_of[topic][low];
}

static size_t draw_class(void) {
    double u = uniform();
    for (size_t c = 0; c + 1 < CLASSES; c++) {
        if (u < SHARE[c]) return c;
        u -= SHARE[c];
    }
    return CLASSES - 1;
}

static void write_document(FILE *file) {
    static unsigned count[WORDS];
    size_t class = draw_class(), first = class * OWN + below(OWN),
           second = class * OWN + below(OWN);
    size_t common = CLASSES * OWN + below(COMMON);
    size_t tokens = MIN_TOKENS + below(MORE_TOKENS);
    double square = 0;
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < tokens; i++) {
        double u = uniform();
        size_t topic = u < 0.5 ? first : u < 0.7 ? second : u < 0.85 ? common : TOPICS - 1;
        count[draw_word(topic)]++;
    }
    for (size_t w = 0; w < WORDS; w++)
        if (count[w] > 0) square += pow(1 + log(count[w]), 2);
    fprintf(file, "%zu", class);
    for (size_t w = 0; w < WORDS; w++)
        if (count[w] > 0) fprintf(file, " %zu:%.6g", w + 1, (1 + log(count[w])) / sqrt(square));
    fputc('\n', file);
}

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: make_topics OUT.svm ROWS [SEED]\n");
        return 2;
    }
    size_t rows = strtoul(argv[2], NULL, 10);
    state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    make_topics();
    for (size_t i = 0; i < rows; i++) write_document(file);
    if (fclose(file) == 0) return 0;
    perror(argv[1]);
    return 1;
}
