/* Tables: how they are written, what their columns are, and the rows that become of them. */
#include "files.h"

#include <math.h>

#include "data/dataset.h"
#include "table/dialect.h"
#include "decant/table.h"

/* ---- how a table is written ---- */

static void test_dialect(void **state) {
    (void)state;
    static const struct {
        const char *text;
        char separator;
        int header, sure;
        size_t cells;
    } cases[] = {
        {"a,b\n1,2\n3,4\n", ',', 1, 1, 2},
        {"a;b\n1,5;2\n3,5;4\n", ';', 1, 1, 2},
        {"a|b|c\n1|x|2\n3|y|4\n", '|', 1, 1, 3},
        {"1 2 3\n4 5 6\n", ' ', 0, 1, 3},
        {"  1.0   2.0\n -3.0   4.0\n", ' ', 0, 1, 2},
        {"sep=;\na;b\n1;2\n", ';', 1, 1, 2},
        {"# made by hand\na,b\n1,2\n2,3\n", ',', 1, 1, 2},
        {"x y\n1 2 3\n4 5 6\n", ' ', 1, 1, 3}, /* as R writes it */
        {"a,b,\n1,2,\n3,4,\n", ',', 1, 1, 2},
        {"red,big\nblue,small\nred,small\nblue,big\n", ',', 0, 1, 2},
        {"colour,size\nblue,small\nred,small\nblue,big\n", ',', 1, 1, 2},
        {",0,1\n0,5,6\n1,7,8\n", ',', 1, 1, 3},
        {"It was the best of times, it was\nthe worst of times, it was the age\nof wisdom\n", ',',
         0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decant__dialect found;
        decant__likeness likeness;
        const char *text = cases[i].text;
        assert_ok(decant__dialect_find(text, strlen(text), 1, NULL, 0, &found, &likeness));
        if ((likeness == DECANT__SURE_TABLE) != cases[i].sure) fail_msg("%s", text);
        if (!cases[i].sure) continue;
        if (found.separator != cases[i].separator || found.header != cases[i].header ||
            found.cells != cases[i].cells)
            fail_msg("%s: '%c' %d %zu", text, found.separator, found.header, found.cells);
    }
}

/* ---- columns ---- */

static decant_status read_table(const char *path, const decant_table *table, const char *types,
                                decant_dataset **data) {
    decant_read_options options = {.struct_size = sizeof options, .types = types, .table = table};
    return decant_dataset_read(&path, 1, &options, NULL, data);
}

static size_t find(const decant_table *table, const char *name) {
    for (size_t j = 0; j < decant_table_columns(table); j++)
        if (strcmp(decant_table_name(table, j), name) == 0) return j;
    fail_msg("no column %s", name);
    return 0;
}

static void assert_type(const decant_dataset *data, const char *name, decant_column_type type,
                        size_t width) {
    const decant_table *table = decant_dataset_table(data);
    size_t j = find(table, name);
    if (decant_table_type(table, j) != type || decant_table_width(table, j) != width)
        fail_msg("%s is %s, %zu wide", name, decant_column_type_word(decant_table_type(table, j)),
                 decant_table_width(table, j));
}

enum { ROWS = 60 };

/* A table with a column of each kind. */
static const char *write_sample(const char *name, int turned) {
    static char text[ROWS * 400];
    size_t at = (size_t)sprintf(
        text, turned ? "city,age,joined,code,extra\n"
                     : "code,name,city,age,joined,active,share,price,same,empty,flag,note\n");
    for (int i = 0; i < ROWS; i++) {
        const char *city = i % 3 == 0 ? "Lyon" : i % 3 == 1 ? "Nice" : "Lille";
        if (turned && i == 5) city = "Berlin";
        char age[8];
        sprintf(age, "%d", 20 + i % 40);
        if (i % 10 == 0) strcpy(age, "NA");
        if (turned)
            at += (size_t)sprintf(text + at, "%s,%s,2024-%02d-%02d,K%d,%d\n", city, age, 1 + i % 12,
                                  1 + i % 28, i, i);
        else
            at += (size_t)sprintf(
                text + at,
                "K%d,P%d,%s,%s,2024-%02d-%02d,%s,%d %%,\"$%d,%03d.50\",x,,%d,this is a longer "
                "remark on row %d\n",
                i, i, city, age, 1 + i % 12, 1 + i % 28, i % 2 ? "yes" : "no", i % 7, 1 + i % 5,
                i * 7 % 1000, i % 2, i);
    }
    return write_text(name, text);
}

static void test_column_types(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(read_table(write_sample("kinds.csv", 0), NULL, NULL, &data));
    assert_int_equal(decant_dataset_rows(data), ROWS);
    assert_type(data, "code", DECANT_COLUMN_ID, 0);
    assert_type(data, "name", DECANT_COLUMN_CATEGORY, 0);
    assert_type(data, "city", DECANT_COLUMN_CATEGORY, 3);
    assert_type(data, "age", DECANT_COLUMN_NUMBER, 2);  /* 10 % are missing, and marked */
    assert_type(data, "joined", DECANT_COLUMN_DATE, 3); /* and the day of the week */
    assert_type(data, "active", DECANT_COLUMN_YES_NO, 1);
    assert_type(data, "share", DECANT_COLUMN_NUMBER, 1);
    assert_type(data, "price", DECANT_COLUMN_NUMBER, 1);
    assert_type(data, "same", DECANT_COLUMN_CATEGORY, 0);
    assert_type(data, "empty", DECANT_COLUMN_NUMBER, 0);
    assert_type(data, "flag", DECANT_COLUMN_YES_NO, 1);
    assert_type(data, "note", DECANT_COLUMN_TEXT, 0);
    assert_string_equal(decant_dataset_id(data, 7), "K7");
    assert_string_equal(data->table->column[find(data->table, "price")].unit, "$");
    /* every column has mean 0, and numbers and yes/no at most a variance of 2 */
    for (size_t j = 0; j < data->d; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < data->n; i++) {
            double x = (double)data->dense[i * data->d + j];
            sum += x;
            squares += x * x;
        }
        int circle = strchr(decant_dataset_column_name(data, j), '(') != NULL;
        if (!circle && fabs(sum) > 0.3 * ROWS) fail_msg("%s", decant_dataset_column_name(data, j));
        assert_true(squares <= 1.01 * ROWS);
    }
    decant_dataset_free(data);
}

