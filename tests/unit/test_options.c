#include "sample.h"

#include "options/options.h"

enum { TEXT = 256 };

static void test_init_gives_every_default(void **state) {
    (void)state;
    decant_options options;
    decant_options_init(&options, sizeof options);
    assert_int_equal(options.struct_size, sizeof options);
    assert_true(decant_option_count() > 20);
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char text[TEXT];
        assert_ok(decant_options_get(&options, info->name, text, sizeof text));
        assert_string_equal(text, info->fallback);
        assert_ok(decant_options_set(&options, info->name, info->fallback));
        assert_non_null(info->group);
        assert_non_null(info->help);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(info->name, decant_option_at(j)->name);
    }
    assert_null(decant_option_at(decant_option_count()));
    options.k = 2;
    assert_ok(decant__options_check(&options));
}

/* A value other than the default for every row; a new option must be added here. */
static const char *const others[][2] = {
    {"k", "17"},
    {"method", "ae+kmeans"},
    {"preset", "paper"},
    {"seed", "18446744073709551615"},
    {"scaling", "minmax"},
    {"mean-square", "1000000"},
    {"outliers", "0.25"},
    {"min-size", "25"},
    {"features", "tfidf"},
    {"resize", "10000x1"},
    {"vocabulary", "1000000"},
    {"vocabulary-by", "documents"},
    {"language", "none"},
    {"stop-words", "no"},
    {"layers", "1,65536,3,4,5,6,7,8,9,10,11,12,13,14,15,16"},
    {"optimizer", "sgd"},
    {"init-std", "0.017"},
    {"batch", "1"},
    {"greedy-iterations", "1000000000"},
    {"dropout", "0.95"},
    {"dropout-on", "hidden"},
    {"finetune-iterations", "0"},
    {"diffuse-iterations", "7"},
    {"networks", "9"},
    {"pretrain-epochs", "3"},
    {"pretrain-rate", "1e-09"},
    {"rate-step", "1"},
    {"momentum", "0.1234567890123456"},
    {"bias-rate", "0"},
    {"shuffle", "no"},
    {"zeros", "0"},
    {"seeding", "random"},
    {"restarts", "3"},
    {"kmeans-iterations", "12"},
    {"whiten", "0.25"},
    {"neighbours", "7"},
    {"smooth-steps", "0"},
    {"start", "features"},
    {"alpha", "0.3333333333333333"},
    {"refine-rate", "0.2"},
    {"update-interval", "1000"},
    {"tol", "0"},
    {"max-iterations", "0"},
    {"refine-epochs", "0"},
    {"balance", "0.5"},
    {"anneal", "no"},
    {"gamma", "1000"},
    {"student-iterations", "77"},
    {"student-width", "65536"},
    {"covariance", "full"},
    {"lambda", "1e-08"},
    {"mu", "100000000"},
    {"laplacian", "local"},
    {"discretise", "kmeans"},
    {"skip-constant", "yes"},
    {"knn", "approximate"},
    {"threads", "3"},
    {"memory", "1537K"},
};
enum { OTHERS = sizeof others / sizeof others[0] };

static void test_set_get_roundtrip(void **state) {
    (void)state;
    assert_int_equal(OTHERS, decant_option_count());
    decant_options options;
    decant_options_init(&options, sizeof options);
    for (size_t i = 0; i < OTHERS; i++) {
        char text[TEXT], again[TEXT];
        assert_string_equal(others[i][0], decant_option_at(i)->name);
        assert_string_not_equal(others[i][1], decant_option_at(i)->fallback);
        assert_ok(decant_options_set(&options, others[i][0], others[i][1]));
        assert_ok(decant_options_get(&options, others[i][0], text, sizeof text));
        assert_string_equal(text, others[i][1]);
        decant_options copy;
        decant_options_init(&copy, sizeof copy);
        assert_ok(decant_options_set(&copy, others[i][0], text));
        assert_ok(decant_options_get(&copy, others[i][0], again, sizeof again));
        assert_string_equal(text, again);
    }
    assert_ok(decant__options_check(&options));
    /* Setting one option changed no other. */
    for (size_t i = 0; i < OTHERS; i++) {
        char text[TEXT];
        assert_ok(decant_options_get(&options, others[i][0], text, sizeof text));
        assert_string_equal(text, others[i][1]);
    }
}

