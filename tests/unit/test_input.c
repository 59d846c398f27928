#include "files.h"

#include "base/input.h"
#include "base/memory.h"

static void assert_reads(const char *path, const char *expected, size_t count) {
    decant__input input;
    char *bytes = malloc(count + 1);
    size_t got;
    assert_ok(decant__input_open(&input, path, NULL));
    assert_ok(decant__input_read(&input, bytes, count + 1, &got));
    assert_int_equal(got, count);
    assert_memory_equal(bytes, expected, count);
    decant__input_close(&input);
    free(bytes);
}

static void test_plain_and_gzip_read_the_same(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    char *bytes = malloc(COUNT);
    for (size_t i = 0; i < COUNT; i++) bytes[i] = (char)(i * i >> 7);
    assert_reads(write_bytes("plain", bytes, COUNT), bytes, COUNT);
    assert_reads(write_gzip("packed", bytes, COUNT), bytes, COUNT);
    free(bytes);
}

static void test_lines_of_all_kinds(void **state) {
    (void)state;
    const char *path = write_text("lines", "one\r\n\ntwo\nlast");
    const char *expected[] = {"one", "", "two", "last"};
    decant__input input;
    char *line;
    size_t length;
    assert_ok(decant__input_open(&input, path, NULL));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(decant__input_read_line(&input, &line, &length));
        assert_string_equal(line, expected[i]);
        assert_int_equal(length, strlen(expected[i]));
        assert_int_equal(input.line, i + 1);
    }
    assert_ok(decant__input_read_line(&input, &line, &length));
    assert_null(line);
    decant__input_close(&input);
}

static void test_line_longer_than_the_buffer(void **state) {
    (void)state;
    enum { COUNT = 1200000 };
    char *bytes = malloc(COUNT);
    memset(bytes, 'x', COUNT);
    bytes[COUNT - 10] = '\n';
    decant__input input;
    char *line;
    size_t length;
    assert_ok(decant__input_open(&input, write_gzip("long", bytes, COUNT), NULL));
    assert_ok(decant__input_read_line(&input, &line, &length));
    assert_int_equal(length, COUNT - 10);
    assert_ok(decant__input_read_line(&input, &line, &length));
    assert_string_equal(line, "xxxxxxxxx");
    decant__input_close(&input);
    free(bytes);
}

static void test_peek_takes_nothing(void **state) {
    (void)state;
    decant__input input;
    const char *bytes;
    size_t count;
    char read[4];
    assert_ok(decant__input_open(&input, write_text("peek", "abcd"), NULL));
    assert_true(input.exact);
    assert_int_equal(input.max_bytes, 4);
    assert_ok(decant__input_peek(&input, 2, &bytes, &count));
    assert_int_equal(count, 2);
    assert_ok(decant__input_peek(&input, 100, &bytes, &count));
    assert_int_equal(count, 4);
    assert_memory_equal(bytes, "abcd", 4);
    decant__input_skip(&input, 1);
    assert_ok(decant__input_read(&input, read, 4, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(read, "bcd", 3);
    decant__input_close(&input);
}

static void test_missing_file_and_folder(void **state) {
    (void)state;
    decant__input input;
    assert_fails(decant__input_open(&input, in_folder("nothing"), NULL), DECANT_EIO,
                 "nothing: cannot be");
    assert_fails(decant__input_open(&input, test_folder, NULL), DECANT_EIO, "is a folder");
    decant__input_close(&input);
}

/* Address 0 of the own memory is a file that opens but cannot be read. */
static void test_read_error(void **state) {
    (void)state;
    decant__input input;
    if (access("/proc/self/mem", R_OK) != 0) skip();
    assert_fails(decant__input_open(&input, "/proc/self/mem", NULL), DECANT_EIO,
                 "/proc/self/mem: cannot be read: Input/output error");
}

/* Every way in which a gzip file can be cut off, and some in which it can be damaged. */
static void test_damaged_gzip(void **state) {
    (void)state;
    char text[3000];
    unsigned char packed[4000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 23);
    size_t count = read_bytes(write_gzip("good.gz", text, sizeof text), packed, sizeof packed);
    for (size_t cut = 3; cut < count; cut++) {
        decant__input input;
        char bytes[3001];
        size_t got;
        assert_ok(decant__input_open(&input, write_bytes("cut.gz", packed, cut), NULL));
        assert_fails(decant__input_read(&input, bytes, sizeof bytes, &got), DECANT_EFORMAT,
                     "cut.gz: the gzip data");
        decant__input_close(&input);
    }
    for (size_t at = count - 8; at < count; at++) { /* the checksum and the length */
        decant__input input;
        char bytes[3001];
        size_t got;
        packed[at] ^= 0x10;
        assert_ok(decant__input_open(&input, write_bytes("bad.gz", packed, count), NULL));
        assert_fails(decant__input_read(&input, bytes, sizeof bytes, &got), DECANT_EFORMAT,
                     "bad.gz: the gzip data is damaged");
        packed[at] ^= 0x10;
        decant__input_close(&input);
    }
}

/* gzip files may be put one behind the other; zeros behind them are padding. */
static void test_gzip_members(void **state) {
    (void)state;
    unsigned char all[4000];
    size_t first = read_bytes(write_gzip("a.gz", "one\n", 4), all, sizeof all);
    size_t count = first + read_bytes(write_gzip("b.gz", "two\n", 4), all + first, 2000);
    assert_reads(write_bytes("ab.gz", all, count), "one\ntwo\n", 8);
    memset(all + count, 0, 600);
    assert_reads(write_bytes("padded.gz", all, count + 600), "one\ntwo\n", 8);
}

static void test_open_without_memory(void **state) {
    (void)state;
    const char *path = write_text("memory", "x");
    for (size_t n = 1; n <= 2; n++) {
        decant__input input;
        decant__alloc_fail_at(n);
        assert_int_equal(decant__input_open(&input, path, NULL), DECANT_ENOMEM);
        decant__alloc_fail_at(0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_gzip_read_the_same),
        cmocka_unit_test(test_lines_of_all_kinds),
        cmocka_unit_test(test_line_longer_than_the_buffer),
        cmocka_unit_test(test_peek_takes_nothing),
        cmocka_unit_test(test_missing_file_and_folder),
        cmocka_unit_test(test_read_error),
        cmocka_unit_test(test_damaged_gzip),
        cmocka_unit_test(test_gzip_members),
        cmocka_unit_test(test_open_without_memory),
    };
    return run_with_folder(tests);
}
