/* Shared by the fuzz targets. A target takes any bytes as the content of one input of decant (a
 * data file, a model, a line of options, ...), passes it to the library, and checks properties that
 * hold for every input. libFuzzer generates the bytes; tests take them from the corpus.
 * docs/testing.md says how to run them. */
#ifndef DECANT_FUZZ_H
#define DECANT_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "decant/decant.h"
#include "decant/report.h"

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *bytes, size_t size);
    void (*setup)(void);             /* once, before the first run; NULL: nothing to do */
    const char *words;               /* for the dictionary, separated by blanks; may be NULL */
    void (*print_words)(FILE *file); /* words that only the library knows; NULL: none */
} fuzz_target;

extern const fuzz_target fuzz_targets[]; /* ends with a target without a name */
const fuzz_target *fuzz_find(const char *name);

/* Makes the scratch folder the current one, and sets the target up. */
void fuzz_start(const fuzz_target *target);

/* One word of a dictionary in libFuzzer's syntax. */
void fuzz_print_word(FILE *file, const char *word);
void fuzz_print_dictionary(FILE *file, const fuzz_target *target);

/* A broken promise ends the process, with the reason. */
#define FUZZ_CHECK(condition, ...)                                          \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fputc('\n', stderr);                                            \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* ---- files of the scratch folder, which is the current one ---- */

void fuzz_write(const char *path, const void *bytes, size_t size);
char *fuzz_read(const char *path, size_t *size); /* with a final 0; the caller frees it */
void fuzz_remove(const char *path);              /* a file, or a folder and all that is in it */

/* ---- promises ---- */

/* 1: all of it, also what takes long. */
extern int fuzz_thorough;

/* 1: the input has names of files, which sentences tell as they are. */
extern int fuzz_names;

/* Returns whether it succeeded; a failure must have its sentence. */
int fuzz_succeeds(decant_status status);

/* What must hold for every dataset. */
void fuzz_check_dataset(const decant_dataset *data);

/* Reads the file or folder at once and by blocks, which must agree. */
void fuzz_read_both(const char *path, const decant_read_options *options);

/* Reads the file, and the same bytes from a pipe as standard input is one: the same rows, or both
 * fail; but an image from a pipe is refused. */
void fuzz_read_pipe(const char *path, const void *bytes, size_t size,
                    const decant_read_options *options);

/* decant_describe, as text and as JSON. */
void fuzz_describe(const char *path);

/* ---- calls whose arguments every target has alike ---- */

decant_read_options fuzz_read_options(void);
decant_monitor fuzz_monitor(void);
decant_status fuzz_dataset_read(const char *path, const decant_read_options *options,
                                decant_dataset **out);

/* 12 rows of 3 numbers in two clusters; the same ones for every call, never freed. */
const decant_dataset *fuzz_rows(void);

/* Options with which a fit of those rows takes a millisecond. */
decant_options fuzz_fit_options(decant_method method);

/* ---- the targets ---- */

void fuzz_table(const uint8_t *bytes, size_t size);
void fuzz_column_of_texts(const uint8_t *bytes, size_t size);
void fuzz_json_lines(const uint8_t *bytes, size_t size);
void fuzz_pipe(const uint8_t *bytes, size_t size);
void fuzz_hdf5(const uint8_t *bytes, size_t size);
void fuzz_lines(const uint8_t *bytes, size_t size);
void fuzz_tokens(const uint8_t *bytes, size_t size);
void fuzz_topics(const uint8_t *bytes, size_t size);
void fuzz_image(const uint8_t *bytes, size_t size);
void fuzz_stl10(const uint8_t *bytes, size_t size);
void fuzz_labels(const uint8_t *bytes, size_t size);
void fuzz_folder(const uint8_t *bytes, size_t size);

void fuzz_model_setup(void);
void fuzz_model(const uint8_t *bytes, size_t size);
void fuzz_model_words(FILE *file);
void fuzz_checkpoint_setup(void);
void fuzz_checkpoint(const uint8_t *bytes, size_t size);
void fuzz_checkpoint_words(FILE *file);
void fuzz_network_setup(void);
void fuzz_network(const uint8_t *bytes, size_t size);
void fuzz_network_words(FILE *file);
void fuzz_graph_setup(void);
void fuzz_graph(const uint8_t *bytes, size_t size);
void fuzz_graph_words(FILE *file);

void fuzz_make_runs(void);
void fuzz_run_setup(void);
void fuzz_manifest(const uint8_t *bytes, size_t size);
void fuzz_clusters(const uint8_t *bytes, size_t size);
void fuzz_history(const uint8_t *bytes, size_t size);
void fuzz_run_labels(const uint8_t *bytes, size_t size);
void fuzz_embedding(const uint8_t *bytes, size_t size);
void fuzz_trace(const uint8_t *bytes, size_t size);
void fuzz_trace_words(FILE *file);

void fuzz_options(const uint8_t *bytes, size_t size);
void fuzz_options_words(FILE *file);

#endif
