/* Cells of tables: what their text means, and how dates are written. */
#include "files.h"

#include <math.h>

#include "table/cell.h"

static void test_cell_missing(void **state) {
    (void)state;
    static const char *const yes[] = {
        "",  "NA",   "n/a",     "NaN",   "null",   "None",       "?",
        "-", "#N/A", "#DIV/0!", "#REF!", "(null)", "0000-00-00", "0000-00-00 00:00:00"};
    static const char *const no[] = {"0", "no", "a",   "--x",        "nullo",
                                     " ", "#1", "(5)", "0000-00-01", "00000"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(decant__cell_missing(yes[i], strlen(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(decant__cell_missing(no[i], strlen(no[i])));
}

static void test_cell_number(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int comma, fits;
        double value;
        const char *unit;
    } cases[] = {
        {"22,259.20", 0, 1, 22259.2, ""},
        {"22259,20", 1, 1, 22259.2, ""},
        {"1.234.567,5", 1, 1, 1234567.5, ""},
        {"1 234", 0, 1, 1234, ""},
        {"1'234.5", 0, 1, 1234.5, ""},
        {"$5", 0, 1, 5, "$"},
        {"-$1,000", 0, 1, -1000, "$"},
        {"12 %", 0, 1, 12, "%"},
        {"3.1km", 0, 1, 3.1, "km"},
        {"5 km/h", 0, 1, 5, "km/h"},
        {"\xe2\x82\xac 9,50", 1, 1, 9.5, "\xe2\x82\xac"},
        {"(12.5)", 0, 1, -12.5, ""},
        {"1e3", 0, 1, 1000, ""},
        {"+7", 0, 1, 7, ""},
        {"1,23", 0, 0, 0, ""},
        {"12,34,567", 0, 0, 0, ""},
        {"abc", 0, 0, 0, ""},
        {"12 34", 0, 0, 0, ""},
        {"1.2.3", 0, 0, 0, ""},
        {"12-13", 0, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        char unit[DECANT__UNIT_SIZE];
        const char *text = cases[i].text;
        int fits = decant__cell_number(text, strlen(text), cases[i].comma, &value, unit);
        if (fits != cases[i].fits) fail_msg("%s", text);
        if (!fits) continue;
        assert_true(fabs(value - cases[i].value) < 1e-9);
        assert_string_equal(unit, cases[i].unit);
    }
    assert_int_equal(decant__cell_decimal("0,5", 3), 1);
    assert_int_equal(decant__cell_decimal("0.5", 3), -1);
    assert_int_equal(decant__cell_decimal("1,234", 5), 0);
}

static void test_cell_date(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double days; /* negative: no date */
    } cases[] = {
        {"1970-01-01", 0},
        {"2024-02-29", 19782},
        {"2023-02-29", -1},
        {"2024/3/1", 19783},
        {"20240301", 19783},
        {"1.3.2024", 19783},
        {"1-Mar-24", 19783},
        {"Mar 1, 2024", 19783},
        {"1 March 2024", 19783},
        {"2024-03", 19783},
        {"2024-03-01T12:00:00", 19783.5},
        {"2024-03-01 06:00 pm", 19783.75},
        {"2024-03-01T12:00:00+12:00", 19783},
        {"2024-03-01T12:00:00.5Z", 19783.5 + 0.5 / 86400},
        {"18:00", 0.75},
        {"2024", -1},
        {"2024-13-01", -1},
        {"hello", -1},
        {"2024-03-01x", -1},
        {"1.3.2024 25:00", -1},
        {"99-99-99", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double days = -1;
        int timed;
        const char *text = cases[i].text;
        int found = decant__cell_date(text, strlen(text), DECANT__DAY_FIRST, &days, &timed);
        if (found != (cases[i].days >= 0)) fail_msg("%s", text);
        if (found && fabs(days - cases[i].days) > 1e-6) fail_msg("%s: %f", text, days);
    }
    double days;
    int timed;
    assert_int_equal(decant__cell_date("3/1/2024", 8, DECANT__MONTH_FIRST, &days, &timed), 1);
    assert_true(days == 19783);
    assert_int_equal(decant__cell_date("13/1/2024", 9, DECANT__MONTH_FIRST, &days, &timed), 2);
    assert_int_equal(decant__day_of_month(days), 13);
}

/* As exactly as a column needs: log files of a day have times, and times alone no date. */
static void test_date_forms(void **state) {
    (void)state;
    static const struct {
        double min, max, days;
        const char *text;
    } cases[] = {{19000, 19735, 19735.25, "2024-01-13"},
                 {19735.125, 19736, 19735.25, "2024-01-13 06:00"},
                 {19735.25, 19735.2617, 19735.25 + 7.0 / 86400, "2024-01-13 06:00:07"},
                 {19735, 19736, 19735.25, "2024-01-13"}, /* of days, the mean */
                 {0.25, 0.99, 0.75, "18:00"},
                 {0, 1, 0.75, "1970-01-01"},
                 {0.25, 1, 1, "24:00"},
                 {-800, -700, -719.5, "1968-01-12"},
                 {(double)NAN, (double)NAN, (double)NAN, "?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char printed[40];
        const decant__column column = {
            .type = DECANT_COLUMN_DATE, .min = cases[i].min, .max = cases[i].max};
        decant__column_date(&column, cases[i].days, printed, sizeof printed);
        assert_string_equal(printed, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_missing), cmocka_unit_test(test_cell_number),
        cmocka_unit_test(test_cell_date), cmocka_unit_test(test_date_forms)};
    return run_with_folder(tests);
}
