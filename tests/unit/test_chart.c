#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"

static size_t occurrences(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) count++;
    return count;
}

/* With DECANT_CHART=FOLDER in the environment the drawings are kept, to be looked at. */
static char *draw(const decant__chart *chart, const char *name) {
    char *svg = NULL, path[4096];
    const char *folder = getenv("DECANT_CHART");
    assert_ok(decant__chart_svg(chart, &svg));
    if (folder == NULL) return svg;
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(svg, file);
    fclose(file);
    return svg;
}

static const double ks[] = {5, 6, 7, 8, 9, 10};

static void test_chart_step_round(void **state) {
    (void)state;
    assert_float_equal(decant__chart_step(10, 10), 1, 1e-12);
    assert_float_equal(decant__chart_step(10.5, 10), 2, 1e-12);
    assert_float_equal(decant__chart_step(0.3, 6), 0.05, 1e-12);
    assert_float_equal(decant__chart_step(0.31, 6), 0.1, 1e-12);
    assert_float_equal(decant__chart_step(7000, 6), 2000, 1e-9);
    assert_float_equal(decant__chart_step(51, 10), 10, 1e-12);
}

static void test_chart_two_axes(void **state) {
    (void)state;
    const double nmi[] = {0.61, 0.67, 0.71, 0.74, 0.79, 0.76};
    const double g[] = {0.97, 0.96, 0.97, 0.95, 0.96, 0.8};
    const double low[] = {0.6, 0.65, 0.7, 0.72, 0.77, 0.7}, high[] = {0.62, 0.7, .72, .77, .8, .8};
    const decant__series series[] = {
        {.name = "NMI", .x = ks, .y = nmi, .low = low, .high = high, .count = 6},
        {.name = "G", .x = ks, .y = g, .count = 6, .right = 1}};
    const decant__chart chart = {.title = "Number of clusters",
                                 .x_name = "k",
                                 .y_name = "NMI",
                                 .right_name = "generalizability",
                                 .series = series,
                                 .series_count = 2,
                                 .mark = 9,
                                 .mark_name = "k = 9"};
    char *svg = draw(&chart, "two_axes");
    assert_non_null(strstr(svg, ">generalizability<"));
    assert_non_null(strstr(svg, ">0.65<")); /* left ticks: 0.6, 0.65, ... 0.8 */
    assert_non_null(strstr(svg, ">0.95<")); /* right: 0.8, 0.85, ... 1 */
    assert_int_equal(occurrences(svg, ">10<"), 1);
    assert_null(strstr(svg, ">5.5<"));                          /* whole numbers have whole ticks */
    assert_int_equal(occurrences(svg, "a4 4 0 1 0 8 0"), 7);    /* six circles, one in the legend */
    assert_int_equal(occurrences(svg, "m-3.5-3.5h7v7h-7z"), 7); /* and as many squares */
    assert_int_equal(occurrences(svg, "fill-opacity=\"0.15\""), 1);
    assert_non_null(strstr(svg, "k = 9"));
    decant__free(svg);
}

static void test_chart_gaps(void **state) {
    (void)state;
    const double y[] = {1, 2, NAN, INFINITY, 3, 4}, none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const decant__series series[] = {{.x = ks, .y = y, .low = y, .high = y, .count = 6},
                                     {.name = "nothing", .x = ks, .y = none, .count = 6}};
    const decant__chart chart = {
        .title = "gaps", .x_name = "k", .y_name = "y", .series = series, .series_count = 2};
    char *svg = draw(&chart, "gaps");
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_int_equal(occurrences(svg, "a4 4 0 1 0 8 0"), 4);
    assert_int_equal(occurrences(svg, "fill-opacity=\"0.15\""), 2); /* a band on each side */
    decant__free(svg);
}

