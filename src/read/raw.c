#include "read/raw.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/struct_size.h"
#include "read/labels.h"
#include "read/utf16.h"

/* ---- what the paths are ---- */

/* The first kind in this order that the folder has a file of; none: it may be MNIST's. before: the
 * counts of the listing before its files were added. */
static decant__kind kind_of_folder(const decant__listing *listing, const size_t *before) {
    static const decant__kind order[] = {DECANT__KIND_IMAGES, DECANT__KIND_STL10,
                                         DECANT__KIND_TOKENS, DECANT__KIND_NUMBERS,
                                         DECANT__KIND_FILES};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (listing->kinds[order[i]] > before[order[i]]) return order[i];
    return DECANT__KIND_NUMBERS;
}

static int wants_text(const decant_read_options *options) {
    return (options->features != NULL && options->features->idf != NULL) ||
           (options->options != NULL && options->options->features == DECANT_FEATURES_TFIDF);
}

/* Is the text column to stand beside others? */
static int beside(const decant_read_options *wanted) {
    return wanted->keep != NULL || wanted->types != NULL || wanted->table != NULL;
}

/* Does the first line have this name in one of its cells? */
static int has_column(const char *bytes, size_t count, const char *name) {
    const char *end = memchr(bytes, '\n', count);
    size_t length = strlen(name);
    if (end == NULL) end = bytes + count;
    if (length == 0) return 0;
    while (bytes < end) {
        const char *next = bytes, *last;
        while (next < end && strchr(",;\t|", *next) == NULL) next++;
        last = next;
        while (bytes < last && strchr(" \"", *bytes) != NULL) bytes++;
        while (last > bytes && strchr(" \"\r", last[-1]) != NULL) last--;
        if ((size_t)(last - bytes) == length && memcmp(bytes, name, length) == 0) return 1;
        bytes = next + 1;
    }
    return 0;
}

/* A model of texts from one column of a table: if the file has this column, it is read again. */
static decant_status recall_column(decant__raw *raw, const char *path, decant__opened *file) {
    decant_status status = DECANT_OK;
    const decant_features *features = raw->wanted.features;
    const char *bytes;
    size_t count;
    if (raw->wanted.text_column != NULL || features == NULL || features->column[0] == '\0')
        return DECANT_OK;
    TRY(decant__input_open(&file->input, path, raw->meter));
    TRY(decant__format_detect(&file->input, 0, &file->format));
    TRY(decant__format_recode(file->format, &file->input));
    TRY(decant__input_peek(&file->input, DECANT__INPUT_PEEK, &bytes, &count));
    if (!has_column(bytes, count, features->column)) goto done;
    raw->wanted.text_column = decant__copy_text(features->column);
    if (raw->wanted.text_column == NULL) TRY(DECANT_ENOMEM);
    if (raw->wanted.id_column != NULL || !has_column(bytes, count, features->id_column)) goto done;
    raw->wanted.id_column = decant__copy_text(features->id_column);
    if (raw->wanted.id_column == NULL) TRY(DECANT_ENOMEM);
done:
    return status;
}

/* Opens a file, if it is not open, and finds its kind. What cannot be read is left to the readers
 * of numbers, which say why. */
static decant_status look_at_file(const char *path, int is_text, decant__meter *meter,
                                  decant__opened *file, decant__kind *kind) {
    decant_status status = DECANT_OK;
    const char *bytes;
    size_t count;
    if (file->input.path == NULL) TRY(decant__input_open(&file->input, path, meter));
    TRY(decant__input_peek(&file->input, 2, &bytes, &count));
    file->utf16 = decant__utf16_mark(bytes, count) != DECANT__UTF16_NONE;
    TRY(decant__format_detect(&file->input, is_text, &file->format));
    *kind = file->format->kind;
    if (*kind == DECANT__KIND_OTHER || *kind == DECANT__KIND_TOPICS) *kind = DECANT__KIND_NUMBERS;
done:
    return status;
}

