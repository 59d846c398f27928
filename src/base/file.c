#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

decant_status decant__writer_open(decant__writer *writer, const char *path) {
    decant_status status = DECANT_OK;
    *writer = (decant__writer){0};
    size_t length = strlen(path);
    NEW_ARRAY(writer->path, length + 1);
    NEW_ARRAY(writer->temporary, length + 5);
    memcpy(writer->path, path, length + 1);
    memcpy(writer->temporary, path, length);
    memcpy(writer->temporary + length, ".tmp", 5);
    writer->file = fopen(writer->temporary, "wb");
    if (writer->file == NULL)
        status = decant__fail(DECANT_EIO, "%s: cannot be written: %s", path, strerror(errno));
done:
    if (status != DECANT_OK) decant__writer_abandon(writer);
    return status;
}

void decant__writer_put(decant__writer *writer, const void *bytes, size_t count) {
    if (writer->error != 0 || count == 0) return;
    errno = 0;
    if (fwrite(bytes, 1, count, writer->file) != count) writer->error = errno ? errno : EIO;
}

void decant__writer_print(decant__writer *writer, const char *format, ...) {
    if (writer->error != 0) return;
    va_list arguments;
    va_start(arguments, format);
    errno = 0;
    if (vfprintf(writer->file, format, arguments) < 0) writer->error = errno ? errno : EIO;
    va_end(arguments);
}

/* A rename is only safe from a power cut once the folder itself is on the disk. */
static int sync_folder_of(const char *path) {
    char *copy = decant__copy_text(path);
    if (copy == NULL) return ENOMEM;
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    decant__free(copy);
    if (folder < 0) return errno;
    int error = fsync(folder) != 0 && errno != EINVAL ? errno : 0;
    close(folder);
    return error;
}

decant_status decant__writer_commit(decant__writer *writer) {
    decant_status status = DECANT_OK;
    if (writer->error == 0 && fflush(writer->file) != 0) writer->error = errno;
    if (writer->error == 0 && fsync(fileno(writer->file)) != 0 && errno != EINVAL)
        writer->error = errno;
    if (fclose(writer->file) != 0 && writer->error == 0) writer->error = errno;
    writer->file = NULL;
    if (writer->error == 0 && rename(writer->temporary, writer->path) != 0) writer->error = errno;
    if (writer->error == 0) {
        writer->temporary[0] = '\0'; /* it has become the file */
        writer->error = sync_folder_of(writer->path);
    }
    if (writer->error != 0)
        status =
            decant__fail(writer->error == ENOMEM ? DECANT_ENOMEM : DECANT_EIO,
                         "%s: could not be written: %s", writer->path, strerror(writer->error));
    decant__writer_abandon(writer);
    return status;
}

void decant__writer_abandon(decant__writer *writer) {
    if (writer->file != NULL) fclose(writer->file);
    if (writer->temporary != NULL && writer->temporary[0] != '\0') remove(writer->temporary);
    decant__free(writer->path);
    decant__free(writer->temporary);
    *writer = (decant__writer){0};
}

decant_status decant__file_write(const char *path, const void *bytes, size_t count) {
    decant__writer writer;
    decant_status status = decant__writer_open(&writer, path);
    if (status != DECANT_OK) return status;
    decant__writer_put(&writer, bytes, count);
    return decant__writer_commit(&writer);
}