/* Digits that count nothing are words: zip codes, cards. A single slip is none. */
static void test_codes(void **state) {
    (void)state;
    static char text[ROWS * 80];
    decant_dataset *data;
    size_t at = (size_t)sprintf(text, "zip,card,month,slip,padded\n");
    for (int i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at, "%05d,41%014d,%02d,%s%d,%03d.5\n", i % 4 * 7000 + 500,
                              i * 7919 % 1000, 1 + i % 12, i == 7 ? "0" : "", 10 + i % 9, i % 50);
    assert_ok(read_table(write_text("codes.csv", text), NULL, NULL, &data));
    assert_type(data, "zip", DECANT_COLUMN_CATEGORY, 4);
    assert_type(data, "card", DECANT_COLUMN_ID, 0);
    assert_string_equal(decant_dataset_id(data, 1), "4100000000000919");
    assert_type(data, "month", DECANT_COLUMN_CATEGORY, 12);
    assert_type(data, "slip", DECANT_COLUMN_NUMBER, 1);
    assert_type(data, "padded", DECANT_COLUMN_NUMBER, 1);
    decant_dataset_free(data);
    assert_ok(read_table(write_text("codes.csv", text), NULL, "zip=number", &data));
    assert_type(data, "zip", DECANT_COLUMN_NUMBER, 1);
    decant_dataset_free(data);
}

/* The day of the week of dates that stand for months says nothing. */
static void test_date_parts(void **state) {
    (void)state;
    static char text[ROWS * 64];
    decant_dataset *data;
    size_t at = (size_t)sprintf(text, "month,first,day,time,x,old\n");
    for (int i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at,
                              "20%02d-%02d,%d.%d.2024,%d.%d.2024,%02d:30,%d,18%02d-%02d-01\n",
                              20 + i / 12, 1 + i % 12, i == 7 ? 2 : 1, 1 + i % 12, 1 + i % 9,
                              1 + i % 12, i % 24, i % 7, 50 + i / 12, 1 + i % 12);
    assert_ok(read_table(write_text("dates.csv", text), NULL, NULL, &data));
    assert_type(data, "month", DECANT_COLUMN_DATE, 3); /* the position, the time of the year */
    assert_type(data, "first", DECANT_COLUMN_DATE, 3); /* and the day of the week */
    assert_type(data, "day", DECANT_COLUMN_DATE, 3);
    assert_type(data, "time", DECANT_COLUMN_DATE, 3); /* the time of the day */
    assert_true(data->table->column[0].parts == DECANT__PART_MONTH);
    assert_true(data->table->column[5].parts == DECANT__PART_MONTH); /* before 1970 are no times */
    decant_dataset_free(data);
}

