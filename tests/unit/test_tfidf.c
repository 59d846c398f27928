/* From texts to rows of tf-idf: stems, vocabulary, weights. */
#include "check.h"

#include "base/memory.h"
#include "features/tfidf.h"
#include "features/vocabulary.h"
#include "tfidf_reference.h"

static decant_features features_of(const char *const *texts, size_t count, const char *language,
                                   size_t max, decant_vocabulary_by by) {
    decant_features features = {.kind = DECANT_FEATURES_TFIDF, .stop_words = 1};
    decant__vocabulary vocabulary;
    snprintf(features.language, sizeof features.language, "%s", language);
    assert_ok(decant__vocabulary_new(&vocabulary, language, 1));
    for (size_t i = 0; i < count; i++)
        assert_ok(decant__vocabulary_add(&vocabulary, texts[i], strlen(texts[i])));
    assert_ok(decant__vocabulary_choose(&vocabulary, max, by, &features));
    decant__vocabulary_free(&vocabulary);
    return features;
}

static void release(decant_features *features) {
    decant__names_free(&features->stems);
    decant__names_free(&features->words);
    decant__free(features->idf);
}

/* All stems of the vocabulary, separated by blanks. */
static const char *stems_of(const decant_features *features) {
    static char list[512];
    list[0] = '\0';
    for (size_t j = 0; j < features->d; j++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "",
                 decant__names_at(&features->stems, j));
    }
    return list;
}

/* The numbers of scikit-learn on the same words (gen_tfidf.py). */
static void test_row_as_scikit_learn(void **state) {
    (void)state;
    decant_features features =
        features_of(tfidf_texts, TFIDF_ROWS, "none", TFIDF_COLUMNS, DECANT_VOCABULARY_BY_COUNT);
    decant__tfidf tfidf;
    assert_int_equal(features.d, TFIDF_COLUMNS);
    for (size_t j = 0; j < TFIDF_COLUMNS; j++) {
        assert_string_equal(decant__names_at(&features.stems, j), tfidf_stems[j]);
        assert_near(features.idf[j], tfidf_idf[j], 1e-12);
    }
    assert_ok(decant__tfidf_new(&tfidf, &features));
    for (size_t i = 0; i < TFIDF_ROWS; i++) {
        float row[TFIDF_COLUMNS] = {0};
        assert_ok(decant__tfidf_row(&tfidf, tfidf_texts[i], strlen(tfidf_texts[i])));
        for (size_t e = 0; e < tfidf.nonzeros; e++) {
            assert_true(e == 0 || tfidf.column[e] > tfidf.column[e - 1]);
            row[tfidf.column[e]] = tfidf.value[e];
        }
        for (size_t j = 0; j < TFIDF_COLUMNS; j++)
            assert_near((double)row[j] / sqrt(TFIDF_COLUMNS), tfidf_rows[i][j], 1e-6);
    }
    decant__tfidf_free(&tfidf);
    release(&features);
}

/* Equal at the cut: by the alphabet. */
static void test_choose_ties(void **state) {
    (void)state;
    static const char *const texts[] = {"pear apple apple kiwi", "plum pear fig kiwi kiwi kiwi"};
    decant_features features = features_of(texts, 2, "none", 4, DECANT_VOCABULARY_BY_COUNT);
    assert_string_equal(stems_of(&features), "apple fig kiwi pear"); /* fig before plum */
    assert_string_equal(decant_features_word(&features, 3), "pear"); /* a stem is its own word */
    release(&features);
    features = features_of(texts, 2, "none", 3, DECANT_VOCABULARY_BY_DOCUMENTS);
    assert_string_equal(stems_of(&features), "apple kiwi pear"); /* apple before fig and plum */
    release(&features);
}

static void test_choose_stems_and_stop_words(void **state) {
    (void)state;
    static const char *const texts[] = {"The running dogs and the cats were running",
                                        "A dog runs; cats ran."};
    decant_features features = features_of(texts, 2, "english", 100, DECANT_VOCABULARY_BY_COUNT);
    assert_string_equal(stems_of(&features), "cat dog ran run");
    /* The commonest word of each stem; dog and dogs are as common, so the first. */
    assert_string_equal(decant_features_word(&features, 0), "cats");
    assert_string_equal(decant_features_word(&features, 1), "dog");
    assert_string_equal(decant_features_word(&features, 3), "running");
    assert_null(decant_features_word(&features, 4));
    release(&features);
    static const char *const german[] = {"Die Häuser und das Haus der Katzen"};
    features = features_of(german, 1, "german", 100, DECANT_VOCABULARY_BY_COUNT);
    assert_string_equal(stems_of(&features), "haus katz");
    release(&features);
}

static void test_new_unknown_language(void **state) {
    (void)state;
    decant__vocabulary vocabulary;
    assert_fails(decant__vocabulary_new(&vocabulary, "klingon", 1), DECANT_EINVAL,
                 "expected none, arabic");
}

static void test_row_without_known_stem(void **state) {
    (void)state;
    static const char *const texts[] = {"one two three"};
    decant_features features = features_of(texts, 1, "none", 10, DECANT_VOCABULARY_BY_COUNT);
    decant__tfidf tfidf;
    assert_ok(decant__tfidf_new(&tfidf, &features));
    assert_ok(decant__tfidf_row(&tfidf, "four five", 9));
    assert_int_equal(tfidf.nonzeros, 0);
    assert_ok(decant__tfidf_row(&tfidf, "", 0));
    assert_int_equal(tfidf.nonzeros, 0);
    assert_ok(decant__tfidf_row(&tfidf, "two four", 8));
    assert_int_equal(tfidf.nonzeros, 1);
    assert_near(tfidf.value[0], sqrt(3), 1e-6);
    decant__tfidf_free(&tfidf);
    release(&features);
}

static void test_choose_nothing(void **state) {
    (void)state;
    decant__vocabulary vocabulary;
    decant_features features = {0};
    assert_ok(decant__vocabulary_new(&vocabulary, "none", 1));
    assert_ok(decant__vocabulary_add(&vocabulary, "a b c", 5));
    assert_fails(decant__vocabulary_choose(&vocabulary, 5, DECANT_VOCABULARY_BY_COUNT, &features),
                 DECANT_EFORMAT, "none of them has a word");
    decant__vocabulary_free(&vocabulary);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_as_scikit_learn),
        cmocka_unit_test(test_choose_ties),
        cmocka_unit_test(test_choose_stems_and_stop_words),
        cmocka_unit_test(test_new_unknown_language),
        cmocka_unit_test(test_row_without_known_stem),
        cmocka_unit_test(test_choose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
