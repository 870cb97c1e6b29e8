#include <math.h>
#include "plate.h"

#define HOT 100.0

void heat_edge(int rows, int columns, double *plate)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            plate[i * columns + j] = i == 0 ? HOT : 0.0;
}

/* One step: every inner point becomes the mean of its four neighbours. */
void relax(int rows, int columns, double *plate)
{
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            plate[i * columns + j] = 0.25 * (plate[(i - 1) * columns + j] + plate[(i + 1) * columns + j]
                                             + plate[i * columns + j - 1] + plate[i * columns + j + 1]);
}

/* How far any point is from the mean of its neighbours. */
double largest_change(int rows, int columns, const double *plate)
{
    double largest = 0;

    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++) {
            double mean = 0.25 * (plate[(i - 1) * columns + j] + plate[(i + 1) * columns + j]
                                  + plate[i * columns + j - 1] + plate[i * columns + j + 1]);
            largest = fmax(largest, fabs(mean - plate[i * columns + j]));
        }
    return largest;
}