/* Means of the cells that are there: what missing ones were filled with does not count. */
static void test_present_cells(void **state) {
    (void)state;
    static char text[ROWS * 16];
    decant_dataset *data;
    double rows = 0, sum = 0, marks = 0, mean = 0, cells = 0;
    size_t at = (size_t)sprintf(text, "x,kind\n");
    for (int i = 0; i < ROWS; i++)
        at += i % 3 ? (size_t)sprintf(text + at, "%d,a\n", i * i)
                    : (size_t)sprintf(text + at, ",b\n");
    assert_ok(read_table(write_text("present.csv", text), NULL, NULL, &data));
    const decant__column *column = &data->table->column[0];
    assert_true(column->indicator && column->knee == 0 && isinf(column->high));
    for (size_t i = 0; i < ROWS / 2; i++) {
        const float *x = data->dense + i * data->d;
        assert_true((x[1] > 0) == (i % 3 == 0));
        rows++;
        sum += (double)x[0];
        marks += (double)x[1];
        mean += i % 3 ? (double)(i * i) : 0;
        cells += i % 3 != 0;
    }
    decant__column_present(column, marks, &rows, &sum);
    assert_true(rows == cells);
    assert_true(fabs(decant__column_decode(column, sum / rows) - mean / cells) < 1e-4);
    decant_dataset_free(data);
}

/* The rows of a later file: other order, a column more, others missing, a new city. */
static void test_same_recipe(void **state) {
    (void)state;
    decant_dataset *first, *again, *later = NULL;
    const char *path = write_sample("kinds.csv", 0);
    assert_ok(read_table(path, NULL, NULL, &first));
    assert_ok(read_table(path, decant_dataset_table(first), NULL, &again));
    assert_memory_equal(first->dense, again->dense, first->n * first->d * sizeof(float));
    decant_dataset_free(again);
    assert_fails(read_table(write_sample("turned.csv", 1), first->table, NULL, &later),
                 DECANT_EFORMAT, "has only 3 of the 7 columns");
    assert_ok(read_table(path, NULL, "active=id,share=label,price=category,flag=category", &again));
    decant_dataset_free(first);
    first = again;
    assert_ok(read_table(write_sample("turned.csv", 1), first->table, NULL, &later));
    const decant__column *city = &first->table->column[find(first->table, "city")];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t l = 0; l < city->width; l++) {
            float x = later->dense[i * later->d + city->first + l];
            float expected = i == 5 ? 0 : first->dense[i * first->d + city->first + l];
            assert_true(x == expected);
        }
    int unknown = 0, extra = 0;
    for (size_t i = 0; decant_dataset_note(later, i) != NULL; i++) {
        unknown |= strstr(decant_dataset_note(later, i), "Berlin") != NULL;
        extra |= strstr(decant_dataset_note(later, i), "not used: extra") != NULL;
    }
    assert_true(unknown && extra);
    decant_dataset_free(first);
    decant_dataset_free(later);
}

/* 20 rows of an id and two numbers; the ids are 100000 + 7 i modulo `count`. Returns the length. */
static size_t print_ids(char *text, const char *header, int count) {
    size_t at = (size_t)sprintf(text, "%s\n", header);
    for (int i = 0; i < 20; i++)
        at +=
            (size_t)sprintf(text + at, "%d,%d,%d.5\n", 100000 + 7 * i % count, 13 * i % 20, i % 4);
    return at;
}

