/* Stand-in for the x86 intrinsics. */
#include <immintrin.h>
