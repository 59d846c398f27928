#include "features/table.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/number.h"

static const double ROOT2 = 1.4142135623730951;

/* ---- the object ---- */

decant_status decant__table_new(size_t count, decant_table **out) {
    decant_status status = DECANT_OK;
    decant_table *table;
    NEW_ZEROED(table, 1);
    NEW_ZEROED(table->column, count);
    table->count = count;
    for (size_t j = 0; j < count; j++) {
        decant__column *column = &table->column[j];
        column->fill = column->min = column->max = (double)NAN;
        column->scale = 1;
        column->low = -HUGE_VAL;
        column->high = HUGE_VAL;
        column->other_level = column->missing_level = SIZE_MAX;
    }
    table->id_column = table->label_column = table->text_column = SIZE_MAX;
    *out = table;
    table = NULL;
done:
    decant__table_free(table);
    return status;
}

static decant_status copy_column(const decant__column *from, decant__column *to) {
    decant_status status = DECANT_OK;
    *to = *from;
    to->name = NULL;
    to->levels = (decant__names){0};
    to->share = NULL;
    to->name = decant__copy_text(from->name != NULL ? from->name : "");
    if (to->name == NULL) return DECANT_ENOMEM;
    TRY(decant__names_copy(&to->levels, &from->levels));
    if (from->share != NULL) {
        NEW_ARRAY(to->share, from->levels.count);
        memcpy(to->share, from->share, from->levels.count * sizeof *to->share);
    }
done:
    return status;
}

decant_status decant__table_copy(const decant_table *from, decant_table **out) {
    decant_status status = DECANT_OK;
    decant_table *copy = NULL;
    TRY(decant__table_new(from->count, &copy));
    for (size_t j = 0; j < from->count; j++) TRY(copy_column(&from->column[j], &copy->column[j]));
    if (from->text != NULL) TRY(decant__features_copy(from->text, &copy->text));
    copy->d = from->d;
    copy->plain = from->plain;
    copy->header = from->header;
    copy->text_first = from->text_first;
    copy->id_column = from->id_column;
    copy->label_column = from->label_column;
    copy->text_column = from->text_column;
    copy->text_scale = from->text_scale;
    *out = copy;
    copy = NULL;
done:
    decant__table_free(copy);
    return status;
}

void decant__table_free(decant_table *table) {
    if (table == NULL) return;
    for (size_t j = 0; table->column != NULL && j < table->count; j++) {
        decant__free(table->column[j].name);
        decant__names_free(&table->column[j].levels);
        decant__free(table->column[j].share);
    }
    decant__free(table->column);
    decant__features_free(table->text);
    decant__free(table);
}

/* ---- places ---- */

static size_t count_parts(unsigned parts) {
    return (size_t)((parts & 1) + ((parts >> 1) & 1) + ((parts >> 2) & 1));
}

static size_t width_of(const decant__column *column) {
    size_t indicator = column->indicator != 0;
    if (column->unused != DECANT__UNUSED_NO) return 0;
    switch (column->type) {
        case DECANT_COLUMN_NUMBER:
        case DECANT_COLUMN_YES_NO:
            return 1 + indicator;
        case DECANT_COLUMN_DATE:
            return 1 + 2 * count_parts(column->parts) + indicator;
        case DECANT_COLUMN_CATEGORY:
            return column->levels.count == 2 ? 1 : column->levels.count;
        default:
            return 0;
    }
}

void decant__table_arrange(decant_table *table) {
    table->d = 0;
    for (size_t j = 0; j < table->count; j++) {
        table->column[j].first = table->d;
        table->column[j].width = width_of(&table->column[j]);
        table->d += table->column[j].width;
    }
    table->text_first = table->d;
    if (table->text != NULL) table->d += table->text->d;
}

/* ---- rows ---- */

static double transform(const decant__column *column, double x) {
    if (x < column->low) x = column->low;
    if (x > column->high) x = column->high;
    return column->knee > 0 ? decant__log(1 + x / column->knee) : x;
}

/* Position on the circle of a part, in turns. */
static double part_turns(unsigned part, double days) {
    double turns;
    if (part == DECANT__PART_MONTH)
        turns = days / 365.2425;
    else if (part == DECANT__PART_WEEKDAY)
        turns = (days + 3) / 7; /* 1970-01-01 was a Thursday: Mondays are 0 */
    else
        turns = days;
    return turns - floor(turns);
}

