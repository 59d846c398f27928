#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "decant/file.h"
#include "files.h"

static void path_of(const char *name, char path[256]) {
    snprintf(path, 256, "%s/%s", test_folder, name);
}

static size_t file_count(void) {
    size_t count = 0;
    DIR *folder = opendir(test_folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void check_contents(const char *path, const char *expected) {
    char *bytes = NULL;
    size_t count;
    assert_ok(decant__file_read(path, &bytes, &count));
    assert_int_equal(count, strlen(expected));
    assert_string_equal(bytes, expected);
    free(bytes);
}

static unsigned mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_writer_appears_at_commit(void **state) {
    (void)state;
    char path[256];
    decant__writer writer;
    path_of("whole", path);
    assert_ok(decant__writer_open(&writer, path));
    decant__writer_print(&writer, "%d and ", 7);
    decant__writer_put_csv(&writer, "a,\"b\"");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(decant__writer_commit(&writer));
    check_contents(path, "7 and \"a,\"\"b\"\"\"");
    assert_ok(decant__writer_open(&writer, path));
    decant__writer_put(&writer, "half", 4);
    decant__writer_abandon(&writer);
    decant__writer_abandon(&writer);
    check_contents(path, "7 and \"a,\"\"b\"\"\"");
    assert_int_equal(file_count(), 1);
    remove(path);
}

static void test_put_csv_quotes_what_it_must(void **state) {
    (void)state;
    static const char *const fields[][2] = {{"plain text", "plain text"},
                                            {"a,b", "\"a,b\""},
                                            {"a\nb", "\"a\nb\""},
                                            {"a\rb", "\"a\rb\""},
                                            {" a", "\" a\""},
                                            {"a\"b", "\"a\"\"b\""},
                                            {"", ""},
                                            {"1;2\t3", "1;2\t3"}};
    char path[256];
    path_of("fields.csv", path);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        decant__writer writer;
        assert_ok(decant__writer_open(&writer, path));
        decant__writer_put_csv(&writer, fields[i][0]);
        assert_ok(decant__writer_commit(&writer));
        check_contents(path, fields[i][1]);
    }
    remove(path);
}

/* Takes the place of the C library's, and notes what it was called for. */
static const char *watched_path;
static char synced[16];

int fsync(int descriptor) {
    struct stat info;
    int there = watched_path != NULL && access(watched_path, F_OK) == 0;
    if (fstat(descriptor, &info) != 0) return -1;
    strncat(synced, S_ISDIR(info.st_mode) ? "d" : "f", sizeof synced - strlen(synced) - 1);
    strncat(synced, there ? "1" : "0", sizeof synced - strlen(synced) - 1);
    return 0;
}

/* The same; with a limit, no call writes more bytes than that. */
static size_t write_limit;

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (write_limit > 0 && count > write_limit) count = write_limit;
    return syscall(SYS_write, descriptor, bytes, count);
}

static void test_writer_goes_on_after_a_short_write(void **state) {
    (void)state;
    char path[256];
    path_of("short", path);
    write_limit = 3;
    decant_status status = decant__file_write(path, "a text of 21 bytes...", 21);
    write_limit = 0;
    assert_ok(status);
    check_contents(path, "a text of 21 bytes...");
    remove(path);
}

/* The file while nobody can see it, then the folder that has its name. */
static void test_writer_syncs_before_and_after_the_rename(void **state) {
    (void)state;
    char path[256];
    path_of("synced", path);
    watched_path = path;
    synced[0] = '\0';
    assert_ok(decant__file_write(path, "bytes", 5));
    assert_string_equal(synced, "f0d1");
    watched_path = NULL;
    remove(path);
}

/* More than the buffer, in pieces of every kind, and a header that is corrected at the end. */
static void test_writer_large_and_patched(void **state) {
    (void)state;
    enum { LINES = 30000, HALF_MEGABYTE = 1 << 19 };
    char path[256], *bytes = NULL, *large = malloc(HALF_MEGABYTE);
    size_t count;
    decant__writer writer;
    path_of("large", path);
    memset(large, 'x', HALF_MEGABYTE);
    assert_ok(decant__writer_open(&writer, path));
    for (int i = 0; i < LINES; i++) decant__writer_print(&writer, "%07d\n", i);
    decant__writer_put(&writer, large, HALF_MEGABYTE);
    decant__writer_patch(&writer, 8, "changed", 7);
    decant__writer_put(&writer, "end", 3);
    assert_ok(decant__writer_commit(&writer));
    assert_ok(decant__file_read(path, &bytes, &count));
    assert_int_equal(count, 8 * LINES + HALF_MEGABYTE + 3);
    for (int i = 0; i < LINES; i++) {
        char line[9];
        snprintf(line, sizeof line, "%07d\n", i);
        assert_memory_equal(bytes + 8 * i, i == 1 ? "changed\n" : line, 8);
    }
    assert_memory_equal(bytes + 8 * LINES, large, HALF_MEGABYTE);
    assert_string_equal(bytes + count - 3, "end");
    free(bytes);
    free(large);
    remove(path);
}