static void test_set_every_choice(void **state) {
    (void)state;
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (info->argument == NULL || strchr(info->argument, '|') == NULL) continue;
        for (const char *at = info->argument; *at != '\0'; at += *at == '|') {
            decant_options options;
            char choice[TEXT], text[TEXT];
            size_t width = strcspn(at, "|");
            snprintf(choice, sizeof choice, "%.*s", (int)width, at);
            at += width;
            decant_options_init(&options, sizeof options);
            assert_ok(decant_options_set(&options, info->name, choice));
            assert_ok(decant_options_get(&options, info->name, text, sizeof text));
            assert_string_equal(text, choice);
        }
    }
}

static void test_set_clusters(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t k, max;
    } cases[] = {{"auto", 0, 20}, {"5..15", 5, 15}, {"7..7", 7, 7}, {"2..101", 2, 101}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        decant_options options;
        char text[TEXT];
        decant_options_init(&options, sizeof options);
        assert_ok(decant_options_set(&options, "k", cases[i].text));
        assert_int_equal(options.k, cases[i].k);
        assert_int_equal(options.k_max, cases[i].max);
        assert_ok(decant_options_get(&options, "k", text, sizeof text));
        assert_string_equal(text, cases[i].text);
        assert_ok(decant__options_check(&options));
        assert_ok(decant_options_set(&options, "k", "3")); /* a number takes the range back */
        assert_int_equal(options.k_max, 0);
    }
}

static void check_refused(const char *name, const char *value, const char *expected) {
    decant_options options, before;
    decant_options_init(&options, sizeof options);
    before = options;
    assert_fails(decant_options_set(&options, name, value), DECANT_EINVAL, expected);
    assert_non_null(strstr(decant_last_error(), name));
    assert_memory_equal(&options, &before, sizeof options);
}

