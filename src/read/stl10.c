#include "read/stl10.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/memory.h"

/* train_y.bin beside train_X.bin, if it is there. */
static decant_status read_labels(decant__stl10 *self) {
    decant_status status = DECANT_OK;
    decant__input input = {0};
    uint8_t *labels = NULL;
    size_t got;
    char *path = decant__copy_text(self->path);
    if (path == NULL) return DECANT_ENOMEM;
    path[strlen(path) - (sizeof "X.bin" - 1)] = 'y';
    if (access(path, F_OK) != 0) goto done;
    TRY(decant__input_open(&input, path, NULL));
    NEW_ARRAY(labels, self->count + 1);
    TRY(decant__input_read(&input, labels, self->count + 1, &got));
    if (got != self->count)
        TRY(decant__fail(DECANT_EFORMAT, "%s: expected %zu labels, found %s%zu", path, self->count,
                         got > self->count ? "at least " : "", got));
    for (size_t i = 0; i < got; i++) {
        if (labels[i] < 1 || labels[i] > 10)
            TRY(decant__fail(DECANT_EFORMAT, "%s: label %zu: expected 1 to 10, found %u", path,
                             i + 1, (unsigned)labels[i]));
        labels[i]--;
    }
    self->labels = labels;
    labels = NULL;
done:
    decant__free(labels);
    decant__input_close(&input);
    decant__free(path);
    return status;
}

void decant__stl10_close(decant__stl10 *self) {
    if (self->path != NULL && self->file >= 0) close(self->file);
    decant__free(self->path);
    decant__free(self->labels);
    *self = (decant__stl10){.file = -1};
}

decant_status decant__stl10_open(decant__stl10 *self, const char *path) {
    decant_status status = DECANT_OK;
    struct stat info;
    *self = (decant__stl10){.file = -1};
    self->path = decant__copy_text(path);
    if (self->path == NULL) TRY(DECANT_ENOMEM);
    self->file = open(path, O_RDONLY | O_CLOEXEC);
    if (self->file < 0 || fstat(self->file, &info) != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    size_t size = (size_t)info.st_size;
    if (size == 0 || size % DECANT__STL10_BYTES != 0)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: expected images of STL-10, %d bytes each, found %zu bytes", path,
                         DECANT__STL10_BYTES, size));
    self->count = size / DECANT__STL10_BYTES;
    TRY(read_labels(self));
done:
    if (status != DECANT_OK) decant__stl10_close(self);
    return status;
}

decant_status decant__stl10_read(const decant__stl10 *self, size_t index, uint8_t *bytes,
                                 decant__image *image) {
    enum { SIDE = DECANT__STL10_SIDE, PLANE = SIDE * SIDE };
    ssize_t got =
        pread(self->file, bytes, DECANT__STL10_BYTES, (off_t)index * (off_t)DECANT__STL10_BYTES);
    if (got != DECANT__STL10_BYTES)
        return decant__fail(DECANT_EIO, "%s: image %zu cannot be read", self->path, index + 1);
    decant_status status = decant__image_allocate(image, SIDE, SIDE, 3);
    if (status != DECANT_OK) return status;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            for (size_t c = 0; c < 3; c++)
                image->pixels[(y * SIDE + x) * 3 + c] = bytes[c * PLANE + x * SIDE + y];
    return DECANT_OK;
}
