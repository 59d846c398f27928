#include "sample.h"

#include "dec/tensors.h"

static const char FORMAT[] = "decant-test", VERSION[] = "7";

/* Three tensors of all types; one of odd length, one empty. */
typedef struct fixture {
    float real[2 * 3];
    int32_t whole[5];
    double wide[3];
    decant__tensor tensors[4];
    char path[SAMPLE_PATH];
} fixture;

static void list_tensors(fixture *f) {
    const decant__tensor all[4] = {{"real", DECANT__F32, 2, 3, f->real},
                                   {"whole", DECANT__I32, 5, 0, f->whole},
                                   {"wide", DECANT__F64, 3, 1, f->wide},
                                   {"none", DECANT__F32, 0, 4, f->real}};
    memcpy(f->tensors, all, sizeof all);
}

static void write_file(fixture *f, const char *format, const char *version) {
    json_t *metadata = json_pack("{s:s, s:s, s:s}", "format", format, "format_version", version,
                                 "note", "quote \" and \xc3\xa4 and \"checksum\":\"x");
    assert_ok(decant__tensors_write(f->path, metadata, f->tensors, 4));
    assert_null(json_object_get(metadata, "checksum")); /* it is not changed */
    json_decref(metadata);
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    sample_path("tensors", f->path);
    for (int i = 0; i < 6; i++) f->real[i] = (float)i / 3;
    for (int i = 0; i < 5; i++) f->whole[i] = i * 1000003 - 2000000;
    for (int i = 0; i < 3; i++) f->wide[i] = (double)i / 7;
    f->wide[2] = NAN;
    list_tensors(f);
    write_file(f, FORMAT, VERSION);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    remove(f->path);
    free(f);
    return 0;
}

static void test_write_read_roundtrip(void **state) {
    fixture *f = *state, back;
    decant__tensor_file file;
    memset(&back, 0xff, sizeof back);
    list_tensors(&back);
    assert_ok(decant__tensors_read(&file, f->path, FORMAT, VERSION));
    for (size_t i = 0; i < 4; i++) {
        assert_ok(decant__tensors_get(&file, &back.tensors[i]));
    }
    assert_memory_equal(f->real, back.real, sizeof f->real);
    assert_memory_equal(f->whole, back.whole, sizeof f->whole);
    assert_memory_equal(f->wide, back.wide, sizeof f->wide);
    assert_string_equal(decant__tensors_text(&file, "note"),
                        "quote \" and \xc3\xa4 and \"checksum\":\"x");
    assert_null(decant__tensors_text(&file, "nothing"));
    assert_non_null(strstr(decant_last_error(), "its metadata has no 'nothing'"));
    assert_true(decant__tensors_recognise(f->path));
    decant__tensors_close(&file);
}

