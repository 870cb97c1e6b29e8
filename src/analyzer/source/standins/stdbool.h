/* Stand-in for <stdbool.h>. */
#ifndef BOATHULL_STDBOOL_H
#define BOATHULL_STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#endif
