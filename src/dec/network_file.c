#include "dec/network_file.h"

#include <string.h>

#include "dec/settings.h"

static const char FORMAT[] = "decant-network", FORMAT_VERSION[] = "1";
enum { TEXT_SIZE = 256 };

/* Must an option agree? A network of another seed will do: it was named. */
static int governs(const decant_option_info *info) {
    return strcmp(info->group, "Network and pretraining") == 0 ||
           strcmp(info->name, "scaling") == 0;
}

static int put_metadata(json_t *metadata, const decant__network_owner *owner) {
    int failed = json_object_set_new(metadata, "format", json_string(FORMAT));
    failed |= json_object_set_new(metadata, "format_version", json_string(FORMAT_VERSION));
    failed |= json_object_set_new(metadata, "decant_version", json_string(decant_version()));
    failed |= decant__settings_put_count(metadata, "rows", owner->rows);
    failed |= decant__settings_put_count(metadata, "digest.high", owner->data_digest[0]);
    failed |= decant__settings_put_count(metadata, "digest.low", owner->data_digest[1]);
    return failed | decant__settings_put_options(metadata, owner->options);
}

decant_status decant__network_save(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count) {
    decant_status status = DECANT_OK;
    json_t *metadata = json_object();
    const decant__tensor tensor = {"params", DECANT__F32, count, 0, params};
    if (put_metadata(metadata, owner))
        TRY(decant__fail(DECANT_ENOMEM, "%s: out of memory for its metadata", path));
    TRY(decant__tensors_write(path, metadata, &tensor, 1));
done:
    json_decref(metadata);
    return status;
}

static decant_status check_options(const decant__tensor_file *file, const decant_options *options) {
    decant_status status = DECANT_OK;
    decant_options stored;
    TRY(decant__settings_get_options(file, &stored));
    for (size_t i = 0; i < decant_option_count(); i++) {
        const decant_option_info *info = decant_option_at(i);
        char was[TEXT_SIZE], is[TEXT_SIZE];
        if (!governs(info)) continue;
        decant_options_get(&stored, info->name, was, sizeof was);
        decant_options_get(options, info->name, is, sizeof is);
        if (strcmp(was, is) != 0)
            return decant__fail(DECANT_EINVAL, "%s: was pretrained with %s = %s, not %s",
                                file->path, info->name, was, is);
    }
done:
    return status;
}

decant_status decant__network_load(const char *path, const decant__network_owner *owner,
                                   float *params, size_t count) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    uint64_t high, low, rows;
    decant__tensor tensor = {"params", DECANT__F32, count, 0, params};
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(decant__settings_get_count(&file, "digest.high", &high));
    TRY(decant__settings_get_count(&file, "digest.low", &low));
    TRY(decant__settings_get_count(&file, "rows", &rows));
    if (rows != owner->rows || high != owner->data_digest[0] || low != owner->data_digest[1])
        TRY(decant__fail(DECANT_EINVAL, "%s: was pretrained on other data", path));
    TRY(check_options(&file, owner->options));
    TRY(decant__tensors_get(&file, &tensor));
done:
    decant__tensors_close(&file);
    return status;
}
