/* Tables: columns of numbers, words and dates, some of them missing. Files are read by
 * decant_dataset_read; here is the same for the columns that a program has (a DataFrame), and what
 * was understood of a table. The rules of decant.h hold. docs/tables.md has those of the types. */
#ifndef DECANT_TABLE_H
#define DECANT_TABLE_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a column of a table can be. */
typedef enum decant_column_type {
    DECANT_COLUMN_NUMBER,   /* "number"; also with a unit: 12 %, $5, 3.1 km */
    DECANT_COLUMN_YES_NO,   /* "yes/no" */
    DECANT_COLUMN_CATEGORY, /* "category": few different values */
    DECANT_COLUMN_DATE,     /* "date", or date and time */
    DECANT_COLUMN_ID,       /* "id": identifies rows, is not used to cluster */
    DECANT_COLUMN_LABEL,    /* "label": known classes, for scores only */
    DECANT_COLUMN_TEXT      /* "text": sentences */
} decant_column_type;

/* A column of a table in memory, in one of four forms; all of it is borrowed for the call. */
typedef struct decant_column {
    size_t struct_size;
    const char *name;           /* NULL: none */
    const double *numbers;      /* n; NaN: missing */
    const char *const *strings; /* n; NULL or "": missing; read as the cells of a CSV file are */
    const int32_t *codes;       /* n: numbers of categories; negative: missing */
    const char *const *categories;
    size_t category_count;
    const decant_array *array; /* n numbers of any type and step, one column; NaN: missing */
} decant_column;

/* A table in memory becomes rows as a CSV file does: types are found, missing cells filled,
 * categories made numbers. Of the options id_column, label_column, text_column, keep, drop, types,
 * table and options are used; they may be NULL. A pandas DataFrame: numbers and booleans as
 * doubles or arrays, strings as strings, categories as codes, times as strings (ISO 8601) with
 * their type in `types`. EFORMAT where no column is left to cluster by, or too few of those that
 * the table's model knows. */
DECANT_API decant_status decant_dataset_from_columns(const decant_column *columns, size_t count,
                                                     size_t n, const decant_read_options *options,
                                                     decant_dataset **out);

/* How a dataset's table was read; NULL: it was none. The dataset's own. */
DECANT_API const decant_table *decant_dataset_table(const decant_dataset *data);
DECANT_API size_t decant_table_columns(const decant_table *table); /* of the file, used or not */
DECANT_API const char *decant_table_name(const decant_table *table, size_t column);
DECANT_API decant_column_type decant_table_type(const decant_table *table, size_t column);
/* How many numbers of a row it gives; 0: it is not used. */
DECANT_API size_t decant_table_width(const decant_table *table, size_t column);
/* Writes what is done with a column in words, at most size bytes with the final 0; returns its
 * length. And the word of a type. */
DECANT_API size_t decant_table_describe(const decant_table *table, size_t column, char *text,
                                        size_t size);
DECANT_API const char *decant_column_type_word(decant_column_type type);

/* How tables become rows for a model; NULL: it was fitted on none. The model's own. */
DECANT_API const decant_table *decant_model_table(const decant_model *model);

#ifdef __cplusplus
}
#endif

#endif
