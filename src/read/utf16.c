#include "read/utf16.h"

#include <string.h>

#include "base/memory.h"

decant__utf16 decant__utf16_mark(const char *bytes, size_t count) {
    if (count >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0) return DECANT__UTF16_LITTLE;
    if (count >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0) return DECANT__UTF16_BIG;
    return DECANT__UTF16_NONE;
}

static char *put_utf8(char *to, unsigned point) {
    if (point < 0x80) {
        *to++ = (char)point;
    } else if (point < 0x800) {
        *to++ = (char)(0xC0 | (point >> 6));
        *to++ = (char)(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        *to++ = (char)(0xE0 | (point >> 12));
        *to++ = (char)(0x80 | ((point >> 6) & 0x3F));
        *to++ = (char)(0x80 | (point & 0x3F));
    } else {
        *to++ = (char)(0xF0 | (point >> 18));
        *to++ = (char)(0x80 | ((point >> 12) & 0x3F));
        *to++ = (char)(0x80 | ((point >> 6) & 0x3F));
        *to++ = (char)(0x80 | (point & 0x3F));
    }
    return to;
}

static unsigned unit_at(const unsigned char *p, decant__utf16 order) {
    return order == DECANT__UTF16_LITTLE ? (unsigned)(p[0] | p[1] << 8)
                                         : (unsigned)(p[1] | p[0] << 8);
}

size_t decant__utf16_recode(decant__utf16 order, const unsigned char *bytes, size_t count, int last,
                            char *out, size_t *used) {
    char *to = out;
    size_t i = 0;
    while (i + 2 <= count) {
        unsigned point = unit_at(bytes + i, order);
        if (point >= 0xD800 && point < 0xDC00) {
            if (i + 4 > count && !last) break;
            unsigned low = i + 4 <= count ? unit_at(bytes + i + 2, order) : 0;
            if (low >= 0xDC00 && low < 0xE000) {
                point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                i += 2;
            } else {
                point = 0xFFFD;
            }
        } else if ((point >= 0xDC00 && point < 0xE000) || point == 0) {
            point = 0xFFFD;
        }
        i += 2;
        if (point != 0xFEFF) to = put_utf8(to, point);
    }
    *used = i;
    return (size_t)(to - out);
}

/* ---- a whole input ---- */

enum { PIECE = 4096 };

static decant_status recode_some(void *state, decant__input *from, decant__text *text) {
    const decant__utf16 *order = state;
    char out[PIECE / 2 * 3 + 3];
    for (size_t before = text->length; text->length == before;) { /* a mark alone gives nothing */
        const char *bytes;
        size_t count, used;
        decant_status status = decant__input_peek(from, PIECE, &bytes, &count);
        if (status != DECANT_OK || count == 0) return status;
        size_t length = decant__utf16_recode(*order, (const unsigned char *)bytes, count,
                                             count < PIECE, out, &used);
        decant__text_put(text, out, length);
        decant__input_skip(from, used > 0 ? used : count); /* half a character at the end */
        if (text->failed) return DECANT_ENOMEM;
    }
    return DECANT_OK;
}

static void restart(void *state) { (void)state; }

decant_status decant__utf16_translate(decant__input *input, decant__utf16 order) {
    static const decant__translator translator = {recode_some, restart, decant__free, 0};
    decant_status status = DECANT_OK;
    decant__utf16 *state = NULL;
    NEW_ARRAY(state, 1);
    *state = order;
    return decant__input_translate(input, &translator, state);
done:
    return status;
}
