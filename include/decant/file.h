/* decant: files that appear whole or not at all, as decant writes its own, for programs that put
 * something beside them. The rules of decant.h hold here too.
 *
 * A file is written under a temporary name in its folder, synced, then renamed. Two writers of one
 * path do not disturb each other: the last to commit wins. */
#ifndef DECANT_FILE_H
#define DECANT_FILE_H

#include "decant/decant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct decant_file decant_file;

/* A file that exists keeps its permissions. A symbolic link is replaced, not followed. Devices and
 * pipes are written in place, and so is standard output, for the path NULL. */
DECANT_API decant_status decant_file_open(const char *path, decant_file **out);

/* Errors are kept, and commit tells: no call in between has to be checked. */
DECANT_API void decant_file_put(decant_file *file, const void *bytes, size_t count);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
DECANT_API void
decant_file_print(decant_file *file, const char *format, ...);
/* A field of a CSV file, quoted as in RFC 4180 where it must be. */
DECANT_API void decant_file_put_csv(decant_file *file, const char *field);
/* Did something fail already? For those who would rather stop early. */
DECANT_API int decant_file_failed(const decant_file *file);

/* The header of a float32 array in NPY format; the numbers follow by decant_file_put. The first
 * call writes it. Where the number of rows is known only at the end, a second one corrects it, in
 * files that are not written in place (decant_file_in_place gives 0). */
DECANT_API void decant_file_npy_header(decant_file *file, size_t rows, size_t columns);
DECANT_API int decant_file_in_place(const decant_file *file);

/* Either of them closes the file. Commit says whether all of it is on the disk, and only then gives
 * it its name; discard leaves an old file of that name as it was. NULL is fine. */
DECANT_API decant_status decant_file_commit(decant_file *file);
DECANT_API void decant_file_discard(decant_file *file);

/* Writes a rows x columns float array as .npy, whole or not at all. */
DECANT_API decant_status decant_npy_write(const char *path, const float *x, size_t rows,
                                          size_t columns);

#ifdef __cplusplus
}
#endif

#endif
