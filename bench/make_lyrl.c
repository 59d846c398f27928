/* A corpus in the format of RCV1-v2 (LYRL2004) and of its size, to time the way from files to
 * labels: make_lyrl FOLDER [DOCUMENTS]
 *
 * 804 414 documents unless told otherwise, in the five token files of the original, and the topics.
 * Stems follow Zipf's law; about 75 different ones are in a document. Each document has one of the
 * four roots, and one in seven has a second one and is to be left out. A third of a document's
 * words come from its root's own part of the vocabulary, the rest from all of it. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STEMS = 47236, FILES = 5, ROOTS = 4, SLOTS = 1 << 20, MEAN_WORDS = 90 };

static const char *const roots[ROOTS] = {"CCAT", "GCAT", "MCAT", "ECAT"};
static const double root_share[ROOTS] = {0.42, 0.25, 0.25, 0.08};
static const double file_share[FILES] = {199328, 199339, 199576, 183022, 23149};
static const char *const file_names[FILES] = {
    "lyrl2004_tokens_test_pt0.dat", "lyrl2004_tokens_test_pt1.dat", "lyrl2004_tokens_test_pt2.dat",
    "lyrl2004_tokens_test_pt3.dat", "lyrl2004_tokens_train.dat"};

/* xorshift64*: fast, and good enough for words. */
static uint64_t state = 88172645463325252u;
static double uniform(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)((state * 2685821657736338717u) >> 11) * 0x1p-53;
}

static char words[STEMS][12];
static uint32_t slot[SLOTS]; /* a random slot holds a stem with its Zipf probability */

static void make_words(void) {
    double total = 0, sum = 0;
    for (int i = 0; i < STEMS; i++) {
        static const char vowels[] = "aeiou", others[] = "bcdfghklmnprstvw";
        int n = i * 7919 % STEMS, at = 0; /* the alphabet shall not be the order of frequency */
        for (int part = 0; part < 4; part++, n /= 17) {
            words[i][at++] = others[(n + part) % 16];
            words[i][at++] = vowels[n / 16 % 5];
        }
        snprintf(words[i] + at, sizeof words[i] - (size_t)at, "%c%c", 'a' + i % 26,
                 'a' + i / 26 % 26);
        total += pow(20.0 + i, -1.3);
    }
    for (int i = 0, s = 0; i < STEMS; i++) {
        sum += pow(20.0 + i, -1.3) / total;
        while (s < SLOTS && (double)s < sum * SLOTS) slot[s++] = (uint32_t)i;
    }
}

/* A root's own stems are those whose number leaves its own rest. */
static uint32_t draw(int root) {
    uint32_t stem = slot[(size_t)(uniform() * SLOTS)];
    if (uniform() < 0.34) stem = stem - stem % ROOTS + (uint32_t)root;
    return stem < STEMS ? stem : STEMS - 1;
}

static int draw_root(void) {
    double u = uniform();
    for (int r = 0; r < ROOTS - 1; r++)
        if ((u -= root_share[r]) < 0) return r;
    return ROOTS - 1;
}

static void write_document(FILE *tokens, FILE *topics, unsigned number) {
    int root = draw_root(), count = (int)(MEAN_WORDS * (0.3 + 1.4 * uniform()));
    fprintf(topics, "%s %u 1\n%c11 %u 1\n", roots[root], number, roots[root][0], number);
    if (uniform() < 0.148) fprintf(topics, "%s %u 1\n", roots[(root + 1) % ROOTS], number);
    fprintf(tokens, ".I %u\n.W\n", number);
    for (int w = 0; w < count; w++) {
        fputs(words[draw(root)], tokens);
        putc(w % 12 == 11 || w == count - 1 ? '\n' : ' ', tokens);
    }
    putc('\n', tokens);
}

static FILE *open_in(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) fprintf(stderr, "make_lyrl: %s: %s\n", path, strerror(errno));
    return file;
}

int main(int argc, char **argv) {
    double documents = argc > 2 ? strtod(argv[2], NULL) : 804414;
    if (argc < 2 || !(documents >= 1 && documents <= 1e8)) {
        fprintf(stderr, "usage: make_lyrl FOLDER [DOCUMENTS]\n");
        return 2;
    }
    mkdir(argv[1], 0777);
    FILE *topics = open_in(argv[1], "rcv1-v2.topics.qrels");
    unsigned number = 2286; /* where the original begins */
    make_words();
    for (int f = 0; f < FILES && topics != NULL; f++) {
        FILE *tokens = open_in(argv[1], file_names[f]);
        if (tokens == NULL) return 1;
        long count = lround(documents * file_share[f] / 804414);
        for (long i = 0; i < count; i++) write_document(tokens, topics, number++);
        if (fclose(tokens) != 0) return 1;
    }
    return topics == NULL || fclose(topics) != 0;
}
