#include "ranks.h"

#include <stddef.h>

static const cli_ranks *ranks;

void ranks_use(const cli_ranks *used) { ranks = used; }
int ranks_size(void) { return ranks != NULL ? ranks->size : 1; }
int is_leader(void) { return ranks == NULL || ranks->rank == 0; }

void ranks_share(void *bytes, size_t count) {
    if (ranks_size() > 1) ranks->share(bytes, count);
}

int ranks_share_code(int code) {
    ranks_share(&code, sizeof code);
    return code;
}

decant_status ranks_read(const char *const *paths, size_t path_count,
                         const decant_read_options *options, const decant_monitor *monitor,
                         decant_dataset **out) {
    return ranks_size() > 1 ? ranks->read(paths, path_count, options, monitor, out)
                            : decant_dataset_read(paths, path_count, options, monitor, out);
}

void ranks_part(void) {
    if (ranks_size() > 1) ranks->part();
}
