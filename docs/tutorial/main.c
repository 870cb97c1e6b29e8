#include <stdio.h>
#include <stdlib.h>
#include "plate.h"

#define TOLERANCE 1e-3

static double *new_plate(int rows, int columns)
{
    double *plate = malloc((size_t)rows * columns * sizeof *plate);
    if (!plate) {
        perror("plate");
        exit(1);
    }
    heat_edge(rows, columns, plate);
    return plate;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 200;
    int columns = argc > 2 ? atoi(argv[2]) : 200;
    double *plate = new_plate(rows, columns);
    int steps = 0;

    do {
        for (int s = 0; s < 100; s++)
            relax(rows, columns, plate);
        steps += 100;
    } while (largest_change(rows, columns, plate) > TOLERANCE);

    printf("%d steps\n", steps);
    print_shares(rows, columns, plate);
    if (argc > 3 && write_picture(rows, columns, plate, argv[3]) != 0)
        perror(argv[3]);
    free(plate);
    return 0;
}
