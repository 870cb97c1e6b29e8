#include <math.h>

#define BODIES 32768
#define POINTS 1000000

float x[BODIES], y[BODIES], z[BODIES], pull[BODIES];
float field[POINTS], smoothed[POINTS];

void attract(void)
{
    for (int i = 0; i < BODIES; i++) {
        float xi = x[i], yi = y[i], zi = z[i], sum = 0;
        for (int j = 0; j < BODIES; j++) {
            float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            sum += 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        }
        pull[i] = sum;
    }
}

void scale(float factor)
{
    for (int i = 0; i < POINTS; i++)
        field[i] *= factor;
}

void smooth(void)
{
    for (int i = 1; i < POINTS; i++)
        smoothed[i] = 0.5f * smoothed[i - 1] + field[i];
}
