#include "run/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

decant_status decant__folder_lock(const char *folder, int *descriptor) {
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
        return decant__fail(DECANT_EIO, "%s: cannot be used as a run folder: %s", folder,
                            strerror(errno));
    if (flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(opened);
        return decant__fail(DECANT_EIO,
                            "%s: another process is writing this run; wait until it ends", folder);
    }
    *descriptor = opened;
    return DECANT_OK;
}

void decant__folder_unlock(int descriptor) {
    if (descriptor >= 0) close(descriptor);
}
