/* Preloaded into the program: makes one system call or allocation fail.
 *
 *   DECANT_FAULT=KIND:N   the N-th call of a kind fails: write, fsync, rename, open, read, mmap,
 * alloc DECANT_FAULT_MARK=F   the file F is created when it does
 *
 * Only calls from the program itself, jansson or zlib count, not those inside of the C library,
 * BLAS or the thread library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { WRITE, FSYNC, RENAME, OPEN, READ, MMAP, ALLOC, KINDS, MAX_RANGES = 16 };
static const char *const kind_name[KINDS] = {"write", "fsync", "rename", "open",
                                             "read",  "mmap",  "alloc"};
static const int kind_error[KINDS] = {ENOSPC, EIO, EIO, EMFILE, EIO, ENOMEM, ENOMEM};

static struct range { uintptr_t begin, end; } ours[MAX_RANGES];
static int range_count;
static int failing_kind = -1;
static atomic_long left; /* calls until the one that fails */

/* The executable parts of the program ("" is its name), jansson and zlib. */
static int add_object(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    (void)user;
    const char *name = info->dlpi_name;
    if (name[0] != '\0' && strstr(name, "libjansson") == NULL && strstr(name, "libz.") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && range_count < MAX_RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        uintptr_t begin = (uintptr_t)info->dlpi_addr + part->p_vaddr;
        ours[range_count++] = (struct range){begin, begin + part->p_memsz};
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("DECANT_FAULT");
    const char *colon = fault != NULL ? strchr(fault, ':') : NULL;
    if (colon == NULL) return;
    dl_iterate_phdr(add_object, NULL);
    atomic_store(&left, strtol(colon + 1, NULL, 10));
    for (int k = 0; k < KINDS; k++)
        if (strlen(kind_name[k]) == (size_t)(colon - fault) &&
            strncmp(kind_name[k], fault, (size_t)(colon - fault)) == 0)
            failing_kind = k;
}

static int fails(int kind, void *caller) {
    if (kind != failing_kind) return 0;
    uintptr_t at = (uintptr_t)caller;
    int is_ours = 0;
    for (int i = 0; i < range_count; i++) is_ours |= at >= ours[i].begin && at < ours[i].end;
    if (!is_ours || atomic_fetch_sub(&left, 1) != 1) return 0;
    const char *mark = getenv("DECANT_FAULT_MARK");
    if (mark != NULL) {
        long file = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0666);
        if (file >= 0) syscall(SYS_close, file);
    }
    errno = kind_error[kind];
    return 1;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) { return fails(ALLOC, CALLER) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
    return fails(ALLOC, CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return fails(ALLOC, CALLER) ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(ALLOC, CALLER) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (fails(ALLOC, CALLER)) return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

ssize_t write(int file, const void *bytes, size_t count) {
    return fails(WRITE, CALLER) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t read(int file, void *bytes, size_t count) {
    return fails(READ, CALLER) ? -1 : syscall(SYS_read, file, bytes, count);
}

int fsync(int file) { return fails(FSYNC, CALLER) ? -1 : (int)syscall(SYS_fsync, file); }

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    if (fails(RENAME, CALLER)) return -1;
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) {
    if (fails(RENAME, CALLER)) return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails(OPEN, CALLER) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return fails(OPEN, CALLER) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*next)(const char *, const char *);
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "fopen");
    return fails(OPEN, CALLER) ? NULL : next(path, mode);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    if (fails(MMAP, CALLER)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
