/* The text of one option's value, read and written. */
#include "options/option_value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* The range of -k auto, and how many values a range may have. */
enum { AUTO_MAX = 20, MAX_TRIALS = 100 };

static void *field(decant_options *options, const decant__option *option) {
    return (char *)options + option->offset;
}

static const void *const_field(const decant_options *options, const decant__option *option) {
    return (const char *)options + option->offset;
}

/* The position of value among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *value) {
    size_t length = strlen(value);
    for (int index = 0;; index++) {
        size_t width = strcspn(choices, "|");
        if (width == length && strncmp(choices, value, width) == 0) return index;
        if (choices[width] == '\0') return -1;
        choices += width + 1;
    }
}

/* A plain non-negative decimal number; strtoull alone would take "-1" and " 7". */
static int parse_whole(const char *value, uint64_t *out, const char **rest) {
    if (value[0] < '0' || value[0] > '9') return 0;
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 10);
    *rest = end;
    return errno == 0;
}

static int parse_real(const char *value, double *out) {
    return decant__number_read(value, out) && isfinite(*out);
}

static int within(const decant__option *option, double x) {
    return x >= option->min && x <= option->max;
}

static int parse_layers(const decant__option *option, const char *value, decant_options *options) {
    size_t sizes[DECANT_MAX_LAYERS], count = 0;
    for (; strcmp(value, "auto") != 0;) {
        uint64_t size;
        if (count == DECANT_MAX_LAYERS || !parse_whole(value, &size, &value)) return 0;
        if (!within(option, (double)size)) return 0;
        sizes[count++] = (size_t)size;
        if (*value == '\0') break;
        if (*value++ != ',') return 0;
    }
    options->layer_count = count;
    memset(options->layers, 0, sizeof options->layers);
    if (count > 0) memcpy(options->layers, sizes, count * sizeof *sizes);
    return 1;
}

static int parse_bytes(const decant__option *option, const char *value, size_t *out) {
    uint64_t count;
    const char *rest;
    if (!parse_whole(value, &count, &rest)) return 0;
    double bytes = (double)count;
    if (*rest == 'K' || *rest == 'k')
        bytes *= 0x1p10, rest++;
    else if (*rest == 'M' || *rest == 'm')
        bytes *= 0x1p20, rest++;
    else if (*rest == 'G' || *rest == 'g')
        bytes *= 0x1p30, rest++;
    if (*rest != '\0' || !within(option, bytes)) return 0;
    *out = (size_t)bytes;
    return 1;
}

static int parse_name(const decant__option *option, const char *value, char *target) {
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyz");
    if (length == 0 || value[length] != '\0' || (double)length >= option->max) return 0;
    memset(target, 0, (size_t)option->max);
    memcpy(target, value, length);
    return 1;
}

static int parse_extent(const decant__option *option, const char *value, size_t *target) {
    uint64_t width = 0, height = 0;
    const char *rest = value;
    if (strcmp(value, "auto") != 0 &&
        (!parse_whole(value, &width, &rest) || *rest != 'x' ||
         !parse_whole(rest + 1, &height, &rest) || *rest != '\0' ||
         !within(option, (double)width) || !within(option, (double)height)))
        return 0;
    target[0] = (size_t)width;
    target[1] = (size_t)height;
    return 1;
}

static int parse_clusters(const decant__option *option, const char *value, size_t *target) {
    uint64_t min = 0, max = AUTO_MAX;
    const char *rest = "";
    if (strcmp(value, "auto") != 0) {
        max = 0;
        if (!parse_whole(value, &min, &rest)) return 0;
        if (strncmp(rest, "..", 2) == 0 && (!parse_whole(rest + 2, &max, &rest) || min < 2 ||
                                            max < min || max - min >= MAX_TRIALS))
            return 0;
    }
    if (*rest != '\0' || !within(option, (double)min) || !within(option, (double)max)) return 0;
    target[0] = (size_t)min;
    target[1] = (size_t)max;
    return 1;
}

