#include "base/row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { TOO_SHORT = -1 };

decant_status decant__row_file_new(int descriptor, uint64_t offset, const char *path,
                                   decant__row_file **out) {
    decant_status status = DECANT_OK;
    decant__row_file *file;
    NEW_ZEROED(file, 1);
    file->offset = offset;
    file->descriptor = -1;
    file->path = decant__copy_text(path);
    if (file->path == NULL) TRY(DECANT_ENOMEM);
    file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (file->descriptor < 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be kept open: %s", path, strerror(errno)));
    *out = file;
    file = NULL;
done:
    decant__row_file_free(file);
    return status;
}

void decant__row_file_free(decant__row_file *file) {
    if (file == NULL) return;
    if (file->descriptor >= 0) close(file->descriptor);
    decant__free(file->path);
    decant__free(file);
}

void decant__row_file_read(decant__row_file *file, size_t first, size_t count, float *out) {
    char *to = (char *)out;
    size_t left = count * sizeof *out;
    uint64_t at = file->offset + (uint64_t)first * sizeof *out;
    while (left > 0) {
        ssize_t got = pread(file->descriptor, to, left, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            int none = 0;
            atomic_compare_exchange_strong(&file->error, &none, got < 0 ? errno : TOO_SHORT);
            memset(to, 0, left);
            return;
        }
        to += got;
        left -= (size_t)got;
        at += (uint64_t)got;
    }
}

decant_status decant__row_file_check(const decant__row_file *file) {
    int error = file != NULL ? atomic_load(&file->error) : 0;
    if (error == 0) return DECANT_OK;
    if (error == TOO_SHORT)
        return decant__fail(DECANT_EIO, "%s: has become shorter while it was read", file->path);
    return decant__fail(DECANT_EIO, "%s: cannot be read: %s", file->path, strerror(error));
}
