/* How the columns of a table become rows of numbers: the recipe that is found on the training
 * table, kept in the model, and applied to every later one.
 *
 *   number    (g(x) - center) scale, clipped to low .. high before; g is x, or log(1 + x / knee);
 *             the scale is half as large where there are few values
 *   yes/no    (x - share of yes) sqrt(1/2)
 *   category  for each value (1 - share) / 2 where the cell has it, else -share / 2; of two values
 *             only one number, times sqrt(2)
 *   date      as a number, in days since 1970, and sine and cosine of its parts that repeat
 *   missing   the median (category: a value of its own, or 0 everywhere); where it is frequent, a
 *             further number 1 - share if the cell is missing, else -share
 *
 * So two rows with different categories are sqrt(1/2) apart, half of what two random rows are on
 * average in a number. That is Huang's weight of a category beside standardised numbers (Data
 * Mining and Knowledge Discovery 1998: half of a deviation, in squares). With more, clusters are
 * made by the gaps between categories alone. What is not known, a new category, is 0: the mean of
 * all. */
#ifndef DECANT_FEATURES_TABLE_H
#define DECANT_FEATURES_TABLE_H

#include "base/text.h"
#include "decant/table.h"
#include "features/recipe.h"

enum {
    DECANT__TABLE_VERSION = 1,
    DECANT__MAX_LEVELS = 30, /* values of a category that get a number of their own */
    DECANT__UNIT_SIZE = 16
};

/* Of a category beside a number; the models of older versions have 1. */
static const double DECANT__CATEGORY_SCALE = 0.5;

/* Parts of a date that repeat. */
enum { DECANT__PART_MONTH = 1, DECANT__PART_WEEKDAY = 2, DECANT__PART_HOUR = 4 };

/* Day and month: which comes first where the year is last. */
typedef enum decant__date_order { DECANT__DAY_FIRST, DECANT__MONTH_FIRST } decant__date_order;

/* Why a column is not used. */
typedef enum decant__unused {
    DECANT__UNUSED_NO,       /* it is used */
    DECANT__UNUSED_ROLE,     /* ids, classes */
    DECANT__UNUSED_CONSTANT, /* one value */
    DECANT__UNUSED_EMPTY,    /* no value */
    DECANT__UNUSED_UNIQUE,   /* words that identify rows */
    DECANT__UNUSED_MANY,     /* words of which none is frequent */
    DECANT__UNUSED_TEXT,     /* sentences */
    DECANT__UNUSED_DROPPED   /* as the user wants it */
} decant__unused;

typedef struct decant__column {
    char *name;
    decant_column_type type;
    decant__unused unused;
    char unit[DECANT__UNIT_SIZE]; /* "%", "$", "km"; "": none */
    int decimal_comma;            /* of numbers that are text: 1.234,5 */
    decant__date_order order;
    double fill;          /* for a missing number or date; NaN: not known */
    double center, scale; /* see above; yes/no: the share and sqrt(1/2); category: 0 and 1/2 */
    double knee;          /* 0: no logarithm */
    double low, high;
    double min, max;      /* of numbers and dates that were there; NaN: none */
    double missing;       /* share of cells; the indicator's center */
    int indicator;        /* missing cells have a number of their own */
    int few;              /* a number of few values, at half its scale; not in the model */
    unsigned parts;       /* of a date */
    decant__names levels; /* category: values; `known` of them are text of cells */
    size_t known;
    double *share;                     /* of each level */
    size_t other_level, missing_level; /* SIZE_MAX: none */
    size_t first, width;               /* its numbers in a row */
} decant__column;

struct decant_table {
    size_t count, d;
    decant__column *column;
    int plain;  /* numbers that stay as they are: no centers, no scales */
    int header; /* the training file had names */
    size_t id_column, label_column, text_column; /* SIZE_MAX: none */
    /* Of the text column, behind the other numbers; NULL: none. */
    decant_features *text;
    size_t text_first;
    double text_scale;
};

decant_status decant__table_new(size_t count, decant_table **out);
decant_status decant__table_copy(const decant_table *from, decant_table **out);
void decant__table_free(decant_table *table);

/* Sets the places of all columns and d, when the types are known. */
void decant__table_arrange(decant_table *table);

/* The numbers of a row. cell: of each column the number, the days of a date, 1 or 0, or the level
 * (-1: none that is known); NaN: missing. x: d, or up to the text's. */
void decant__table_encode(const decant_table *table, const double *cell, float *x);

/* What a missing cell of a number, date or yes/no becomes: its first number in a row. */
double decant__column_fill(const decant__column *column);
/* From the sum of that number over some rows to the one over the cells that were there, and their
 * count. marks: the sum of the number that marks missing cells, which the column must have. */
void decant__column_present(const decant__column *column, double marks, double *rows, double *sum);

/* The number, date or share that an encoded value stands for; the inverse for one column. */
double decant__column_decode(const decant__column *column, double z);
/* The same for people: rows are floats, and what rounding adds must not be shown. */
double decant__column_show(const decant__column *column, double z);
/* A whole number with all of its digits, others with six. */
void decant__column_print(decant__text *text, double value);
/* Is a unit written before its number, as $5 is? */
int decant__unit_leads(const char *unit);

/* "city=Lyon", "age", "age missing", "joined (month)": what number j of a row is. */
decant_status decant__table_names(const decant_table *table, char ***out);

/* What is done with a column, in words; for people. */
void decant__column_use(const decant_table *table, size_t column, decant__text *text);
const char *decant__type_word(decant_column_type type);

/* The type that a word names; -1: none. */
int decant__type_find(const char *word, size_t length);

/* How exactly the dates of a column are written: times alone as such, and where all are within two
 * days, with their time. */
typedef enum decant__date_form {
    DECANT__DATE_DAY,    /* 2024-03-01 */
    DECANT__DATE_MINUTE, /* 2024-03-01 14:05 */
    DECANT__DATE_SECOND, /* 2024-03-01 14:05:07 */
    DECANT__DATE_TIME    /* 14:05 */
} decant__date_form;
/* 1 to 31. */
long decant__day_of_month(double days);
decant__date_form decant__column_date_form(const decant__column *column);
/* As of that column; days since 1970. */
void decant__column_date(const decant__column *column, double days, char *text, size_t size);

#endif
