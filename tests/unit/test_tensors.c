#include "forge.h"

#include <jansson.h>

#include "base/memory.h"
#include "store/tensors.h"

static const char FORMAT[] = "decant-test", VERSION[] = "7";
static const char NOTE[] =
    "quote \" and \xc3\xa4 and \"checksum\":\"x, \\, tab\t, bell\a, \xf0\x9f\x8d\xb7";

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
    decant__metadata metadata = {0};
    decant__tensors_begin(&metadata, format, version);
    decant__metadata_put(&metadata, "note", NOTE);
    assert_ok(decant__tensors_write(f->path, &metadata, f->tensors, 4));
    decant__metadata_free(&metadata);
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
    assert_string_equal(decant__tensors_text(&file, "note"), NOTE);
    assert_null(decant__tensors_text(&file, "nothing"));
    assert_non_null(strstr(decant_last_error(), "its metadata has no 'nothing'"));
    assert_true(decant__tensors_recognise(f->path));
    decant__tensors_close(&file);
}

static void test_get_other_shape_or_type(void **state) {
    fixture *f = *state;
    float buffer[64];
    decant__tensor_file file;
    assert_ok(decant__tensors_read(&file, f->path, FORMAT, VERSION));
    const decant__tensor wrong[] = {
        {"real", DECANT__F32, 3, 2, buffer},  {"real", DECANT__F32, 6, 0, buffer},
        {"real", DECANT__I32, 2, 3, buffer},  {"whole", DECANT__I32, 4, 0, buffer},
        {"whole", DECANT__I32, 5, 1, buffer}, {"nothing", DECANT__F32, 1, 0, buffer}};
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
    bytes[size] = 0; /* sample_read leaves a byte for this */
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
    assert_fails(decant__tensors_read(&file, f->path, FORMAT, "6"), DECANT_EFORMAT,
                 "has format version 7, this decant reads version 6");
    assert_fails(decant__tensors_read(&file, "/no/such/file", FORMAT, VERSION), DECANT_EIO,
                 "/no/such/file");
    assert_fails(decant__tensors_read(&file, "/tmp", FORMAT, VERSION), DECANT_EIO, "/tmp");
}

/* A checksum that is right does not make places and shapes right. */
static void test_get_forged_places(void **state) {
    fixture *f = *state;
    static const struct {
        const char *from, *to;
        size_t tensor;
    } cases[] = {{"[0,24]", "[0,25]", 0},   {"[0,24]", "[0,23]", 0},   {"[0,24]", "[1,24]", 0},
                 {"[2,3]", "[3,2]", 0},     {"[24,44]", "[44,24]", 1}, {"[24,44]", "[-4,16]", 1},
                 {"[24,44]", "[78,98]", 1}, {"\"I32\"", "\"I33\"", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        decant__tensor_file file;
        write_file(f, FORMAT, VERSION);
        forge(f->path, cases[i].from, cases[i].to);
        decant_status status = decant__tensors_read(&file, f->path, FORMAT, VERSION);
        if (status == DECANT_OK) {
            status = decant__tensors_get(&file, &f->tensors[cases[i].tensor]);
            decant__tensors_close(&file);
        }
        assert_int_equal(status, DECANT_EFORMAT);
    }
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

/* Safetensors files of other programs are not reported as damaged. */
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
    decant__metadata metadata = {0};
    assert_fails(decant__tensors_write("/no/such/folder/file", &metadata, f->tensors, 4),
                 DECANT_EIO, "/no/such/folder/file");
    decant__metadata_put(&metadata, "stem", "caf\xe9");
    decant__metadata_put(&metadata, "other", "text");
    assert_fails(decant__tensors_write(f->path, &metadata, f->tensors, 4), DECANT_EINVAL,
                 "stem: is not UTF-8");
    decant__metadata_free(&metadata);
}

/* The header that jansson would have written, to the byte: files of older versions are the same. */
static void test_write_header_is_compact_json(void **state) {
    fixture *f = *state;
    size_t size, length;
    char *bytes = sample_read(f->path, &size);
    length = (size_t)(strrchr(bytes + 8, '}') - (bytes + 8)) + 1; /* blanks follow */
    json_t *header = json_loadb(bytes + 8, length, 0, NULL);
    char *again = json_dumps(header, JSON_COMPACT);
    assert_int_equal(strlen(again), length);
    assert_memory_equal(again, bytes + 8, length);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(header, "__metadata__"), "note")), NOTE);
    free(again);
    json_decref(header);
    free(bytes);
}

