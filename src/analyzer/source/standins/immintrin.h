/* Stand-in for the x86 intrinsics: types of the right size and the commonest operations, declarations only. */
#ifndef BOATHULL_IMMINTRIN_H
#define BOATHULL_IMMINTRIN_H
typedef float __m128 __attribute__((vector_size(16)));
typedef double __m128d __attribute__((vector_size(16)));
typedef long long __m128i __attribute__((vector_size(16)));
typedef float __m256 __attribute__((vector_size(32)));
typedef double __m256d __attribute__((vector_size(32)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef float __m512 __attribute__((vector_size(64)));
typedef double __m512d __attribute__((vector_size(64)));
typedef long long __m512i __attribute__((vector_size(64)));
#define BOATHULL_VECTOR(prefix, suffix, vector, scalar)                  \
  vector prefix##load_##suffix(const scalar *from);                      \
  vector prefix##loadu_##suffix(const scalar *from);                     \
  void prefix##store_##suffix(scalar *to, vector a);                     \
  void prefix##storeu_##suffix(scalar *to, vector a);                    \
  void prefix##stream_##suffix(scalar *to, vector a);                    \
  vector prefix##set1_##suffix(scalar a);                                \
  vector prefix##setzero_##suffix(void);                                 \
  vector prefix##add_##suffix(vector a, vector b);                       \
  vector prefix##sub_##suffix(vector a, vector b);                       \
  vector prefix##mul_##suffix(vector a, vector b);                       \
  vector prefix##div_##suffix(vector a, vector b);                       \
  vector prefix##max_##suffix(vector a, vector b);                       \
  vector prefix##min_##suffix(vector a, vector b);                       \
  vector prefix##sqrt_##suffix(vector a);                                \
  vector prefix##fmadd_##suffix(vector a, vector b, vector c)
BOATHULL_VECTOR(_mm_, ps, __m128, float);
BOATHULL_VECTOR(_mm_, pd, __m128d, double);
BOATHULL_VECTOR(_mm256_, ps, __m256, float);
BOATHULL_VECTOR(_mm256_, pd, __m256d, double);
BOATHULL_VECTOR(_mm512_, ps, __m512, float);
BOATHULL_VECTOR(_mm512_, pd, __m512d, double);
#undef BOATHULL_VECTOR
#define _mm_prefetch(address, hint) ((void)0)
#define _MM_HINT_T0 1
void _mm_pause(void);
void *_mm_malloc(unsigned long size, unsigned long alignment);
void _mm_free(void *memory);
#endif