/* Numbers alone stay as they are; 0/1 columns beside others do not, and ids are none of them. */
static void test_plain(void **state) {
    (void)state;
    decant_dataset *data;
    char text[2048];
    print_ids(text, "customer_id,x,y", 1000);
    assert_ok(read_one(write_text("plain.csv", text), &data));
    assert_int_equal(data->d, 2);
    assert_true(data->dense[6] == 19 && data->dense[7] == 3.5f);
    assert_string_equal(decant_dataset_id(data, 1), "100007");
    decant_dataset_free(data);
    /* also in another order; but not if one comes twice, and not by another name */
    size_t at = print_ids(text, "'customer_id','x','y'", 20);
    assert_ok(read_one(write_text("mixed_ids.csv", text), &data));
    assert_int_equal(data->d, 2);
    assert_string_equal(decant_dataset_id(data, 3), "100001");
    assert_string_equal(decant_dataset_column_name(data, 0), "x");
    decant_dataset_free(data);
    sprintf(text + at, "100000,3,1.5\n");
    assert_ok(read_one(write_text("twice.csv", text), &data));
    assert_int_equal(data->d, 3);
    decant_dataset_free(data);
    at = (size_t)sprintf(text, "income,flag\n");
    for (int i = 0; i < 20; i++) at += (size_t)sprintf(text + at, "%d,%d\n", 1000 * i, i % 2);
    assert_ok(read_one(write_text("mixed.csv", text), &data));
    for (size_t i = 0; i < data->n * data->d; i++) assert_true(fabs((double)data->dense[i]) < 3);
    decant_dataset_free(data);
}

static void test_long_tails(void **state) {
    (void)state;
    decant_dataset *data;
    char text[8192];
    size_t at = (size_t)sprintf(text, "fare,size,kind\n");
    for (int i = 0; i < 100; i++)
        at += (size_t)sprintf(text + at, "%.3f,%d,%c\n", exp(0.08 * i), i == 50 ? 1000000 : i,
                              'a' + i % 3);
    assert_ok(read_one(write_text("tails.csv", text), &data));
    assert_true(data->table->column[0].knee > 0);
    assert_true(data->table->column[1].knee == 0 && data->table->column[1].high < 1000);
    assert_true(
        fabs(decant__column_decode(&data->table->column[0], (double)data->dense[10 * data->d]) -
             exp(0.8)) < 1e-3);
    decant_dataset_free(data);
}

/* What people see has no rounding of floats, and units where they are written. */
static void test_column_show(void **state) {
    (void)state;
    decant__column column = {.scale = 3.7, .center = 5.1, .min = 0, .max = 10};
    double zero = (double)(float)((0 - column.center) * column.scale);
    assert_true(decant__column_decode(&column, zero) != 0);
    assert_true(decant__column_show(&column, zero) == 0);
    assert_true(decant__column_show(&column, 1000) == 10);
    assert_near(decant__column_show(&column, 3.7), 6.1, 1e-12);
    assert_true(decant__unit_leads("$") && decant__unit_leads("\xc2\xa3"));
    assert_false(decant__unit_leads("km") || decant__unit_leads("\xe2\x82\xac"));
    assert_false(decant__unit_leads(""));
}

/* Names that come twice are not "one value", and numbers are written with their digits. */
static void test_use_in_words(void **state) {
    (void)state;
    enum { MANY = 1200 };
    static char text[MANY * 32], use[256];
    decant_dataset *data;
    size_t at = (size_t)sprintf(text, "title,budget,kind\n");
    for (int i = 0; i < MANY; i++)
        at += i % 2 ? (size_t)sprintf(text + at, "film %d,,a\n", i / 2)
                    : (size_t)sprintf(text + at, "film %d,%d,b\n", i / 2, 3000000 + i);
    assert_ok(read_one(write_text("titles.csv", text), &data));
    const decant_table *table = decant_dataset_table(data);
    decant_table_describe(table, 0, use, sizeof use);
    assert_string_equal(use, "left out: too many different values, none of them frequent");
    decant_table_describe(table, 1, use, sizeof use);
    assert_non_null(strstr(use, "filled with the median 3000"));
    assert_null(strstr(use, "e+"));
    decant_dataset_free(data);
}

