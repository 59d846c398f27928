#include "reproduce/laboratory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void work_free(decant__work *work) {
    decant__free(work->path);
    decant__free(work->network);
    decant__free(work->graph);
    decant__free(work);
}

void decant__laboratory_close(decant__laboratory *lab) {
    for (size_t s = 0; s < DECANT__SETS; s++) decant_dataset_free(lab->data[s]);
    while (lab->first != NULL) {
        decant__work *work = lab->first;
        lab->first = work->next;
        work_free(work);
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

/* ---- the list ---- */

static int same_name(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static int is_listed(const decant__laboratory *lab, const char *path) {
    for (const decant__work *work = lab->first; work != NULL; work = work->next)
        if (same_name(work->path, path)) return 1;
    return 0;
}

/* Must the file be made, because it is not there and no earlier work makes it? */
static int is_missing(const decant__laboratory *lab, const char *file) {
    if (file == NULL) return 0;
    for (const decant__work *work = lab->first; work != NULL; work = work->next)
        if (same_name(work->network, file) || same_name(work->graph, file)) return 0;
    return access(file, F_OK) != 0;
}

/* The texts of the draft's trial may be gone when the work is begun. */
static const char *keep_text(const char *text, char *room, size_t size) {
    if (text == NULL) return NULL;
    snprintf(room, size, "%s", text);
    return room;
}

decant_status decant__laboratory_list(decant__laboratory *lab, decant__work *draft,
                                      const decant__cost *cost) {
    decant_status status = DECANT_OK;
    decant__work *work = NULL;
    NEW_ZEROED(work, 1);
    *work = *draft;
    *draft = (decant__work){0};
    work->trial.change = keep_text(work->trial.change, work->change, sizeof work->change);
    work->trial.settings = keep_text(work->trial.settings, work->settings, sizeof work->settings);
    if (is_listed(lab, work->path)) {
        work_free(work);
        return DECANT_OK;
    }
    work->seconds = cost->rest;
    if (is_missing(lab, work->network)) work->seconds += cost->pretraining;
    if (is_missing(lab, work->graph)) work->seconds += cost->graph;
    lab->planned += work->seconds;
    *lab->end = work;
    lab->end = &work->next;
done:
    return status;
}
