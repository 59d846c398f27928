#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "ranks.h"
#include "signals.h"

enum { MAX_BAR = 30, MIN_BAR = 5, BAR_FRAME = 9 };

/* Seconds between two lines about the same phase. Each phase also ends with a line. */
static const double pause_of[] = {
    [PROGRESS_QUIET] = HUGE_VAL, [PROGRESS_LINES] = 60, [PROGRESS_BAR] = 0.1};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void progress_start(cli_progress *progress, int quiet) {
    const char *terminal = getenv("TERM");
    int bar = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    memset(progress, 0, sizeof *progress);
    progress->style = quiet || !is_leader() ? PROGRESS_QUIET : bar ? PROGRESS_BAR : PROGRESS_LINES;
}

static size_t terminal_columns(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col < PROGRESS_LINE ? size.ws_col : PROGRESS_LINE - 1;
}

/* ---- a line, piece by piece ---- */

typedef struct cli_line {
    char text[PROGRESS_LINE];
    size_t length;
} cli_line;

/* Text that does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void add(cli_line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count =
        vsnprintf(line->text + line->length, PROGRESS_LINE - line->length, format, arguments);
    va_end(arguments);
    if (count > 0) line->length += (size_t)count;
    if (line->length >= PROGRESS_LINE) line->length = PROGRESS_LINE - 1;
}

/* Rounded once, before it is split: 59.7 s is 1:00 and not 0:60. */
static void add_clock(cli_line *line, double seconds) {
    long whole = (long)(seconds + 0.5);
    if (whole >= 3600)
        add(line, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        add(line, "%ld:%02ld", whole / 60, whole % 60);
}

/* Steps a second in this process; 0 while that is not known. */
static double rate_of(const cli_progress *progress) {
    double seconds = progress->last.seconds - progress->first.seconds;
    double steps = (double)progress->last.step - (double)progress->first.step;
    return seconds > 0 && steps > 0 ? steps / seconds : 0;
}

/* The steps of decant_reproduce are planned seconds: only the percentage is shown. */
static int is_plan(const cli_progress *progress) { return strcmp(progress->phase, "runs") == 0; }

/* The steps of reading are bytes or items: only the percentage is shown. */
static int is_reading(const cli_progress *progress) { return strcmp(progress->phase, "read") == 0; }

/* As wide as the columns that are left allow; none if they are too few, or the end is unknown. */
static void add_bar(cli_line *line, const cli_progress *progress, size_t columns_left) {
    const decant_progress *last = &progress->last;
    int width = columns_left > MAX_BAR + BAR_FRAME ? MAX_BAR : (int)columns_left - BAR_FRAME;
    if (last->steps == 0 || width < MIN_BAR) return;
    double share = (double)last->step / (double)last->steps;
    int full = share >= 1 ? width : (int)(share * width);
    add(line, "[");
    for (int i = 0; i < width; i++) add(line, "%c", i < full ? '#' : '.');
    add(line, "] %3.0f%%  ", 100 * (share < 1 ? share : 1));
}

static void add_numbers(cli_line *line, const cli_progress *progress) {
    const decant_progress *last = &progress->last;
    if (is_plan(progress) || is_reading(progress)) {
        if (last->steps > 0) add(line, "%.0f%%", 100 * (double)last->step / (double)last->steps);
        return;
    }
    add(line, "%zu", last->step);
    if (last->steps > 0) add(line, "/%zu", last->steps);
    if (rate_of(progress) > 0) add(line, "  %.3g it/s", rate_of(progress));
    if (isfinite(last->loss)) add(line, "  loss %.4g", last->loss);
    if (isfinite(last->changed)) add(line, "  changed %.2f%%", 100 * last->changed);
}

/* Refinement may converge long before max-iterations: there the time left is an upper bound. */
static void add_time_left(cli_line *line, const cli_progress *progress) {
    const decant_progress *last = &progress->last;
    double rate = rate_of(progress);
    if (rate <= 0 || last->steps <= last->step) return;
    add(line, isfinite(last->changed) ? "  at most " : "  ");
    add_clock(line, (double)(last->steps - last->step) / rate);
    add(line, " left");
}

void progress_line(const cli_progress *progress, size_t columns, char text[PROGRESS_LINE]) {
    cli_line line = {.length = 0}, numbers = {.length = 0};
    int bar = progress->style == PROGRESS_BAR;
    add(&line, "%-12s ", progress->phase);
    if (!bar || !(is_plan(progress) || is_reading(progress))) /* the bar has the share */
        add_numbers(&numbers, progress);
    add_time_left(&numbers, progress);
    size_t used = line.length + numbers.length;
    if (bar) add_bar(&line, progress, used < columns ? columns - used : 0);
    add(&line, "%s", numbers.text);
    if (bar && columns < PROGRESS_LINE) line.text[columns] = '\0';
    memcpy(text, line.text, sizeof line.text);
}

/* ---- on stderr ---- */

static void draw_progress(const cli_progress *progress) {
    char text[PROGRESS_LINE];
    progress_line(progress, terminal_columns() - 1, text);
    if (progress->style == PROGRESS_BAR)
        fprintf(stderr, "\r\033[K%s", text);
    else
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
}

decant_monitor progress_monitor(cli_progress *progress, const cli_arguments *given) {
    progress_start(progress, given->quiet);
    return (decant_monitor){.struct_size = sizeof(decant_monitor),
                            .progress = progress_report,
                            .user = progress,
                            .checkpoint_seconds = given->checkpoint_seconds,
                            .resume = given->resume,
                            .overwrite = given->force,
                            .graph = given->graph,
                            .pretrained = given->pretrained};
}

void progress_hide(cli_progress *progress) {
    if (progress->style == PROGRESS_BAR) fputs("\r\033[K", stderr);
}

void progress_end(cli_progress *progress) {
    cli_line line = {.length = 0};
    if (progress->phase[0] == '\0' || progress->style == PROGRESS_QUIET) return;
    if (is_reading(progress)) { /* the command prints what was read */
        progress_hide(progress);
        progress->phase[0] = '\0';
        return;
    }
    add(&line, "%-12s ", progress->phase);
    add_numbers(&line, progress);
    add(&line, "  in %.1f s", progress->last.seconds);
    fprintf(stderr, "%s%s\n", progress->style == PROGRESS_BAR ? "\r\033[K" : "", line.text);
    progress->phase[0] = '\0';
}

int progress_report(const decant_progress *report, void *user) {
    cli_progress *progress = user;
    if (progress->style == PROGRESS_QUIET) return signals_stop();
    if (strncmp(progress->phase, report->phase, sizeof progress->phase - 1) != 0) {
        progress_end(progress);
        snprintf(progress->phase, sizeof progress->phase, "%s", report->phase);
        progress->first = *report;
        progress->drawn = now();
    }
    progress->last = *report;
    double time = now();
    if (time - progress->drawn >= pause_of[progress->style]) {
        draw_progress(progress);
        progress->drawn = time;
    }
    return signals_stop();
}
