#include "store/trace_file.h"

#include <errno.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/settings.h"
#include "store/trace.h"

static const char FORMAT[] = "decant-trace", FORMAT_VERSION[] = "1";
enum { TENSORS = 5 };

static void list_trace_tensors(const decant_trace *t, decant__tensor out[TENSORS]) {
    out[0] = (decant__tensor){"row", DECANT__I32, t->rows, 0, t->row};
    out[1] = (decant__tensor){"step", DECANT__F64, t->frames, 0, t->step};
    out[2] = (decant__tensor){"z", DECANT__F32, t->frames, t->rows * t->width, t->z};
    out[3] = (decant__tensor){"labels", DECANT__I32, t->frames, t->rows, t->labels};
    out[4] = (decant__tensor){"centroids", DECANT__F32, t->frames, t->k * t->width, t->centroids};
}

decant_status decant__trace_write(const char *path, const decant_trace *trace) {
    decant__tensor tensors[TENSORS];
    if (trace->rows == 0 || trace->frames == 0) return DECANT_OK;
    decant__metadata metadata = {0};
    decant__tensors_begin(&metadata, FORMAT, FORMAT_VERSION);
    decant__settings_put_count(&metadata, "frames", trace->frames);
    decant__settings_put_count(&metadata, "rows", trace->rows);
    list_trace_tensors(trace, tensors);
    decant_status status = decant__tensors_write(path, &metadata, tensors, TENSORS);
    decant__metadata_free(&metadata);
    return status;
}

static decant_status check_trace(const char *path, const decant_trace *t, size_t n) {
    for (size_t i = 0; i < t->rows; i++)
        if (t->row[i] >= n || (i > 0 && t->row[i] <= t->row[i - 1]))
            return decant__fail(DECANT_EFORMAT, "%s: is damaged: its rows are not valid", path);
    for (size_t f = 0; f < t->frames; f++)
        if (!(t->step[f] >= 0 && t->step[f] <= 0x1p53) || (f > 0 && t->step[f] <= t->step[f - 1]))
            return decant__fail(DECANT_EFORMAT, "%s: is damaged: its steps are not valid", path);
    if (!decant__tensors_finite(t->z, t->frames * t->rows * t->width) ||
        !decant__tensors_finite(t->centroids, t->frames * t->k * t->width))
        return decant__fail(DECANT_EFORMAT, "%s: some of its numbers are not finite", path);
    for (size_t i = 0; i < t->frames * t->rows; i++)
        if (t->labels[i] < 0 || (size_t)t->labels[i] >= t->k)
            return decant__fail(DECANT_EFORMAT, "%s: is damaged: its clusters are not valid", path);
    return DECANT_OK;
}

decant_status decant__trace_read(const char *path, size_t n, size_t k, size_t width,
                                 decant_trace *trace) {
    decant_status status = DECANT_OK;
    decant__tensor_file file = {0};
    decant__tensor tensors[TENSORS];
    uint64_t frames, rows;
    *trace = (decant_trace){0};
    if (access(path, F_OK) != 0 && errno == ENOENT) return DECANT_OK;
    TRY(decant__tensors_read(&file, path, FORMAT, FORMAT_VERSION));
    TRY(decant__settings_get_limited(&file, "frames", DECANT__MAX_FRAMES, &frames));
    TRY(decant__settings_get_limited(&file, "rows", n < DECANT__TRACE_ROWS ? n : DECANT__TRACE_ROWS,
                                     &rows));
    if (rows == 0 || frames == 0)
        TRY(decant__fail(DECANT_EFORMAT, "%s: is damaged: it has no frames", path));
    *trace = (decant_trace){.frames = (size_t)frames, .rows = (size_t)rows, .k = k, .width = width};
    NEW_ARRAY(trace->row, trace->rows);
    NEW_ARRAY(trace->step, trace->frames);
    NEW_ARRAY(trace->z, trace->frames * trace->rows * width);
    NEW_ARRAY(trace->labels, trace->frames * trace->rows);
    NEW_ARRAY(trace->centroids, trace->frames * k * width);
    list_trace_tensors(trace, tensors);
    for (size_t i = 0; i < TENSORS; i++) TRY(decant__tensors_get(&file, &tensors[i]));
    TRY(check_trace(path, trace, n));
done:
    decant__tensors_close(&file);
    if (status != DECANT_OK) decant__trace_release(trace);
    return status;
}
