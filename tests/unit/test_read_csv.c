#include "files.h"
#include "locale_of_test.h"

#include "data/dataset.h"

static decant_status read_with(const char *path, const char *id, const char *label,
                               decant_dataset **data) {
    decant_read_options options = {
        .struct_size = sizeof options, .id_column = id, .label_column = label};
    return decant_dataset_read(&path, 1, &options, NULL, data);
}

/* Texts that all mean the same 2 x 3. */
static void test_read_csv_same_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1,2.5,-3\n4,5e1,.5\n",
        "1,2.5,-3\n4,5e1,.5",
        "1,2.5,-3\r\n4,5e1,.5\r\n",
        "a,b,c\n1,2.5,-3\n4,5e1,.5\n",
        ("\xef\xbb\xbf"
         "a,b,c\n1,2.5,-3\n4,5e1,.5\n"),
        "a\tb\tc\n1\t2.5\t-3\n4\t5e1\t.5\n",
        "a;b;c\n1;2.5;-3\n4;5e1;.5\n\n\n",
        "\"a,;\",\"b\nb\",\"c\"\"c\"\n\"1\",\"2.5\",\"-3\"\n4,\"5e1\",.5\n",
        " 1 , 2.5,  -3\n4,5e1 , .5\n",
    };
    const float expected[] = {1, 2.5f, -3, 4, 50, .5f};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        decant_dataset *data;
        const char *path =
            i % 2 ? write_gzip("same", texts[i], strlen(texts[i])) : write_text("same", texts[i]);
        assert_ok(read_one(path, &data));
        assert_int_equal(data->n, 2);
        assert_int_equal(data->d, 3);
        assert_memory_equal(data->dense, expected, sizeof expected);
        assert_null(data->labels);
        decant_dataset_free(data);
    }
}

static void test_read_csv_in_a_locale_with_commas(void **state) {
    (void)state;
    decant_dataset *data;
    enter_test_locale();
    assert_ok(
        read_one(write_text("locale", "1.5,2.25\n1.25000000000000000000000001,1e-30\n"), &data));
    leave_test_locale();
    const float expected[] = {1.5f, 2.25f, 1.25f, 1e-30f};
    assert_memory_equal(data->dense, expected, sizeof expected);
    decant_dataset_free(data);
}

static void test_read_csv_ids_and_labels(void **state) {
    (void)state;
    const char *path =
        write_text("named", "name,x,kind,y\nann,1,cat,2\n\"b, c\",3,dog,4\n,5,cat,6\n");
    const float expected[] = {1, 2, 3, 4, 5, 6};
    static const char *const columns[][2] = {{"name", "kind"}, {"1", "3"}};
    for (size_t i = 0; i < 2; i++) {
        decant_dataset *data;
        assert_ok(read_with(path, columns[i][0], columns[i][1], &data));
        assert_int_equal(data->d, 2);
        assert_memory_equal(data->dense, expected, sizeof expected);
        assert_string_equal(decant_dataset_id(data, 0), "ann");
        assert_string_equal(decant_dataset_id(data, 1), "b, c");
        assert_string_equal(decant_dataset_id(data, 2), "");
        assert_null(decant_dataset_id(data, 3));
        assert_int_equal(decant_dataset_class_count(data), 2);
        assert_string_equal(decant_dataset_class_name(data, 0), "cat");
        assert_string_equal(decant_dataset_class_name(data, 1), "dog");
        assert_null(decant_dataset_class_name(data, 2));
        const int32_t labels[] = {0, 1, 0};
        assert_memory_equal(decant_dataset_labels(data), labels, sizeof labels);
        decant_dataset_free(data);
    }
}

static void test_read_csv_header_or_not(void **state) {
    (void)state;
    decant_dataset *data;
    /* names beside numbers, but the wanted name is there: a header, as pandas writes it */
    assert_ok(read_with(write_text("pandas", "label,0,1\n7,1,2\n"), NULL, "label", &data));
    assert_int_equal(data->n, 1);
    assert_string_equal(decant_dataset_class_name(data, 0), "7");
    decant_dataset_free(data);
    /* a text label in a first row of data */
    assert_ok(read_with(write_text("iris", "setosa,1,2\nother,3,4\n"), NULL, "1", &data));
    assert_int_equal(data->n, 2);
    decant_dataset_free(data);
    /* the wanted number is no name, even where a cell looks like it */
    assert_ok(read_with(write_text("two", "5,2,1\n6,3,2\n"), NULL, "2", &data));
    assert_int_equal(data->n, 2);
    assert_string_equal(decant_dataset_class_name(data, 0), "2");
    decant_dataset_free(data);
    /* id and label in one column */
    assert_ok(read_with(write_text("both", "a,1\nb,2\n"), "1", "1", &data));
    assert_string_equal(decant_dataset_id(data, 1), "b");
    assert_int_equal(decant_dataset_labels(data)[1], 1);
    decant_dataset_free(data);
}

