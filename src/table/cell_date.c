/* Dates and times as people and programs write them:
 *
 *   2024-03-01  2024/3/1  20240301  2024-03  1.3.2024  3/1/2024  1-Mar-24  Mar 1, 2024  1 March
 * 2024 each with a time after a blank or T: 14:05  14:05:07.5  2:05 pm, and Z or +01:00; or a time
 *   alone. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "table/cell.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static int take_char(cursor *c, const char *any) {
    if (c->at == c->end || strchr(any, *c->at) == NULL || *c->at == '\0') return 0;
    return *c->at++;
}

/* A whole number of at least min and at most max digits; -1: there is none. */
static long take_number(cursor *c, size_t min, size_t max, size_t *digits) {
    long value = 0;
    const char *begin = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && (size_t)(c->at - begin) < max)
        value = value * 10 + (*c->at++ - '0');
    size_t count = (size_t)(c->at - begin);
    int more = c->at < c->end && *c->at >= '0' && *c->at <= '9';
    if (digits != NULL) *digits = count;
    if (count >= min && !more) return value;
    c->at = begin;
    return -1;
}

/* January or Jan. */
static long take_month_name(cursor *c) {
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    size_t length = 0;
    while (c->at + length < c->end && isalpha((unsigned char)c->at[length])) length++;
    for (long m = 0; m < 12; m++) {
        if (length < 3 || length > strlen(names[m]) || strncasecmp(c->at, names[m], length) != 0)
            continue;
        if (length != 3 && length != strlen(names[m]) && !(length == 4 && m == 8)) continue;
        c->at += length;
        take_char(c, ".");
        return m + 1;
    }
    return -1;
}

static int is_leap(long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static int is_date(long year, long month, long day) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1000 || year > 2999 || month < 1 || month > 12 || day < 1) return 0;
    return day <= days[month - 1] + (month == 2 && is_leap(year));
}

/* The inverse of print_date in features/table.c. */
static double day_number(long year, long month, long day) {
    year -= month <= 2;
    long era = year / 400, yoe = year - era * 400;
    long doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return (double)(era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468);
}

static long whole_year(long year, size_t digits) {
    if (digits == 4) return year;
    return digits == 2 ? year + (year < 70 ? 2000 : 1900) : -1;
}

/* 14:05, 14:05:07.25, 2:05 pm; then Z or an offset. As a share of the day. */
static int take_time(cursor *c, double *time) {
    cursor saved = *c;
    long hour = take_number(c, 1, 2, NULL), second = 0;
    if (hour < 0 || !take_char(c, ":")) return *c = saved, 0;
    long minute = take_number(c, 2, 2, NULL);
    double fraction = 0, unit = 0.1;
    if (take_char(c, ":")) second = take_number(c, 2, 2, NULL);
    if (take_char(c, ".,"))
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; unit /= 10)
            fraction += unit * (*c->at++ - '0');
    cursor before = *c;
    take_char(c, " ");
    int half = take_char(c, "aApP");
    if (half != 0 && take_char(c, "mM")) {
        if (hour < 1 || hour > 12) return *c = saved, 0;
        hour = hour % 12 + (half == 'p' || half == 'P' ? 12 : 0);
    } else {
        *c = before;
    }
    if (hour > 24 || minute < 0 || minute > 59 || second < 0 || second > 60) return *c = saved, 0;
    *time = ((double)hour * 3600 + (double)minute * 60 + (double)second + fraction) / 86400;
    return 1;
}

static int take_zone(cursor *c, double *time) {
    double offset = 0;
    take_char(c, " ");
    if (take_char(c, "Zz") || c->at == c->end) return 1;
    if (c->end - c->at >= 3 && strncasecmp(c->at, "UTC", 3) == 0) {
        c->at += 3;
        return 1;
    }
    int sign = take_char(c, "+-");
    if (sign == 0) return 0;
    long hours = take_number(c, 2, 2, NULL);
    if (hours < 0) {
        long both = take_number(c, 4, 4, NULL);
        if (both < 0) return 0;
        offset = (double)(both / 100) * 60 + (double)(both % 100);
    } else {
        offset = (double)hours * 60;
        if (take_char(c, ":")) {
            long minutes = take_number(c, 2, 2, NULL);
            if (minutes < 0) return 0;
            offset += (double)minutes;
        }
    }
    *time -= (sign == '-' ? -offset : offset) / 1440;
    return 1;
}

