/* The structures that all generated programs have in their header. */

struct cell { double x, y; int kind; };
struct field { int n; double *u, *v; int *map; double sum; struct cell *cells; };
