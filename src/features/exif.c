/* A JPEG file is a list of segments: FF, a marker, a length of two bytes that counts itself. The
 * segment APP1 that begins with "Exif" holds a TIFF file: byte order, the offset of a directory,
 * and there entries of twelve bytes: tag, type, count, value. Every offset is checked against the
 * bytes that are there. */
#include "features/exif.h"

#include <string.h>

enum {
    START = 0xD8, /* of the file; has no length */
    SCAN = 0xDA,  /* pixels follow: the segments end here */
    APP1 = 0xE1,
    ORIENTATION = 0x0112, /* TIFF tag */
    SHORT = 3,            /* TIFF type */
    ENTRY = 12            /* bytes */
};

typedef struct tiff {
    const uint8_t *bytes;
    size_t count;
    int big_endian;
} tiff;

static unsigned get16(const tiff *file, size_t at) {
    if (at + 2 > file->count) return 0;
    unsigned first = file->bytes[at], second = file->bytes[at + 1];
    return file->big_endian ? first << 8 | second : second << 8 | first;
}

static size_t get32(const tiff *file, size_t at) {
    size_t first = get16(file, at), second = get16(file, at + 2);
    return file->big_endian ? first << 16 | second : second << 16 | first;
}

/* 0: it does not say. */
static int tiff_orientation(const uint8_t *bytes, size_t count) {
    tiff file = {.bytes = bytes, .count = count};
    if (count < 8) return 0;
    file.big_endian = bytes[0] == 'M';
    if (memcmp(bytes, file.big_endian ? "MM" : "II", 2) != 0 || get16(&file, 2) != 42) return 0;
    size_t directory = get32(&file, 4);
    if (directory >= count) return 0;
    size_t entries = get16(&file, directory);
    for (size_t i = 0; i < entries; i++) {
        size_t at = directory + 2 + i * ENTRY;
        if (at + ENTRY > count) return 0;
        if (get16(&file, at) != ORIENTATION) continue;
        unsigned value = get16(&file, at + 8);
        return get16(&file, at + 2) == SHORT && value >= 1 && value <= 8 ? (int)value : 0;
    }
    return 0;
}

int decant__exif_orientation(const uint8_t *bytes, size_t count) {
    static const char name[6] = "Exif\0";
    if (count < 4 || bytes[0] != 0xFF || bytes[1] != START) return 1;
    for (size_t at = 2; at + 4 <= count && bytes[at] == 0xFF && bytes[at + 1] != SCAN;) {
        size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (length < 2 || length > count - at - 2) return 1;
        const uint8_t *content = bytes + at + 4;
        if (bytes[at + 1] == APP1 && length >= 2 + sizeof name &&
            memcmp(content, name, sizeof name) == 0) {
            int found = tiff_orientation(content + sizeof name, length - 2 - sizeof name);
            return found != 0 ? found : 1;
        }
        at += 2 + length;
    }
    return 1;
}

int decant__exif_is_sideways(int orientation) { return orientation >= 5; }

decant__exif_place decant__exif_upright(int orientation, size_t width, size_t height) {
    ptrdiff_t w = (ptrdiff_t)width, h = (ptrdiff_t)height;
    switch (orientation) {
        case 2: /* mirrored left to right */
            return (decant__exif_place){w - 1, -1, w};
        case 3: /* upside down */
            return (decant__exif_place){w * h - 1, -1, -w};
        case 4: /* mirrored top to bottom */
            return (decant__exif_place){w * (h - 1), 1, -w};
        case 5: /* mirrored at the diagonal */
            return (decant__exif_place){0, h, 1};
        case 6: /* to be turned clockwise */
            return (decant__exif_place){h - 1, h, -1};
        case 7: /* mirrored at the other diagonal */
            return (decant__exif_place){w * h - 1, -h, -1};
        case 8: /* to be turned counter-clockwise */
            return (decant__exif_place){h * (w - 1), -h, 1};
        default:
            return (decant__exif_place){0, 1, w};
    }
}
