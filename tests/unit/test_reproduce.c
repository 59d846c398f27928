#include "sample.h"

#include <math.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "dec/job.h"
#include "files.h"
#include "experiments/experiments.h"
#include "experiments/results_html.h"
#include "experiments/reproduce.h"

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
    assert_ok(decant_dataset_from_dense(x, DECANT_FLOAT32, N, D, 0, &data));
    assert_ok(decant_dataset_set_labels(data, labels));
    assert_ok(decant__data_set_imbalance(data, 0.1, 1, &rows, &thinned));
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

static char *page_of(const decant__result_table *table) {
    decant__text text = {0};
    char *page = NULL;
    decant__result_markdown(table->root, &text);
    assert_ok(decant__text_take(&text, &page));
    return page;
}

/* Over seeds the mean counts, over an option its best value; what is below the paper is said. */
static void test_sheet_page_counts_and_shortfalls(void **state) {
    (void)state;
    const decant_reproduction how = {.struct_size = sizeof how, .seeds = 2};
    const decant__experiment_store store = {.how = &how};
    const decant_experiment about = {"table9", "Table 9: a test", 1};
    const double two[] = {0.5, 0.7};
    decant__result_table table;
    decant__result_table_new(&table, &about, &store);
    decant__result_table_column(&table, "MNIST");
    decant__result_table_row(&table, "first");
    decant__result_table_values(&table, two, 2, "seeds", 0.65);
    decant__result_table_row(&table, "second");
    decant__result_table_values(&table, two, 2, "lambda", 0.65);
    decant__result_table_row(&table, "third");
    decant__result_table_gap(&table, 0.65);
    decant__result_table_row(&table, "fourth");
    decant__result_table_values(&table, (const double[]){0.64996}, 1, "seeds", 0.65);
    decant__result_table_note(&table, "a note");
    char *page = page_of(&table);
    assert_non_null(strstr(page, "| first | 0.6000 (0.5000 to 0.7000) | 0.6500 |"));
    assert_non_null(strstr(page, "| second | 0.7000 (0.5000 to 0.7000) | 0.6500 |"));
    assert_non_null(strstr(page, "| third | | 0.6500 |"));
    assert_non_null(strstr(page, "Below the paper: first on MNIST (0.6000 against 0.6500).\n"));
    assert_non_null(strstr(page, "- a note\n"));
    decant__free(page);
    decant__result_table_free(&table);
}

static double whole_time(const char *method, const char *preset, double r_min) {
    decant_options options;
    const decant__fit_spec spec = {.set = DECANT__DATA_MNIST, .r_min = r_min, .method = method};
    decant_options_init(&options, sizeof options);
    assert_ok(decant_options_set(&options, "preset", preset));
    assert_ok(decant_options_set(&options, "method", method));
    decant__time_estimate estimate = decant__estimate_time(&spec, &options);
    return estimate.pretraining + estimate.graph + estimate.rest;
}

/* Minutes for the default, hours for the paper's schedule, as measured on two cores. */
static void test_trial_cost_is_of_the_right_order(void **state) {
    (void)state;
    double fast = whole_time("dec", "fast", 0), paper = whole_time("dec", "paper", 0);
    assert_true(fast > 60 && fast < 600);
    assert_true(paper > 3600 && paper < 4 * 3600);
    assert_true(whole_time("kmeans", "fast", 0) < 60);
    assert_true(whole_time("ldmgi", "fast", 0) < 300);
    assert_true(whole_time("dec", "fast", 0.1) < fast);
}

static double planned(const char *const *names, size_t count) {
    decant_reproduction_plan plan;
    const decant_reproduction how = {
        .struct_size = sizeof how, .data = test_folder, .output = in_folder("out")};
    assert_ok(decant_reproduce_plan(names, count, &how, &plan));
    assert_true((plan.runs > 0) == (plan.seconds > 0));
    return plan.seconds;
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

/* A plan without runs says whether all is done or nothing can be done. */
static void test_plan_names_missing_data_sets(void **state) {
    (void)state;
    const char *const names[] = {"table2"};
    decant_reproduction how = {
        .struct_size = sizeof how, .data = in_folder("nothing"), .output = in_folder("out")};
    decant_reproduction_plan plan;
    assert_ok(decant_reproduce_plan(names, 1, &how, &plan));
    assert_int_equal(plan.runs, 0);
    assert_int_equal(plan.found, 0);
    assert_string_equal(plan.missing, "MNIST, STL-HOG, REUTERS-10k-like, REUTERS");
    how.data = test_folder;
    assert_ok(decant_reproduce_plan(names, 1, &how, &plan));
    assert_int_equal(plan.found, 1);
    assert_string_equal(plan.missing, "STL-HOG, REUTERS-10k-like, REUTERS");
}

/* One page of all sheets in a folder; texts stay texts, and what is below the paper is marked. */
static void test_results_write(void **state) {
    (void)state;
    const char *table =
        "{\"kind\": \"decant experiment\", \"experiment\": \"table2\", \"title\": \"<b>T</b>\","
        "\"columns\": [\"A & B\"], \"rows\": [{\"name\": \"<i>\", \"cells\": [{\"values\": [0.5, "
        "0.6],"
        "\"over\": \"seeds\", \"paper\": 0.7}]}], \"notes\": [\"<script>\"], \"drawings\":"
        "[\"a.svg\", \"gone.svg\", 3]}";
    size_t size = 0;
    write_text("table2.json", table);
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
        cmocka_unit_test(test_plan_names_missing_data_sets),
        cmocka_unit_test(test_results_write),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