static void test_get_other_shape_or_type(void **state) {
    fixture *f = *state;
    float room[64];
    decant__tensor_file file;
    assert_ok(decant__tensors_read(&file, f->path, FORMAT, VERSION));
    const decant__tensor wrong[] = {
        {"real", DECANT__F32, 3, 2, room},  {"real", DECANT__F32, 6, 0, room},
        {"real", DECANT__I32, 2, 3, room},  {"whole", DECANT__I32, 4, 0, room},
        {"whole", DECANT__I32, 5, 1, room}, {"nothing", DECANT__F32, 1, 0, room}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_fails(decant__tensors_get(&file, &wrong[i]), DECANT_EFORMAT, wrong[i].name);
    decant__tensors_close(&file);
}

/* As the safetensors format has it: length, JSON object, tensors without holes or overlap. */
static void test_write_is_valid_safetensors(void **state) {
    fixture *f = *state;
    size_t size, length = 0, covered = 0;
    char *bytes = sample_read(f->path, &size);
    for (size_t i = 8; i-- > 0;) length = length << 8 | (unsigned char)bytes[i];
    assert_true(length <= size - 8);
    assert_int_equal((8 + length) % 8, 0); /* aligned */
    assert_int_equal(bytes[8], '{');
    json_error_t error;
    json_t *header = json_loadb(bytes + 8, length, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(header);
    const char *name;
    json_t *entry, *value;
    json_object_foreach(json_object_get(header, "__metadata__"), name, value)
        assert_true(json_is_string(value));
    json_object_foreach(header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) continue;
        const char *type = json_string_value(json_object_get(entry, "dtype"));
        size_t item = strcmp(type, "F64") == 0 ? 8 : 4, count = 1, index;
        assert_true(strcmp(type, "F32") == 0 || strcmp(type, "I32") == 0 || item == 8);
        json_array_foreach(json_object_get(entry, "shape"), index, value) count *=
            (size_t)json_integer_value(value);
        json_t *offsets = json_object_get(entry, "data_offsets");
        size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
        size_t end = (size_t)json_integer_value(json_array_get(offsets, 1));
        assert_int_equal(begin, covered);
        assert_int_equal(end - begin, count * item);
        covered = end;
    }
    assert_int_equal(covered, size - 8 - length);
    json_decref(header);
    free(bytes);
}

/* Same contents, same bytes: nothing of the time or the place gets into a file. */
static void test_write_same_bytes(void **state) {
    fixture *f = *state;
    size_t size, again;
    char *first = sample_read(f->path, &size);
    write_file(f, FORMAT, VERSION);
    char *second = sample_read(f->path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
}

static void check_damaged(fixture *f, const char *bytes, size_t size, size_t place) {
    decant__tensor_file file;
    sample_write(f->path, bytes, size);
    decant_status status = decant__tensors_read(&file, f->path, FORMAT, VERSION);
    if (status != DECANT_EFORMAT) fail_msg("byte %zu of %zu: status %d", place, size, (int)status);
    assert_non_null(strstr(decant_last_error(), f->path));
    assert_null(file.bytes);
}

static void test_read_detects_every_flipped_byte(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = sample_read(f->path, &size);
    for (size_t i = 0; i < size; i++) {
        char kept = bytes[i];
        for (int bit = 0; bit < 8; bit += 5) { /* a low one and the case of letters */
            bytes[i] = (char)(kept ^ (1 << bit));
            check_damaged(f, bytes, size, i);
        }
        bytes[i] = kept;
    }
    /* All other values of bytes of the length, the header, the checksum, the padding, the data. */
    char *checksum = NULL;
    for (size_t i = 8; i + 11 < size && checksum == NULL; i++)
        if (memcmp(bytes + i, "\"checksum\":", 11) == 0) checksum = bytes + i + 12;
    assert_non_null(checksum);
    size_t places[] = {0, 1, 7, 8, 9, 20, (size_t)(checksum - bytes), size - 57, size - 1};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        char kept = bytes[places[p]];
        for (int change = 1; change < 256; change++) {
            bytes[places[p]] = (char)(kept ^ change);
            check_damaged(f, bytes, size, places[p]);
        }
        bytes[places[p]] = kept;
    }
    free(bytes);
}

static void test_read_detects_every_truncation(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = sample_read(f->path, &size);
    for (size_t length = 0; length < size; length++) check_damaged(f, bytes, length, length);
    bytes[size] = 0; /* there is room for one more */
    check_damaged(f, bytes, size + 1, size);
    free(bytes);
}

static void test_read_other_format_or_version(void **state) {
    fixture *f = *state;
    decant__tensor_file file;
    assert_fails(decant__tensors_read(&file, f->path, "decant-model", VERSION), DECANT_EFORMAT,
                 "expected a decant-model, found a decant-test");
    assert_fails(decant__tensors_read(&file, f->path, FORMAT, "8"), DECANT_EFORMAT,
                 "has format version 7, this decant reads version 8");
    assert_fails(decant__tensors_read(&file, "/no/such/file", FORMAT, VERSION), DECANT_EIO,
                 "/no/such/file");
    assert_fails(decant__tensors_read(&file, "/tmp", FORMAT, VERSION), DECANT_EIO, "/tmp");
}

static void test_read_huge_header_length(void **state) {
    fixture *f = *state;
    size_t size;
    char *bytes = sample_read(f->path, &size);
    memset(bytes, 0xff, 8);
    check_damaged(f, bytes, size, 0);
    assert_false(decant__tensors_recognise(f->path));
    memset(bytes + 4, 0, 4); /* 4 GiB */
    check_damaged(f, bytes, size, 0);
    memset(bytes, 0, 8);
    check_damaged(f, bytes, size, 0);
    free(bytes);
}

/* Other programs' safetensors files are told apart from damaged ones. */
static void test_read_foreign_file(void **state) {
    fixture *f = *state;
    decant__tensor_file file;
    sample_write(f->path, "\x02\0\0\0\0\0\0\0{}", 10);
    assert_fails(decant__tensors_read(&file, f->path, FORMAT, VERSION), DECANT_EFORMAT,
                 "was not written by decant");
    sample_write(f->path, "hello, this is a text", 21);
    assert_fails(decant__tensors_read(&file, f->path, FORMAT, VERSION), DECANT_EFORMAT,
                 "not a safetensors file");
    assert_false(decant__tensors_recognise(f->path));
    assert_false(decant__tensors_recognise("/no/such/file"));
    assert_false(decant__tensors_recognise("/tmp"));
}

static void test_write_where_it_cannot(void **state) {
    fixture *f = *state;
    json_t *metadata = json_object();
    assert_fails(decant__tensors_write("/no/such/folder/file", metadata, f->tensors, 4), DECANT_EIO,
                 "/no/such/folder/file");
    json_decref(metadata);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write_read_roundtrip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_get_other_shape_or_type, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_is_valid_safetensors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_detects_every_flipped_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_detects_every_truncation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_other_format_or_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_huge_header_length, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_foreign_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_where_it_cannot, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
