/* One writer at a time in a run folder: fit, sweep and report take this lock. */
#ifndef DECANT_RUN_FOLDER_LOCK_H
#define DECANT_RUN_FOLDER_LOCK_H

#include "base/status.h"

/* *descriptor: the folder, open and locked. EIO if another writer has it. The lock is on the folder
 * itself: no lock file is left behind, and the lock ends with the process. On file systems without
 * such locks (some network ones) the folder is not locked. */
decant_status decant__folder_lock(const char *folder, int *descriptor);

/* Does nothing for -1. */
void decant__folder_unlock(int descriptor);

#endif
