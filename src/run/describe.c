#include "run/describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input.h"
#include "base/memory.h"
#include "store/tensors.h"
#include "run/clusters.h"
#include "decant/report.h"

typedef decant_status (*describe_fn)(const char *path, const decant__describing *how,
                                     decant__text *text);

/* Is there a file of that name in the folder? */
static int folder_has(const char *folder, const char *name) {
    char *path;
    struct stat about;
    if (decant__path_join(folder, name, &path) != DECANT_OK) return 0;
    int found = stat(path, &about) == 0;
    decant__free(path);
    return found;
}

/* Names of clusters are in the model: people give them after the fit. */
static decant_status put_names(const char *folder, json_t *manifest) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    decant_model *model = NULL;
    char *path = NULL;
    size_t named = 0;
    json_t *names = json_array();
    TRY(decant__path_join(folder, "model.safetensors", &path));
    TRY(decant_model_load(path, &model));
    for (size_t c = 0; c < decant_model_clusters(model); c++) {
        const char *name = decant_model_cluster_name(model, c);
        named += name != NULL;
        decant__json_append(&json, names, decant__json_text(name));
    }
    if (named > 0) decant__json_put(&json, manifest, "cluster_names", json_incref(names));
    if (json.failed) TRY(decant__fail(DECANT_ENOMEM, "memory ran out for names"));
done:
    json_decref(names);
    decant_model_free(model);
    decant__free(path);
    return status;
}

/* folder: that of the run, with its model; NULL: the manifest alone. */
static decant_status show_manifest(const char *path, const char *folder, int as_json,
                                   decant__text *text) {
    json_t *manifest = NULL;
    decant_status status = decant__manifest_read(path, &manifest);
    if (status == DECANT_OK && folder != NULL && folder_has(folder, "model.safetensors"))
        status = put_names(folder, manifest);
    if (status == DECANT_OK && as_json)
        status = decant__json_dump(manifest, text);
    else if (status == DECANT_OK)
        decant__manifest_summary(manifest, NULL, text);
    json_decref(manifest);
    return status;
}

static decant_status describe_manifest(const char *path, const decant__describing *how,
                                       decant__text *text) {
    return show_manifest(path, NULL, how->json, text);
}

static decant_status describe_run(const char *folder, const decant__describing *how,
                                  decant__text *text) {
    char *path = NULL, *clusters = NULL;
    decant_status status = decant__path_join(folder, "manifest.json", &path);
    if (status == DECANT_OK) status = decant__path_join(folder, "clusters.json", &clusters);
    if (status == DECANT_OK) status = show_manifest(path, folder, how->json, text);
    if (status == DECANT_OK && !folder_has(folder, "model.safetensors"))
        status =
            decant__fail(DECANT_EFORMAT,
                         "%s: has a manifest but no model.safetensors: the run is incomplete; fit "
                         "it again with --force",
                         folder);
    if (status == DECANT_OK && !how->json && folder_has(folder, "clusters.json"))
        status = decant__clusters_summary(clusters, text);
    if (status == DECANT_OK && !how->json) {
        decant__text_print(text, "\nrun folder: %s\n", folder);
        if (folder_has(folder, "report.html"))
            decant__text_print(text, "report: %s/report.html\n", folder);
    }
    decant__free(clusters);
    decant__free(path);
    return status;
}

static decant_status describe_unfinished(const char *folder, const decant__describing *how,
                                         decant__text *text) {
    decant__json built = {0};
    if (!how->json) {
        decant__text_print(
            text, "%s: an unfinished run%s\n", folder,
            folder_has(folder, "checkpoint.safetensors") ? " with a checkpoint" : "");
        if (folder_has(folder, "command.json"))
            decant__text_print(text, "to continue: decant fit --resume -o %s\n", folder);
        return DECANT_OK;
    }
    json_t *root = json_object();
    decant__json_put(&built, root, "kind", json_string("unfinished decant run"));
    decant_status status = decant__json_done(&built, root);
    if (status == DECANT_OK) status = decant__json_dump(root, text);
    json_decref(root);
    return status;
}

static int is_named_manifest(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, "manifest.json") == 0;
}

/* A manifest is JSON whose first key says what it is; other JSON is data. */
static decant_status choose_for_file(const char *path, describe_fn *out) {
    char head[64];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    size_t count = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[count] = '\0';
    int manifest =
        is_named_manifest(path) || (head[0] == '{' && strstr(head, "\"decant run\"") != NULL);
    *out = decant__tensors_recognise(path) ? decant__describe_model
           : manifest                      ? describe_manifest
                                           : decant__describe_data;
    return DECANT_OK;
}

static decant_status choose_description(const char *path, describe_fn *out) {
    struct stat about;
    *out = decant__describe_data;
    if (decant__path_member(path) != NULL) return DECANT_OK;
    if (stat(path, &about) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode)) return choose_for_file(path, out);
    if (!S_ISDIR(about.st_mode)) return DECANT_OK; /* a pipe: it can only be read once */
    *out = folder_has(path, "manifest.json")            ? describe_run
           : folder_has(path, "checkpoint.safetensors") ? describe_unfinished
           : folder_has(path, "command.json")           ? describe_unfinished
                                                        : decant__describe_data;
    return DECANT_OK;
}

decant_status decant_describe(const char *path, const decant_read_options *reading, int json,
                              const decant_monitor *monitor, char **text) {
    REQUIRE(path);
    REQUIRE(text);
    decant_status status = DECANT_OK;
    decant__describing how = {.reading = reading, .monitor = monitor, .json = json};
    decant__text buffer = {0};
    describe_fn describe = NULL;
    TRY(choose_description(path, &describe));
    TRY(describe(path, &how, &buffer));
    TRY(decant__text_take(&buffer, text));
done:
    decant__text_free(&buffer);
    return status;
}

void decant_text_free(char *text) { decant__free(text); }
