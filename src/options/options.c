/* All options at once: defaults, presets, checks, and structs of other versions of the header. */
#include "options/options.h"

#include <assert.h>
#include <string.h>

#include "base/struct_size.h"
#include "options/option_value.h"

#define AT(field) offsetof(decant_options, field)

enum { PRESETS = DECANT_PRESET_BEST + 1 };

_Static_assert(sizeof(decant_method) == sizeof(int), "choices are written through int pointers");

/* Defaults of the methods on a neighbour graph, where they differ; no preset changes them. */
static const struct graph_default {
    size_t offset;
    const char *value;
} graph_defaults[] = {{AT(neighbours), "5"}, {AT(gamma), "1"}};

enum { GRAPH_DEFAULTS = sizeof graph_defaults / sizeof graph_defaults[0] };

static const char *graph_default_of(const decant__option *option) {
    for (size_t i = 0; i < GRAPH_DEFAULTS; i++)
        if (graph_defaults[i].offset == option->offset) return graph_defaults[i].value;
    return NULL;
}

static int uses_graph(decant_method method) {
    switch (method) {
        case DECANT_METHOD_SPECTRAL:
        case DECANT_METHOD_SEC:
        case DECANT_METHOD_LDMGI:
        case DECANT_METHOD_AE_SPECTRAL:
        case DECANT_METHOD_AE_SEC:
        case DECANT_METHOD_AE_LDMGI:
            return 1;
        default:
            return 0;
    }
}

/* Presets are made of others: `authors` is `paper` with a few other values, and all are `fast`. */
static const decant_preset base_of[PRESETS] = {
    [DECANT_PRESET_FAST] = DECANT_PRESET_FAST,
    [DECANT_PRESET_PAPER] = DECANT_PRESET_FAST,
    [DECANT_PRESET_AUTHORS] = DECANT_PRESET_PAPER,
    [DECANT_PRESET_BEST] = DECANT_PRESET_FAST,
};

static int is_preset(decant_preset preset) { return (int)preset >= 0 && (int)preset < PRESETS; }

static const char *own_value(const decant__option *option, decant_preset preset) {
    if (preset == DECANT_PRESET_PAPER) return option->info.paper;
    for (size_t i = 0; i < decant__preset_value_count; i++) {
        const decant__preset_value *own = &decant__preset_values[i];
        if (own->preset == preset && own->offset == option->offset) return own->value;
    }
    return NULL;
}

static const char *value_in(const decant__option *option, decant_preset preset) {
    if (!is_preset(preset)) return option->info.fallback;
    for (; preset != DECANT_PRESET_FAST; preset = base_of[preset])
        if (own_value(option, preset) != NULL) return own_value(option, preset);
    return option->info.fallback;
}

const char *decant_preset_name(decant_preset preset) {
    static const char *const names[PRESETS] = {"fast", "paper", "authors", "best"};
    return is_preset(preset) ? names[preset] : NULL;
}

const char *decant_option_in_preset(size_t index, decant_preset preset) {
    if (index >= decant__option_rows || !is_preset(preset)) return NULL;
    return own_value(&decant__option_table[index], preset);
}

/* Sets the default of this option for the method, or else for the preset. */
static void apply_default(const decant__option *option, decant_options *options) {
    const char *value;
    if (uses_graph(options->method) && graph_default_of(option) != NULL)
        value = graph_default_of(option);
    else
        value = value_in(option, options->preset);
    decant__option_parse(option, value, options);
}

/* Does any preset have a value of its own? */
static int is_governed(const decant__option *option) {
    for (int preset = 0; preset < PRESETS; preset++)
        if (own_value(option, (decant_preset)preset) != NULL) return 1;
    return 0;
}

static void apply_preset(decant_options *options) {
    for (size_t i = 0; i < decant__option_rows; i++)
        if (is_governed(&decant__option_table[i])) apply_default(&decant__option_table[i], options);
}

static void apply_method(decant_options *options) {
    for (size_t i = 0; i < decant__option_rows; i++)
        if (graph_default_of(&decant__option_table[i]) != NULL)
            apply_default(&decant__option_table[i], options);
}

static void fill_defaults(decant_options *options) {
    *options = (decant_options){.struct_size = sizeof *options};
    for (size_t i = 0; i < decant__option_rows; i++)
        apply_default(&decant__option_table[i], options);
}

void decant_options_init(decant_options *options, size_t struct_size) {
    decant_options defaults;
    fill_defaults(&defaults);
    decant__struct_init(options, struct_size, &defaults, sizeof defaults);
}