static void test_read_csv_label_order(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(
        read_with(write_text("order", "1,10\n1,9\n1,-1\n1,9.0\n1,+10\n1,1e1\n"), NULL, "2", &data));
    const int32_t labels[] = {2, 1, 0, 1, 2, 2};
    assert_int_equal(data->class_count, 3);
    assert_memory_equal(data->labels, labels, sizeof labels);
    assert_string_equal(decant_dataset_class_name(data, 2), "10");
    decant_dataset_free(data);
    assert_ok(read_with(write_text("order", "1,b\n1,B\n1,10\n1,9\n1,007\n"), NULL, "2", &data));
    const int32_t bytewise[] = {4, 3, 1, 2, 0};
    assert_memory_equal(data->labels, bytewise, sizeof bytewise);
    assert_string_equal(decant_dataset_class_name(data, 0), "007");
    decant_dataset_free(data);
}

static void test_read_csv_broken(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "bad.csv: the file is empty"},
        {"\n\n", "has no rows"},
        {"a,b\n", "has no rows"},
        {"1,2\n3\n", "bad.csv: line 2: expected 2 cells, found 1"},
        {"1,2\n3,4,5\n", "bad.csv: line 2: expected 2 cells, found more than 2"},
        {"1,2\n3,\"4\n5,6\n", "line 2: a quoted cell that begins here has no end"},
        {"\"a,b\n", "line 1: a quoted cell that begins here has no end"},
        {"1,2\n\"3\"4,5\n", "line 2, column 1: expected a separator, found text after"},
        {"a,\"b\n\",c\n1,2,3\n4,5\n", "line 4: expected 3 cells, found 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(write_text("bad.csv", cases[i].text), cases[i].message);
    assert_refused(write_bytes("zero.csv",
                               "1,2\n3,\0"
                               "4\n",
                               9),
                   "binary file");
}

static void test_read_csv_wrong_columns(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = write_text("columns", "a,b\n1,2\n");
    assert_fails(read_with(path, "c", NULL, &data), DECANT_EINVAL,
                 "expected a column named or numbered \"c\" for the ids, found 2 columns");
    assert_fails(read_with(path, NULL, "3", &data), DECANT_EINVAL, "\"3\" for the labels");
    assert_fails(read_with(path, NULL, "0", &data), DECANT_EINVAL, "\"0\" for the labels");
    assert_fails(read_with(path, "a", "b", &data), DECANT_EFORMAT,
                 "no column is left to cluster by (a: identifies the rows, not used to cluster; b: "
                 "known classes, only used for scores)");
    assert_fails(read_with(write_text("bare", "1,2\n"), NULL, "b", &data), DECANT_EINVAL,
                 "found 2 columns without a header");
    assert_null(data);
}

/* Quotes inside of quotes are doubled; separators and line ends in them belong to the cell. */
static void test_read_csv_quoted_cells(void **state) {
    (void)state;
    decant_dataset *data;
    const char *path = write_text("quoted.csv",
                                  "id,x,kind\n"
                                  "\"say \"\"hi\"\", twice\",1,\"a\"\"b\"\n"
                                  "\"two\nlines\",\"2\",\"\"\"\"\n"
                                  "\"\",3,c\n");
    assert_ok(read_with(path, "id", "kind", &data));
    assert_int_equal(data->n, 3);
    assert_string_equal(decant_dataset_id(data, 0), "say \"hi\", twice");
    assert_string_equal(decant_dataset_id(data, 1), "two\nlines");
    assert_string_equal(decant_dataset_id(data, 2), "");
    static const char *const kinds[] = {"a\"b", "\"", "c"};
    const int32_t *labels = decant_dataset_labels(data);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(decant_dataset_class_name(data, (size_t)labels[i]), kinds[i]);
        assert_true(data->dense[i] == (float)(i + 1));
    }
    decant_dataset_free(data);
}

/* Cells of a quoted record that goes on for longer than any buffer. */
static void test_read_csv_long_record(void **state) {
    (void)state;
    enum { COUNT = 700000 };
    char *text = malloc(COUNT + 64);
    decant_dataset *data;
    strcpy(text, "id,x\n\"");
    memset(text + 6, '\n', COUNT);
    strcpy(text + 6 + COUNT, "\",5\n");
    assert_ok(read_with(write_text("long.csv", text), "id", NULL, &data));
    assert_int_equal(data->n, 1);
    assert_int_equal(strlen(decant_dataset_id(data, 0)), COUNT);
    assert_true(data->dense[0] == 5);
    decant_dataset_free(data);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_csv_same_numbers),
        cmocka_unit_test(test_read_csv_in_a_locale_with_commas),
        cmocka_unit_test(test_read_csv_ids_and_labels),
        cmocka_unit_test(test_read_csv_header_or_not),
        cmocka_unit_test(test_read_csv_label_order),
        cmocka_unit_test(test_read_csv_broken),
        cmocka_unit_test(test_read_csv_wrong_columns),
        cmocka_unit_test(test_read_csv_quoted_cells),
        cmocka_unit_test(test_read_csv_long_record),
    };
    return run_with_folder(tests);
}
