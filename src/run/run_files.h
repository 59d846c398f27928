/* Writes all files of a run folder. */
#ifndef DECANT_RUN_RUN_FILES_H
#define DECANT_RUN_RUN_FILES_H

#include "run/manifest.h"

/* EINVAL if the folder has a run, or any file that the run would replace. */
decant_status decant__run_write_record(const char *folder, const decant__record *record);

#endif
