#include "data/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "data/stl10.h"

enum { DEEPEST = 64, LOOK = 512 };

const char *decant__item_name(const decant__item *item) { return item->path + item->name; }

size_t decant__item_folder(const decant__item *item) {
    const char *name = decant__item_name(item), *slash = strchr(name, '/');
    return slash != NULL ? (size_t)(slash - name) : 0;
}

/* ---- what a file is ---- */

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), width = strlen(end);
    return length >= width && strcmp(text + length - width, end) == 0;
}

static int begins_with(const char *bytes, size_t count, const char *magic, size_t length) {
    return count >= length && memcmp(bytes, magic, length) == 0;
}

static int named_like_image(const char *path) {
    static const char *const endings[] = {".png", ".jpg", ".jpeg"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t width = strlen(endings[i]);
        if (length > width && strcasecmp(path + length - width, endings[i]) == 0) return 1;
    }
    return 0;
}

static decant__item_kind kind_of(const char *path, const char *bytes, size_t count) {
    static const struct {
        const char *magic;
        size_t length;
        decant__item_kind kind;
    } known[] = {
        {"\x93NUMPY", 6, DECANT__ITEM_MATRIX},   {"\0\0\x08", 3, DECANT__ITEM_MATRIX},
        {"\0\0\x0d", 3, DECANT__ITEM_MATRIX},    {"\x89PNG", 4, DECANT__ITEM_IMAGE},
        {"\xff\xd8\xff", 3, DECANT__ITEM_IMAGE}, {".I ", 3, DECANT__ITEM_TOKENS},
    };
    if (ends_with(path, ".qrels") || ends_with(path, ".qrels.gz")) return DECANT__ITEM_TOPICS;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins_with(bytes, count, known[i].magic, known[i].length)) return known[i].kind;
    if (decant__stl10_is(path)) return DECANT__ITEM_STL10;
    if (named_like_image(path)) return DECANT__ITEM_IMAGE; /* a broken one */
    if (begins_with(bytes, count, "\x1f\x8b", 2))          /* gzip: the name has to do */
        return ends_with(path, ".dat.gz")                                 ? DECANT__ITEM_TOKENS
               : strstr(path, "idx") != NULL || ends_with(path, "npy.gz") ? DECANT__ITEM_MATRIX
                                                                          : DECANT__ITEM_TEXT;
    return memchr(bytes, '\0', count) == NULL ? DECANT__ITEM_TEXT : DECANT__ITEM_OTHER;
}

static decant_status look(decant__item *item) {
    char bytes[LOOK];
    FILE *file = fopen(item->path, "rb");
    if (file == NULL)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", item->path, strerror(errno));
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    item->kind = kind_of(item->path, bytes, count);
    return DECANT_OK;
}

/* ---- what is in a folder ---- */

static decant_status add_file(decant__listing *listing, const char *path, size_t name) {
    if (listing->count == listing->capacity) {
        size_t capacity = 2 * listing->capacity + 64;
        decant__item *grown = decant__realloc_array(listing->items, capacity, sizeof *grown);
        if (grown == NULL) return DECANT_ENOMEM;
        listing->items = grown;
        listing->capacity = capacity;
    }
    decant__item item = {.path = decant__copy_text(path), .name = name};
    if (item.path == NULL) return DECANT_ENOMEM;
    decant_status status = look(&item);
    if (status != DECANT_OK) {
        decant__free(item.path);
        return status;
    }
    listing->items[listing->count++] = item;
    listing->kinds[item.kind]++;
    return DECANT_OK;
}

static decant_status add_folder(decant__listing *listing, const char *path, size_t name, int depth);

/* Links to files are followed, links to folders are not: they could go round in circles. */
static decant_status add_entry(decant__listing *listing, const char *path, size_t name, int depth) {
    struct stat link, info;
    if (lstat(path, &link) != 0 || stat(path, &info) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be looked at: %s", path, strerror(errno));
    if (S_ISREG(info.st_mode)) return add_file(listing, path, name);
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
    if (!S_ISDIR(info.st_mode)) return add_file(listing, path, 0);
    decant_status status = add_folder(listing, path, strlen(path) + 1, 0);
    if (status != DECANT_OK || listing->count == before) return status;
    qsort(listing->items + before, listing->count - before, sizeof *listing->items, by_path);
    return DECANT_OK;
}

void decant__listing_keep(decant__listing *listing, decant__item_kind kind) {
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
    decant__free(listing->items);
    *listing = (decant__listing){0};
}
