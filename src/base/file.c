#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"

enum {
    BUFFER = 1 << 16,
    LARGEST_WRITE = 1 << 30, /* Linux writes at most 2 GiB at once */
    DIGITS = 12,             /* of the number in a temporary's name */
    LONGEST_NAME = 230,      /* of a file, in the name of its temporary */
    TRIES = 100
};

/* ---- temporary names: NAME.0123456789ab.tmp ---- */

/* Need not be unpredictable: the file is created with O_EXCL and O_NOFOLLOW. */
static uint64_t next_number(void) {
    static atomic_uint_fast64_t counter;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t x = (uint64_t)now.tv_sec * 1000000007U + (uint64_t)now.tv_nsec;
    x ^= (uint64_t)getpid() << 32;
    x += 0x9E3779B97F4A7C15U * (atomic_fetch_add(&counter, 1) + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return (x ^ (x >> 31)) & 0xffffffffffffU;
}

static int name_length(const char *name) {
    size_t length = strlen(name);
    return (int)(length < LONGEST_NAME ? length : LONGEST_NAME);
}

static void choose_temporary(decant__writer *writer) {
    snprintf(writer->temporary, sizeof writer->temporary, "%.*s.%0*llx.tmp",
             name_length(writer->name), writer->name, DIGITS, (unsigned long long)next_number());
}

static int is_temporary_of(const char *name, const char *found) {
    size_t length = (size_t)name_length(name);
    if (strncmp(found, name, length) != 0 || found[length] != '.') return 0;
    const char *digits = found + length + 1;
    for (int i = 0; i < DIGITS; i++)
        if (!isxdigit((unsigned char)digits[i])) return 0;
    return strcmp(digits + DIGITS, ".tmp") == 0;
}

/* A temporary file is locked while its writer is alive. On file systems without locks, flock fails
 * and nothing is removed. */
static void remove_if_stale(int folder, const char *name) {
    int descriptor = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(descriptor);
}

static void remove_stale_temporaries(const decant__writer *writer) {
    int descriptor = openat(writer->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (folder == NULL) {
        if (descriptor >= 0) close(descriptor);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_temporary_of(writer->name, entry->d_name))
            remove_if_stale(writer->folder, entry->d_name);
    closedir(folder);
}

/* ---- opening ---- */

/* Creates and locks it. 0, or an errno; EEXIST: try another name. */
static int create_temporary(decant__writer *writer, mode_t mode) {
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct stat info;
    writer->descriptor = openat(writer->folder, writer->temporary, flags, mode);
    if (writer->descriptor < 0) return errno;
    int locked = flock(writer->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    /* Another writer may have removed it as a stale file before it was locked. */
    if (locked && fstat(writer->descriptor, &info) == 0 && info.st_nlink > 0) return 0;
    close(writer->descriptor);
    unlinkat(writer->folder, writer->temporary, 0);
    return EEXIST;
}

/* The temporary gets the permissions of the file that it will replace before anything is written.
 */
static int open_temporary(decant__writer *writer) {
    struct stat old;
    int replaces = fstatat(writer->folder, writer->name, &old, AT_SYMLINK_NOFOLLOW) == 0 &&
                   S_ISREG(old.st_mode);
    int error = EEXIST;
    remove_stale_temporaries(writer);
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        choose_temporary(writer);
        error = create_temporary(writer, replaces ? 0600 : 0666);
    }
    if (error == 0 && replaces && fchmod(writer->descriptor, old.st_mode & 0777) != 0) {
        error = errno;
        close(writer->descriptor);
        unlinkat(writer->folder, writer->temporary, 0);
    }
    return error;
}

static int open_folder(decant__writer *writer) {
    char *slash = strrchr(writer->path, '/');
    const char *folder = slash == NULL ? "." : slash == writer->path ? "/" : writer->path;
    writer->name = slash == NULL ? writer->path : slash + 1;
    if (writer->name[0] == '\0') return EISDIR;
    if (slash != NULL && slash != writer->path) *slash = '\0';
    writer->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = writer->folder < 0 ? errno : 0;
    if (slash != NULL) *slash = '/';
    return error;
}

/* Renaming over a device or a pipe would replace it by a plain file. */
static int is_in_place(const char *path) {
    struct stat info;
    if (path == NULL || strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
        strncmp(path, "/proc/", 6) == 0)
        return 1;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static int open_in_place(decant__writer *writer, const char *path) {
    writer->folder = -1;
    writer->descriptor = path != NULL ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
                                      : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return writer->descriptor < 0 ? errno : 0;
}

static int open_by_rename(decant__writer *writer) {
    struct stat info;
    if (stat(writer->path, &info) == 0 && S_ISDIR(info.st_mode)) return EISDIR;
    int error = open_folder(writer);
    if (error != 0) return error;
    error = open_temporary(writer);
    if (error != 0) close(writer->folder);
    return error;
}

decant_status decant__writer_open(decant__writer *writer, const char *path) {
    decant_status status = DECANT_OK;
    *writer = (decant__writer){0};
    NEW_ARRAY(writer->buffer, BUFFER);
    writer->path = decant__copy_text(path != NULL ? path : "standard output");
    if (writer->path == NULL) TRY(DECANT_ENOMEM);
    int error = is_in_place(path) ? open_in_place(writer, path) : open_by_rename(writer);
    if (error != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be written: %s", writer->path, strerror(error)));
    writer->open = 1;
done:
    if (status != DECANT_OK) decant__writer_abandon(writer);
    return status;
}

/* ---- writing ---- */

static void write_out(decant__writer *writer, const char *bytes, size_t count) {
    while (writer->error == 0 && count > 0) {
        ssize_t written =
            write(writer->descriptor, bytes, count < LARGEST_WRITE ? count : LARGEST_WRITE);
        if (written < 0 && errno != EINTR) writer->error = errno;
        if (written <= 0) continue;
        bytes += written;
        count -= (size_t)written;
    }
}

static void flush_buffer(decant__writer *writer) {
    write_out(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void decant__writer_put(decant__writer *writer, const void *bytes, size_t count) {
    if (count > BUFFER - writer->used) flush_buffer(writer);
    if (count > BUFFER) {
        write_out(writer, bytes, count);
    } else if (count > 0) {
        memcpy(writer->buffer + writer->used, bytes, count);
        writer->used += count;
    }
}

void decant__writer_vprint(decant__writer *writer, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = decant__format_list(writer->buffer + writer->used, BUFFER - writer->used, format,
                                     arguments);
    if (length >= 0 && (size_t)length >= BUFFER - writer->used) {
        flush_buffer(writer);
        length = decant__format_list(writer->buffer, BUFFER, format, again);
    }
    if (length < 0 || length >= BUFFER) {
        if (writer->error == 0) writer->error = EOVERFLOW;
    } else {
        writer->used += (size_t)length;
    }
    va_end(again);
}

void decant__writer_print(decant__writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decant__writer_vprint(writer, format, arguments);
    va_end(arguments);
}

void decant__writer_put_csv(decant__writer *writer, const char *field) {
    if (field[strcspn(field, ",\"\r\n")] == '\0' && field[0] != ' ') {
        decant__writer_put(writer, field, strlen(field));
        return;
    }
    decant__writer_put(writer, "\"", 1);
    for (; *field != '\0'; field++) {
        if (*field == '"') decant__writer_put(writer, "\"", 1);
        decant__writer_put(writer, field, 1);
    }
    decant__writer_put(writer, "\"", 1);
}

void decant__writer_patch(decant__writer *writer, size_t offset, const void *bytes, size_t count) {
    flush_buffer(writer);
    if (writer->error == 0 && lseek(writer->descriptor, (off_t)offset, SEEK_SET) < 0)
        writer->error = errno;
    write_out(writer, bytes, count);
    if (writer->error == 0 && lseek(writer->descriptor, 0, SEEK_END) < 0) writer->error = errno;
}

/* ---- commit and abandon ---- */

/* EINVAL: a file system, or a device, that has nothing to sync. */
static int sync_descriptor(int descriptor) {
    for (;;) {
        if (fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS) return 0;
        if (errno != EINTR) return errno;
    }
}

int decant__folder_sync(int descriptor) { return sync_descriptor(descriptor); }

decant_status decant__writer_commit(decant__writer *writer) {
    decant_status status = DECANT_OK;
    flush_buffer(writer);
    if (writer->temporary[0] != '\0') {
        if (writer->error == 0) writer->error = sync_descriptor(writer->descriptor);
        if (writer->error == 0 &&
            renameat(writer->folder, writer->temporary, writer->folder, writer->name) != 0)
            writer->error = errno;
        if (writer->error == 0) {
            writer->temporary[0] = '\0'; /* renamed: there is nothing to remove */
            writer->error = decant__folder_sync(writer->folder);
        }
    }
    if (writer->error != 0)
        status = decant__fail(DECANT_EIO, "%s: could not be written: %s", writer->path,
                              strerror(writer->error));
    decant__writer_abandon(writer);
    return status;
}

void decant__writer_abandon(decant__writer *writer) {
    if (writer->open) {
        if (writer->temporary[0] != '\0') unlinkat(writer->folder, writer->temporary, 0);
        close(writer->descriptor); /* last: the lock keeps other writers from removing the file */
        if (writer->folder >= 0) close(writer->folder);
    }
    decant__free(writer->path);
    decant__free(writer->buffer);
    *writer = (decant__writer){0};
}

decant_status decant__file_write(const char *path, const void *bytes, size_t count) {
    decant__writer writer;
    decant_status status = decant__writer_open(&writer, path);
    if (status != DECANT_OK) return status;
    decant__writer_put(&writer, bytes, count);
    return decant__writer_commit(&writer);
}

/* ---- reading ---- */

static int read_all(int descriptor, char *bytes, size_t count, size_t *got) {
    *got = 0;
    while (*got < count) {
        size_t part = count - *got < LARGEST_WRITE ? count - *got : LARGEST_WRITE;
        ssize_t received = read(descriptor, bytes + *got, part);
        if (received == 0) break;
        if (received < 0 && errno != EINTR) return errno;
        if (received > 0) *got += (size_t)received;
    }
    return 0;
}

decant_status decant__file_read(const char *path, char **bytes, size_t *count) {
    decant_status status = DECANT_OK;
    struct stat info;
    char *read = NULL;
    size_t got;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    if (!S_ISREG(info.st_mode)) TRY(decant__fail(DECANT_EIO, "%s: is not a regular file", path));
    NEW_ARRAY(read, (size_t)info.st_size + 1);
    error = read_all(descriptor, read, (size_t)info.st_size, &got);
    if (error != 0) TRY(decant__fail(DECANT_EIO, "%s: cannot be read: %s", path, strerror(error)));
    if (got != (size_t)info.st_size)
        TRY(decant__fail(DECANT_EIO, "%s: became shorter while it was read", path));
    read[got] = '\0';
    *bytes = read;
    *count = got;
    read = NULL;
done:
    if (descriptor >= 0) close(descriptor);
    decant__free(read);
    return status;
}
