/* The progress lines of the program: rates, times left, and how many lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cli/progress.h"

static decant_progress report_at(size_t step, size_t steps, double seconds) {
    return (decant_progress){.phase = "finetune",
                             .step = step,
                             .steps = steps,
                             .loss = NAN,
                             .changed = NAN,
                             .seconds = seconds};
}

/* The line after two reports. */
static const char *line_after(progress_style style, decant_progress first, decant_progress last,
                              size_t columns) {
    static char text[PROGRESS_LINE];
    cli_progress progress = {.style = style, .first = first, .last = last};
    snprintf(progress.phase, sizeof progress.phase, "%s", first.phase);
    progress_line(&progress, columns, text);
    return text;
}

static void check_left(double steps_done, double steps, double seconds, const char *expected) {
    char ending[64];
    const char *line = line_after(PROGRESS_LINES, report_at(0, (size_t)steps, 0),
                                  report_at((size_t)steps_done, (size_t)steps, seconds), 80);
    snprintf(ending, sizeof ending, "  %s left", expected);
    const char *found = strstr(line, ending);
    if (found == NULL || strcmp(found, ending) != 0) fail_msg("'%s' in '%s'", ending, line);
}

static void test_time_left_is_what_remains_at_the_rate_so_far(void **state) {
    (void)state;
    check_left(100, 400, 10, "0:30");     /* 10 a second, 300 to go */
    check_left(1, 2, 90, "1:30");         /* as long again */
    check_left(10, 110, 100, "16:40");    /* 10 s each */
    check_left(10, 1000, 100, "2:45:00"); /* hours */
}

static void test_time_left_is_rounded_before_it_is_split(void **state) {
    (void)state;
    check_left(1, 2, 59.7, "1:00");
    check_left(1, 2, 299.8, "5:00");
    check_left(1, 2, 3599.6, "1:00:00");
    check_left(1, 2, 59.4, "0:59");
}

/* A resumed phase begins in the middle, and its first steps took no time of this process. */
static void test_rate_counts_from_the_first_report(void **state) {
    (void)state;
    const char *line =
        line_after(PROGRESS_LINES, report_at(500, 1000, 200), report_at(600, 1000, 220), 80);
    assert_non_null(strstr(line, "600/1000  5 it/s"));
    assert_non_null(strstr(line, "  1:20 left"));
}

static void test_time_left_of_refinement_is_a_bound(void **state) {
    (void)state;
    decant_progress last = report_at(100, 400, 10);
    last.changed = 0.0123;
    const char *line = line_after(PROGRESS_LINES, report_at(0, 400, 0), last, 80);
    assert_non_null(strstr(line, "changed 1.23%  at most 0:30 left"));
}

static void test_time_left_is_not_shown_when_unknown(void **state) {
    (void)state;
    assert_null(
        strstr(line_after(PROGRESS_LINES, report_at(0, 0, 0), report_at(10, 0, 5), 80), "left"));
    assert_null(
        strstr(line_after(PROGRESS_LINES, report_at(10, 40, 5), report_at(10, 40, 5), 80), "left"));
    assert_null(
        strstr(line_after(PROGRESS_LINES, report_at(0, 40, 0), report_at(40, 40, 5), 80), "left"));
}

static void test_bar_fits_the_columns(void **state) {
    (void)state;
    for (size_t columns = 20; columns < 120; columns++) {
        const char *line =
            line_after(PROGRESS_BAR, report_at(0, 400, 0), report_at(100, 400, 10), columns);
        assert_true(strlen(line) <= columns);
        const char *bar = strchr(line, '[');
        if (columns >= 80) assert_non_null(bar);
        if (bar != NULL) assert_non_null(strstr(line, "]  25%"));
    }
}

/* Runs the reports with stderr in a file; gives the number of lines. */
static size_t lines_shown(cli_progress *progress, double seconds_between, int reports) {
    char path[] = "/tmp/decant-test-XXXXXX";
    int file = mkstemp(path), saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    for (int i = 0; i < reports; i++) {
        decant_progress report = report_at((size_t)i, (size_t)reports, i * seconds_between);
        progress->drawn -= seconds_between; /* so much time has passed */
        progress_report(&report, progress);
    }
    progress_end(progress);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    size_t lines = 0;
    char byte;
    lseek(file, 0, SEEK_SET);
    while (read(file, &byte, 1) == 1) lines += byte == '\n';
    close(file);
    unlink(path);
    return lines;
}

static void test_lines_come_once_a_minute_and_at_the_end(void **state) {
    (void)state;
    cli_progress hour = {.style = PROGRESS_LINES}, moment = {.style = PROGRESS_LINES};
    cli_progress quiet = {.style = PROGRESS_QUIET};
    assert_int_equal(lines_shown(&moment, 0.5, 60), 1); /* half a minute */
    size_t shown = lines_shown(&hour, 1, 3600);
    if (shown < 55 || shown > 61) fail_msg("%zu lines in an hour", shown);
    assert_int_equal(lines_shown(&quiet, 1, 3600), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_left_is_what_remains_at_the_rate_so_far),
        cmocka_unit_test(test_time_left_is_rounded_before_it_is_split),
        cmocka_unit_test(test_rate_counts_from_the_first_report),
        cmocka_unit_test(test_time_left_of_refinement_is_a_bound),
        cmocka_unit_test(test_time_left_is_not_shown_when_unknown),
        cmocka_unit_test(test_bar_fits_the_columns),
        cmocka_unit_test(test_lines_come_once_a_minute_and_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
