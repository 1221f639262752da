/*
 * A 5x7 dot font for captions, drawn as pen strokes. Internal to the picture code.
 */
#ifndef EXAMPLES_PICTURE_FONT_H
#define EXAMPLES_PICTURE_FONT_H

enum {
    FONT_COLUMNS = 5 /* Dots across a character, without the space between two. */
};

/*
 * Distance [dots] from (x, y) to the strokes of an ASCII character; others look like '?'. The centre of the
 * top left dot is (0, 0), y grows downward, the base line is at 6. Strokes are lines that join neighbouring
 * dots, so a font of dots comes out as round pen strokes at any size.
 */
float font_distance(unsigned char code, float x, float y);

#endif
