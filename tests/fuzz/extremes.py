"""Short texts with an extreme in them: a number, a width, a size or a type that no compiler takes, or none should.

Written one per line; `{nines}` and its like stand for 5000 digits, and ¶ for the end of a line.
"""

LITERALS = r"""
0x1p1024L
0x1p99999999999
0x1p-99999999999
1e999999999
1e-999999999
1e999999999L
1e99999f
0x1.8p+1
0x.p1
0xp1
0x
0b
0b2
08
0x1p
1e
1e+
1.2.3
0x1.2
1.5fi
0x1p3fi
5i
1.0q
1e4000q
1.0df
1.0dd
1.0dl
1uuu
1lul
1llu
1LLLL
0xfffffffffffffffffffffffff
{nines}
0x{fs}
0b{ones}
0{sevens}
{nines}.0
1e{nines}
0.{nines}
0x1p{nines}
0x{nines}p0
{nines}u
{nines}e-5000
0x{fs}p0
'{as}'
'\x{fs}'
'\777'
''
'\'
'\q'
L'\xffffffffff'
u8'a'
U'\U00110000'
'\u12'
"{as}"[i]
"\x{fs}"[i]
L"a\xfffff"[i]
(int)1e999
(int)0x1p1024
(unsigned char)-1e300
(int)0x1p1024L
(int)1e400L
(long)1.5e
(int)1.0fi
(int)nan
1 << 99999
1 << -1
1 >> 999999999999
1ull << 64
1 / 0
1 % 0
1.0 / 0
0.0 / 0.0
(1 << 31) / -1
-9223372036854775807 - 2
(-9223372036854775807 - 1) / -1
(-9223372036854775807 - 1) % -1
9223372036854775807 * 9223372036854775807
(__int128)1 << 127
1e308 * 10
1e308 * 1e308 - 1e308 * 1e308
b[(long)1e18]
b[i * 9223372036854775807]
b[i << 62]
b[9223372036854775807 * i * i]
b[-9223372036854775807]
b[i / 0]
b[i % 0]
b[i / 1e9]
b[~0]
b[-1u]
b[18446744073709551615u + i]
sizeof(struct unknown)
sizeof(int[-1])
sizeof(int[1ul << 60][1ul << 60])
sizeof(void)
sizeof(f)
sizeof f()
sizeof(int[n])
sizeof(int[0])
_Alignof(struct unknown)
sizeof(sizeof(int))
sizeof "abc"[0]
__builtin_offsetof(struct unknown, x)
__builtin_offsetof()
offsetof(int, x)
__builtin_expect()
__builtin_expect(1)
__builtin_unpredictable()
__builtin_unpredictable(1, 2)
__builtin_prefetch()
__builtin_prefetch(1, 2, 3, 4)
__builtin_constant_p(i)
__builtin_choose_expr(1, 2, 3)
_Generic(i, int: 1)
_Generic(i)
({ 1; })
({ })
({ int x = i; x; })
i ?: 2
i ? : 2
&&l
*0
*&*&i
&i[a]
i[a]
0[a]
(a, b)[i]
i++ + ++i
f
*f
&f
(*f)(n, a, b)
f(f)
n()
a->x
a.x
a[i].x.y->z
(struct s){1}.x
(int[]){1, 2, 3}[i]
(int[0]){}[i]
(union u *)a
"""
"""Values in `a[i] = ...;`."""

