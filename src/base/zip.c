#include "base/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum {
    END_BYTES = 22, /* the end of the directory; a comment of up to 65535 bytes follows */
    LOCATOR_BYTES = 20,
    END64_BYTES = 56,
    ENTRY_BYTES = 46,
    HEADER_BYTES = 30,
    LARGEST_DIRECTORY = 1 << 28,
    STORED = 0,
    DEFLATED = 8,
    RATIO = 1040, /* above the max compression ratio of deflate, 1032 */
    ENCRYPTED = 1 /* flag */
};

static uint64_t number(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static decant_status damaged(const char *path, const char *what) {
    return decant__fail(DECANT_EFORMAT, "%s: the zip archive is damaged (%s)", path, what);
}

/* Reads count bytes at this place of the file. */
static decant_status read_at(const decant__zip *zip, uint64_t offset, void *bytes, size_t count) {
    if (offset > zip->bytes || count > zip->bytes - offset)
        return damaged(zip->path, "it ends early");
    for (size_t done = 0; done < count;) {
        ssize_t got =
            pread(zip->descriptor, (char *)bytes + done, count - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return decant__fail(DECANT_EIO, "%s: cannot be read: %s", zip->path, strerror(errno));
        if (got == 0) return damaged(zip->path, "it ends early");
        done += (size_t)got;
    }
    return DECANT_OK;
}

/* ---- the directory ---- */

typedef struct directory {
    uint64_t offset, size, count;
} directory;

/* The 64-bit end, if a locator for one stands before the end at `end`. */
static decant_status read_end64(const decant__zip *zip, uint64_t end, directory *found) {
    unsigned char locator[LOCATOR_BYTES], bytes[END64_BYTES];
    if (end < LOCATOR_BYTES) return DECANT_OK;
    decant_status status = read_at(zip, end - LOCATOR_BYTES, locator, sizeof locator);
    if (status != DECANT_OK || memcmp(locator, "PK\6\7", 4) != 0) return status;
    status = read_at(zip, number(locator + 8, 8), bytes, sizeof bytes);
    if (status != DECANT_OK) return status;
    if (memcmp(bytes, "PK\6\6", 4) != 0) return damaged(zip->path, "no 64-bit directory");
    *found = (directory){.count = number(bytes + 32, 8),
                         .size = number(bytes + 40, 8),
                         .offset = number(bytes + 48, 8)};
    return DECANT_OK;
}

/* The end is searched from the back: a comment may follow it. */
static decant_status find_directory(const decant__zip *zip, directory *found) {
    decant_status status = DECANT_OK;
    unsigned char *tail = NULL;
    size_t count = zip->bytes < END_BYTES + 65535 ? (size_t)zip->bytes : END_BYTES + 65535;
    size_t at = count < END_BYTES ? 0 : count - END_BYTES + 1;
    NEW_ARRAY(tail, count);
    TRY(read_at(zip, zip->bytes - count, tail, count));
    for (int here = 0; !here;) {
        if (at-- == 0) TRY(damaged(zip->path, "no directory at its end"));
        here = memcmp(tail + at, "PK\5\6", 4) == 0 &&
               number(tail + at + 20, 2) <= count - at - END_BYTES;
    }
    *found = (directory){.count = number(tail + at + 10, 2),
                         .size = number(tail + at + 12, 4),
                         .offset = number(tail + at + 16, 4)};
    TRY(read_end64(zip, zip->bytes - count + at, found));
    if (found->offset > zip->bytes || found->size > zip->bytes - found->offset ||
        found->size > LARGEST_DIRECTORY || found->count > found->size / ENTRY_BYTES)
        TRY(damaged(zip->path, "its directory is too large"));
done:
    decant__free(tail);
    return status;
}

/* Sizes and offset of 32 ones are in the extra field number 1, in this order. */
static int widen(decant__zip_member *member, const unsigned char *extra, size_t count) {
    uint64_t *wide[] = {&member->unpacked, &member->size, &member->header};
    for (size_t at = 0; at + 4 <= count;) {
        size_t length = (size_t)number(extra + at + 2, 2), used = 0;
        const unsigned char *bytes = extra + at + 4;
        if (length > count - at - 4) return 0;
        at += 4 + length;
        if (number(bytes - 4, 2) != 1) continue;
        for (size_t i = 0; i < 3; i++) {
            if (*wide[i] != UINT32_MAX) continue;
            if (used + 8 > length) return 0;
            *wide[i] = number(bytes + used, 8);
            used += 8;
        }
        return 1;
    }
    return member->unpacked != UINT32_MAX && member->size != UINT32_MAX &&
           member->header != UINT32_MAX;
}

static int is_sound(const decant__zip *zip, const decant__zip_member *member) {
    if (member->header > zip->bytes || member->size > zip->bytes - member->header) return 0;
    if (member->method == STORED) return member->size == member->unpacked;
    return member->unpacked / RATIO <= member->size;
}

/* One entry of the directory; *at moves behind it. */
static decant_status add_member(decant__zip *zip, const unsigned char *bytes, size_t size,
                                size_t *at) {
    const unsigned char *entry = bytes + *at;
    if (size - *at < ENTRY_BYTES || memcmp(entry, "PK\1\2", 4) != 0)
        return damaged(zip->path, "an entry of its directory");
    size_t length = (size_t)number(entry + 28, 2), extra = (size_t)number(entry + 30, 2);
    size_t all = ENTRY_BYTES + length + extra + (size_t)number(entry + 32, 2);
    if (all > size - *at) return damaged(zip->path, "an entry of its directory");
    *at += all;
    decant__zip_member member = {.flags = (unsigned)number(entry + 8, 2),
                                 .method = (unsigned)number(entry + 10, 2),
                                 .crc = (uint32_t)number(entry + 16, 4),
                                 .size = number(entry + 20, 4),
                                 .unpacked = number(entry + 24, 4),
                                 .header = number(entry + 42, 4)};
    if (!widen(&member, entry + ENTRY_BYTES + length, extra) || !is_sound(zip, &member))
        return damaged(zip->path, "the size of a member");
    if (length == 0 || entry[ENTRY_BYTES + length - 1] == '/') return DECANT_OK; /* a folder */
    member.name = decant__alloc_array(length + 1, 1);
    if (member.name == NULL) return DECANT_ENOMEM;
    memcpy(member.name, entry + ENTRY_BYTES, length);
    member.name[length] = '\0';
    for (size_t i = 0; i < length; i++) /* it is shown in messages and is an id */
        if ((unsigned char)member.name[i] < 0x20 || member.name[i] == 0x7f) member.name[i] = '?';
    zip->members[zip->count++] = member;
    return DECANT_OK;
}

static decant_status read_directory(decant__zip *zip) {
    decant_status status = DECANT_OK;
    directory found;
    unsigned char *bytes = NULL;
    size_t at = 0;
    TRY(find_directory(zip, &found));
    NEW_ARRAY(bytes, (size_t)found.size);
    TRY(read_at(zip, found.offset, bytes, (size_t)found.size));
    NEW_ZEROED(zip->members, (size_t)found.count);
    for (uint64_t i = 0; i < found.count; i++) TRY(add_member(zip, bytes, (size_t)found.size, &at));
    if (zip->count == 0)
        TRY(decant__fail(DECANT_EFORMAT, "%s: is a zip archive without files", zip->path));
done:
    decant__free(bytes);
    return status;
}

decant_status decant__zip_open(decant__input *input, decant__zip **out) {
    decant_status status = DECANT_OK;
    decant__zip *zip = NULL;
    TRY(decant__input_spool(input));
    NEW_ZEROED(zip, 1);
    zip->bytes = input->max_bytes;
    zip->descriptor = fcntl(input->descriptor, F_DUPFD_CLOEXEC, 0);
    zip->path = decant__copy_text(input->path);
    if (zip->path == NULL) TRY(DECANT_ENOMEM);
    if (input->member != NULL) zip->path[input->member - input->path - 1] = '\0';
    if (zip->descriptor < 0)
        TRY(decant__fail(DECANT_EIO, "%s: cannot be opened: %s", zip->path, strerror(errno)));
    TRY(read_directory(zip));
    *out = zip;
    zip = NULL;
done:
    decant__zip_close(zip);
    return status;
}

void decant__zip_close(decant__zip *zip) {
    if (zip == NULL) return;
    for (size_t i = 0; i < zip->count; i++) decant__free(zip->members[i].name);
    if (zip->descriptor >= 0) close(zip->descriptor);
    decant__free(zip->members);
    decant__free(zip->path);
    decant__free(zip);
}

/* ---- members ---- */

const decant__zip_member *decant__zip_find(const decant__zip *zip, const char *name,
                                           const char *ending) {
    size_t length = strlen(name);
    for (size_t i = 0; i < zip->count; i++) {
        const char *found = zip->members[i].name;
        if (strncmp(found, name, length) == 0 &&
            (found[length] == '\0' || strcmp(found + length, ending) == 0))
            return &zip->members[i];
    }
    return NULL;
}

decant_status decant__zip_input(const decant__zip *zip, const decant__zip_member *member,
                                decant__meter *meter, decant__input *out) {
    decant_status status = DECANT_OK;
    unsigned char header[HEADER_BYTES];
    char *name = NULL;
    size_t size = strlen(zip->path) + strlen(member->name) + 2;
    NEW_ARRAY(name, size);
    memcpy(name, zip->path, strlen(zip->path));
    name[strlen(zip->path)] = ':';
    memcpy(name + strlen(zip->path) + 1, member->name, strlen(member->name) + 1);
    if ((member->flags & ENCRYPTED) != 0)
        TRY(decant__fail(DECANT_EFORMAT, "%s: is encrypted: unpack the archive first", name));
    if (member->method != STORED && member->method != DEFLATED)
        TRY(decant__fail(DECANT_EFORMAT,
                         "%s: expected a stored or deflated member, found method %u: unpack the "
                         "archive first",
                         name, member->method));
    TRY(read_at(zip, member->header, header, sizeof header));
    if (memcmp(header, "PK\3\4", 4) != 0) TRY(damaged(zip->path, "the header of a member"));
    decant__byte_range range = {
        .offset = member->header + HEADER_BYTES + number(header + 26, 2) + number(header + 28, 2),
        .size = member->size,
        .unpacked = member->unpacked,
        .crc = member->crc,
        .packing = member->method == STORED ? DECANT__PLAIN : DECANT__DEFLATE};
    if (range.offset > zip->bytes || range.size > zip->bytes - range.offset)
        TRY(damaged(zip->path, "it ends early"));
    TRY(decant__input_open_range(out, name, zip->descriptor, &range, meter));
done:
    decant__free(name);
    return status;
}
