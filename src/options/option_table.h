/* One row of the options table: the public description of an option, its type and its field. */
#ifndef DECANT_OPTIONS_OPTION_TABLE_H
#define DECANT_OPTIONS_OPTION_TABLE_H

#include "base/status.h"

typedef enum decant__option_type {
    TYPE_SIZE,    /* size_t */
    TYPE_SEED,    /* uint64_t */
    TYPE_INT,     /* int */
    TYPE_REAL,    /* double */
    TYPE_CHOICE,  /* an enum: the position in info.argument */
    TYPE_SWITCH,  /* int 0 or 1: yes or no */
    TYPE_LAYERS,  /* layer_count and layers */
    TYPE_BYTES,   /* size_t with K, M or G */
    TYPE_EXTENT,  /* two size_t: WxH; auto is 0 and 0 */
    TYPE_NAME,    /* char[max]: small letters */
    TYPE_CLUSTERS /* k and k_max: a number, auto, or a range */
} decant__option_type;

typedef struct decant__option {
    decant_option_info info;
    decant__option_type type;
    size_t offset; /* in decant_options */
    double min, max;
} decant__option;

extern const decant__option decant__option_table[];
extern const size_t decant__option_rows;

/* What a preset has of its own, beside the columns fast and paper. */
typedef struct decant__preset_value {
    decant_preset preset;
    size_t offset; /* of the option */
    const char *value;
} decant__preset_value;

extern const decant__preset_value decant__preset_values[];
extern const size_t decant__preset_value_count;

/* NULL: there is none. */
const decant__option *decant__option_find(const char *name);

#endif
