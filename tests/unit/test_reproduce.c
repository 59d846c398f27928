#include "sample.h"

#include <math.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "dec/job.h"
#include "files.h"
#include "reproduce/experiments.h"
#include "reproduce/results.h"

enum { N = 6000, D = 3, CLASSES = 10 };

/* Class c of an imbalanced sample has a share of r + (1 - r) c / 9 of its rows. */
static void test_set_thin_shares(void **state) {
    (void)state;
    float *x = malloc(N * D * sizeof *x), *rows = NULL;
    int32_t labels[N];
    decant_dataset *data = NULL, *thinned = NULL;
    size_t count[CLASSES] = {0};
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i % CLASSES);
        for (size_t j = 0; j < D; j++) x[i * D + j] = (float)(labels[i] + (int32_t)j);
    }
    assert_ok(decant_dataset_from_dense(x, N, D, &data));
    assert_ok(decant_dataset_set_labels(data, labels));
    assert_ok(decant__set_thin(data, 0.1, 1, &rows, &thinned));
    const int32_t *kept = decant_dataset_labels(thinned);
    for (size_t i = 0; i < decant_dataset_rows(thinned); i++) {
        count[kept[i]]++;
        assert_int_equal((int32_t)rows[i * D], kept[i]); /* rows and labels stay together */
    }
    for (size_t c = 0; c < CLASSES; c++) {
        double share = 0.1 + 0.9 * (double)c / 9, of = N / CLASSES;
        assert_true(fabs((double)count[c] - share * of) < 5 * sqrt(of * share * (1 - share)) + 1);
    }
    decant_dataset_free(thinned);
    decant_dataset_free(data);
    decant__free(rows);
    free(x);
}

static char *page_of(const decant__sheet *sheet) {
    decant__text text = {0};
    char *page = NULL;
    decant__sheet_page(sheet->root, &text);
    assert_ok(decant__text_take(&text, &page));
    return page;
}

/* Over seeds the mean counts, over an option its best value; what is below the paper is said. */
static void test_sheet_page_counts_and_shortfalls(void **state) {
    (void)state;
    const decant_reproduction how = {.struct_size = sizeof how, .seeds = 2};
    const decant__laboratory lab = {.how = &how};
    const decant_experiment about = {"table9", "Table 9: a test", 1};
    const double two[] = {0.5, 0.7};
    decant__sheet sheet;
    decant__sheet_new(&sheet, &about, &lab);
    decant__sheet_column(&sheet, "MNIST");
    decant__sheet_row(&sheet, "first");
    decant__sheet_values(&sheet, two, 2, "seeds", 0.65);
    decant__sheet_row(&sheet, "second");
    decant__sheet_values(&sheet, two, 2, "lambda", 0.65);
    decant__sheet_row(&sheet, "third");
    decant__sheet_gap(&sheet, 0.65);
    decant__sheet_row(&sheet, "fourth");
    decant__sheet_values(&sheet, (const double[]){0.64996}, 1, "seeds", 0.65);
    decant__sheet_note(&sheet, "a note");
    char *page = page_of(&sheet);
    assert_non_null(strstr(page, "| first | 0.6000 (0.5000 to 0.7000) | 0.6500 |"));
    assert_non_null(strstr(page, "| second | 0.7000 (0.5000 to 0.7000) | 0.6500 |"));
    assert_non_null(strstr(page, "| third | | 0.6500 |"));
    assert_non_null(strstr(page, "Below the paper: first on MNIST (0.6000 against 0.6500).\n"));
    assert_non_null(strstr(page, "- a note\n"));
    decant__free(page);
    decant__sheet_free(&sheet);
}

static double whole_cost(const char *method, const char *preset, double r_min) {
    decant_options options;
    const decant__trial trial = {.set = DECANT__SET_MNIST, .r_min = r_min, .method = method};
    decant_options_init(&options);
    assert_ok(decant_options_set(&options, "preset", preset));
    assert_ok(decant_options_set(&options, "method", method));
    decant__cost cost = decant__trial_cost(&trial, &options);
    return cost.pretraining + cost.graph + cost.rest;
}

/* Minutes for the default, hours for the paper's schedule, as measured on two cores. */
static void test_trial_cost_is_of_the_right_order(void **state) {
    (void)state;
    double fast = whole_cost("dec", "fast", 0), paper = whole_cost("dec", "paper", 0);
    assert_true(fast > 120 && fast < 600);
    assert_true(paper > 3600 && paper < 4 * 3600);
    assert_true(whole_cost("kmeans", "fast", 0) < 60);
    assert_true(whole_cost("ldmgi", "fast", 0) < 300);
    assert_true(whole_cost("dec", "fast", 0.1) < fast);
}

static double planned(const char *const *names, size_t count) {
    double seconds = NAN;
    const decant_reproduction how = {
        .struct_size = sizeof how, .data = test_folder, .output = in_folder("out")};
    assert_ok(decant_reproduce_plan(names, count, &how, &seconds));
    return seconds;
}

/* Figure 3 shows a run of table 2, and figure 2 has others of its own beside table 2's. */
static void test_plan_counts_a_run_once(void **state) {
    (void)state;
    const char *const table[] = {"table2", "figure3"}, *const sweep[] = {"table2", "figure2"};
    assert_int_equal(mkdir(in_folder("mnist"), 0777), 0);
    double alone = planned(table, 1), figure = planned(table + 1, 1),
           sweeps = planned(sweep + 1, 1);
    assert_true(figure > 0 && alone > figure);
    assert_true(fabs(planned(table, 2) - alone) < 1e-6 * alone);
    double both = planned(sweep, 2);
    assert_true(both > alone && both > sweeps && both < 0.8 * (alone + sweeps));
}

/* One page of all sheets in a folder; texts stay texts, and what is below the paper is marked. */
static void test_results_write(void **state) {
    (void)state;
    const char *sheet =
        "{\"kind\": \"decant experiment\", \"experiment\": \"table2\", \"title\": \"<b>T</b>\","
        "\"columns\": [\"A & B\"], \"rows\": [{\"name\": \"<i>\", \"cells\": [{\"values\": [0.5, "
        "0.6],"
        "\"over\": \"seeds\", \"paper\": 0.7}]}], \"notes\": [\"<script>\"], \"drawings\":"
        "[\"a.svg\", \"gone.svg\", 3]}";
    size_t size = 0;
    write_text("table2.json", sheet);
    write_text("a.svg", "<svg/>");
    assert_ok(decant__results_write(test_folder));
    char *page = sample_read(in_folder("results.html"), &size);
    assert_non_null(strstr(page, "<h2>&#60;b&#62;T&#60;/b&#62;</h2>"));
    assert_non_null(strstr(page, "A &#38; B</th><th>paper</th>"));
    assert_non_null(strstr(page, ">&#9662; 0.5500<small>0.5000 to 0.6000</small></td>"));
    assert_non_null(strstr(page, "<li>&#60;script&#62;</li>"));
    assert_non_null(strstr(page, "base64,PHN2Zy8+\">"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "gone"));
    free(page);
    write_text("table3.json", "{");
    assert_fails(decant__results_write(test_folder), DECANT_EFORMAT, "table3.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_thin_shares),
        cmocka_unit_test(test_sheet_page_counts_and_shortfalls),
        cmocka_unit_test(test_trial_cost_is_of_the_right_order),
        cmocka_unit_test(test_plan_counts_a_run_once),
        cmocka_unit_test(test_results_write),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