static void test_chart_log(void **state) {
    (void)state;
    double x[9], interval[9], y[9], z[9];
    for (int i = 0; i < 9; i++) {
        x[i] = pow(10, 2 * i - 8);
        interval[i] = 10 << i;
        y[i] = 0.5 + 0.04 * sin(i);
        z[i] = 0.8 + 0.01 * cos(i);
    }
    x[0] = 0; /* has no place on a logarithmic axis */
    const decant__series series[] = {{.name = "ldmgi", .x = x, .y = y, .count = 9},
                                     {.name = "dec", .x = interval, .y = z, .count = 9}};
    const decant__chart chart = {.title = "Nine values",
                                 .x_name = "value of the option",
                                 .y_name = "ACC",
                                 .series = series,
                                 .series_count = 2,
                                 .log_x = 1};
    char *svg = draw(&chart, "log");
    assert_non_null(strstr(svg, ">1e-6<"));
    assert_non_null(strstr(svg, ">1e8<"));
    assert_non_null(strstr(svg, ">100<"));
    assert_null(strstr(svg, "inf"));
    assert_int_equal(occurrences(svg, "a4 4 0 1 0 8 0"), 9); /* eight points and the legend */
    decant__free(svg);
}

static void test_chart_escapes(void **state) {
    (void)state;
    const decant__series series[] = {{.name = "<script>&\"'", .x = ks, .y = ks, .count = 6}};
    const decant__chart chart = {.title = "</title><script>",
                                 .x_name = "<b>",
                                 .y_name = "a\nb",
                                 .right_name = "<i>",
                                 .series = series,
                                 .series_count = 1,
                                 .mark = 7,
                                 .mark_name = "<u>"};
    char *svg = draw(&chart, "escapes");
    assert_null(strstr(svg, "<script>"));
    assert_null(strstr(svg, "<b>"));
    assert_null(strstr(svg, "<i>"));
    assert_null(strstr(svg, "<u>"));
    assert_non_null(strstr(svg, "&#60;script&#62;&#38;&#34;&#39;"));
    assert_non_null(strstr(svg, "a b"));
    decant__free(svg);
}

/* Numbers so close that no tick fits between them: choosing ticks still ends. */
static void test_chart_odd_numbers(void **state) {
    (void)state;
    const double sets[][2] = {{1e16, 1e16 + 2}, {5, 5},   {0, 0},    {-1e300, 1e300},
                              {1e-300, 2e-300}, {-3, -3}, {NAN, NAN}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int log = 0; log < 2; log++) {
            const decant__series series[] = {{.x = sets[i], .y = sets[i], .count = 2},
                                             {.count = 0}};
            const decant__chart chart = {.title = "odd",
                                         .x_name = "x",
                                         .y_name = "y",
                                         .series = series,
                                         .series_count = 2,
                                         .log_x = log};
            char *svg = draw(&chart, "odd");
            assert_null(strstr(svg, "nan"));
            assert_true(occurrences(svg, "<text") < 40);
            decant__free(svg);
        }
}

static void test_chart_out_of_memory(void **state) {
    (void)state;
    const decant__series series[] = {{.x = ks, .y = ks, .count = 6}};
    const decant__chart chart = {
        .title = "t", .x_name = "x", .y_name = "y", .series = series, .series_count = 1};
    char *svg = NULL;
    decant__alloc_fail_at(2);
    decant_status status = decant__chart_svg(&chart, &svg);
    decant__alloc_fail_at(0);
    assert_int_equal(status, DECANT_ENOMEM);
    assert_null(svg);
}

/* Twelve that differ, then they repeat. */
static void test_colours_differ(void **state) {
    (void)state;
    for (size_t a = 0; a < 12; a++)
        for (size_t b = 0; b < a; b++)
            assert_string_not_equal(decant__svg_colour(a), decant__svg_colour(b));
    assert_string_equal(decant__svg_colour(12), decant__svg_colour(0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colours_differ),    cmocka_unit_test(test_chart_step_round),
        cmocka_unit_test(test_chart_two_axes),    cmocka_unit_test(test_chart_gaps),
        cmocka_unit_test(test_chart_log),         cmocka_unit_test(test_chart_escapes),
        cmocka_unit_test(test_chart_odd_numbers), cmocka_unit_test(test_chart_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
