#include "run/describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "dec/tensors.h"
#include "run/clusters.h"

typedef decant_status (*describe_fn)(const char *path, int json, decant__text *text);

/* Is there a file of that name in the folder? */
static int holds(const char *folder, const char *name) {
    char *path;
    struct stat about;
    if (decant__path_join(folder, name, &path) != DECANT_OK) return 0;
    int found = stat(path, &about) == 0;
    decant__free(path);
    return found;
}

static decant_status describe_manifest(const char *path, int json, decant__text *text) {
    json_t *manifest = NULL;
    decant_status status = decant__manifest_read(path, &manifest);
    if (status != DECANT_OK) return status;
    if (json)
        status = decant__json_dump(manifest, text);
    else
        decant__manifest_summary(manifest, NULL, text);
    json_decref(manifest);
    return status;
}

static decant_status describe_run(const char *folder, int json, decant__text *text) {
    char *path = NULL, *clusters = NULL;
    decant_status status = decant__path_join(folder, "manifest.json", &path);
    if (status == DECANT_OK) status = decant__path_join(folder, "clusters.json", &clusters);
    if (status == DECANT_OK) status = describe_manifest(path, json, text);
    if (status == DECANT_OK && !json) {
        decant__clusters_summary(clusters, text);
        decant__text_print(text, "\nrun folder: %s\n", folder);
        if (holds(folder, "report.html"))
            decant__text_print(text, "report: %s/report.html\n", folder);
    }
    decant__free(clusters);
    decant__free(path);
    return status;
}

static decant_status describe_unfinished(const char *folder, int json, decant__text *text) {
    decant__json built = {0};
    if (!json) {
        decant__text_print(text, "%s: an unfinished run with a checkpoint\n", folder);
        return DECANT_OK;
    }
    json_t *root = json_object();
    decant__json_put(&built, root, "kind", json_string("unfinished decant run"));
    decant_status status = decant__json_done(&built, root);
    if (status == DECANT_OK) status = decant__json_dump(root, text);
    json_decref(root);
    return status;
}

static decant_status choose_for_file(const char *path, describe_fn *out) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    int first = fgetc(file);
    fclose(file);
    *out = decant__tensors_recognise(path) ? decant__describe_model
           : first == '{'                  ? describe_manifest
                                           : decant__describe_data;
    return DECANT_OK;
}

static decant_status choose(const char *path, describe_fn *out) {
    struct stat about;
    if (stat(path, &about) != 0)
        return decant__fail(DECANT_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    if (!S_ISDIR(about.st_mode)) return choose_for_file(path, out);
    *out = holds(path, "manifest.json")            ? describe_run
           : holds(path, "checkpoint.safetensors") ? describe_unfinished
                                                   : decant__describe_data;
    return DECANT_OK;
}

decant_status decant_describe(const char *path, int json, char **text) {
    decant_status status = DECANT_OK;
    decant__text buffer = {0};
    describe_fn describe = NULL;
    TRY(choose(path, &describe));
    TRY(describe(path, json, &buffer));
    TRY(decant__text_take(&buffer, text));
done:
    decant__text_free(&buffer);
    return status;
}

void decant_text_free(char *text) { decant__free(text); }
