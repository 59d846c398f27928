#include "store/network_file.h"

#include <string.h>

#include "store/settings.h"

static const char FORMAT[] = "decant-network", FORMAT_VERSION[] = "1";
static const char LAYOUT_KEY[] = "output_by_column";
enum { TEXT_SIZE = 256 };

/* Must this option be the same? The seed need not: the user named this file. Nor how many networks
 * there could have been. */
static int must_match(const decant_option_info *info) {
    if (strcmp(info->name, "networks") == 0) return 0;
    return strcmp(info->group, "Network and pretraining") == 0 ||
           strcmp(info->name, "scaling") == 0 || strcmp(info->name, "mean-square") == 0;
}

decant_status decant__network_save(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count) {
    decant__metadata metadata = {0};
    const decant__tensor tensor = {"params", DECANT__F32, count, 0, params};
    decant__tensors_begin(&metadata, FORMAT, FORMAT_VERSION);
    decant__metadata_put(&metadata, "decant_version", decant_version());
    decant__settings_put_count(&metadata, "rows", owner->rows);
    decant__settings_put_count(&metadata, LAYOUT_KEY, owner->by_column != 0);
    decant__settings_put_digest(&metadata, owner->data_digest);
    decant__settings_put_options(&metadata, owner->options);
    decant_status status = decant__tensors_write(path, &metadata, &tensor, 1);
    decant__metadata_free(&metadata);
    return status;
}

static decant_status check_network_options(const decant__tensor_file *file,
                                           const decant_options *options) {
    decant_status status = DECANT_OK;
    decant_options stored;
    TRY(decant__settings_get_options(file, &stored));
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char was[TEXT_SIZE], is[TEXT_SIZE];
        if (!must_match(info)) continue;
        decant_options_get(&stored, info->name, was, sizeof was);
        decant_options_get(options, info->name, is, sizeof is);
        if (strcmp(was, is) != 0)
            return decant__fail(DECANT_EINVAL,
                                "%s: was pretrained with %s = %s, not %s; use another file",
                                file->path, info->name, was, is);
    }
done:
    return status;
}

/* Options that agree lay the weights out alike, but a file from before there was a choice has the
 * one layout. */
static decant_status check_layout(const decant__tensor_file *file, int by_column) {
    uint64_t stored = 0;
    if (decant__tensors_find_text(file, LAYOUT_KEY) != NULL) {
        decant_status status = decant__settings_get_limited(file, LAYOUT_KEY, 1, &stored);
        if (status != DECANT_OK) return status;
    }
    if (stored == (by_column != 0)) return DECANT_OK;
    return decant__fail(
        DECANT_EINVAL,
        "%s: was pretrained %s a sample of the zeros of wide sparse rows (--zeros); "
        "name another file",
        file->path, stored ? "with" : "without");
}

decant_status decant__network_load(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    uint64_t rows;
    int same;
    decant__tensor tensor = {"params", DECANT__F32, count, 0, params};
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(decant__settings_match_digest(&file, owner->data_digest, &same));
    TRY(decant__settings_get_count(&file, "rows", &rows));
    if (rows != owner->rows || !same)
        TRY(decant__fail(DECANT_EINVAL, "%s: was pretrained on other data; use another file",
                         path));
    TRY(check_network_options(&file, owner->options));
    TRY(check_layout(&file, owner->by_column));
    TRY(decant__tensors_get(&file, &tensor));
    if (!decant__tensors_finite(params, count))
        TRY(decant__fail(DECANT_EFORMAT, "%s: some of its weights are not finite", path));
done:
    decant__tensors_close(&file);
    return status;
}
