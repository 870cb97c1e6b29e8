/* Stand-in for <memory.h>. */
#include <string.h>
