/* Stand-in for <strings.h>. */
#include <string.h>
