#include "data/raw.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "data/folder.h"
#include "data/labels.h"
#include "data/stl10.h"
#include "features/image.h"

typedef enum raw_kind { NUMBERS, IMAGES, STL10, FILES, LINES, COLUMN, TOKENS } raw_kind;

static const char *const kind_names[] = {"files of numbers",          "images",
                                         "images of STL-10",          "a folder of texts",
                                         "text, one document a line", "a column of documents",
                                         "LYRL2004 token files"};

/* ---- what the paths are ---- */

/* Prose and not a table: mostly letters, and several words in a line. */
static int is_prose(const char *bytes, size_t count) {
    size_t letters = 0, marks = 0, words = 0, lines = 0;
    int inside = 0, begun = 0; /* a word; a line that is not empty */
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\0') return 0;
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

static decant_status kind_of_file(const char *path, int is_text, raw_kind *kind) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    const char *bytes;
    size_t count;
    TRY(decant__input_open(&input, path));
    TRY(decant__input_peek(&input, DECANT__INPUT_PEEK, &bytes, &count));
    const uint8_t *start = (const uint8_t *)bytes;
    if (decant__image_is_png(start, count) || decant__image_is_jpeg(start, count))
        *kind = IMAGES;
    else if (decant__stl10_is(path))
        *kind = STL10;
    else if (count > 3 && memcmp(bytes, ".I ", 3) == 0)
        *kind = TOKENS;
    else if (decant__reader_recognise(bytes, count) || memchr(bytes, '\0', count) != NULL)
        *kind = NUMBERS;
    else
        *kind = is_text || is_prose(bytes, count) ? LINES : NUMBERS;
done:
    decant__input_close(&input);
    return status;
}

static raw_kind kind_of_folder(const decant__listing *listing) {
    if (listing->kinds[DECANT__ITEM_IMAGE] > 0) return IMAGES;
    if (listing->kinds[DECANT__ITEM_STL10] > 0) return STL10;
    if (listing->kinds[DECANT__ITEM_TOKENS] > 0) return TOKENS;
    if (listing->kinds[DECANT__ITEM_MATRIX] > 0) return NUMBERS;
    return listing->kinds[DECANT__ITEM_TEXT] > 0 ? FILES : NUMBERS;
}

static decant_status kind_of_path(const char *path, const decant_read_options *options,
                                  raw_kind *kind) {
    struct stat info;
    decant_status status = DECANT_OK;
    decant__listing listing = {0};
    int is_text = (options->features != NULL && options->features->idf != NULL) ||
                  (options->options != NULL && options->options->features == DECANT_FEATURES_TFIDF);
    *kind = NUMBERS;
    if (options->text_column != NULL)
        *kind = COLUMN;
    else if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
        TRY(kind_of_file(path, is_text, kind));
    else if (decant__is_folder(path)) {
        TRY(decant__listing_add(&listing, path));
        *kind = kind_of_folder(&listing);
    } else if (is_text) /* a pipe: what is in it cannot be looked at first */
        *kind = LINES;
done:
    decant__listing_free(&listing);
    return status;
}

static decant_status find_kind(const char *const *paths, size_t count,
                               const decant_read_options *options, raw_kind *kind) {
    for (size_t i = 0; i < count; i++) {
        raw_kind one;
        decant_status status = kind_of_path(paths[i], options, &one);
        if (status != DECANT_OK) return status;
        if (i > 0 && one != *kind)
            return decant__fail(DECANT_EFORMAT, "%s: is %s, but %s is %s", paths[i],
                                kind_names[one], paths[0], kind_names[*kind]);
        *kind = one;
    }
    return DECANT_OK;
}

/* ---- opening ---- */

static decant_status copy_text(const char **text) {
    if (*text == NULL) return DECANT_OK;
    *text = decant__copy_text(*text);
    return *text != NULL ? DECANT_OK : DECANT_ENOMEM;
}

/* On failure no string is left that is not a copy. */
static decant_status copy_strings(decant_read_options *wanted) {
    const char **strings[] = {&wanted->id_column, &wanted->label_column, &wanted->text_column,
                              &wanted->topics};
    size_t count = sizeof strings / sizeof *strings;
    for (size_t i = 0; i < count; i++) {
        if (copy_text(strings[i]) == DECANT_OK) continue;
        for (; i < count; i++) *strings[i] = NULL;
        return DECANT_ENOMEM;
    }
    return DECANT_OK;
}

