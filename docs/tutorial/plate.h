/* Temperature on a rectangular plate whose upper edge is heated: rows x columns points, row after row. */
#ifndef PLATE_H
#define PLATE_H

void heat_edge(int rows, int columns, double *plate);
void relax(int rows, int columns, double *plate);
double largest_change(int rows, int columns, const double *plate);

int write_picture(int rows, int columns, const double *plate, const char *name);
void print_shares(int rows, int columns, const double *plate);

#endif
