#include "png_file.h"

#include <stb_image_write.h>

#include <stddef.h>
#include <stdio.h>

typedef struct PngFile {
    FILE *file;
    int failed;
} PngFile;

static void write_bytes(void *context, void *data, int size)
{
    PngFile *png = context;
    if (size < 0 || fwrite(data, 1, (size_t)size, png->file) != (size_t)size) {
        png->failed = 1;
    }
}

int png_write_file(const char *path, int width, int height, const unsigned char *rgb)
{
    PngFile png = {fopen(path, "wb"), 0};
    if (png.file == NULL) {
        return -1;
    }
    const int encoded = stbi_write_png_to_func(write_bytes, &png, width, height, 3, rgb, width * 3);
    const int closed = fclose(png.file);
    return encoded && !png.failed && closed == 0 ? 0 : -1;
}