/* An older program does not know the last options: they get the defaults of its preset and method,
 * as if it had set those two by name. */
decant_status decant__options_read(decant_options *copy, const decant_options *given) {
    decant_status status = DECANT_OK;
    decant_options read;
    if (given == NULL)
        return decant__fail(DECANT_EINVAL, "options is NULL: call decant_options_init first");
    fill_defaults(&read);
    TRY(decant__struct_read(&read, sizeof read, given, "decant_options"));
    for (size_t i = 0; i < decant__option_rows; i++)
        if (decant__option_table[i].offset >= given->struct_size)
            apply_default(&decant__option_table[i], &read);
    *copy = read;
done:
    return status;
}

static decant_status find_option(const char *name, const decant__option **out) {
    if (name == NULL) return decant__fail(DECANT_EINVAL, "the name of the option is NULL");
    *out = decant__option_find(name);
    if (*out == NULL) return decant__fail(DECANT_EINVAL, "there is no option '%s'", name);
    return DECANT_OK;
}

static decant_status refuse_value(const decant__option *option, const char *value) {
    const char *expected = option->info.range      ? option->info.range
                           : option->info.argument ? option->info.argument
                                                   : "yes or no";
    return decant__fail(DECANT_EINVAL, "option %s: expected %s, got '%s'", option->info.name,
                        expected, value);
}

decant_status decant_options_set(decant_options *options, const char *name, const char *value) {
    decant_status status = DECANT_OK;
    const decant__option *option;
    decant_options copy;
    TRY(decant__options_read(&copy, options));
    TRY(find_option(name, &option));
    if (option->offset >= options->struct_size)
        return decant__fail(DECANT_EINVAL,
                            "option %s: the program was built for an older decant, which did not "
                            "have it: build it again",
                            name);
    if (value == NULL)
        return decant__fail(DECANT_EINVAL, "option %s: the value is NULL", option->info.name);
    if (!decant__option_parse(option, value, &copy)) return refuse_value(option, value);
    if (option->offset == AT(preset)) apply_preset(&copy);
    if (option->offset == AT(method)) apply_method(&copy);
    decant__struct_write(options, &copy, sizeof copy);
done:
    return status;
}

decant_status decant_options_get(const decant_options *options, const char *name, char *text,
                                 size_t size) {
    decant_status status = DECANT_OK;
    const decant__option *option;
    decant_options copy;
    TRY(decant__options_read(&copy, options));
    TRY(find_option(name, &option));
    if (text == NULL || size == 0)
        return decant__fail(DECANT_EINVAL, "option %s: the buffer for its value is empty", name);
    decant__option_print(&copy, option, text, size);
done:
    return status;
}

enum { TEXT_SIZE = 256 };

/* Fields can be set directly, so each is printed and read back: that applies every range. */
decant_status decant__options_check(const decant_options *options) {
    if (options->layer_count > DECANT_MAX_LAYERS)
        return decant__fail(DECANT_EINVAL, "option layers: expected at most %d sizes, got %zu",
                            DECANT_MAX_LAYERS, options->layer_count);
    decant_options copy = *options;
    for (size_t i = 0; i < decant__option_rows; i++) {
        const decant__option *option = &decant__option_table[i];
        char text[TEXT_SIZE];
        decant__option_print(options, option, text, sizeof text);
        if (!decant__option_parse(option, text, &copy)) return refuse_value(option, text);
    }
    if (options->k < 1 && options->k_max == 0)
        return decant__fail(DECANT_EINVAL, "k must be at least 1 cluster, got %zu", options->k);
    return DECANT_OK;
}

int decant__options_is_default(const decant_options *options, const char *name) {
    const decant__option *option = decant__option_find(name);
    decant_options defaults = *options;
    char own[TEXT_SIZE], usual[TEXT_SIZE];
    assert(option != NULL);
    apply_default(option, &defaults);
    decant__option_print(options, option, own, sizeof own);
    decant__option_print(&defaults, option, usual, sizeof usual);
    return strcmp(own, usual) == 0;
}

const char *decant__options_difference(const decant_options *a, const decant_options *b) {
    for (size_t i = 0; i < decant__option_rows; i++) {
        const decant__option *option = &decant__option_table[i];
        char left[TEXT_SIZE], right[TEXT_SIZE];
        if (option->info.machine) continue;
        decant__option_print(a, option, left, sizeof left);
        decant__option_print(b, option, right, sizeof right);
        if (strcmp(left, right) != 0) return option->info.name;
    }
    return NULL;
}
