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
    *lab =
        (decant__laboratory){.how = how, .monitor = monitor, .reading = PTHREAD_MUTEX_INITIALIZER};
    lab->end = &lab->first;
    TRY(decant__path_join(how->output, preset, &lab->folder));
    TRY(make_inside(lab->folder, "runs"));
    TRY(make_inside(lab->folder, "networks"));
    TRY(make_inside(lab->folder, "graphs"));
done:
    if (status != DECANT_OK) decant__laboratory_close(lab);
    return status;
}

void decant__work_free(decant__work *work) {
    decant__free(work->folder);
    decant__free(work->network);
    decant__free(work->graph);
    decant__free(work);
}

void decant__laboratory_close(decant__laboratory *lab) {
    for (size_t s = 0; s < DECANT__SETS; s++) decant_dataset_free(lab->data[s]);
    while (lab->first != NULL) {
        decant__work *work = lab->first;
        lab->first = work->next;
        decant__work_free(work);
    }
    decant__free(lab->folder);
    *lab = (decant__laboratory){0};
}

int decant__laboratory_has(const decant__laboratory *lab, decant__set_id set) {
    char *path = decant__set_find(set, lab->how->data);
    decant__free(path);
    return path != NULL;
}

decant_status decant__laboratory_rows(decant__laboratory *lab, decant__set_id set,
                                      const decant_dataset **out) {
    decant_status status = DECANT_OK;
    pthread_mutex_lock(&lab->reading);
    if (lab->data[set] == NULL) status = decant__set_read(set, lab->how->data, &lab->data[set]);
    *out = lab->data[set];
    pthread_mutex_unlock(&lab->reading);
    return status;
}