static void test_set_refuses_what_is_out_of_range(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"k", "2147483648"},
                                         {"k", "-1"},
                                         {"k", "5..3"},
                                         {"k", "0..4"},
                                         {"k", "1..4"},
                                         {"k", "a..b"},
                                         {"k", "5.."},
                                         {"k", "..5"},
                                         {"k", "5..9x"},
                                         {"k", "5...9"},
                                         {"k", "2..102"},
                                         {"k", "automatic"},
                                         {"k", "2147483640..2147483648"},
                                         {"seed", "18446744073709551616"},
                                         {"seed", "-1"},
                                         {"seed", ""},
                                         {"layers", ""},
                                         {"layers", "auto,5"},
                                         {"layers", "0"},
                                         {"layers", "500,"},
                                         {"layers", ",5"},
                                         {"layers", "65537"},
                                         {"layers", "5,,5"},
                                         {"layers", "5 5"},
                                         {"init-std", "10.1"},
                                         {"init-std", "-1"},
                                         {"batch", "0"},
                                         {"batch", "1048577"},
                                         {"batch", "1.5"},
                                         {"greedy-iterations", "1000000001"},
                                         {"dropout", "0.951"},
                                         {"dropout", "-0.1"},
                                         {"dropout", "nan"},
                                         {"dropout", "0.2x"},
                                         {"dropout", ""},
                                         {"finetune-iterations", "x"},
                                         {"pretrain-rate", "0"},
                                         {"pretrain-rate", "101"},
                                         {"pretrain-rate", "inf"},
                                         {"rate-step", "0"},
                                         {"momentum", "1"},
                                         {"bias-rate", "101"},
                                         {"restarts", "0"},
                                         {"restarts", "100001"},
                                         {"kmeans-iterations", "0"},
                                         {"alpha", "0"},
                                         {"alpha", "1001"},
                                         {"refine-rate", "-0.01"},
                                         {"update-interval", "0"},
                                         {"tol", "1.5"},
                                         {"max-iterations", "1e3"},
                                         {"gamma", "1001"},
                                         {"lambda", "0"},
                                         {"mu", "-1"},
                                         {"threads", "1025"},
                                         {"threads", "-1"},
                                         {"memory", "1023K"},
                                         {"memory", "1T"},
                                         {"memory", "99999999999999999999G"},
                                         {"layers", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *range = NULL;
        for (size_t r = 0; r < decant_option_count(); r++)
            if (strcmp(decant_option_at(r)->name, bad[i][0]) == 0)
                range = decant_option_at(r)->range;
        assert_non_null(range);
        check_refused(bad[i][0], bad[i][1], range);
    }
    check_refused("method", "DEC", "dec|idec|dec-nobackprop|ae+kmeans|kmeans");
    check_refused("method", "de", "dec|idec");
    check_refused("shuffle", "maybe", "yes or no");
    check_refused("no-such-thing", "1", "there is no option 'no-such-thing'");
    char text[4];
    decant_options options;
    decant_options_init(&options, sizeof options);
    assert_fails(decant_options_get(&options, "nothing", text, sizeof text), DECANT_EINVAL,
                 "there is no option 'nothing'");
    assert_ok(decant_options_get(&options, "layers", text, sizeof text)); /* cut, but ended */
    assert_string_equal(text, "aut");
    assert_fails(decant_options_get(&options, "layers", text, 0), DECANT_EINVAL,
                 "the buffer for its value is empty");
}

/* Section 4.3 of the paper and its authors' code: docs/method.md. */
static void test_preset_paper_values(void **state) {
    (void)state;
    decant_options o;
    decant_options_init(&o, sizeof o);
    assert_ok(decant_options_set(&o, "preset", "paper"));
    static const size_t layers[] = {500, 500, 2000, 10};
    assert_int_equal(o.layer_count, 4);
    assert_memory_equal(o.layers, layers, sizeof layers);
    assert_int_equal(o.optimizer, DECANT_OPTIMIZER_SGD);
    assert_true(o.init_std == 0.01 && o.dropout == 0.2 && o.pretrain_rate == 0.1);
    assert_int_equal(o.batch, 256);
    assert_int_equal(o.greedy_iterations, 50000);
    assert_int_equal(o.finetune_iterations, 100000);
    assert_int_equal(o.rate_step, 20000);
    assert_true(o.momentum == 0.9 && o.bias_rate == 2 && o.alpha == 1);
    assert_false(o.shuffle);
    assert_int_equal(o.restarts, 20);
    assert_true(o.refine_rate == 0.01 && o.tol == 0.001);
    assert_int_equal(o.update_interval, 40);
    assert_int_equal(o.scaling, DECANT_SCALING_PAPER);
}

/* The authors' code is the paper with three other values. */
static void test_preset_authors_values(void **state) {
    (void)state;
    decant_options paper, authors;
    decant_options_init(&paper, sizeof paper);
    decant_options_init(&authors, sizeof authors);
    assert_ok(decant_options_set(&paper, "preset", "paper"));
    assert_ok(decant_options_set(&authors, "preset", "authors"));
    assert_true(authors.mean_square == 2.92 && paper.mean_square == 1);
    assert_int_equal(authors.dropout_on, DECANT_DROPOUT_ON_HIDDEN);
    assert_int_equal(authors.update_interval, 160);
    authors.mean_square = 1;
    authors.dropout_on = DECANT_DROPOUT_ON_ALL;
    authors.update_interval = 40;
    authors.preset = DECANT_PRESET_PAPER;
    assert_null(decant__options_difference(&authors, &paper));
}

