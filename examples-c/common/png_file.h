/*
 * Writes a picture in memory as a PNG file.
 */
#ifndef EXAMPLES_PNG_FILE_H
#define EXAMPLES_PNG_FILE_H

/* `rgb`: 8-bit sRGB, width * height * 3 bytes, top row first. 0, or -1 if the file cannot be opened or
 * written in full. */
int png_write_file(const char *path, int width, int height, const unsigned char *rgb);

#endif
