#include "data/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

int decant__is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* One of the four, in any of the spellings that are around. */
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
                        "%s: is a folder without images or texts, so it was expected to hold the "
                        "four MNIST-style files, but %s-idx%d-ubyte (or %s.idx%d-ubyte, plain or "
                        ".gz) was not found",
                        folder, part, dimensions, part, dimensions);
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