BODIES = r"""
struct s { struct s a; };
struct s { struct s a; } x; x = x;
struct s { struct s a[2]; int x; } x; x.a[0].x = 1;
union u { union u a; } x; x.a.a.a = x;
struct s { struct t *p; }; struct t { struct s q; struct s *r; }; struct t x, y; x = y;
struct s { struct { struct s a; }; };
struct s { int x : ~0; };
struct s { int x : -1; } x; x.x = 1; n = x.x;
struct s { int x : 0; } x; x.x = 1;
struct s { int x : 99999; } x; x.x = 1; a[0] = x.x;
struct s { int x : 1 << 40; } x; x.x++;
struct s { int x : n; } x; x.x = 1;
struct s { double x : 3; } x; x.x = 1;
struct s { int : ~0; int y; } x; x.y = 1;
struct s { int x : 9223372036854775807; int y : 9223372036854775807; } x; x.y = 1;
struct s { unsigned x : ~0u; } x; x.x++;
struct s { struct s *x : 3; } x; x.x++;
struct s { int x : sizeof(struct s); } x; x.x++;
struct s { int x[sizeof(struct s)]; } x; x.x[0]++;
union u { int x : ~0; } x; x.x++;
struct s { _Bool x : 3; char y : 70; } x; x.x = x.y;
int x[~0]; x[0] = 1;
int x[-1]; x[0] = 1;
int x[1ul << 60]; x[n] = 1;
int x[1ul << 60][1ul << 60]; x[n][n] = 1;
char x[18446744073709551615u]; x[n]++;
int x[0]; x[n] = 1;
int x[n][0][m]; x[n][0][n] = 1;
struct s { int x[]; } y; y.x[n] = 1;
struct s { } x, y[3]; x = y[n];
struct s { int x[0]; } y[n]; y[n].x[n]++;
struct s x; x.a = 1;
struct s *x; x->a = *x;
struct s x[3]; x[n] = x[0];
void x; x = 1;
void x[3]; x[n] = x[0];
void *x; x[n] = *x;
enum e { A = A }; a[A] = 1;
enum e { A = B, B = A }; a[A] = B;
enum e { A = sizeof(enum e) }; a[A] = 1;
enum e { A = 1 << 99 }; a[A] = 1;
enum e { }; enum e x = 1;
enum e { A = 9223372036854775807, B, C }; a[C] = 1;
enum e { A = 18446744073709551615u, B }; a[B] = A;
enum e { A = n }; a[A] = 1;
enum e { A = ~0, B = -9223372036854775807 - 1 } x = B; a[x]++;
enum e x; x = A;
typedef t t; t x;
typedef struct t t; struct t { t x; }; t x; x = x.x;
typedef t u; typedef u t; t x; x++;
typedef int t[sizeof(t)]; t x; x[0]++;
typedef int t; t t = 1; t++;
typedef int (*t)(t); t x; x(x);
int x = x + 1; n = x;
int x[sizeof x]; x[0]++;
int x = sizeof x, y[x]; y[0]++;
typeof(x) x; x++;
typeof(typeof(x)) x; x++;
__auto_type x = x; x++;
int _Alignas(1 << 30) x; x++;
int x __attribute__((aligned(~0))); x++;
int x __attribute__((vector_size(~0))); x++;
int x __attribute__((vector_size(0))); x++;
int x __attribute__((aligned(0))); x++;
int x __attribute__((vector_size(1ul << 60))); x++;
struct s { int x; } __attribute__((aligned(-8))) y; y.x++;
struct s { char c; int x __attribute__((aligned(1ul << 63))); } y; y.x++;
int x __attribute__((mode(XX))); x++;
n = n++ + n++;
goto l; l: l: n++;
goto l;
l: goto l;
l: if (n--) goto l;
for (;;) { goto l; l: ; }
switch (n) { case 1 ... 1 << 30: n++; }
switch (n) { case ~0 ... 0: n++; case 3: case 3: n--; }
switch (n) { default: default: n++; }
switch (n) case 1: n++;
switch (n);
switch (n) { for (;;) { case 1: n++; } }
switch (1e999) { case 1: ; }
case 1: n++;
break;
continue;
return return;
return 1, 2;
for (;;);
while (1);
do n++; while (0);
do while (n) n--; while (n);
for (n; n; n) n;
for (int n = n; n < n; n += n) a[n] = n;
for (long k = 0; k < 9223372036854775807; k += 9223372036854775807) a[k]++;
for (unsigned k = 0; k < n; k += 4294967295u) a[k]++;
for (int k = 0; k < n; k += 0) a[k]++;
for (int k = 0; k < n; k <<= 99) a[k]++;
for (int k = 1; k < n; k *= 0) a[k]++;
for (int k = n; k; k /= 0) a[k]++;
for (double x = 0; x < 1e308; x += 1e-308) a[0]++;
for (float x = 0x1p1000f; x > 0; x /= 2) a[0]++;
for (char k = 0; k < 300; k++) a[k]++;
for (int k = 0; k < n; k += 9999999999999999999999) a[k]++;
for (_Bool k = 0; k < 2; k++) a[k]++;
for (int k = 0; k != -1; k += 2) a[k]++;
for (__int128 k = 0; k < (__int128)1 << 100; k++) a[k]++;
for (int k = 0; k < 1 << 31; k++) a[k]++;
for (int *q = 0; q < (int *)n; q++) *q = 0;
for (int k = 0; k < n; k++) for (int k = 0; k < k; k++) a[k]++;
for (int k = k; k < k; k = k) a[k] = k;
for (int k = 0, n = n; k < n; n = k++) a[k]++;
asm("" : : : "memory");
asm volatile ("nop" : "=r"(n) : "0"(n), "m"(*a));
asm goto ("" : : : : l); l: ;
__asm__();
;;;;;;
{}{}{{}}
int (*x)[n][n] = (void *)a; x[n][n][n]++;
int f(int), g(); f(g());
extern int x[]; x[n]++;
register int x; &x;
static int x[] = {[1 << 30] = 1}; x[n]++;
static int x[] = {[~0] = 1}; x[n]++;
static int x[] = {[1ul << 62] = 1, 2}; x[n]++;
static int x[3] = {[0 ... 1 << 30] = 1}; x[n]++;
int x[] = {}; x[n]++;
char x[] = "\"; x[n]++;
char x[3] = "\x"; x[n]++;
struct s { int x; } y = {.z = 1, .x.y = 2}; y.x++;
int x[2][2] = {{{{1}}}}; x[n][n]++;
memcpy(a, b, -1);
memset(a, 0, 1ul << 63);
memcpy();
malloc(-1);
double *x = malloc(1ul << 63); x[n]++;
double *x = calloc(-1, -1); x[n]++;
#pragma omp parallel for collapse(99999999999)¶
#pragma omp parallel for reduction(¶
#pragma pack(99999999999999999999)¶struct s { int x; } y; y.x++;
#pragma pack(0)¶#pragma pack(-3)¶#pragma pack(push, x, y, 3)¶#pragma pack(pop, 7)¶struct s { char c; int x; } y; y.x++;
#line 99999999999999999999¶
#line 0 ""¶
#if 1 / 0¶#endif¶
#if 1 << 999999999¶#endif¶
#if 99999999999999999999999999999¶#endif¶
#if 0x¶#elif¶#else¶#else¶#endif¶#endif¶
#define f f f¶f;¶
#define g(x) x x g(x)¶g(g(g(n)));¶
#define g(...) __VA_ARGS__ ## __VA_ARGS__¶g(a, b);¶
#include __FILE__¶
#include¶
#include ""¶
#include <
#
##
\¶\¶
/*
// \¶
'
"
((((
))))
[[[[
}}}}
@
$
`
␁
␡
é中 = 1;
??=
<% int x<:3:>; %>
n = 1 ? 2;
a[] = 1;
a[i;
"""
"""What stands before a loop, or at file scope."""

_SHORT = {"nines": "9", "fs": "f", "ones": "1", "sevens": "7", "as": "a"}
_SIGNS = str.maketrans({"¶": "\n", "␁": "\x01", "␡": "\x7f"})
_LOOP = "for (int i = 0; i < n; i++) a[i] = §;"
_HEAD = "void f(int n, double *a, const double *b)"


def _lines(text: str) -> list[str]:
    for name, digit in _SHORT.items():
        text = text.replace(f"{{{name}}}", 5000 * digit)
    return [line.translate(_SIGNS) for line in text.strip().split("\n")]


def texts() -> list[str]:
    """All of them, each body within the function and at file scope."""
    plain = _LOOP.replace("§", "b[i]")
    values = [f"{_HEAD} {{ {_LOOP.replace('§', value)} }}\n" for value in _lines(LITERALS)]
    inside = [f"{_HEAD} {{ {body} {plain} }}\n" for body in _lines(BODIES)]
    return values + inside + [f"{body}\n{_HEAD} {{ {plain} }}\n" for body in _lines(BODIES)]
