/* trace.safetensors: the trace of refinement as a file. */
#ifndef DECANT_STORE_TRACE_FILE_H
#define DECANT_STORE_TRACE_FILE_H

#include "base/status.h"

/* Writes no file for an empty trace. */
decant_status decant__trace_write(const char *path, const decant_trace *trace);

/* An empty trace if there is no such file. n, k and width: the run's, which the trace must fit.
 * Free with decant__trace_release. */
decant_status decant__trace_read(const char *path, size_t n, size_t k, size_t width,
                                 decant_trace *trace);

#endif