static float *encode_date(const decant__column *column, double days, int missing, float *x) {
    for (unsigned part = 1; part <= DECANT__PART_HOUR; part *= 2) {
        if (!(column->parts & part)) continue;
        /* sine and cosine have a variance of 1 together: of 1/4 so */
        double turns = missing ? 0 : part_turns(part, days);
        *x++ = missing ? 0.0f : (float)(0.5 * decant__sin_turns(turns));
        *x++ = missing ? 0.0f : (float)(0.5 * decant__cos_turns(turns));
    }
    return x;
}

static void encode_category(const decant__column *column, double cell, float *x) {
    size_t level = SIZE_MAX;
    if (isnan(cell))
        level = column->missing_level;
    else if (cell >= 0)
        level = (size_t)cell;
    if (column->levels.count == 2) {
        double value = level == SIZE_MAX ? column->share[1] : (double)(level == 1);
        x[0] = (float)(ROOT2 * column->scale * (value - column->share[1]));
        return;
    }
    for (size_t l = 0; l < column->levels.count; l++)
        x[l] = level == SIZE_MAX
                   ? 0.0f
                   : (float)(((double)(l == level) - column->share[l]) * column->scale);
}

double decant__column_fill(const decant__column *column) {
    if (isnan(column->fill)) return 0;
    return (double)(float)((transform(column, column->fill) - column->center) * column->scale);
}

void decant__column_present(const decant__column *column, double marks, double *rows, double *sum) {
    double missing = floor(marks + column->missing * *rows + 0.5); /* marks are floats */
    *rows -= missing;
    *sum -= missing * decant__column_fill(column);
}

static void encode_column(const decant__column *column, double cell, float *x) {
    int missing = isnan(cell);
    if (column->type == DECANT_COLUMN_CATEGORY) {
        encode_category(column, cell, x);
        return;
    }
    *x++ = (float)(missing ? decant__column_fill(column)
                           : (transform(column, cell) - column->center) * column->scale);
    if (column->type == DECANT_COLUMN_DATE) x = encode_date(column, cell, missing, x);
    if (column->indicator) *x = (float)((double)missing - column->missing);
}

void decant__table_encode(const decant_table *table, const double *cell, float *x) {
    for (size_t j = 0; j < table->count; j++)
        if (table->column[j].width > 0)
            encode_column(&table->column[j], cell[j], x + table->column[j].first);
}

double decant__column_decode(const decant__column *column, double z) {
    double value = z / column->scale + column->center;
    return column->knee > 0 ? column->knee * (decant__exp(value) - 1) : value;
}

double decant__column_show(const decant__column *column, double z) {
    double value = decant__column_decode(column, z);
    if (value < column->min) value = column->min;
    if (value > column->max) value = column->max;
    return fabs(value) < 1e-6 * (column->max - column->min) ? 0 : value;
}

int decant__unit_leads(const char *unit) {
    static const char *const leading[] = {"$", "\xc2\xa3", "\xc2\xa5"}; /* pound, yen */
    for (size_t i = 0; i < sizeof leading / sizeof *leading; i++)
        if (strcmp(unit, leading[i]) == 0) return 1;
    return 0;
}

/* ---- words ---- */

static const char *const type_words[] = {[DECANT_COLUMN_NUMBER] = "number",
                                         [DECANT_COLUMN_YES_NO] = "yes/no",
                                         [DECANT_COLUMN_CATEGORY] = "category",
                                         [DECANT_COLUMN_DATE] = "date",
                                         [DECANT_COLUMN_ID] = "id",
                                         [DECANT_COLUMN_LABEL] = "label",
                                         [DECANT_COLUMN_TEXT] = "text"};

const char *decant__type_word(decant_column_type type) { return type_words[type]; }

int decant__type_find(const char *word, size_t length) {
    for (size_t t = 0; t < sizeof type_words / sizeof *type_words; t++)
        if (strlen(type_words[t]) == length && strncmp(type_words[t], word, length) == 0)
            return (int)t;
    return -1;
}

static void name_column(const decant__column *column, decant__text *text) {
    static const char *const parts[] = {"month", "weekday", "hour"};
    if (column->type == DECANT_COLUMN_CATEGORY) {
        size_t single = column->levels.count == 2;
        for (size_t l = single; l < column->levels.count; l++)
            decant__text_print(text, "%s=%s%c", column->name, decant__names_at(&column->levels, l),
                               0);
        return;
    }
    decant__text_print(text, "%s%c", column->name, 0);
    for (size_t p = 0; p < 3; p++)
        if (column->parts & (1u << p))
            decant__text_print(text, "%s (%s, sine)%c%s (%s, cosine)%c", column->name, parts[p], 0,
                               column->name, parts[p], 0);
    if (column->indicator) decant__text_print(text, "%s missing%c", column->name, 0);
}