/* Every preset has a name, and its own values are what setting it gives. */
static void test_preset_own_values(void **state) {
    (void)state;
    int count = 0;
    for (; decant_preset_name((decant_preset)count) != NULL; count++) {
        decant_options options;
        char text[TEXT];
        decant_options_init(&options, sizeof options);
        assert_ok(decant_options_set(&options, "preset", decant_preset_name((decant_preset)count)));
        assert_int_equal(options.preset, count);
        for (size_t i = 0; i < decant_option_count(); i++) {
            const char *own = decant_option_in_preset(i, (decant_preset)count);
            if (own == NULL) continue;
            assert_ok(decant_options_get(&options, decant_option_at(i)->name, text, sizeof text));
            assert_string_equal(text, own);
        }
    }
    assert_true(count > DECANT_PRESET_AUTHORS);
    assert_null(decant_option_in_preset(0, (decant_preset)count));
    assert_null(decant_option_in_preset(decant_option_count(), DECANT_PRESET_PAPER));
}

static void test_preset_then_override_and_back(void **state) {
    (void)state;
    decant_options options, fast;
    decant_options_init(&options, sizeof options);
    decant_options_init(&fast, sizeof fast);
    assert_ok(decant_options_set(&options, "seed", "99")); /* no preset governs it */
    assert_ok(decant_options_set(&options, "preset", "paper"));
    assert_ok(decant_options_set(&options, "greedy-iterations", "7"));
    assert_int_equal(options.greedy_iterations, 7);
    assert_int_equal(options.finetune_iterations, 100000);
    assert_int_equal(options.seed, 99);
    assert_ok(decant_options_set(&options, "preset", "authors"));
    assert_ok(decant_options_set(&options, "preset", "fast"));
    assert_ok(decant_options_set(&options, "seed", "1"));
    assert_memory_equal(&options, &fast, sizeof fast);
}

/* Methods on the neighbour graph have defaults of their own, whatever the preset. */
static void test_method_governs_defaults(void **state) {
    (void)state;
    decant_options o, plain;
    decant_options_init(&plain, sizeof plain);
    decant_options_init(&o, sizeof o);
    assert_ok(decant_options_set(&o, "method", "ldmgi"));
    assert_true(o.neighbours == 5 && o.gamma == 1);
    assert_ok(decant_options_set(&o, "preset", "paper"));
    assert_true(o.neighbours == 5 && o.gamma == 1);
    assert_ok(decant_options_set(&o, "neighbours", "8"));
    assert_ok(decant_options_set(&o, "method", "ae+sec"));
    assert_int_equal(o.neighbours, 5);
    assert_ok(decant_options_set(&o, "method", "dec"));
    assert_int_equal(o.neighbours, 0);
    assert_ok(decant_options_set(&o, "preset", "fast"));
    assert_memory_equal(&o, &plain, sizeof o);
}

static void test_difference_names_the_first(void **state) {
    (void)state;
    decant_options base;
    decant_options_init(&base, sizeof base);
    for (size_t i = 0; i < OTHERS; i++) {
        decant_options options = base;
        assert_null(decant__options_difference(&base, &options));
        if (strcmp(others[i][0], "preset") == 0) {
            options.preset = DECANT_PRESET_PAPER;
        } else {
            assert_ok(decant_options_set(&options, others[i][0], others[i][1]));
        }
        const char *name = decant__options_difference(&base, &options);
        if (decant_option_at(i)->machine)
            assert_null(name);
        else
            assert_string_equal(name, others[i][0]);
    }
}

static void check_caught(const decant_options *options, const char *expected) {
    assert_fails(decant__options_check(options), DECANT_EINVAL, expected);
}

