/* What a model says of its clusters: the names that people gave them, and whether it knows what is
 * far from them. */
#include <string.h>

#include "base/memory.h"
#include "store/model.h"

int decant_model_has_novelty(const decant_model *model) {
    return model != NULL && model->far != NULL;
}

const char *decant_model_cluster_name(const decant_model *model, size_t cluster) {
    if (model == NULL || model->cluster_names == NULL || cluster >= model->options.k) return NULL;
    return model->cluster_names[cluster];
}

decant_status decant_model_set_cluster_name(decant_model *model, size_t cluster, const char *name) {
    decant_status status = DECANT_OK;
    char *copy = NULL;
    REQUIRE(model);
    if (cluster >= model->options.k)
        return decant__fail(DECANT_EINVAL, "there is no cluster %zu: they are 0 to %zu", cluster,
                            model->options.k - 1);
    if (name != NULL && name[0] != '\0') {
        if (decant__utf8_prefix(name, strlen(name)) != strlen(name))
            return decant__fail(DECANT_EINVAL, "the name of cluster %zu is not UTF-8", cluster);
        copy = decant__copy_text(name);
        if (copy == NULL) return DECANT_ENOMEM;
    }
    if (model->cluster_names == NULL) NEW_ZEROED(model->cluster_names, model->options.k);
    decant__free(model->cluster_names[cluster]);
    model->cluster_names[cluster] = copy;
    copy = NULL;
done:
    decant__free(copy);
    return status;
}

/* A line for each cluster, empty without a name; nothing if none has one. */
void decant__model_put_clusters(decant__metadata *metadata, const decant_model *model) {
    decant__text text = {0};
    size_t named = 0;
    if (model->far != NULL) decant__metadata_put(metadata, "novelty", "1");
    for (size_t c = 0; c < model->options.k; c++) {
        const char *name = decant_model_cluster_name(model, c);
        if (c > 0) decant__text_put(&text, "\n", 1);
        if (name != NULL) decant__name_print(&text, name);
        named += name != NULL;
    }
    decant__text_put(&text, "", 1);
    if (text.failed)
        metadata->status = DECANT_ENOMEM;
    else if (named > 0)
        decant__metadata_put(metadata, "clusters.names", text.bytes);
    decant__text_free(&text);
}

decant_status decant__model_get_clusters(const decant__tensor_file *file, decant_model *model) {
    decant_status status = DECANT_OK;
    char *name = NULL, *end;
    const char *text = decant__tensors_find_text(file, "clusters.names");
    if (text == NULL) return DECANT_OK;
    NEW_ARRAY(name, strlen(text) + 2);
    for (size_t c = 0; c < model->options.k; c++) {
        end = name;
        if (!decant__name_parse(&text, &end) || (*text == '\0') != (c + 1 == model->options.k))
            TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: its names of clusters are not valid",
                             file->path));
        if (*text != '\0') text++;
        status = decant_model_set_cluster_name(model, c, name);
        if (status == DECANT_EINVAL)
            status = decant__fail(
                DECANT_EFORMAT, "%s: is damaged: its names of clusters are not valid", file->path);
        TRY(status);
    }
done:
    decant__free(name);
    return status;
}