decant_status decant__table_names(const decant_table *table, char ***out) {
    decant_status status = DECANT_OK;
    decant__text text = {0};
    const char **names = NULL;
    for (size_t j = 0; j < table->count; j++)
        if (table->column[j].width > 0) name_column(&table->column[j], &text);
    for (size_t t = 0; table->text != NULL && t < table->text->d; t++)
        decant__text_print(&text, "%s%c", decant_features_stem(table->text, t), 0);
    if (text.failed) TRY(DECANT_ENOMEM);
    NEW_ARRAY(names, table->d);
    const char *at = text.bytes;
    for (size_t j = 0; j < table->d; j++) {
        names[j] = at;
        at += strlen(at) + 1;
    }
    TRY(decant__names_join(names, table->d, out));
done:
    decant__free(names);
    decant__text_free(&text);
    return status;
}

void decant__column_print(decant__text *text, double value) {
    int whole = fabs(value) < 1e15 && value == floor(value); /* 200000000 and not 2e+08 */
    decant__text_print(text, whole ? "%.0f" : "%.6g", value == 0 ? 0 : value);
}

static void print_number(decant__text *text, const char *before, double value) {
    decant__text_print(text, "%s", before);
    decant__column_print(text, value);
}

static void say_missing(const decant__column *column, decant__text *text) {
    if (!(column->missing > 0)) return;
    double percent = floor(1e8 * column->missing + 0.5) / 1e6; /* 7.5 and not 7.4999...: 8 */
    decant__text_print(text, "; %.*f %% missing: ", percent < 1 ? 2 : 0, percent);
    if (column->type == DECANT_COLUMN_CATEGORY) {
        decant__text_print(
            text, "%s",
            column->missing_level != SIZE_MAX ? "a value of its own" : "left at the mean");
    } else if (column->type == DECANT_COLUMN_YES_NO) {
        decant__text_print(text, "left at the mean");
    } else if (column->type == DECANT_COLUMN_DATE) {
        char date[40];
        decant__column_date(column, column->fill, date, sizeof date);
        decant__text_print(text, "filled with the median %s", date);
    } else {
        print_number(text, "filled with the median ", column->fill);
    }
    if (column->indicator) decant__text_print(text, ", and marked");
}

static void use_number(const decant_table *table, const decant__column *column,
                       decant__text *text) {
    if (table->plain) {
        decant__text_print(text, "as it is");
        return;
    }
    if (column->knee > 0) {
        print_number(text, "long tail: log(1 + x / ", column->knee);
        decant__text_print(text, "), ");
    }
    decant__text_print(text, "centred, scaled by its deviation%s",
                       column->few ? ", half (few values)" : "");
    if (isfinite(column->low)) print_number(text, ", cut below ", column->low);
    if (isfinite(column->high)) print_number(text, ", cut above ", column->high);
}

static void use_date(const decant__column *column, decant__text *text) {
    decant__text_print(text, "as a number%s%s%s",
                       column->parts & DECANT__PART_MONTH ? ", time of the year" : "",
                       column->parts & DECANT__PART_WEEKDAY ? ", day of the week" : "",
                       column->parts & DECANT__PART_HOUR ? ", time of the day" : "");
}

void decant__column_use(const decant_table *table, size_t index, decant__text *text) {
    static const char *const reasons[] = {
        [DECANT__UNUSED_NO] = "",
        [DECANT__UNUSED_ROLE] = "",
        [DECANT__UNUSED_CONSTANT] = "left out: it has one value",
        [DECANT__UNUSED_EMPTY] = "left out: it has no value",
        [DECANT__UNUSED_UNIQUE] = "left out: each row has its own",
        [DECANT__UNUSED_MANY] = "left out: too many different values, none of them frequent",
        [DECANT__UNUSED_TEXT] = "left out: it is free text; --text-column uses it",
        [DECANT__UNUSED_DROPPED] = "left out (asked)"};
    const decant__column *column = &table->column[index];
    if (column->unused != DECANT__UNUSED_NO && column->unused != DECANT__UNUSED_ROLE) {
        decant__text_print(text, "%s", reasons[column->unused]);
        return;
    }
    if (column->unit[0] != '\0') decant__text_print(text, "in %s, ", column->unit);
    switch (column->type) {
        case DECANT_COLUMN_NUMBER:
            use_number(table, column, text);
            break;
        case DECANT_COLUMN_YES_NO:
            decant__text_print(text, "1 or 0, scaled");
            break;
        case DECANT_COLUMN_CATEGORY:
            decant__text_print(text, "%zu values, a number each%s", column->levels.count,
                               column->other_level != SIZE_MAX ? "; rare ones together" : "");
            break;
        case DECANT_COLUMN_DATE:
            use_date(column, text);
            break;
        case DECANT_COLUMN_ID:
            decant__text_print(text, "identifies the rows, not used to cluster");
            break;
        case DECANT_COLUMN_LABEL:
            decant__text_print(text, "known classes, only used for scores");
            break;
        case DECANT_COLUMN_TEXT:
            decant__text_print(text, "tf-idf of %zu stems",
                               table->text != NULL ? table->text->d : 0);
            break;
    }
    say_missing(column, text);
}

