/* Stand-in for <alloca.h>. */
#ifndef BOATHULL_ALLOCA_H
#define BOATHULL_ALLOCA_H
#include <stddef.h>
void *alloca(size_t size);
#endif