/* A link planted under the old fixed name, and a link in the place of the file. */
static void test_writer_follows_no_link(void **state) {
    (void)state;
    char path[256], planted[256], victim[256];
    path_of("out", path);
    path_of("out.tmp", planted);
    path_of("victim", victim);
    write_text("victim", "precious");
    assert_int_equal(symlink(victim, planted), 0);
    assert_int_equal(symlink(victim, path), 0);
    assert_ok(decant__file_write(path, "new", 3));
    check_contents(victim, "precious");
    check_contents(path, "new");
    struct stat info;
    assert_true(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
    remove(path);
    remove(planted);
    remove(victim);
}

static void test_writer_permissions(void **state) {
    (void)state;
    char path[256];
    path_of("mode", path);
    mode_t before = umask(027);
    assert_ok(decant__file_write(path, "1", 1));
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_ok(decant__file_write(path, "2", 1));
    assert_int_equal(mode_of(path), 0604);
    umask(before);
    check_contents(path, "2");
    remove(path);
}

static void *write_often(void *user) {
    char path[256], *text = malloc(200001);
    path_of("shared", path);
    memset(text, *(const char *)user, 200000);
    text[200000] = '\0';
    decant_status status = DECANT_OK;
    for (int i = 0; i < 20 && status == DECANT_OK; i++)
        status = decant__file_write(path, text, 200000);
    free(text);
    return status == DECANT_OK ? user : NULL;
}

/* All of them succeed, and the file is one of theirs, whole. */
static void test_writer_many_threads_one_path(void **state) {
    (void)state;
    char path[256], names[] = "abcd", *bytes;
    size_t count;
    pthread_t thread[4];
    path_of("shared", path);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_often, &names[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *good;
        assert_int_equal(pthread_join(thread[i], &good), 0);
        assert_non_null(good);
    }
    assert_ok(decant__file_read(path, &bytes, &count));
    assert_int_equal(count, 200000);
    for (size_t i = 1; i < count; i++) assert_int_equal(bytes[i], bytes[0]);
    free(bytes);
    assert_int_equal(file_count(), 1);
    remove(path);
}

/* What a killed process left is removed by the next writer of that path; what a living one writes,
 * or another file's, is not. */
static void test_writer_removes_dead_temporaries(void **state) {
    (void)state;
    char path[256], other[256];
    decant__writer living;
    path_of("kept", path);
    path_of("kept2", other);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            decant__writer writer;
            if (decant__writer_open(&writer, i == 0 ? path : other) != DECANT_OK) _exit(1);
            kill(getpid(), SIGKILL);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how));
    }
    assert_int_equal(file_count(), 2);
    assert_ok(decant__writer_open(&living, path));
    assert_int_equal(file_count(), 2); /* its own, and that of kept2 */
    assert_ok(decant__file_write(path, "second", 6));
    decant__writer_put(&living, "first", 5);
    assert_ok(decant__writer_commit(&living));
    check_contents(path, "first");
    assert_ok(decant__file_write(other, "", 0));
    assert_int_equal(file_count(), 2);
    remove(path);
    remove(other);
}

static void test_writer_refuses(void **state) {
    (void)state;
    char path[256], longest[300];
    decant__writer writer;
    assert_fails(decant__writer_open(&writer, test_folder), DECANT_EIO, "Is a directory");
    assert_fails(decant__writer_open(&writer, "/no/such/folder/x"), DECANT_EIO,
                 "/no/such/folder/x");
    assert_fails(decant__writer_open(&writer, ""), DECANT_EIO, "cannot be written");
    assert_fails(decant__file_write("/dev/full", "x", 1), DECANT_EIO, "/dev/full: could not be");
    assert_ok(decant__file_write("/dev/null", "x", 1));
    /* As long as a name can be: its temporary is not longer. */
    memset(longest, 'n', sizeof longest);
    longest[255] = '\0';
    snprintf(path, sizeof path, "%s", test_folder);
    int folder = open(path, O_RDONLY);
    assert_int_equal(fchdir(folder), 0);
    close(folder);
    assert_ok(decant__file_write(longest, "x", 1));
    assert_int_equal(remove(longest), 0);
    assert_int_equal(file_count(), 0);
}

static void test_file_read_refuses(void **state) {
    (void)state;
    char *bytes = NULL;
    size_t count;
    assert_fails(decant__file_read("/no/such/file", &bytes, &count), DECANT_EIO, "/no/such/file");
    assert_fails(decant__file_read(test_folder, &bytes, &count), DECANT_EIO, "not a regular file");
    assert_null(bytes);
}

static void test_npy_header_corrected(void **state) {
    (void)state;
    char path[256], *bytes;
    size_t count;
    const float x[6] = {1, 2, 3, 4, 5, 6};
    decant_file *file = NULL;
    path_of("x.npy", path);
    assert_ok(decant_file_open(path, &file));
    decant_file_npy_header(file, 0, 2);
    decant_file_put(file, x, sizeof x);
    decant_file_npy_header(file, 3, 2);
    assert_false(decant_file_failed(file) || decant_file_in_place(file));
    assert_ok(decant_file_commit(file));
    assert_ok(decant__file_read(path, &bytes, &count));
    assert_int_equal(count, 128 + sizeof x);
    assert_non_null(strstr(bytes + 10, "(3, 2), }"));
    assert_memory_equal(bytes + 128, x, sizeof x);
    free(bytes);
    decant_file_discard(NULL);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer_appears_at_commit),
        cmocka_unit_test(test_put_csv_quotes_what_it_must),
        cmocka_unit_test(test_writer_syncs_before_and_after_the_rename),
        cmocka_unit_test(test_writer_goes_on_after_a_short_write),
        cmocka_unit_test(test_writer_large_and_patched),
        cmocka_unit_test(test_writer_follows_no_link),
        cmocka_unit_test(test_writer_permissions),
        cmocka_unit_test(test_writer_many_threads_one_path),
        cmocka_unit_test(test_writer_removes_dead_temporaries),
        cmocka_unit_test(test_writer_refuses),
        cmocka_unit_test(test_file_read_refuses),
        cmocka_unit_test(test_npy_header_corrected),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
