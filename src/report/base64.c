#include "report/base64.h"

void decant__base64_put(decant__text *text, const void *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        unsigned group = (unsigned)in[i] << 16;
        if (left > 1) group |= (unsigned)in[i + 1] << 8;
        if (left > 2) group |= (unsigned)in[i + 2];
        char out[4] = {digits[group >> 18], digits[group >> 12 & 63],
                       left > 1 ? digits[group >> 6 & 63] : '=',
                       left > 2 ? digits[group & 63] : '='};
        decant__text_put(text, out, sizeof out);
    }
}
