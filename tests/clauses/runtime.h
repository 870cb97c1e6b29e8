/* What the generated part of a calling program and runtime.c share. Every name begins with clz_: the file under test is in
   the same translation unit. */

enum clz_kind { clz_SIGNED, clz_UNSIGNED, clz_BOOLEAN, clz_FLOATING, clz_POINTER, clz_STRUCT, clz_RAW };

struct clz_member {
    unsigned long offset, count;
    const struct clz_type *type;
};

struct clz_type {
    enum clz_kind kind;
    unsigned long size, count;
    const struct clz_member *members; /* of a structure */
    const struct clz_type *to;        /* of a pointer; 0 where nothing can be made to point to */
};

struct clz_case {
    void (*prepare)(void);  /* makes arguments and registers all memory that a call may change */
    void (*call)(int which); /* 0: the original */
};

struct clz_variant {
    int number, of;   /* `which` of a call, and its case */
    int reorders;     /* floating results may differ a little */
    int plain;        /* no assumption excludes pointers that overlap */
    int rows;         /* rests on in-bounds: all sizes are equal, and whole tiles */
};

extern const struct clz_case clz_cases[];
extern const struct clz_variant clz_variants[];
extern const int clz_number_of_cases, clz_number_of_variants;

void *clz_buffer(const struct clz_type *, unsigned long least, int kept_apart, const char *name);
void *clz_end_of_last(const struct clz_type *);
void clz_object(void *, const struct clz_type *, unsigned long count, int fill, const char *name);
void clz_argument(void *, const struct clz_type *);
