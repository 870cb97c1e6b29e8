/* Stand-in for <malloc.h>. */
#include <stdlib.h>