/* Ids without a name are found again at another place, and by the name that pandas gives them. */
static void test_nameless_ids(void **state) {
    (void)state;
    static const char *const later[] = {"b,,a\nx,77,0.5\ny,70,2.5\n",
                                        "b,Unnamed: 0,a\nx,77,0.5\ny,70,2.5\n"};
    decant_dataset *data, *next;
    char text[2048];
    size_t at = (size_t)sprintf(text, ",a,b\n");
    for (int i = 0; i < 40; i++)
        at += (size_t)sprintf(text + at, "%d,%d.5,%c\n", 500 + 3 * i, i % 7, 'x' + i % 2);
    assert_ok(read_one(write_text("nameless.csv", text), &data));
    assert_string_equal(decant_dataset_id(data, 1), "503");
    for (size_t i = 0; i < 2; i++) {
        assert_ok(read_table(write_text("nameless_later.csv", later[i]), decant_dataset_table(data),
                             NULL, &next));
        assert_string_equal(decant_dataset_id(next, 0), "77");
        assert_null(decant_dataset_note(next, 0));
        decant_dataset_free(next);
    }
    decant_dataset_free(data);
}

static double variance(const decant_dataset *data, size_t j) {
    double sum = 0, squares = 0, n = (double)data->n;
    for (size_t i = 0; i < data->n; i++) {
        double x = (double)data->dense[i * data->d + j];
        sum += x;
        squares += x * x;
    }
    return squares / n - sum / n * (sum / n);
}

/* Numbers of few values, or mostly of one, have gaps like categories, and weigh like them. */
static void test_few_values(void **state) {
    (void)state;
    decant_dataset *data;
    char text[8192];
    size_t at = (size_t)sprintf(text, "year,five,mostly,mass,kind\n");
    for (int i = 0; i < 120; i++)
        at += (size_t)sprintf(text + at, "%d,%d,%d,%d,%c\n", 2007 + i % 3, i % 5, i % 2 ? 0 : i,
                              100 + i, 'a' + i % 2);
    assert_ok(read_one(write_text("few.csv", text), &data));
    assert_int_equal(data->d, 5);
    assert_true(fabs(variance(data, 0) - 0.25) < 1e-4);
    assert_true(fabs(variance(data, 1) - 1) < 1e-4);
    assert_true(fabs(variance(data, 2) - 0.25) < 1e-4);
    assert_true(fabs(variance(data, 3) - 1) < 1e-4);
    double year = decant__column_decode(&data->table->column[0], (double)data->dense[data->d]);
    assert_true(fabs(year - 2008) < 1e-3);
    decant_dataset_free(data);
}

/* Of many values the frequent ones, the others together. */
static void test_categories(void **state) {
    (void)state;
    decant_dataset *data;
    static char text[100000];
    size_t at = (size_t)sprintf(text, "x,kind\n");
    for (int i = 0; i < 2000; i++)
        at += (size_t)sprintf(text + at, "%d,v%d\n", i % 13, i % 2 ? i % 5 : 1000 + i % 400);
    assert_ok(read_one(write_text("many.csv", text), &data));
    const decant__column *kind = &data->table->column[1];
    assert_int_equal(kind->known, 5);
    assert_int_equal(kind->other_level, 5);
    assert_true(fabs(kind->share[5] - 0.5) < 1e-12);
    assert_string_equal(decant_dataset_column_name(data, 1 + 5), "kind=(other)");
    decant_dataset_free(data);
    assert_ok(read_table(in_folder("many.csv"), NULL, "x=category", &data));
    assert_type(data, "x", DECANT_COLUMN_CATEGORY, 13);
    decant_dataset_free(data);
}

static void test_wishes_refused(void **state) {
    (void)state;
    decant_dataset *data = NULL;
    const char *path = write_text("w.csv", "a,b\n1,2\n2,1\n");
    assert_fails(read_table(path, NULL, "a=colour", &data), DECANT_EINVAL, "expected NAME=TYPE");
    assert_fails(read_table(path, NULL, "c=number", &data), DECANT_EINVAL,
                 "named or numbered \"c\" for the types");
    decant_read_options options = {.struct_size = sizeof options, .keep = "z"};
    assert_fails(decant_dataset_read(&path, 1, &options, NULL, &data), DECANT_EINVAL,
                 "\"z\" for the columns");
    options.keep = "b";
    assert_ok(decant_dataset_read(&path, 1, &options, NULL, &data));
    assert_int_equal(data->d, 1);
    assert_string_equal(decant_dataset_column_name(data, 0), "b");
    decant_dataset_free(data);
}

