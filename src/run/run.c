/* A run is a folder. During the fit it has a checkpoint, and command.json with the command line and
 * its working directory. manifest.json is written last: if it exists, the run is complete. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/comm.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/watch.h"
#include "data/dataset.h"
#include "options/options.h"
#include "run/clusters.h"
#include "run/folder_lock.h"
#include "run/history.h"
#include "run/json.h"
#include "run/manifest.h"
#include "run/run_files.h"
#include "store/trace_file.h"
#include "decant/file.h"

/* The files of a run, in the order in which they are written. */
enum {
    LABELS,
    EMBEDDING,
    HISTORY,
    TRACE,
    MODEL,
    CLUSTERS,
    MANIFEST,
    CHECKPOINT,
    COMMAND,
    REPORT,
    FILES
};
static const char *const names[FILES] = {
    "labels.csv",        "embedding.npy", "history.csv",   "trace.safetensors",
    "model.safetensors", "clusters.json", "manifest.json", "checkpoint.safetensors",
    "command.json",      "report.html"};

typedef struct run_folder {
    const char *folder;
    char *path[FILES];
    int lock; /* the folder itself, open and locked; -1: not yet */
    int created;
    int owned; /* locked and checked: its files may be changed */
} run_folder;

static int path_exists(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

static decant_status name_files(run_folder *run) {
    for (int i = 0; i < FILES; i++) {
        decant_status status = decant__path_join(run->folder, names[i], &run->path[i]);
        if (status != DECANT_OK) return status;
    }
    return DECANT_OK;
}

static decant_status open_run(run_folder *run) {
    run->created = mkdir(run->folder, 0777) == 0;
    if (!run->created && errno != EEXIST)
        return decant__fail(DECANT_EIO, "%s: the run folder cannot be created: %s", run->folder,
                            strerror(errno));
    return decant__folder_lock(run->folder, &run->lock);
}

/* Removes the files, if they exist. The manifest is removed first, and the folder is synced: at no
 * time, not even after a power failure, may a folder have a manifest but not all other files. */
static decant_status clear_folder(const run_folder *run, const int *files, size_t count) {
    const char *path = run->path[MANIFEST];
    int error = remove(path) != 0 && errno != ENOENT ? errno : decant__folder_sync(run->lock);
    for (size_t i = 0; i < count && error == 0; i++) {
        path = run->path[files[i]];
        if (remove(path) != 0 && errno != ENOENT) error = errno;
    }
    if (error == 0) return DECANT_OK;
    return decant__fail(DECANT_EIO, "%s: cannot be removed: %s", path, strerror(error));
}

static decant_status check_folder(const run_folder *run, const decant_monitor *monitor) {
    static const int all[] = {CHECKPOINT, COMMAND, REPORT, LABELS,  EMBEDDING,
                              HISTORY,    TRACE,   MODEL,  CLUSTERS};
    if (monitor->overwrite) return clear_folder(run, all, sizeof all / sizeof *all);
    if (path_exists(run->path[MANIFEST]))
        return decant__fail(DECANT_EINVAL, "%s: holds a finished run%s", run->folder,
                            monitor->resume ? "; there is nothing to resume" : "");
    if (monitor->resume) return DECANT_OK;
    if (path_exists(run->path[CHECKPOINT]) || path_exists(run->path[COMMAND]))
        return decant__fail(DECANT_EINVAL, "%s: holds an unfinished run; resume or overwrite it",
                            run->folder);
    for (int i = 0; i < FILES; i++)
        if (path_exists(run->path[i]))
            return decant__fail(DECANT_EINVAL, "%s: exists already, and the run would replace it",
                                run->path[i]);
    return DECANT_OK;
}

/* With this file, a run can be resumed by its folder alone. */
static decant_status write_command(const run_folder *run, const char *command) {
    decant_status status = DECANT_OK;
    decant__json json = {0};
    char directory[PATH_MAX];
    json_t *root = json_object();
    if (command == NULL || getcwd(directory, sizeof directory) == NULL) goto done;
    decant__json_put(&json, root, "kind", json_string("unfinished decant run"));
    decant__json_put(&json, root, "directory", decant__json_text(directory));
    decant__json_put(&json, root, "command", decant__json_text(command));
    TRY(decant__json_done(&json, root));
    TRY(decant__json_write(root, run->path[COMMAND]));
done:
    json_decref(root);
    return status;
}

/* A fit that failed before its first checkpoint leaves nothing to resume. */
static void close_folder(run_folder *run, decant_status status) {
    int unfinished = run->path[CHECKPOINT] != NULL && path_exists(run->path[CHECKPOINT]);
    if (run->owned && !unfinished) remove(run->path[COMMAND]);
    if (status != DECANT_OK && run->created) rmdir(run->folder); /* only works if it is empty */
    decant__folder_unlock(run->lock);
    for (int i = 0; i < FILES; i++) decant__free(run->path[i]);
}

static decant_status write_labels(const char *path, const decant__record *record) {
    const decant_result *result = record->result;
    decant__writer writer;
    decant_status status = decant__writer_open(&writer, path);
    if (status != DECANT_OK) return status;
    int named = 0;
    for (size_t c = 0; c < result->k; c++)
        named |= decant_model_cluster_name(result->model, c) != NULL;
    decant__writer_print(&writer, "id,cluster,confidence%s\n", named ? ",name" : "");
    for (size_t i = 0; i < result->n; i++) {
        const char *id = decant_dataset_id(record->data, i);
        if (id != NULL)
            decant__writer_put_csv(&writer, id);
        else
            decant__writer_print(&writer, "%zu", i);
        decant__writer_print(&writer, ",%d,%.6f", (int)result->labels[i],
                             (double)result->confidence[i]);
        const char *name = decant_model_cluster_name(result->model, (size_t)result->labels[i]);
        if (named) decant__writer_print(&writer, ",");
        if (name != NULL) decant__writer_put_csv(&writer, name);
        decant__writer_print(&writer, "\n");
    }
    return decant__writer_commit(&writer);
}

static decant_status write_embedding(const char *path, const decant__record *record) {
    const decant_result *result = record->result;
    if (result->embedding == NULL) return DECANT_OK;
    return decant_npy_write(path, result->embedding, result->n, result->latent);
}

static decant_status write_model(const char *path, const decant__record *record) {
    return decant_model_save(record->result->model, path);
}

static decant_status write_trace(const char *path, const decant__record *record) {
    return decant__trace_write(path, &record->result->trace);
}

/* All files of a finished run; the manifest is the last one. */
static decant_status (*const writers[])(const char *path, const decant__record *record) = {
    [LABELS] = write_labels,
    [EMBEDDING] = write_embedding,
    [HISTORY] = decant__history_write,
    [TRACE] = write_trace,
    [MODEL] = write_model,
    [CLUSTERS] = decant__clusters_write,
    [MANIFEST] = decant__manifest_write};

/* All files or none: after a failure, those that were written are removed and the checkpoint stays.
 * That includes the file that failed: it exists if only the sync of the folder failed. */
static decant_status write_files(const run_folder *run, const decant__record *record) {
    static const int written[] = {LABELS, EMBEDDING, HISTORY, TRACE, MODEL, CLUSTERS};
    for (int i = 0; i <= MANIFEST; i++) {
        decant_status status = writers[i](run->path[i], record);
        if (status == DECANT_OK) continue;
        char sentence[1024];
        snprintf(sentence, sizeof sentence, "%s", decant_last_error());
        (void)clear_folder(run, written, sizeof written / sizeof *written);
        return decant__fail(status, "%s", sentence);
    }
    remove(run->path[CHECKPOINT]); /* errors are ignored: it is harmless in a finished run */
    return DECANT_OK;
}

static decant_status begin_run(run_folder *run, const decant_monitor *monitor,
                               const char *command) {
    decant_status status = DECANT_OK;
    TRY(open_run(run));
    TRY(check_folder(run, monitor));
    run->owned = 1;
    TRY(write_command(run, command));
done:
    return status;
}

decant_status decant_run_fit(const char *folder, const decant_dataset *data,
                             const decant_options *options, const decant_monitor *monitor,
                             const char *command, decant_result **out) {
    REQUIRE(folder);
    REQUIRE(data);
    REQUIRE(options);
    REQUIRE(out);
    decant_status status = DECANT_OK;
    run_folder run = {.folder = folder, .lock = -1};
    decant_options requested;
    decant_monitor watched;
    decant_result *result = NULL;
    const decant__comm *comm = decant__comm_world(); /* rank 0 alone touches the folder */
    double began = decant__seconds();
    decant__record record = {
        .data = data, .options = &requested, .command = command, .started = time(NULL)};
    TRY(decant__options_read(&requested, options));
    TRY(decant__monitor_read(&watched, monitor));
    TRY(name_files(&run));
    if (comm->rank == 0) TRY(begin_run(&run, &watched, command));
    TRY(decant__comm_agree(comm, DECANT_OK));
    watched.checkpoint = run.path[CHECKPOINT];
    TRY(decant_fit(data, &requested, &watched, &result));
    record.result = result;
    record.finished = time(NULL);
    record.seconds = decant__seconds() - began;
    if (data->share.comm != NULL) TRY(decant__clusters_make(&record, &record.clusters));
    if (comm->rank == 0) TRY(write_files(&run, &record));
    TRY(decant__comm_agree(comm, DECANT_OK));
    *out = result;
    result = NULL;
done:
    status = decant__comm_agree(comm, status);
    json_decref(record.clusters);
    decant_result_free(result);
    close_folder(&run, status);
    return status;
}

decant_status decant__run_write_record(const char *folder, const decant__record *record) {
    decant_status status = DECANT_OK;
    run_folder run = {.folder = folder, .lock = -1};
    decant_monitor defaults;
    TRY(decant__monitor_read(&defaults, NULL));
    TRY(name_files(&run));
    TRY(open_run(&run));
    TRY(check_folder(&run, &defaults));
    run.owned = 1;
    TRY(write_files(&run, record));
done:
    close_folder(&run, status);
    return status;
}

decant_status decant_run_write(const char *folder, const decant_dataset *data,
                               const decant_options *options, const decant_result *result,
                               const char *command) {
    REQUIRE(folder);
    REQUIRE(data);
    REQUIRE(options);
    REQUIRE(result);
    decant_options requested;
    decant__record record = {.data = data,
                             .options = &requested,
                             .result = result,
                             .command = command,
                             .finished = time(NULL)};
    if (result->model == NULL || result->n != decant_dataset_rows(data))
        return decant__fail(DECANT_EINVAL,
                            "decant_run_write needs the result of a fit of these "
                            "rows, with its model");
    for (size_t i = 0; i < result->phase_count; i++) record.seconds += result->phases[i].seconds;
    record.started = record.finished - (time_t)record.seconds;
    decant_status status = decant__options_read(&requested, options);
    return status == DECANT_OK ? decant__run_write_record(folder, &record) : status;
}
