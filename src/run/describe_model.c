/* The description of a model file: sizes, and options that differ from their default. */
#include <string.h>

#include "store/model.h"
#include "run/describe.h"
#include "run/json.h"

/* The defaults of the preset that the model was made with. */
static decant_options defaults_of(const decant_options *options) {
    char preset[32];
    decant_options plain;
    decant_options_init(&plain, sizeof plain);
    if (decant_options_get(options, "preset", preset, sizeof preset) == DECANT_OK)
        decant_options_set(&plain, "preset", preset);
    return plain;
}

/* Does an option differ from its default? value: its text. */
static int differs_from_default(const decant_options *options, const decant_options *plain,
                                const char *name, char *value, size_t size) {
    char usual[256];
    if (decant_options_get(options, name, value, size) != DECANT_OK) return 0;
    if (decant_options_get(plain, name, usual, sizeof usual) != DECANT_OK) return 0;
    return strcmp(value, usual) != 0;
}

static void print_model(const char *path, const decant_model *model, decant__text *text) {
    const decant_options *options = &model->options;
    decant_options plain = defaults_of(options);
    char value[256];
    decant_options_get(options, "method", value, sizeof value);
    decant__text_print(text, "%s: model, method %s\n", path, value);
    decant__text_print(text, "%zu cluster%s of rows of %zu number%s", model->options.k,
                       decant__plural(model->options.k), model->d, decant__plural(model->d));
    if (model->plan.depth > 0)
        decant__text_print(text, " in a space of %zu features", model->latent);
    decant__text_print(text, "\n\noptions that differ from their default:\n");
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (!info->machine &&
            differs_from_default(options, &plain, info->name, value, sizeof value))
            decant__text_print(text, "  %-20s %s\n", info->name, value);
    }
}

static decant_status print_model_json(const decant_model *model, decant__text *text) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    json_t *root = json_object(), *all = json_object();
    decant__json_put(&json, root, "kind", json_string("model"));
    decant__json_put(&json, root, "k", decant__json_whole(model->options.k));
    decant__json_put(&json, root, "d", decant__json_whole(model->d));
    decant__json_put(&json, root, "latent",
                     model->plan.depth > 0 ? decant__json_whole(model->latent) : json_null());
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        if (info->machine) continue;
        decant__json_put(&json, all, info->name, decant__json_option(&model->options, info));
    }
    decant__json_put(&json, root, "options", all);
    TRY(decant__json_done(&json, root));
    TRY(decant__json_dump(root, text));
done:
    json_decref(root);
    return status;
}

decant_status decant__describe_model(const char *path, const decant__describing *how,
                                     decant__text *text) {
    decant_model *model = NULL;
    decant_status status = decant_model_load(path, &model);
    if (status != DECANT_OK) return status;
    if (how->json)
        status = print_model_json(model, text);
    else
        print_model(path, model, text);
    decant_model_free(model);
    return status;
}
