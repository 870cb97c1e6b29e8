#include <stdio.h>
#include "plate.h"

#define CLASSES 10

/* The plate as a grey picture (PGM). */
int write_picture(int rows, int columns, const double *plate, const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return -1;
    fprintf(file, "P5 %d %d 255\n", columns, rows);
    for (int k = 0; k < rows * columns; k++)
        fputc((int)(2.55 * plate[k]), file);
    return fclose(file);
}

/* How much of the plate is how warm, in steps of ten degrees. */
void print_shares(int rows, int columns, const double *plate)
{
    int count[CLASSES] = {0};

    for (int k = 0; k < rows * columns; k++) {
        int class = (int)(plate[k] / 10);
        count[class < CLASSES ? class : CLASSES - 1]++;
    }
    for (int c = 0; c < CLASSES; c++)
        printf("%3d degrees  %5.1f %%\n", 10 * c, 100.0 * count[c] / (rows * columns));
}