/* An archive of several files is like a folder of images or texts. */
static decant_status add_zip(decant__listing *listing, decant__input *input, decant__kind *kind) {
    decant_status status = DECANT_OK;
    size_t before[DECANT__KINDS];
    memcpy(before, listing->kinds, sizeof before);
    TRY(decant__listing_add_zip(listing, input));
    *kind = kind_of_folder(listing, before);
    if (*kind == DECANT__KIND_NUMBERS || *kind == DECANT__KIND_STL10)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: is a zip archive without images or texts: name one of its files, as "
                         "in %s:NAME, or unpack it first",
                         input->path, input->path));
    decant__input_close(input);
done:
    return status;
}

/* Are all items from `first` on named as tables are? They would be read as documents. */
static int all_tables(const decant__listing *listing, size_t first) {
    for (size_t i = first; i < listing->count; i++) {
        const char *path = listing->items[i].path, *end = strrchr(path, '.');
        if (end == NULL || (strcasecmp(end, ".csv") != 0 && strcasecmp(end, ".tsv") != 0)) return 0;
    }
    return listing->count > first;
}

/* A model of texts, one document a line, and a file that is a table: its lines are no documents. */
static decant_status check_lines(decant__raw *raw, const char *path, decant__opened *file) {
    const char *bytes;
    size_t count;
    if (raw->wanted.features == NULL || raw->wanted.features->idf == NULL) return DECANT_OK;
    decant_status status = decant__input_peek(&file->input, DECANT__INPUT_PEEK, &bytes, &count);
    if (status != DECANT_OK || count == 0) return status;
    const decant__file_format *format = decant__format_find(path, bytes, count, 0);
    if (format == NULL) return DECANT_ENOMEM;
    if (format->kind != DECANT__KIND_TABLE) return DECANT_OK;
    if (format->open != decant__csv_open)
        return decant__fail(DECANT_EFORMAT,
                            "%s: is a table (%s), but the model was fitted on texts; --text-column "
                            "NAME uses one of its columns",
                            path, format->info.name);
    decant__notes_add(&raw->notes,
                      "%s: looks like a table, but each line is read as a text, as the model was "
                      "fitted on texts; --text-column NAME uses one of its columns",
                      path);
    return DECANT_OK;
}

/* Adds one path to the listing and finds its kind. The first file stays open. */
static decant_status add_path(decant__raw *raw, const char *path, decant__opened *first,
                              decant__kind *kind) {
    decant_status status = DECANT_OK;
    decant__opened other = {0}, *file = first->input.path == NULL ? first : &other;
    decant__listing *listing = &raw->listing;
    size_t before[DECANT__KINDS];
    if (decant__is_folder(path)) {
        size_t listed = listing->count;
        memcpy(before, listing->kinds, sizeof before);
        TRY(decant__listing_add(listing, path));
        if (raw->wanted.text_column == NULL && !wants_text(&raw->wanted) &&
            all_tables(listing, listed))
            TRY(decant__fail(DECANT_EFORMAT,
                             "%s: is a folder of tables; name the files, as in %s/*.csv "
                             "(--features tfidf reads each as a text)",
                             path, path));
        *kind =
            raw->wanted.text_column != NULL ? DECANT__KIND_COLUMN : kind_of_folder(listing, before);
        goto done;
    }
    if (file == first) TRY(recall_column(raw, path, file));
    if (raw->wanted.text_column != NULL)
        *kind =
            beside(&raw->wanted) ? DECANT__KIND_TABLE : DECANT__KIND_COLUMN; /* no look is needed */
    else
        TRY(look_at_file(path, wants_text(&raw->wanted), raw->meter, file, kind));
    if (raw->wanted.text_column == NULL) TRY(check_lines(raw, path, file));
    if (*kind == DECANT__KIND_LINES && file->utf16)
        decant__notes_add(&raw->notes, "%s: was read as UTF-16", path);
    if (raw->wanted.table != NULL && *kind == DECANT__KIND_LINES) *kind = DECANT__KIND_TABLE;
    if (*kind == DECANT__KIND_ZIP)
        TRY(add_zip(listing, &file->input, kind));
    else
        TRY(decant__listing_add_file(listing, path, *kind));
done:
    decant__input_close(&other.input);
    return status;
}

