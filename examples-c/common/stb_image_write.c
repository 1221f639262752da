/*
 * The one translation unit that holds the PNG encoder (Sean Barrett, public domain or MIT). The header is
 * included as a system header, so the project's warning flags do not apply to it.
 */
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO /* picture.c writes the file: the encoder's own writer misses a full disk. */
#include <stb_image_write.h>
