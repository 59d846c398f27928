/* Opening a file of documents: it may be compressed, UTF-16, or a table as JSON lines. */
#include "read/documents.h"
#include "read/formats.h"

/* JSON lines become a table, UTF-16 becomes UTF-8, and a byte order mark is skipped. */
static decant_status open_table(decant__documents *self) {
    decant_status status = DECANT_OK;
    const decant__file_format *format;
    TRY(decant__format_detect(&self->input, 0, &format));
    if (format->kind == DECANT__KIND_OTHER) /* says what it is, and how to convert it */
        return decant__format_open(format, &self->input, self->columns, &self->reader);
    TRY(decant__format_recode(format, &self->input));
    TRY(decant__csv_open(&self->input, self->columns, &self->reader));
done:
    return status;
}

decant_status decant__documents_open_item(decant__documents *self) {
    decant_status status = DECANT_OK;
    const decant__file_format *format;
    if (self->input.path == NULL) {
        TRY(decant__input_open(&self->input, self->listing->items[self->item].path, self->meter));
        if (self->kind == DECANT__KIND_LINES) TRY(decant__format_detect(&self->input, 1, &format));
    }
    if (self->kind == DECANT__KIND_COLUMN && self->reader == NULL) TRY(open_table(self));
done:
    return status;
}