/* Windows-1252 and UTF-16. */
static void test_encodings(void **state) {
    (void)state;
    decant_dataset *data;
    assert_ok(
        read_one(write_text("latin.csv", "x,ort\n1,K\xf6ln\n2,Bonn\n3,K\xf6ln\n4,Bonn\n"), &data));
    assert_string_equal(decant_dataset_column_name(data, 1), "ort=K\xc3\xb6ln");
    assert_non_null(strstr(decant_dataset_note(data, 0), "Windows-1252"));
    decant_dataset_free(data);
    const char *plain = "a;b\n1,5;x\n2,5;y\n3;x\n";
    unsigned char wide[64] = {0xff, 0xfe};
    for (size_t i = 0; i < strlen(plain); i++) wide[2 + 2 * i] = (unsigned char)plain[i];
    assert_ok(read_one(write_bytes("wide.csv", wide, 2 + 2 * strlen(plain)), &data));
    assert_int_equal(data->n, 3);
    assert_type(data, "a", DECANT_COLUMN_NUMBER, 1);
    assert_true(data->table->column[0].fill == 2.5);
    decant_dataset_free(data);
}

/* ---- tables in memory ---- */

static void test_from_columns(void **state) {
    (void)state;
    const double age[] = {30, NAN, 50, 61};
    const char *const town[] = {"Lyon", "Nice", NULL, "Lyon"};
    const int32_t code[] = {0, 1, -1, 0};
    const char *const sizes[] = {"small", "large"};
    const size_t size = sizeof(decant_column);
    decant_column columns[] = {{.struct_size = size, .name = "age", .numbers = age},
                               {.struct_size = size, .name = "town", .strings = town},
                               {.struct_size = size,
                                .name = "size",
                                .codes = code,
                                .categories = sizes,
                                .category_count = 2}};
    decant_dataset *data, *again;
    assert_ok(decant_dataset_from_columns(columns, 3, 4, NULL, &data));
    assert_ok(read_one(write_text("same.csv",
                                  "age,town,size\n30,Lyon,small\n,Nice,large\n50,,\n"
                                  "61,Lyon,small\n"),
                       &again));
    assert_int_equal(data->d, again->d);
    assert_memory_equal(data->dense, again->dense, data->n * data->d * sizeof(float));
    decant_dataset_free(again);
    decant_column turned[] = {columns[2], columns[0], columns[1]};
    decant_read_options options = {.struct_size = sizeof options,
                                   .table = decant_dataset_table(data)};
    assert_ok(decant_dataset_from_columns(turned, 3, 4, &options, &again));
    assert_memory_equal(data->dense, again->dense, data->n * data->d * sizeof(float));
    decant_dataset_free(again);
    const int16_t years[] = {61, 0, 50, 0, 0, 0, 30};
    const decant_array array = {years + 6, DECANT_INT16, 0, 1, -2 * (ptrdiff_t)sizeof *years, 0};
    columns[0].numbers = NULL, columns[0].array = &array;
    assert_ok(decant_dataset_from_columns(columns, 3, 4, NULL, &again));
    const double same[] = {30, 0, 50, 61};
    columns[0].numbers = same, columns[0].array = NULL;
    decant_dataset_free(data);
    assert_ok(decant_dataset_from_columns(columns, 3, 4, NULL, &data));
    assert_memory_equal(data->dense, again->dense, data->n * data->d * sizeof(float));
    decant_dataset_free(again);
    columns[0].strings = town;
    assert_fails(decant_dataset_from_columns(columns, 3, 4, NULL, &again), DECANT_EINVAL,
                 "column 1: expected numbers, strings, codes or an array, found 2 of them");
    decant_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(test_dialect),       cmocka_unit_test(test_column_types),
        cmocka_unit_test(test_codes),         cmocka_unit_test(test_date_parts),
        cmocka_unit_test(test_present_cells), cmocka_unit_test(test_same_recipe),
        cmocka_unit_test(test_plain),         cmocka_unit_test(test_long_tails),
        cmocka_unit_test(test_nameless_ids),  cmocka_unit_test(test_column_show),
        cmocka_unit_test(test_use_in_words),  cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_categories),    cmocka_unit_test(test_wishes_refused),
        cmocka_unit_test(test_encodings),     cmocka_unit_test(test_from_columns),
    };
    return run_with_folder(tests);
}
