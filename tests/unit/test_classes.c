#include "check.h"

#include "base/memory.h"
#include "data/classes.h"

static int32_t add(decant__classes *classes, const char *name) {
    int32_t number = -1;
    assert_ok(decant__classes_add(classes, name, strlen(name), &number));
    return number;
}

static void test_classes_spellings(void **state) {
    (void)state;
    decant__classes classes = {0};
    static const char *const same[] = {"3", "3.0", "+3", "3.", "3e0", "0.3e1", "30e-1"};
    static const char *const other[] = {"03", "3.5", "x3", "-3", "3 ", "1e30", "nan", ""};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(add(&classes, same[i]), 0);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_int_equal(add(&classes, other[i]), i + 1);
    assert_int_equal(add(&classes, "-0"), add(&classes, "0.0"));
    decant__names_free(&classes);
}

static void test_classes_many(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    decant__classes classes = {0};
    static int32_t rank[COUNT];
    char name[64], **names;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "%d", (i * 7919 + 13) % COUNT);
            assert_int_equal(add(&classes, name), i);
        }
    assert_int_equal(classes.count, COUNT);
    assert_ok(decant__classes_rank(&classes, rank));
    for (int i = 0; i < COUNT; i++) assert_int_equal(rank[i], (i * 7919 + 13) % COUNT);
    assert_ok(decant__classes_export(&classes, rank, &names));
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_string_equal(names[i], name);
    }
    decant__free(names);
    decant__names_free(&classes);
}

static void test_classes_prefixes(void **state) {
    (void)state;
    decant__classes classes = {0};
    char name[201];
    memset(name, 'a', 200);
    for (size_t length = 200; length > 0; length--) {
        name[length] = '\0';
        assert_int_equal(add(&classes, name), 200 - length);
    }
    decant__names_free(&classes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_spellings),
        cmocka_unit_test(test_classes_many),
        cmocka_unit_test(test_classes_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