/* Year first: 2024-03-01, 2024/3, 20240301. */
static int take_year_first(cursor *c, double *days) {
    cursor saved = *c;
    size_t digits;
    long year = take_number(c, 4, 8, &digits);
    if (digits == 8 && year >= 0) {
        if (!is_date(year / 10000, year / 100 % 100, year % 100)) return *c = saved, 0;
        *days = day_number(year / 10000, year / 100 % 100, year % 100);
        return 1;
    }
    int mark = digits == 4 && year >= 0 ? take_char(c, "-/.") : 0;
    long month = mark ? take_number(c, 1, 2, NULL) : -1, day = 1;
    if (mark && month < 0) month = take_month_name(c);
    const char same[] = {(char)mark, '\0'};
    if (month > 0 && take_char(c, same)) day = take_number(c, 1, 2, NULL);
    if (month < 0 || !is_date(year, month, day)) return *c = saved, 0;
    *days = day_number(year, month, day);
    return 1;
}

/* 1-Mar-2024, 1 March 2024, Mar 1, 2024. */
static int take_named(cursor *c, double *days) {
    cursor saved = *c;
    size_t digits = 0;
    long day = -1, month = take_month_name(c);
    int name_first = month > 0;
    if (name_first) take_char(c, " -");
    day = take_number(c, 1, 2, NULL);
    if (day > 0 && !name_first) {
        take_char(c, ".");
        take_char(c, " -/");
        month = take_month_name(c);
    }
    take_char(c, ",");
    take_char(c, " -/");
    long year = day > 0 && month > 0 ? take_number(c, 2, 4, &digits) : -1;
    if (year >= 0) year = whole_year(year, digits);
    if (year < 0 || !is_date(year, month, day)) return *c = saved, 0;
    *days = day_number(year, month, day);
    return 1;
}

/* 1.3.2024, 3/1/24: which is the month? 1: as in `order`; 2: the other way round. */
static int take_year_last(cursor *c, decant__date_order order, double *days) {
    cursor saved = *c;
    size_t digits = 0;
    long first = take_number(c, 1, 2, NULL);
    int mark = first >= 0 ? take_char(c, "./-") : 0;
    long second = mark ? take_number(c, 1, 2, NULL) : -1;
    const char same[] = {(char)mark, '\0'};
    long year = second >= 0 && take_char(c, same) ? take_number(c, 2, 4, &digits) : -1;
    year = year >= 0 ? whole_year(year, digits) : -1;
    if (year < 0) return *c = saved, 0;
    for (int turn = 1; turn <= 2; turn++) {
        int day_first = (order == DECANT__DAY_FIRST) == (turn == 1);
        long day = day_first ? first : second, month = day_first ? second : first;
        if (!is_date(year, month, day)) continue;
        *days = day_number(year, month, day);
        return turn;
    }
    return *c = saved, 0;
}

int decant__cell_date(const char *text, size_t length, decant__date_order order, double *days,
                      int *timed) {
    cursor c = {text, text + length};
    double day = 0, time = 0;
    *timed = 0;
    if (length < 4 || length > 40) return 0;
    int found = take_year_first(&c, &day);
    if (!found) found = take_named(&c, &day);
    if (!found) found = take_year_last(&c, order, &day);
    if (!found) {
        found = take_time(&c, &time) && c.at == c.end;
        *timed = found;
        *days = time;
        return found;
    }
    if (c.at < c.end && take_char(&c, "T ")) {
        take_char(&c, " ");
        if (!take_time(&c, &time) || !take_zone(&c, &time)) return 0;
        *timed = 1;
    }
    if (c.at != c.end) return 0;
    *days = day + time;
    return found;
}
