/* Writes messages in the wire format of protocol buffers: fields of a number, a string, or a
 * message within the message. Buffers are decant__text: out of memory is kept until the end. */
#ifndef DECANT_STORE_PROTOBUF_H
#define DECANT_STORE_PROTOBUF_H

#include "base/text.h"

void decant__pb_int(decant__text *message, unsigned field, uint64_t value);
void decant__pb_float(decant__text *message, unsigned field, float value);
void decant__pb_bytes(decant__text *message, unsigned field, const void *bytes, size_t count);
void decant__pb_string(decant__text *message, unsigned field, const char *text);

/* Puts an inner message into the outer one, and frees it. */
void decant__pb_message(decant__text *message, unsigned field, decant__text *inner);

#endif