/* The kind of all paths. Of files of numbers only the first is looked at: the others are opened
 * when their turn comes. */
static decant_status find_kind(decant__raw *raw, const char *const *paths, size_t count,
                               decant__opened *first, decant__kind *kind) {
    for (size_t i = 0; i < count; i++) {
        decant__kind one;
        decant_status status = add_path(raw, paths[i], first, &one);
        if (status != DECANT_OK) return status;
        int numbers = one == DECANT__KIND_NUMBERS || one == DECANT__KIND_TABLE;
        if (i > 0 && numbers && *kind == DECANT__KIND_TABLE) {
            if (one == DECANT__KIND_TABLE) continue;
            *kind = DECANT__KIND_NUMBERS; /* a table beside them must be numbers, too */
            break;
        }
        if (i > 0 && one != *kind)
            return decant__fail(DECANT_EFORMAT, "%s: is %s, but %s is %s", paths[i],
                                decant__kind_name(one), paths[0], decant__kind_name(*kind));
        *kind = one;
        if (one == DECANT__KIND_NUMBERS) break;
    }
    return DECANT_OK;
}

/* ---- opening ---- */

static decant_status copy_text(const char **text) {
    if (*text == NULL) return DECANT_OK;
    *text = decant__copy_text(*text);
    return *text != NULL ? DECANT_OK : DECANT_ENOMEM;
}

