/* The members of a zip archive, from its central directory (APPNOTE.TXT of PKWARE), also in the
 * 64-bit form. A member is read through a decant__input of its own. */
#ifndef DECANT_BASE_ZIP_H
#define DECANT_BASE_ZIP_H

#include "base/input.h"

typedef struct decant__zip_member {
    char *name;
    uint64_t header; /* where its local header begins */
    uint64_t size, unpacked;
    uint32_t crc;
    unsigned method, flags;
} decant__zip_member;

typedef struct decant__zip {
    char *path;
    int descriptor;              /* a duplicate of the input's */
    uint64_t bytes;              /* of the file */
    decant__zip_member *members; /* without folders, in the order of the directory */
    size_t count;
} decant__zip;

/* Reads the directory. The input may be a pipe; nothing of it may have been taken. */
decant_status decant__zip_open(decant__input *input, decant__zip **out);
void decant__zip_close(decant__zip *zip);

/* Its bytes; meter may be NULL. EFORMAT for an encrypted one, or one that is neither stored nor
 * deflated. */
decant_status decant__zip_input(const decant__zip *zip, const decant__zip_member *member,
                                decant__meter *meter, decant__input *out);

/* The member of this name, with or without the ending; NULL: there is none. */
const decant__zip_member *decant__zip_find(const decant__zip *zip, const char *name,
                                           const char *ending);

#endif