/* ---- dates ---- */

typedef struct civil {
    long year, month, day;
} civil;

/* The civil date of a day number: Howard Hinnant's formula for the proleptic Gregorian calendar,
 * with years that begin in March and eras of 400 of them. */
static civil civil_date(long day) {
    long z = day + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    long doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    long month = mp < 10 ? mp + 3 : mp - 9;
    return (civil){yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) / 5 + 1};
}

long decant__day_of_month(double days) {
    return fabs(days) < 1e8 ? civil_date((long)floor(days)).day : 1;
}

static void print_date(double days, decant__date_form form, char *text, size_t size) {
    if (!(fabs(days) < 1e8)) {
        decant__format(text, size, "?");
        return;
    }
    long day = (long)floor(days), seconds = (long)floor((days - floor(days)) * 86400 + 0.5);
    if (form == DECANT__DATE_TIME) { /* which may be 24:00 */
        seconds += 86400 * day;
        decant__format(text, size, "%02ld:%02ld", seconds / 3600, seconds / 60 % 60);
        return;
    }
    if (seconds >= 86400) day++, seconds -= 86400;
    civil date = civil_date(day);
    int length = decant__format(text, size, "%04ld-%02ld-%02ld", date.year, date.month, date.day);
    if (form == DECANT__DATE_DAY || length <= 0 || (size_t)length >= size) return;
    text += length;
    size -= (size_t)length;
    if (form == DECANT__DATE_MINUTE)
        decant__format(text, size, " %02ld:%02ld", seconds / 3600, seconds / 60 % 60);
    else
        decant__format(text, size, " %02ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60,
                       seconds % 60);
}

decant__date_form decant__column_date_form(const decant__column *column) {
    static const double HOUR = 1.0 / 24, TWO_DAYS = 2;
    double span = column->max - column->min;
    int days = column->min == floor(column->min) && column->max == floor(column->max);
    if (column->min >= 0 && column->max <= 1 && !days) return DECANT__DATE_TIME;
    if (days || !(span < TWO_DAYS)) return DECANT__DATE_DAY;
    return span < HOUR ? DECANT__DATE_SECOND : DECANT__DATE_MINUTE;
}

void decant__column_date(const decant__column *column, double days, char *text, size_t size) {
    print_date(days, decant__column_date_form(column), text, size);
}

/* ---- public ---- */

const char *decant_column_type_word(decant_column_type type) {
    return (unsigned)type <= DECANT_COLUMN_TEXT ? type_words[type] : "";
}

size_t decant_table_columns(const decant_table *table) { return table != NULL ? table->count : 0; }

const char *decant_table_name(const decant_table *table, size_t column) {
    return table != NULL && column < table->count ? table->column[column].name : NULL;
}

decant_column_type decant_table_type(const decant_table *table, size_t column) {
    return table != NULL && column < table->count ? table->column[column].type
                                                  : DECANT_COLUMN_NUMBER;
}

size_t decant_table_width(const decant_table *table, size_t column) {
    if (table == NULL || column >= table->count) return 0;
    if (column == table->text_column && table->text != NULL) return table->text->d;
    return table->column[column].width;
}

size_t decant_table_describe(const decant_table *table, size_t column, char *text, size_t size) {
    decant__text use = {0};
    if (table == NULL || column >= table->count) return 0;
    decant__column_use(table, column, &use);
    size_t length = use.failed || use.bytes == NULL ? 0 : use.length;
    if (text != NULL && size > 0) decant__format(text, size, "%s", length > 0 ? use.bytes : "");
    decant__text_free(&use);
    return length;
}
