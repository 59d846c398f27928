#include "read/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/number.h"

enum { DEEPEST = 64, LOOK = 512 };

const char *decant__item_name(const decant__item *item) { return item->path + item->name; }

size_t decant__item_folder(const decant__item *item) {
    const char *name = decant__item_name(item), *slash = strchr(name, '/');
    return slash != NULL ? (size_t)(slash - name) : 0;
}

/* ---- what a file is ---- */

static int named_like_image(const char *path) {
    static const char *const endings[] = {".png", ".jpg", ".jpeg"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t width = strlen(endings[i]);
        if (length > width && strcasecmp(path + length - width, endings[i]) == 0) return 1;
    }
    return 0;
}

/* In a folder, text is a document, even if it looks like a table or like svmlight. A file named
 * like an image that is none counts as a broken image. */
static decant__kind kind_among_files(const char *path, const char *bytes, size_t count) {
    decant__kind kind = decant__format_find(path, bytes, count, 1)->kind;
    int binary = memchr(bytes, '\0', count) != NULL;
    if (kind == DECANT__KIND_LINES || (kind == DECANT__KIND_NUMBERS && !binary))
        kind = DECANT__KIND_FILES;
    if ((kind == DECANT__KIND_FILES || kind == DECANT__KIND_OTHER) && named_like_image(path))
        kind = DECANT__KIND_IMAGES;
    return kind;
}

decant_status decant__item_open(const decant__item *item, decant__meter *meter,
                                decant__input *out) {
    return item->zip != NULL ? decant__zip_input(item->zip, item->member, meter, out)
                             : decant__input_open(out, item->path, meter);
}

/* Leaves the file closed: there may be more of them than can be open at once. */
static decant_status look(const decant__item *item, decant__kind *kind) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    const char *bytes;
    size_t count;
    TRY(decant__item_open(item, NULL, &input));
    TRY(decant__input_peek(&input, LOOK, &bytes, &count));
    *kind = kind_among_files(item->path, bytes, count);
done:
    decant__input_close(&input);
    return status;
}

/* ---- what is in a folder ---- */

/* Copies the path. */
static decant_status add_item(decant__listing *listing, const decant__item *given) {
    if (listing->count == listing->capacity) {
        size_t capacity = 2 * listing->capacity + 64;
        decant__item *grown = decant__realloc_array(listing->items, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        listing->items = grown;
        listing->capacity = capacity;
    }
    decant__item item = *given;
    item.path = decant__copy_text(given->path);
    if (item.path == NULL) return DECANT_ENOMEM;
    listing->items[listing->count++] = item;
    listing->kinds[item.kind]++;
    return DECANT_OK;
}

decant_status decant__listing_add_file(decant__listing *listing, const char *path,
                                       decant__kind kind) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) listing->bytes += (uint64_t)info.st_size;
    return add_item(listing, &(decant__item){.path = (char *)(uintptr_t)path, .kind = kind});
}

decant_status decant__listing_offer_skipping(const decant__listing *listing, decant_status status) {
    char why[1024];
    if (listing->count < 2 || (status != DECANT_EIO && status != DECANT_EFORMAT)) return status;
    decant__format(why, sizeof why, "%s", decant_last_error());
    return decant__fail(status, "%s; --on-error skip leaves such files out", why);
}

/* A file that cannot be opened: noted and left out, or an error. */
static decant_status leave_out(decant__listing *listing, decant_status status) {
    if (listing->notes == NULL || (status != DECANT_EIO && status != DECANT_EFORMAT)) return status;
    listing->notes->skipped++;
    decant__notes_add(listing->notes, "skipped: %s", decant_last_error());
    return DECANT_OK;
}

static decant_status add_looked_at(decant__listing *listing, decant__item *item, uint64_t bytes) {
    decant_status status = look(item, &item->kind);
    if (status != DECANT_OK && named_like_image(item->path) && status != DECANT_ENOMEM)
        item->kind = DECANT__KIND_IMAGES; /* the reader says what is wrong with it */
    else if (status != DECANT_OK)
        return leave_out(listing, status);
    listing->bytes += bytes;
    return add_item(listing, item);
}

static uint64_t bytes_of(const struct stat *info) {
    return S_ISREG(info->st_mode) ? (uint64_t)info->st_size : 0;
}

static decant_status add_folder(decant__listing *listing, const char *path, size_t name, int depth);

/* Links to files are followed, links to folders are not: they could form cycles. */
static decant_status add_entry(decant__listing *listing, const char *path, size_t name, int depth) {
    struct stat link, info;
    decant_status status = decant__meter_add(listing->meter, 0);
    if (status != DECANT_OK) return status;
    if (lstat(path, &link) != 0 || stat(path, &info) != 0) {
        status = decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
        return leave_out(listing, status);
    }
    decant__item item = {.path = (char *)(uintptr_t)path, .name = name};
    if (S_ISREG(info.st_mode)) return add_looked_at(listing, &item, bytes_of(&info));
    if (S_ISDIR(link.st_mode)) return add_folder(listing, path, name, depth + 1);
    return DECANT_OK;
}

