/* A run is a folder. While the fit goes on it holds a checkpoint; manifest.json is written last, so
 * its presence means that everything else is there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/watch.h"
#include "run/clusters.h"
#include "run/history.h"
#include "run/manifest.h"
#include "run/trace.h"

/* The files of a run, in the order in which they are written. */
enum { LABELS, EMBEDDING, HISTORY, TRACE, MODEL, CLUSTERS, MANIFEST, CHECKPOINT, REPORT, FILES };
static const char *const names[FILES] = {
    "labels.csv",        "embedding.npy",          "history.csv",
    "trace.safetensors", "model.safetensors",      "clusters.json",
    "manifest.json",     "checkpoint.safetensors", "report.html"};

typedef struct run_folder {
    const char *folder;
    char *path[FILES];
    int lock; /* the folder itself, open and locked; -1: not yet */
    int created;
} run_folder;

static int exists(const char *path) {
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

/* The lock is on the folder, so that no lock file stays behind; it ends with the process. A file
 * system without such locks (some network ones) is used unlocked. */
static decant_status lock_folder(run_folder *run) {
    run->created = mkdir(run->folder, 0777) == 0;
    if (!run->created && errno != EEXIST)
        return decant__fail(DECANT_EIO, "%s: the run folder cannot be made: %s", run->folder,
                            strerror(errno));
    run->lock = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run->lock < 0)
        return decant__fail(DECANT_EIO, "%s: cannot be used as a run folder: %s", run->folder,
                            strerror(errno));
    if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return decant__fail(DECANT_EIO, "%s: another process is writing this run", run->folder);
    return DECANT_OK;
}

/* The manifest goes first: a half-removed run must not look like a finished one. */
static decant_status clear_folder(const run_folder *run) {
    static const int order[FILES] = {MANIFEST, CHECKPOINT, REPORT, LABELS,  EMBEDDING,
                                     HISTORY,  TRACE,      MODEL,  CLUSTERS};
    for (int i = 0; i < FILES; i++)
        if (remove(run->path[order[i]]) != 0 && errno != ENOENT)
            return decant__fail(DECANT_EIO, "%s: cannot be removed: %s", run->path[order[i]],
                                strerror(errno));
    return DECANT_OK;
}

static decant_status check_folder(const run_folder *run, const decant_monitor *monitor) {
    if (monitor->overwrite) return clear_folder(run);
    if (exists(run->path[MANIFEST]))
        return decant__fail(DECANT_EINVAL, "%s: holds a finished run%s", run->folder,
                            monitor->resume ? "; there is nothing left to resume" : "");
    if (monitor->resume) return DECANT_OK;
    if (exists(run->path[CHECKPOINT]))
        return decant__fail(DECANT_EINVAL, "%s: holds an unfinished run; resume or overwrite it",
                            run->folder);
    for (int i = 0; i < FILES; i++)
        if (exists(run->path[i]))
            return decant__fail(DECANT_EINVAL, "%s: already there, and the run would replace it",
                                run->path[i]);
    return DECANT_OK;
}

static void close_folder(run_folder *run, decant_status status) {
    if (status != DECANT_OK && run->created) rmdir(run->folder); /* only works if it is empty */
    if (run->lock >= 0) close(run->lock);
    for (int i = 0; i < FILES; i++) decant__free(run->path[i]);
}

static void put_csv_field(decant__writer *writer, const char *field) {
    if (field[strcspn(field, ",\"\r\n")] == '\0' && field[0] != ' ') {
        decant__writer_put(writer, field, strlen(field));
        return;
    }
    decant__writer_put(writer, "\"", 1);
    for (; *field != '\0'; field++) {
        if (*field == '"') decant__writer_put(writer, "\"", 1);
        decant__writer_put(writer, field, 1);
    }
    decant__writer_put(writer, "\"", 1);
}

static decant_status write_labels(const char *path, const decant__record *record) {
    const decant_result *result = record->result;
    decant__writer writer;
    decant_status status = decant__writer_open(&writer, path);
    if (status != DECANT_OK) return status;
    decant__writer_print(&writer, "id,cluster,confidence\n");
    for (size_t i = 0; i < result->n; i++) {
        const char *id = decant_dataset_id(record->data, i);
        if (id != NULL)
            put_csv_field(&writer, id);
        else
            decant__writer_print(&writer, "%zu", i);
        decant__writer_print(&writer, ",%d,%.6f\n", (int)result->labels[i],
                             (double)result->confidence[i]);
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

/* Everything but the checkpoint; the manifest comes last. */
static decant_status (*const writers[])(const char *path, const decant__record *record) = {
    [LABELS] = write_labels,
    [EMBEDDING] = write_embedding,
    [HISTORY] = decant__history_write,
    [TRACE] = decant__trace_write,
    [MODEL] = write_model,
    [CLUSTERS] = decant__clusters_write,
    [MANIFEST] = decant__manifest_write};

/* All of them or none: what was written before a failure is taken back, the checkpoint stays. */
static decant_status write_files(const run_folder *run, const decant__record *record) {
    for (int i = 0; i <= MANIFEST; i++) {
        decant_status status = writers[i](run->path[i], record);
        if (status == DECANT_OK) continue;
        while (i-- > 0) remove(run->path[i]);
        return status;
    }
    remove(run->path[CHECKPOINT]); /* harmless beside a manifest, so failing does not matter */
    return DECANT_OK;
}

decant_status decant_run_fit(const char *folder, const decant_dataset *data,
                             const decant_options *options, const decant_monitor *monitor,
                             const char *command, decant_result **out) {
    decant_status status = DECANT_OK;
    run_folder run = {.folder = folder, .lock = -1};
    decant_monitor watched = monitor != NULL ? *monitor : (decant_monitor){0};
    decant_result *result = NULL;
    double began = decant__seconds();
    decant__record record = {
        .data = data, .options = options, .command = command, .started = time(NULL)};
    TRY(name_files(&run));
    TRY(lock_folder(&run));
    TRY(check_folder(&run, &watched));
    watched.checkpoint = run.path[CHECKPOINT];
    TRY(decant_fit(data, options, &watched, &result));
    record.result = result;
    record.finished = time(NULL);
    record.seconds = decant__seconds() - began;
    TRY(write_files(&run, &record));
    *out = result;
    result = NULL;
done:
    decant_result_free(result);
    close_folder(&run, status);
    return status;
}
