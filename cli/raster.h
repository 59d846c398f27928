/* Drawings as PNG, if the program was built with librsvg. */
#ifndef DECANT_CLI_RASTER_H
#define DECANT_CLI_RASTER_H

/* Writes an SVG text as PNG, at twice its size. 0, or an exit code after an error message. */
int write_png(const char *path, const char *svg);

/* Can this program write PNG at all? */
int can_write_png(void);

#endif