static decant_status add_folder(decant__listing *listing, const char *path, size_t name,
                                int depth) {
    decant_status status = DECANT_OK;
    char *entry_path = NULL;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    if (depth > DEEPEST)
        TRY(decant__fail(DECANT_EIO, "%s: is more than %d folders deep", path, DEEPEST));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        size_t size = strlen(path) + strlen(entry->d_name) + 2;
        decant__free(entry_path);
        NEW_ARRAY(entry_path, size);
        snprintf(entry_path, size, "%s/%s", path, entry->d_name);
        TRY(add_entry(listing, entry_path, name, depth));
    }
done:
    decant__free(entry_path);
    closedir(folder);
    return status;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const decant__item *)a)->path, ((const decant__item *)b)->path);
}

decant_status decant__listing_add(decant__listing *listing, const char *path) {
    struct stat info;
    size_t before = listing->count;
    if (stat(path, &info) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    decant__item item = {.path = (char *)(uintptr_t)path};
    if (!S_ISDIR(info.st_mode)) return add_looked_at(listing, &item, bytes_of(&info));
    decant_status status = add_folder(listing, path, strlen(path) + 1, 0);
    if (status != DECANT_OK || listing->count == before) return status;
    qsort(listing->items + before, listing->count - before, sizeof *listing->items, by_path);
    return DECANT_OK;
}

/* A hidden file, or one in a hidden folder; and what macOS adds to archives. */
static int is_hidden(const char *name) {
    return name[0] == '.' || strstr(name, "/.") != NULL || strncmp(name, "__MACOSX/", 9) == 0;
}

static decant_status add_members(decant__listing *listing, const decant__zip *zip) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    size_t length = strlen(zip->path);
    for (size_t i = 0; i < zip->count; i++) {
        const decant__zip_member *member = &zip->members[i];
        size_t size = length + strlen(member->name) + 2;
        if (is_hidden(member->name)) continue;
        TRY(decant__meter_add(listing->meter, 0));
        decant__free(path);
        NEW_ARRAY(path, size);
        snprintf(path, size, "%s:%s", zip->path, member->name);
        TRY(add_looked_at(
            listing,
            &(decant__item){.path = path, .name = length + 1, .zip = zip, .member = member},
            member->size));
    }
done:
    decant__free(path);
    return status;
}

decant_status decant__listing_add_zip(decant__listing *listing, decant__input *input) {
    decant_status status = DECANT_OK;
    size_t before = listing->count;
    decant__zip *zip = NULL, **grown = decant__realloc_array(listing->zips, listing->zip_count + 1,
                                                             sizeof *grown);
    if (grown == NULL) return DECANT_ENOMEM;
    listing->zips = grown;
    TRY(decant__zip_open(input, &zip));
    listing->zips[listing->zip_count++] = zip;
    TRY(add_members(listing, zip));
    if (listing->count > before)
        qsort(listing->items + before, listing->count - before, sizeof *listing->items, by_path);
done:
    return status;
}

void decant__listing_keep(decant__listing *listing, decant__kind kind) {
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->items[i].kind == kind)
            listing->items[kept++] = listing->items[i];
        else
            decant__free(listing->items[i].path);
    }
    listing->count = kept;
}

void decant__listing_free(decant__listing *listing) {
    for (size_t i = 0; i < listing->count; i++) decant__free(listing->items[i].path);
    for (size_t i = 0; i < listing->zip_count; i++) decant__zip_close(listing->zips[i]);
    decant__free(listing->zips);
    decant__free(listing->items);
    *listing = (decant__listing){0};
}

/* ---- a folder with the four files of an MNIST-style dataset ---- */

int decant__is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* One of the four, in any of the usual spellings. */
static decant_status find_one(const char *folder, const char *part, int dimensions, char **path) {
    static const char marks[] = {'-', '.'};
    size_t size = strlen(folder) + strlen(part) + 32;
    struct stat info;
    char *name = decant__alloc_array(size, 1);
    if (name == NULL) return DECANT_ENOMEM;
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, size, "%s/%s%cidx%d-ubyte%s", folder, part, marks[i / 2], dimensions,
                 i % 2 == 0 ? "" : ".gz");
        if (stat(name, &info) == 0) {
            *path = name;
            return DECANT_OK;
        }
    }
    decant__free(name);
    return decant__fail(DECANT_EIO,
                        "%s: is a folder without images or texts; tables are named one by one, as "
                        "%s/NAME.csv (of MNIST's four files %s-idx%d-ubyte was not found)",
                        folder, folder, part, dimensions);
}

decant_status decant__folder_find(const char *folder, char *paths[4]) {
    static const char *const parts[] = {"train-images", "train-labels", "t10k-images",
                                        "t10k-labels"};
    decant_status status = DECANT_OK;
    for (size_t i = 0; i < 4; i++) paths[i] = NULL;
    for (size_t i = 0; i < 4; i++) TRY(find_one(folder, parts[i], i % 2 == 0 ? 3 : 1, &paths[i]));
done:
    for (size_t i = 0; i < 4 && status != DECANT_OK; i++) {
        decant__free(paths[i]);
        paths[i] = NULL;
    }
    return status;
}