/* On failure all strings are copies or NULL, so that closing can free them. */
static decant_status copy_strings(decant_read_options *wanted) {
    const char **strings[] = {&wanted->id_column, &wanted->label_column, &wanted->text_column,
                              &wanted->topics,    &wanted->keep,         &wanted->drop,
                              &wanted->types};
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
        TRY(decant__labels_read(wanted->label_paths[i], NULL, raw->meter, &raw->classes, &labels,
                                &count));
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
    if (wanted->label_paths != NULL && wanted->label_path_count > 0) {
        raw->label_path = decant__copy_text(wanted->label_paths[0]);
        if (raw->label_path == NULL) TRY(DECANT_ENOMEM);
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

/* Each image is opened twice, which a pipe cannot be. */
static decant_status open_images(decant__raw *raw, decant__kind kind, const decant__opened *first) {
    if (first->input.path != NULL && !first->input.regular && raw->listing.items[0].zip == NULL)
        return decant__fail(DECANT_EFORMAT,
                            "%s: is an image, which cannot come from a pipe; a zip archive of "
                            "images can",
                            first->input.path);
    return decant__images_open(raw, kind == DECANT__KIND_STL10);
}

decant_status decant__raw_open(const decant__origin_paths *paths,
                               const decant_read_options *options, decant__meter *meter,
                               decant__opened *first, decant__raw **out) {
    decant_status status = DECANT_OK;
    decant__raw *raw = NULL;
    decant__kind kind = DECANT__KIND_NUMBERS;
    NEW_ZEROED(raw, 1);
    raw->comm = paths->comm != NULL ? paths->comm : decant__comm_alone();
    raw->rows = SIZE_MAX;
    raw->spread = paths->spread;
    raw->features = options->features;
    raw->wanted = *options;
    raw->meter = raw->listing.meter = meter;
    if (options->skip_broken) raw->listing.notes = &raw->notes;
    status = copy_strings(&raw->wanted);
    TRY(status);
    decant_options_init(&raw->options, sizeof raw->options);
    TRY(decant__struct_read(&raw->options, sizeof raw->options, options->options,
                            "decant_options"));
    TRY(find_kind(raw, paths->path, paths->count, first, &kind));
    *out = NULL;
    if (kind == DECANT__KIND_NUMBERS) goto done;
    if (kind != DECANT__KIND_TABLE) TRY(check_features(raw));
    TRY(read_labels(raw));
    if (kind == DECANT__KIND_TABLE)
        TRY(decant__tables_open(raw, first));
    else if (kind == DECANT__KIND_IMAGES || kind == DECANT__KIND_STL10)
        TRY(open_images(raw, kind, first));
    else
        TRY(decant__texts_open(raw, kind, &first->input));
    *out = raw;
    raw = NULL;
done:
    if (raw == NULL || status != DECANT_OK) decant__input_close(&first->input);
    decant__raw_close(raw);
    return status;
}

decant_status decant__raw_next(decant__raw *raw, size_t max_rows, decant__block *block) {
    block->classes = &raw->classes;
    block->d = raw->table != NULL ? raw->table->d : raw->features->d;
    return raw->next(raw, max_rows < DECANT__MAX_ROWS ? max_rows : DECANT__MAX_ROWS, block);
}

decant_status decant__raw_finish(decant__raw *raw, decant_dataset *data) {
    data->notes = raw->notes;
    raw->notes = (decant__notes){0};
    if (raw->table == NULL) return decant__features_copy(raw->features, &data->features);
    data->format = raw->format;
    decant_status status = decant__table_copy(raw->table, &data->table);
    if (status == DECANT_OK && (raw->table->header || !raw->table->plain))
        status = decant__table_names(raw->table, &data->column_names);
    return status;
}

void decant__raw_close(decant__raw *raw) {
    if (raw == NULL) return;
    if (raw->close != NULL) raw->close(raw);
    decant__listing_free(&raw->listing);
    decant__names_free(&raw->classes);
    decant__notes_free(&raw->notes);
    decant__features_free(raw->owned);
    decant__table_free(raw->owned_table);
    decant__free(raw->labels);
    decant__free(raw->label_path);
    decant__free((void *)(uintptr_t)raw->wanted.id_column);
    decant__free((void *)(uintptr_t)raw->wanted.label_column);
    decant__free((void *)(uintptr_t)raw->wanted.text_column);
    decant__free((void *)(uintptr_t)raw->wanted.topics);
    decant__free((void *)(uintptr_t)raw->wanted.keep);
    decant__free((void *)(uintptr_t)raw->wanted.drop);
    decant__free((void *)(uintptr_t)raw->wanted.types);
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

/* ---- items ---- */

/* With the features of the dataset: they are not searched for again. */
static decant_status open_again(const decant_dataset *data, decant__raw **out) {
    decant_status status = DECANT_OK;
    decant_read_options wanted = decant__origin_options(&data->origin);
    wanted.features = data->features;
    wanted.table = data->table;
    wanted.label_paths = NULL;
    decant__opened first = {0};
    const decant__origin_paths paths = {.path = (const char *const *)data->origin.data.path,
                                        .count = data->origin.data.count};
    TRY(decant__raw_open(&paths, &wanted, NULL, &first, out));
    decant__input_close(&first.input);
    if (*out == NULL)
        status = decant__fail(DECANT_EFORMAT, "%s: is not what it was when it was first read",
                              data->origin.data.path[0]);
done:
    return status;
}

decant_status decant__items_texts(const decant_dataset *data, const uint32_t *row, size_t count,
                                  size_t max, char **text) {
    decant__raw *raw = NULL;
    decant_status status = open_again(data, &raw);
    for (size_t i = 0; i < count; i++) text[i] = NULL;
    if (status == DECANT_OK) status = decant__texts_show(raw, row, count, max, text);
    for (size_t i = 0; status != DECANT_OK && i < count; i++) {
        decant__free(text[i]);
        text[i] = NULL;
    }
    decant__raw_close(raw);
    return status;
}

decant_status decant__items_pictures(const decant_dataset *data, const uint32_t *row, size_t count,
                                     size_t width, size_t height, uint8_t *tile) {
    decant__raw *raw = NULL;
    decant_status status = open_again(data, &raw);
    if (status == DECANT_OK)
        status = decant__images_show(raw, data->ids, row, count, width, height, tile);
    decant__raw_close(raw);
    return status;
}
