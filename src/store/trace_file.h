/* trace.safetensors: how some rows moved during refinement. */
#ifndef DECANT_STORE_TRACE_FILE_H
#define DECANT_STORE_TRACE_FILE_H

#include "base/status.h"

/* Writes nothing where nothing was traced. */
decant_status decant__trace_write(const char *path, const decant_trace *trace);

/* No such file: an empty trace. n, k and width: what rows, labels and features must fit. Free with
 * decant__trace_release. */
decant_status decant__trace_read(const char *path, size_t n, size_t k, size_t width,
                                 decant_trace *trace);

#endif