static void test_encode_decode_same_bytes(void **state) {
    fixture *f = *state;
    size_t size, count;
    char *bytes = sample_read(f->path, &size), *encoded = NULL;
    decant__metadata metadata = {0};
    decant__tensor_file file;
    decant__tensors_begin(&metadata, FORMAT, VERSION);
    decant__metadata_put(&metadata, "note", NOTE);
    assert_ok(decant__tensors_encode(&metadata, f->tensors, 4, &encoded, &count));
    assert_int_equal(count, size);
    assert_memory_equal(encoded, bytes, size);
    assert_ok(decant__tensors_decode(&file, "memory", encoded, count, FORMAT, VERSION));
    assert_string_equal(decant__tensors_text(&file, "note"), NOTE);
    assert_memory_equal(encoded, bytes, size); /* it was copied */
    decant__tensors_close(&file);
    assert_fails(decant__tensors_decode(&file, "memory", NULL, 0, FORMAT, VERSION), DECANT_EFORMAT,
                 "memory: has only 0 bytes");
    decant__metadata_free(&metadata);
    decant__free(encoded);
    free(bytes);
}

/* A file with this header and a right checksum, which stands at the given place. */
static decant_status read_header(fixture *f, const char *header) {
    static const char ZEROS[] = "00000000000000000000000000000000";
    char bytes[2048] = {0}, sum[33];
    size_t length = strlen(header);
    bytes[0] = (char)(length & 0xff);
    bytes[1] = (char)(length >> 8);
    memcpy(bytes + 8, header, length);
    char *place = strstr(bytes + 8, ZEROS);
    if (place != NULL) {
        XXH128_hash_t hash = XXH3_128bits(bytes, 8 + length);
        snprintf(sum, sizeof sum, "%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
        memcpy(place, sum, 32);
    }
    sample_write(f->path, bytes, 8 + length);
    decant__tensor_file file;
    decant_status status = decant__tensors_read(&file, f->path, FORMAT, VERSION);
    if (status == DECANT_OK) decant__tensors_close(&file);
    return status;
}

#define META                                                               \
    "\"__metadata__\":{\"checksum\":\"00000000000000000000000000000000\"," \
    "\"format\":\"decant-test\",\"format_version\":\"7\""

static void test_read_headers(void **state) {
    fixture *f = *state;
    static const char *const good[] = {
        "{" META "}}",
        "{ " META " } , \"x\" : {\"shape\":[0],\"dtype\":\"F32\",\"data_offsets\":[0,0]}}  ",
        "{" META ",\"\\u00e4\":\"\\uD83C\\uDF77\\n\\/\"}}"};
    static const char *const bad[] = {
        "{" META "}",
        "{" META "}}x",
        "{" META "}},",
        "{" META ",}}",
        "{" META "},}",
        "{" META ",\"a\":1}}",
        "{" META ",\"a\":\"1}}",
        "{" META ",\"a\":\"\\u0000\"}}",
        "{" META ",\"a\":\"\\uD83C\"}}",
        "{" META ",\"a\":\"\\uDF77\"}}",
        "{" META ",\"a\":\"\\x\"}}",
        "{" META ",\"a\":\"\\",
        "{" META ",\"a\":\"\\u12",
        "{" META ",\"a\":\"\xff\"}}",
        "{" META ",\"a\":\"\n\"}}",
        "{" META ",\"format\":\"x\"}}",
        "{" META "}," META "}}",
        "{" META "},\"x\":1}",
        "{" META "},\"x\":{}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[1,2,3],\"data_offsets\":[0,0]}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,0]}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,0]}}",
        "{" META
        "},\"x\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,0]}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],\"data_offsets\":[0,0]}}",
        "{" META "},\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,0]}}",
        "{" META
        "},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,0]},"
        "\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,0]}}"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_ok(read_header(f, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read_header(f, bad[i]) != DECANT_EFORMAT ||
            strstr(decant_last_error(), "header is not valid at byte") == NULL)
            fail_msg("header %zu: %s", i, decant_last_error());
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
        cmocka_unit_test_setup_teardown(test_get_forged_places, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_huge_header_length, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_foreign_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_where_it_cannot, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write_header_is_compact_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_encode_decode_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_headers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
