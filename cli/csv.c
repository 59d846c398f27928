#include "csv.h"

#include <string.h>

void csv_print_field(FILE *file, const char *field) {
    if (field[strcspn(field, ",\"\r\n")] == '\0' && field[0] != ' ') {
        fputs(field, file);
        return;
    }
    fputc('"', file);
    for (; *field != '\0'; field++) {
        if (*field == '"') fputc('"', file);
        fputc(*field, file);
    }
    fputc('"', file);
}