static void test_check_catches_direct_writes(void **state) {
    (void)state;
    decant_options good, o;
    decant_options_init(&good, sizeof good);
    good.k = 3;
    assert_ok(decant__options_check(&good));
    check_caught((o = good, o.k = 0, &o), "at least 1");
    check_caught((o = good, o.k = (size_t)1 << 31, &o), "1 to 2147483647");
    check_caught((o = good, o.layer_count = 17, &o), "at most 16 sizes");
    assert_ok(decant_options_set(&good, "layers", "500,500,2000,10"));
    check_caught((o = good, o.layers[1] = 0, &o), "layers");
    check_caught((o = good, o.layers[3] = SIZE_MAX, &o), "layers");
    check_caught((o = good, o.dropout = 1, &o), "0 to 0.95");
    check_caught((o = good, o.dropout = NAN, &o), "0 to 0.95");
    check_caught((o = good, o.alpha = 0, &o), "0.01 to 1000");
    check_caught((o = good, o.alpha = INFINITY, &o), "0.01 to 1000");
    check_caught((o = good, o.pretrain_rate = -1, &o), "pretrain-rate");
    check_caught((o = good, o.batch = 0, &o), "batch");
    check_caught((o = good, o.update_interval = 0, &o), "update-interval");
    check_caught((o = good, o.threads = -1, &o), "threads");
    check_caught((o = good, o.memory = 0, &o), "memory");
    check_caught((o = good, o.method = (decant_method)13, &o), "method");
    check_caught((o = good, o.method = (decant_method)-1, &o), "method");
    check_caught((o = good, o.preset = (decant_preset)99, &o), "preset");
    check_caught((o = good, o.scaling = (decant_scaling)99, &o), "scaling");
    check_caught((o = good, o.optimizer = (decant_optimizer)2, &o), "optimizer");
    check_caught((o = good, o.seeding = (decant_seeding)2, &o), "seeding");
    check_caught((o = good, o.shuffle = 2, &o), "shuffle");
    check_caught((o = good, o.zeros = 2000000000, &o), "zeros");
}

/* An enum out of range is printed without reading beyond the table's text. */
static void test_get_of_an_invalid_choice(void **state) {
    (void)state;
    decant_options options;
    char text[TEXT];
    decant_options_init(&options, sizeof options);
    options.method = (decant_method)1000;
    assert_ok(decant_options_get(&options, "method", text, sizeof text));
    assert_string_equal(text, "?");
}

static void test_options_null(void **state) {
    (void)state;
    decant_options o;
    char text[16];
    decant_options_init(&o, sizeof o);
    decant_options_init(NULL, sizeof o);
    assert_fails(decant_options_set(NULL, "k", "3"), DECANT_EINVAL, "options is NULL");
    assert_fails(decant_options_set(&o, NULL, "3"), DECANT_EINVAL, "is NULL");
    assert_fails(decant_options_set(&o, "k", NULL), DECANT_EINVAL, "is NULL");
    assert_fails(decant_options_get(NULL, "k", text, sizeof text), DECANT_EINVAL,
                 "options is NULL");
    assert_fails(decant_options_get(&o, "k", NULL, 16), DECANT_EINVAL, "empty");
    assert_fails(decant_options_get(&o, "k", text, 0), DECANT_EINVAL, "empty");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_null),
        cmocka_unit_test(test_init_gives_every_default),
        cmocka_unit_test(test_set_get_roundtrip),
        cmocka_unit_test(test_set_every_choice),
        cmocka_unit_test(test_set_clusters),
        cmocka_unit_test(test_set_refuses_what_is_out_of_range),
        cmocka_unit_test(test_preset_paper_values),
        cmocka_unit_test(test_preset_authors_values),
        cmocka_unit_test(test_preset_own_values),
        cmocka_unit_test(test_preset_then_override_and_back),
        cmocka_unit_test(test_method_governs_defaults),
        cmocka_unit_test(test_difference_names_the_first),
        cmocka_unit_test(test_check_catches_direct_writes),
        cmocka_unit_test(test_get_of_an_invalid_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