int decant__option_parse(const decant__option *option, const char *value, decant_options *options) {
    void *target = field(options, option);
    uint64_t whole;
    double real;
    int index;
    const char *rest;
    switch (option->type) {
        case TYPE_SIZE:
            if (!parse_whole(value, &whole, &rest) || *rest || !within(option, (double)whole))
                return 0;
            *(size_t *)target = (size_t)whole;
            return 1;
        case TYPE_SEED:
            if (!parse_whole(value, &whole, &rest) || *rest) return 0;
            *(uint64_t *)target = whole;
            return 1;
        case TYPE_INT:
            if (!parse_whole(value, &whole, &rest) || *rest || !within(option, (double)whole))
                return 0;
            *(int *)target = (int)whole;
            return 1;
        case TYPE_REAL:
            if (!parse_real(value, &real) || !within(option, real)) return 0;
            *(double *)target = real;
            return 1;
        case TYPE_CHOICE:
            if ((index = choice_index(option->info.argument, value)) < 0) return 0;
            *(int *)target = index;
            return 1;
        case TYPE_SWITCH:
            if ((index = choice_index("no|yes", value)) < 0) return 0;
            *(int *)target = index;
            return 1;
        case TYPE_LAYERS:
            return parse_layers(option, value, options);
        case TYPE_BYTES:
            return parse_bytes(option, value, target);
        case TYPE_EXTENT:
            return parse_extent(option, value, target);
        case TYPE_NAME:
            return parse_name(option, value, target);
        case TYPE_CLUSTERS:
            return parse_clusters(option, value, target);
    }
    return 0;
}

/* An index that is not a choice, set by a caller in the field, becomes "?". */
static void print_choice(const char *choices, int index, char *text, size_t size) {
    for (; index > 0 && *choices != '\0'; index--) {
        choices += strcspn(choices, "|");
        if (*choices == '|') choices++;
    }
    if (index != 0 || *choices == '\0') choices = "?";
    snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void print_bytes(size_t bytes, char *text, size_t size) {
    static const char units[] = "KMG";
    int unit = -1;
    while (unit < 2 && bytes != 0 && bytes % 1024 == 0) bytes /= 1024, unit++;
    if (unit < 0)
        snprintf(text, size, "%zu", bytes);
    else
        snprintf(text, size, "%zu%c", bytes, units[unit]);
}

static void print_layers(const decant_options *options, char *text, size_t size) {
    size_t used = 0;
    snprintf(text, size, "%s", options->layer_count == 0 ? "auto" : "");
    for (size_t i = 0; i < options->layer_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%zu" : "%zu", options->layers[i]);
}

static void print_extent(const size_t *extent, char *text, size_t size) {
    if (extent[0] == 0 && extent[1] == 0)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%zux%zu", extent[0], extent[1]);
}

static void print_clusters(const size_t *k, char *text, size_t size) {
    if (k[1] == 0)
        snprintf(text, size, "%zu", k[0]);
    else if (k[0] == 0)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%zu..%zu", k[0], k[1]);
}

void decant__option_print(const decant_options *options, const decant__option *option, char *text,
                          size_t size) {
    const void *source = const_field(options, option);
    switch (option->type) {
        case TYPE_SIZE:
            snprintf(text, size, "%zu", *(const size_t *)source);
            break;
        case TYPE_SEED:
            snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)source);
            break;
        case TYPE_INT:
            snprintf(text, size, "%d", *(const int *)source);
            break;
        case TYPE_REAL:
            decant__number_print(*(const double *)source, text, size);
            break;
        case TYPE_CHOICE:
            print_choice(option->info.argument, *(const int *)source, text, size);
            break;
        case TYPE_SWITCH:
            print_choice("no|yes", *(const int *)source, text, size);
            break;
        case TYPE_LAYERS:
            print_layers(options, text, size);
            break;
        case TYPE_BYTES:
            print_bytes(*(const size_t *)source, text, size);
            break;
        case TYPE_EXTENT:
            print_extent(source, text, size);
            break;
        case TYPE_NAME: /* without a final 0 if the caller filled the whole array */
            snprintf(text, size, "%.*s", (int)option->max, (const char *)source);
            break;
        case TYPE_CLUSTERS:
            print_clusters(source, text, size);
            break;
    }
}
