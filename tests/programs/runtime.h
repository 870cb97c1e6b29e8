/* What a generated program, the generated callers of its functions and runtime.c share. Every name begins with clz_. */

struct cell;
struct field;

extern int clz_n, clz_m;
extern double clz_x, clz_result;
extern double *clz_a, *clz_b;
extern int *clz_idx, *clz_ptr;
extern struct field *clz_s, *clz_t;
extern struct cell *clz_c;

struct clz_variant {
    int number, of;      /* the loop, and its function in clz_originals */
    int reorders;        /* floating results may differ a little */
    void (*call)(void);
};

extern void (*const clz_originals[])(void);
extern const struct clz_variant clz_variants[];
extern const int clz_number_of_variants;

void clz_own_variables(void); /* registers the static variables of all files */
void clz_region(void *, unsigned long bytes, const char *name);
int clz_on(int loop); /* whether the copy of a helper with this loop stands in for it */
int clz_decide(int loop, int holds); /* whether the parallel loop is taken, where its conditions hold or not */
