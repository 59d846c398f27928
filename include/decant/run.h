/* decant: run folders, which keep all of a fit. A part of decant.h, whose rules hold here too. */
#ifndef DECANT_RUN_H
#define DECANT_RUN_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fits and keeps everything in one folder: model.safetensors, labels.csv, embedding.npy,
 * history.csv, clusters.json, manifest.json, and while it runs the checkpoint. Files appear whole
 * or not at all. monitor->checkpoint is ignored (the folder has its own); command is what the user
 * typed, for the manifest, and may be NULL. Errors as decant_fit; EINVAL if the folder has a run
 * and the monitor asks neither to resume nor to overwrite it. */
DECANT_API decant_status decant_run_fit(const char *folder, const decant_dataset *data,
                                        const decant_options *options,
                                        const decant_monitor *monitor, const char *command,
                                        decant_result **out);

/* Writes what a fit found as such a folder, with the options that were asked for: for fits in
 * memory that turn out to be worth a report. Errors as decant_run_fit. */
DECANT_API decant_status decant_run_write(const char *folder, const decant_dataset *data,
                                          const decant_options *options,
                                          const decant_result *result, const char *command);

/* The rows of a finished run, read again from where they were. model: how, for example that of
 * another run; NULL: the run's own, and then EINVAL if they are not the same rows any more. EIO,
 * EFORMAT. */
DECANT_API decant_status decant_run_read_data(const char *folder, const decant_model *model,
                                              const decant_monitor *monitor, decant_dataset **out);

/* Writes a finished run as a new one whose clusters are regrouped: model is that of the run after
 * decant_model_regroup by `to`, and names. Features, history and settings stay. data: the rows of
 * the run, NULL: they are read again. command as above. Errors as decant_run_read_data and
 * decant_run_write. */
DECANT_API decant_status decant_run_regroup(const char *from, const char *folder,
                                            const decant_dataset *data, const decant_model *model,
                                            const int32_t *to, const char *command);

#ifdef __cplusplus
}
#endif

#endif