static decant_status read_labels(decant__raw *raw) {
    decant_status status = DECANT_OK;
    const decant_read_options *wanted = &raw->wanted;
    for (size_t i = 0; wanted->label_paths != NULL && i < wanted->label_path_count; i++) {
        int32_t *labels = NULL;
        size_t count;
        TRY(decant__labels_read(wanted->label_paths[i], NULL, &raw->classes, &labels, &count));
        int32_t *grown =
            decant__realloc_array(raw->labels, raw->label_count + count, sizeof *grown);
        if (grown != NULL) {
            memcpy(grown + raw->label_count, labels, count * sizeof *grown);
            raw->labels = grown;
            raw->label_count += count;
        }
        decant__free(labels);
        if (grown == NULL) TRY(DECANT_ENOMEM);
    }
    raw->wanted.label_paths = NULL; /* borrowed for the call only */
done:
    return status;
}

static decant_status check_features(const decant__raw *raw) {
    size_t columns = raw->wanted.columns;
    if (columns != 0 && raw->features != NULL && raw->features->d != columns)
        return decant__fail(DECANT_EINVAL, "expected %zu columns, but raw files give %zu", columns,
                            raw->features->d);
    if (columns != 0 && raw->features == NULL)
        return decant__fail(DECANT_EINVAL,
                            "%s: is not made of numbers, but the model was fitted on rows of %zu "
                            "numbers",
                            raw->listing.items[0].path, columns);
    return DECANT_OK;
}

static decant_status open_kind(decant__raw *raw, raw_kind kind) {
    static const decant__documents_kind documents[] = {
        [FILES] = DECANT__DOCUMENTS_FILES,
        [LINES] = DECANT__DOCUMENTS_LINES,
        [COLUMN] = DECANT__DOCUMENTS_COLUMN,
        [TOKENS] = DECANT__DOCUMENTS_TOKENS,
    };
    if (kind == IMAGES || kind == STL10) return decant__images_open(raw, kind == STL10);
    return decant__texts_open(raw, documents[kind]);
}

decant_status decant__raw_open(const char *const *paths, size_t path_count,
                               const decant_read_options *options, decant__raw **out) {
    decant_status status = DECANT_OK;
    decant__raw *raw = NULL;
    raw_kind kind = NUMBERS;
    TRY(find_kind(paths, path_count, options, &kind));
    if (kind == NUMBERS) {
        *out = NULL;
        return DECANT_OK;
    }
    NEW_ZEROED(raw, 1);
    raw->features = options->features;
    raw->wanted = *options;
    status = copy_strings(&raw->wanted);
    TRY(status);
    if (options->options != NULL)
        raw->options = *options->options;
    else
        decant_options_init(&raw->options);
    for (size_t i = 0; i < path_count; i++) TRY(decant__listing_add(&raw->listing, paths[i]));
    TRY(check_features(raw));
    TRY(read_labels(raw));
    TRY(open_kind(raw, kind));
    *out = raw;
    raw = NULL;
done:
    decant__raw_close(raw);
    return status;
}

decant_status decant__raw_next(decant__raw *raw, size_t max_rows, decant__block *block) {
    block->classes = &raw->classes;
    block->d = raw->features->d;
    return raw->next(raw, max_rows < DECANT__MOST_ROWS ? max_rows : DECANT__MOST_ROWS, block);
}

decant_status decant__raw_finish(decant__raw *raw, decant_dataset *data) {
    data->notes = raw->notes;
    raw->notes = (decant__notes){0};
    return decant__features_copy(raw->features, &data->features);
}

void decant__raw_close(decant__raw *raw) {
    if (raw == NULL) return;
    if (raw->close != NULL) raw->close(raw);
    decant__listing_free(&raw->listing);
    decant__classes_free(&raw->classes);
    decant__notes_free(&raw->notes);
    decant__features_free(raw->owned);
    decant__free(raw->labels);
    decant__free((void *)(uintptr_t)raw->wanted.id_column);
    decant__free((void *)(uintptr_t)raw->wanted.label_column);
    decant__free((void *)(uintptr_t)raw->wanted.text_column);
    decant__free((void *)(uintptr_t)raw->wanted.topics);
    decant__free(raw);
}

decant_status decant__raw_add_label(const decant__raw *raw, decant__block *block, size_t ordinal,
                                    const char *text, size_t length) {
    if (raw->labels == NULL)
        return text != NULL ? decant__block_add_label(block, text, length) : DECANT_OK;
    if (ordinal >= raw->label_count)
        return decant__fail(DECANT_EFORMAT, "there are %zu labels, but more items than that",
                            raw->label_count);
    return decant__block_add_label_number(block, raw->labels[ordinal]);
}
