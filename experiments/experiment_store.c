#include "experiments/experiment_store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* Creates a folder and those above it. */
static decant_status make_folders(const char *path) {
    decant_status status = DECANT_OK;
    char *copy = NULL;
    size_t length = strlen(path);
    NEW_ARRAY(copy, length + 1);
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != '\0') continue;
        copy[i] = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            TRY(decant__fail(DECANT_EIO, "%s: cannot be created: %s", copy, strerror(errno)));
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
    TRY(make_folders(path));
done:
    decant__free(path);
    return status;
}

decant_status decant__experiment_store_open(decant__experiment_store *store,
                                            const decant_reproduction *how,
                                            const decant_monitor *monitor) {
    decant_status status = DECANT_OK;
    *store = (decant__experiment_store){
        .how = how, .monitor = monitor, .reading = PTHREAD_MUTEX_INITIALIZER};
    store->end = &store->first;
    TRY(decant__path_join(how->output, decant_preset_name(how->preset), &store->folder));
    TRY(make_inside(store->folder, "runs"));
    TRY(make_inside(store->folder, "networks"));
    TRY(make_inside(store->folder, "graphs"));
done:
    if (status != DECANT_OK) decant__experiment_store_close(store);
    return status;
}

static void task_free(decant__experiment_task *task) {
    decant__free(task->path);
    decant__free(task->network);
    decant__free(task->graph);
    decant__free(task);
}

void decant__experiment_store_close(decant__experiment_store *store) {
    for (size_t s = 0; s < DECANT__DATA_SETS; s++) decant_dataset_free(store->data[s]);
    while (store->first != NULL) {
        decant__experiment_task *task = store->first;
        store->first = task->next;
        task_free(task);
    }
    decant__free(store->folder);
    *store = (decant__experiment_store){0};
}

int decant__experiment_store_has(decant__experiment_store *store, decant__data_set_id set) {
    store->used[set] = 1;
    char *path = decant__data_set_find(set, store->how->data);
    decant__free(path);
    return path != NULL;
}

decant_status decant__experiment_store_rows(decant__experiment_store *store,
                                            decant__data_set_id set, const decant_dataset **out) {
    decant_status status = DECANT_OK;
    pthread_mutex_lock(&store->reading);
    if (store->data[set] == NULL)
        status = decant__data_set_read(set, store->how->data, &store->data[set]);
    *out = store->data[set];
    pthread_mutex_unlock(&store->reading);
    return status;
}

/* ---- the list ---- */

static int same_name(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static int is_listed(const decant__experiment_store *store, const char *path) {
    for (const decant__experiment_task *task = store->first; task != NULL; task = task->next)
        if (same_name(task->path, path)) return 1;
    return 0;
}

/* Must this task make the file: does it not exist, and does no earlier task make it? */
static int is_missing(const decant__experiment_store *store, const char *file) {
    if (file == NULL) return 0;
    for (const decant__experiment_task *task = store->first; task != NULL; task = task->next)
        if (same_name(task->network, file) || same_name(task->graph, file)) return 0;
    return access(file, F_OK) != 0;
}

/* The draft's texts may be gone when the task is started, so they are copied. */
static const char *keep_text(const char *text, char *buffer, size_t size) {
    if (text == NULL) return NULL;
    snprintf(buffer, size, "%s", text);
    return buffer;
}

decant_status decant__experiment_store_add(decant__experiment_store *store,
                                           decant__experiment_task *draft,
                                           const decant__time_estimate *estimate) {
    decant_status status = DECANT_OK;
    decant__experiment_task *task = NULL;
    NEW_ZEROED(task, 1);
    *task = *draft;
    *draft = (decant__experiment_task){0};
    task->spec.change = keep_text(task->spec.change, task->change, sizeof task->change);
    task->spec.settings = keep_text(task->spec.settings, task->settings, sizeof task->settings);
    if (is_listed(store, task->path)) {
        task_free(task);
        return DECANT_OK;
    }
    task->seconds = estimate->rest;
    if (is_missing(store, task->network)) task->seconds += estimate->pretraining;
    if (is_missing(store, task->graph)) task->seconds += estimate->graph;
    store->planned += task->seconds;
    store->task_count++;
    *store->end = task;
    store->end = &task->next;
done:
    return status;
}
