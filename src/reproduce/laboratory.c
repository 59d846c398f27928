#include "reproduce/laboratory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"

/* Makes PATH and, one after the other, the folders above it. */
static decant_status make_folder(const char *path) {
    decant_status status = DECANT_OK;
    char *copy = NULL;
    size_t length = strlen(path);
    NEW_ARRAY(copy, length + 1);
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != '\0') continue;
        copy[i] = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            TRY(decant__fail(DECANT_EIO, "%s: cannot be made: %s", copy, strerror(errno)));
        if (i < length) copy[i] = '/';
    }
done:
    decant__free(copy);
    return status;
}

static decant_status make_inside(const char *folder, const char *name) {
    decant_status status = DECANT_OK;
    char *path = NULL;
    TRY(decant__path_join(folder, name, &path));
    TRY(make_folder(path));
done:
    decant__free(path);
    return status;
}

decant_status decant__laboratory_open(decant__laboratory *lab, const decant_reproduction *how,
                                      const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    const char *preset = how->preset == DECANT_PRESET_PAPER ? "paper" : "fast";
    *lab = (decant__laboratory){.how = how, .monitor = monitor};
    TRY(decant__path_join(how->output, preset, &lab->folder));
    TRY(make_inside(lab->folder, "runs"));
    TRY(make_inside(lab->folder, "networks"));
    TRY(make_inside(lab->folder, "graphs"));
done:
    if (status != DECANT_OK) decant__laboratory_close(lab);
    return status;
}

static void forget_thinned(decant__laboratory *lab) {
    decant_dataset_free(lab->thinned);
    decant__free(lab->thinned_rows);
    lab->thinned = NULL;
    lab->thinned_rows = NULL;
}

static void forget_rows(decant__laboratory *lab) {
    forget_thinned(lab);
    decant_dataset_free(lab->data);
    lab->data = NULL;
}

void decant__laboratory_close(decant__laboratory *lab) {
    forget_rows(lab);
    for (size_t i = 0; i < lab->planned_count; i++) decant__free(lab->planned_file[i]);
    decant__free(lab->folder);
    *lab = (decant__laboratory){0};
}

int decant__laboratory_has(const decant__laboratory *lab, decant__set_id set) {
    char *path = decant__set_find(set, lab->how->data);
    decant__free(path);
    return path != NULL;
}

decant_status decant__laboratory_rows(decant__laboratory *lab, decant__set_id set, double r_min,
                                      uint64_t seed, const decant_dataset **out) {
    decant_status status = DECANT_OK;
    if (lab->data == NULL || lab->set != set) {
        forget_rows(lab);
        TRY(decant__set_read(set, lab->how->data, &lab->data));
        lab->set = set;
    }
    *out = lab->data;
    if (!(r_min > 0)) return DECANT_OK;
    if (lab->thinned == NULL || lab->r_min < r_min || lab->r_min > r_min ||
        lab->thin_seed != seed) {
        forget_thinned(lab);
        TRY(decant__set_thin(lab->data, r_min, seed, &lab->thinned_rows, &lab->thinned));
        lab->r_min = r_min;
        lab->thin_seed = seed;
    }
    *out = lab->thinned;
done:
    return status;
}
