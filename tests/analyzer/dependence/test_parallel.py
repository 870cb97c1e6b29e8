"""Small loops and the answer for each: `yes` and what it rests on, `no` and the distance, `unknown` and why."""

# ruff: noqa: E501 -- a row of a table is one line

from functools import cache

import pytest
from msgspec.structs import replace

from analyzer.facts.loop import Verdict

from .answers import answer, answers_of_all, summary

I = "for (int i = 0; i < n; i++)"  # noqa: E741
J = "for (int j = 0; j < m; j++)"
FIXED_I = "for (int i = 0; i < 100; i++)"
FIXED_J = "for (int j = 0; j < 200; j++)"

W = "(int)(c->x * g->n)"
ROWS = f"for (int j = 0; j < {W}; j++) r[w * i + j] = 0;"

ROUNDED = [  # one integer made of a number in memory, before the loop and in it
    ("yes bound-invariant(c->x)", f"int w = {W}; {I} {{ {ROWS} }}"),
    ("yes bound-invariant(c->x)", f"int w = c->x * g->n; {I} {{ {ROWS} }}"),
    ("yes bound-invariant(c->x)", f'int w = {W}; printf("%d", w); {I} {{ {ROWS} }}'),
    ("yes bound-invariant(c->x) params-distinct(a,c) params-distinct(a,g)", f"int w = {W}; {I} {{ a[i] = 0; {ROWS} }}"),
    ("unknown non-affine-access *", f"int w = {W}; c->x = s; {I} {{ {ROWS} }}"),
    ("unknown non-affine-access *", f"int w = {W}; ext(); {I} {{ {ROWS} }}"),
    ("unknown non-affine-access *", f"int w = {W}; a[3] = s; {I} {{ {ROWS} }}"),  # perhaps c->x
    ("unknown non-affine-access *", f"int w = {W}; ((double _Complex *)a)[3] = s; {I} {{ {ROWS} }}"),
    ("yes bound-invariant(c->x)", f"int w = {W}; x[3] = s; {I} {{ {ROWS} }}"),  # a float
    ("no carried-dependence *", f"int w = {W}; {I} {{ {ROWS} c->x = i; }}"),
    ("unknown non-affine-access *", f"int w = {W}; a[3] = s; int v = {W}; {I} r[i * (w - v + 1)] = i;"),
    ("yes", f"int w = {W}; q[3] = 4; x[3] = s; int v = (int)(c->x * g->n + 0 * k); {I} r[i * (v - v + 1)] = i;"),
]

SUBSCRIPTS = [
    ("yes", f"{I} a[i] = a[i] + 1;"),
    ("no carried-dependence 1", "for (int i = 1; i < n; i++) a[i] = a[i - 1];"),
    ("no carried-dependence 1", "for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];"),
    ("no carried-dependence 1", "for (int i = n; i > 0; i--) a[i] = a[i - 1];"),
    ("no carried-dependence 3", "for (int i = 3; i < n; i++) a[i] = a[i - 3];"),
    ("no carried-dependence 2", "for (int i = 0; i < n; i += 2) a[i + 4] = a[i];"),
    ("yes", "for (int i = 0; i < n; i += 2) { a[i] = 0; a[i + 1] = a[i]; }"),
    ("yes", f"{I} a[i] = a[i + n];"),
    ("no carried-dependence k", f"{I} a[i] = a[i + k];"),
    ("yes", f"{I} if (i < k) a[i] = a[i + k];"),
    ("no carried-dependence k", f"{I} if (i >= k) a[i] = a[i - k];"),
    ("no carried-dependence *", f"{I} a[i] = a[n - i];"),
    ("yes", "for (int i = 0; i < n / 2; i++) a[i] = a[n - 1 - i];"),
    ("yes", f"{I} a[2 * i] = a[2 * i + 1];"),
    ("no carried-dependence 1", f"{I} a[2 * i] = a[2 * i + 2];"),
    ("no carried-dependence *", f"{I} a[2 * i] = a[i];"),
    ("no carried-dependence *", f"{I} r[i] += r[k];"),
    ("yes", "for (int i = 0; i < k; i++) r[i] += r[k];"),
    ("no carried-dependence 1", f"{I} {{ a[i] = 1; a[i + 1] = 2; }}"),
    ("no carried-dependence 1", f"{I} {{ r[i] = b[i]; b[i] = r[i + 1]; }}"),
    ("yes", f"{I} if (i < k) a[i] = 0; else a[i] = a[i] + 1;"),
    ("yes", "for (int i = 0; i < 1; i++) a[i] = a[i - 1];"),
    ("yes", "for (int i = k; i < k + 1; i++) a[i] = a[i - 1];"),
]

WRAPPING = [
    ("unknown non-affine-access", f"{I} r[(unsigned)i * 2654435761u >> 20] = b[i];"),  # wraps, and is meant to
    ("no carried-dependence *", f"{I} r[(unsigned char)i] = b[i];"),
    ("yes", "for (int i = 0; i < 256; i++) r[(unsigned char)i] = b[i];"),
    ("no carried-dependence *", "for (int i = 0; i < 257; i++) r[(unsigned char)i] = b[i];"),
    ("no carried-dependence *", f"{I} r[i % 4] = b[i];"),
    ("yes", "for (int i = 0; i < 4; i++) r[i % 4] = b[i];"),
    ("no carried-dependence *", f"{I} r[i / 2] = b[i];"),
    ("yes", "for (int i = 0; i < n; i += 2) r[i / 2] = b[i];"),
    ("no carried-dependence *", f"{I} r[i & 7] = b[i];"),
    ("no carried-dependence *", "for (int i = -5; i < 4; i++) r[i / 4 + 1] = b[i + 5];"),
    ("yes last(r)", "for (int i = -3; i < 4; i++) r[i / 4 + 1] = b[i + 3];"),
    ("yes", "for (unsigned i = 0; i < u; i++) a[i] = 0;"),
    ("yes no-overflow(i * 3u)", "for (unsigned i = 0; i < u; i++) r[i * 3u] = b[i];"),
    ("unknown non-affine-access", "for (unsigned i = 0; i < u; i++) r[i * 65536u * 65536u] = b[i];"),
    ("yes no-overflow(i + k)", "for (unsigned i = 0; i < u; i++) a[i + k] = 0;"),
    ("yes no-overflow((u - 1u) + i)", "for (unsigned i = 0; i < u % 8u; i++) a[u - 1u + i] = 0;"),  # never runs often
    # the step jumps over the bound and past the end of the type: the loop goes on from the other end
    ("unknown carried-dependence *", "for (unsigned char i = 0; i < 253; i += 10) a[i / 10] = i;"),
    ("unknown unknown-trip-count", "for (unsigned char i = 200; i > 0; i -= 3) a[i] = 0;"),
    ("unknown unknown-trip-count", "for (short i = 0; i < 32760; i += 100) a[i] = 0;"),
    ("yes", "for (unsigned char i = 0; i < 250; i += 10) a[i] = 0;"),
    ("yes no-overflow(i)", "for (unsigned i = 0; i < u; i += 10) a[i] = 0;"),
    ("yes no-overflow(i)", "for (unsigned i = 0; i <= u; i++) a[i] = 0;"),
    ("yes", "for (unsigned i = u; i-- > 0;) a[i] = 0;"),
    ("yes", "for (unsigned i = 0; i + 3 < u; i += 4) a[i] = 0;"),
    ("yes", "unsigned i = 0; do { a[i] = 0; i++; } while (i < u);"),
    ("yes", "for (int i = 0; i <= u; i++) a[i] = 0;"),  # i is signed: it does not overflow
    # modulo 2^w, `i - m` may be anything as long as the sum is in range; half of it may not
    ("yes no-overflow((i - m) + u)", f"{I} a[i - m + u] = 0;"),
    ("yes no-overflow(i - u)", "for (int i = 0; i < n; i += 2) r[(i - u) / 2 + u] = 0;"),
]

PRODUCTS = [  # answers for the inner loop: what is row 0 as against all others
    ("* | yes", f"{I} {J} r[i * m + j] = i - r[j];"),  # 0 <= j < m: only in row 0, and there only with j itself
    ("no carried-dependence * | no carried-dependence *", f"{I} {J} r[i * m + j] = i - r[j + 1];"),
    ("* | yes *:r[i] fp-reorder(r[i])", f"{I} for (int j = 1; j <= m; j++) r[i] *= 2 - r[i * m + j];"),
    ("* | yes", "for (int i = 0; i < n; i += 2) for (int j = 0; j < m; j++) r[i + j] += r[i * m + j];"),
    ("* | yes", "for (long i = m; i-- > 0;) for (int j = 1; j < m; j++) r[i * m + j] -= r[j];"),
    ("* | unknown non-affine-access *", f"{I} {J} r[i * k + j] = r[j];"),
]

WALKING = [  # answers for the inner loop
    ("* | yes params-distinct(a,b)", f"double *p = a, *e = b + 3; {I} {J} *p++ = *e++;"),
    ("* | yes params-distinct(V,b)", f"double *p = V; {I} {{ {J} {{ *p = b[j]; p += 2; }} p -= m; }}"),
    ("* | yes params-distinct(a,b)", f"{I} {J} *a++ = *b++;"),
    ("no carried-dependence * | no carried-dependence n", f"double *p = a, *e = a + n; {I} {J} *p++ = *e++;"),
    ("* | unknown may-alias *", f"double *p = a; {I} {{ if (i == 3) p = b; {J} *p++ = *b++; }}"),
    ("* | yes params-distinct(W,a) params-distinct(W,b)", f"double *p = a; {I} {{ if (ok) p = b; {J} *p++ = W[j]; }}"),
    ("* | yes params-distinct(b,g->d)", f"double *p = a; {I} {{ p = g->d; {J} *p++ = b[j]; }}"),
    ("* | no carried-dependence 1", f"double *p = a, **h = &p; {I} {{ *h = b + 1; {J} *p++ = b[j]; }}"),
]

POINTERS = [
    ("yes params-distinct(R,S) rows-distinct(R) rows-distinct(S)", f"{I} R[0][i] = S[0][i];"),
    ("yes params-distinct(R,b) rows-distinct(R)", f"{I} R[i][0] = b[i];"),
    # buffers that are parameters, exchanged
    ("no carried-dependence 1 | yes params-distinct(a,b)", f"for (int t = 0; t < k; t++) {{ {I} a[i] = b[i + 1]; double *z = a; a = b; b = z; }}"),
    (
        "no carried-dependence 1 | unknown may-alias *",
        f"b = a + 1; for (int t = 0; t < k; t++) {{ {I} a[i] = b[i + 1]; double *z = a; a = b; b = z; }}",
    ),
    # the test of the inner loop reads g->n behind every store: a double was not stored there
    ("yes | yes", "for (int i = 0; i < 9; i++) for (int j = 0; j < g->n; j++) g->d[i * g->n + j] = 0;"),
    ("yes rows-distinct(g->d)", f"{I} g->d[i] = g->n;"),
    ("yes &&:ok", "for (int i = 0; i < 256; i++) ok = ok && H[i]; q[0] = ok;"),
    ("yes &&:ok in-bounds(H)", f"{I} ok = ok && H[i]; q[0] = ok;"),
]

STEADY = [  # sizes in memory, read again in every iteration
    ("yes", "for (int i = 0; i < k; i++) for (int j = 0; j < g->n; j++) *a++ = 1;"),
    ("yes", "int c = 0; for (int i = 0; i < k; i++) for (int j = 0; j < g->n; j++) g->d[c++] = 1;"),
    ("yes params-distinct(a,g)", "for (int i = 0; i < k; i++) { int w = g->n; for (int j = 0; j < w; j++) *a++ = 1; }"),
    ("yes", "for (int i = 0; i < k; i++) for (int j = 0; j < idx[0]; j++) *a++ = 1;"),
    ("yes bound-invariant(g->n)", "int *p = g->idx; for (int i = 0; i < k; i++) for (int j = 0; j < g->n; j++) *p++ = 1;"),
    ("yes bound-invariant(g->n) params-distinct(g,q)", "for (int i = 0; i < k; i++) for (int j = 0; j < g->n; j++) *q++ = 1;"),
    ("yes bound-invariant(g->n) params-distinct(g,t)", "for (int i = 0; i < k; i++) for (int j = 0; j < g->n; j++) *t++ = 1;"),
    ("unknown carried-dependence 1", "for (int i = 0; i < k; i++) { for (int j = 0; j < g->n; j++) *a++ = 1; g->n--; }"),
    ("unknown carried-dependence 1", "int *p = &g->n; for (int i = 0; i < k; i++) { for (int j = 0; j < g->n; j++) *a++ = 1; *p = i; }"),
    ("unknown carried-dependence 1", "for (int i = 0; i < k; i++) { for (int j = 0; j < z->i; j++) *a++ = 1; z->f = i; }"),
    ("unknown unknown-call", "for (int i = 0; i < k; i++) { for (int j = 0; j < g->n; j++) *a++ = 1; ext(); }"),
    ("unknown carried-dependence *", "for (int i = 0; i < k; i++) for (int j = 0; j < idx[i]; j++) *a++ = 1;"),
    ("unknown carried-dependence *", "for (int i = 0; i < k; i++) { for (int j = 0; j < c->n; j++) *a++ = 1; c++; }"),
    ("unknown non-affine-access *", "for (int i = 0; i < k; i++) { *a = i; a += g->n; }"),  # may be 0
    ("no carried-dependence 1", "for (int i = 0; i < k; i++) { *a = 1; a += idx[i]; }"),
]

CERTAIN = [  # conditions that always hold assign for certain
    ("yes private(t)", f"double t = 3; {I} {{ if (i >= 0) t = i; r[i] = t; }}"),
    ("yes last(t)", "double t = 3; for (int i = 0; i < n; i += 3) if (i != 1) t = a[i]; r[0] = t;"),
    ("unknown carried-dependence *", "double t = 3; for (int i = 0; i < n; i += 3) if (i != 3) t = a[i]; r[0] = t;"),
]

NESTS = [
    ("yes | yes", f"{FIXED_I} {FIXED_J} A[i][j] = B[i][j];"),
    ("yes in-bounds(A) | yes", f"{FIXED_I} {J} A[i][j] = 0;"),
    ("yes | no carried-dependence 1", f"{FIXED_I} for (int j = 1; j < 200; j++) A[i][j] = A[i][j - 1];"),
    ("no carried-dependence 1 | yes", "for (int i = 1; i < 100; i++) for (int j = 0; j < 199; j++) A[i][j] = A[i - 1][j + 1];"),
    ("no carried-dependence * | yes", f"{FIXED_I} for (int j = 0; j < 100; j++) A[i][j] = A[j][i];"),
    ("yes | yes", f"{FIXED_I} for (int j = 0; j < i; j++) A[i][j] = A[j][i];"),
    ("yes | yes", "for (int i = 0; i < 50; i++) for (int j = 0; j < 100; j++) A[2 * i][j] = A[2 * i + 1][j];"),
    ("yes | yes", f"{I} for (int j = 0; j < n; j++) a[i * n + j] = 0;"),
    # a stride says nothing of rows (with the condition that it is long enough: `test_conditions`)
    ("unknown non-affine-access * | yes", f"{I} {J} a[i * n + j] = 0;"),
    ("unknown non-affine-access * | yes", f"{I} for (int j = 1; j < k; j++) a[i * m + j] -= a[i * m];"),
    ("unknown non-affine-access * | yes", f"{I} {{ a[i * m] = 1; for (int j = 1; j < k; j++) a[i * m + j] -= a[i * m]; }}"),
    ("no carried-dependence * | *", f"{I} for (int j = 1; j < k; j++) a[i * m + j] -= a[i * m + 3];"),
    ("no carried-dependence 1 | yes", f"{I} for (int j = 0; j < k; j++) a[i * m + j] -= a[i * m - 1];"),
    ("unknown non-affine-access * | yes", f"{I} for (int j = 0; j < k; j++) a[i * m - i + j] = j;"),
    ("unknown non-affine-access * | yes", f"int q = 0; {I} {{ for (int j = 0; j < k; j++) a[q] = j, q++; q--; }}"),
    ("yes | yes", f"int q = 0; {I} for (int j = 0; j < k; j++) a[q++] = j;"),
    ("unknown non-affine-access *", f"{I} a[i * m] = i;"),
    ("unknown non-affine-access *", "for (int i = 2; i < 7; i++) a[i * m] = a[i];"),
    ("unknown non-affine-access *", f"{I} a[i * m + 2] = i;"),  # m may be 0: that is no row
    ("yes in-bounds(a)", f"{I} a[i * m + k] = 0;"),  # a column that the code names
    ("unknown non-affine-access *", f"{I} a[i * m - k] = i;"),
    # tiles: with their own end, and where they fit
    (
        "yes | yes | yes | yes",
        "for (int y = 0; y < n; y += 8) for (int x = 0; x < m; x += 8)"
        " for (int i = y; i < y + 8 && i < n; i++) for (int j = x; j < x + 8 && j < m; j++) a[i * m + j] += i;",
    ),
    (
        "yes in-bounds(a) | yes in-bounds(a) | yes in-bounds(a) | yes",
        "for (int y = 0; y < n; y += 8) for (int x = 0; x < m; x += 8)"
        " for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) a[(y + i) * m + x + j] = i + y;",
    ),
    ("no carried-dependence *", "for (int x = 0; x < m; x += 8) for (int j = 0; j < 9; j++) a[x + j] = x;"),
    # red and black: a row reads what its neighbours do not write
    (
        "yes | yes",
        "for (int i = 1; i < n - 1; i++) for (int j = 1 + (i + k) % 2; j < n - 1; j += 2)"
        " a[i * n + j] = a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1];",
    ),
    (
        "no carried-dependence 1 | yes",
        "for (int i = 1; i < n - 1; i++) for (int j = 1 + k % 2; j < n - 1; j += 2)"
        " a[i * n + j] = a[(i - 1) * n + j];",
    ),
    ("unknown non-affine-access *", f"int d = 1; {I} {{ d += m; a[d] = i; }}"),
    ("yes | yes", f"{I} {J} r[i * m + j] = b[j * n + i];"),
    ("no carried-dependence 1 | yes", f"for (int i = 1; i < n; i++) {J} a[i * m + j] = a[(i - 1) * m + j];"),
    ("no carried-dependence * | yes", f"{I} {J} r[i + j] = b[i];"),
    ("no carried-dependence * | no carried-dependence 1", f"{I} for (int j = 0; j < n; j++) a[i * n + j] = a[i * n + j + 1] + i;"),
    ("yes | yes", f"{FIXED_I} {FIXED_J} ((double *)A)[i * 200 + j] = A[i][j];"),
    ("no carried-dependence *", f"{FIXED_I} ((double *)A)[200 * i + 1] = A[i / 2][1] + i;"),
]

TWO_TABLES = f"double **p = malloc(80), **e = malloc(80); {I} {{ p[i] = malloc(80); e[i] = malloc(80); }}"
P_OF_E = f"{I} p[0][i] = e[0][i + 1];"
TWO_OF_ITS_OWN = "double *p[2] = {malloc(80), malloc(80)}, *e[1]; e[0] = malloc(80);"

OBJECTS = [
    (
        "yes | yes rows-distinct(p)",
        f"double **p = malloc(80), **e = malloc(80); {I} {{ p[i] = malloc(80); e[i] = malloc(80); }}"
        f" {I} p[i][k] = e[i][k + 1];",
    ),
    ("yes | yes", f"{TWO_TABLES} {P_OF_E}"),
    ("yes | yes rows-distinct(e) rows-distinct(p)", f"{TWO_TABLES} double **w = p, **v = e; show(&w, &v); {P_OF_E}"),
    ("yes | unknown may-alias *", f"{TWO_TABLES} double **w = p, ***u = k ? &w : f(); (*u)[0] = e[0]; {P_OF_E}"),
    (
        "yes | yes rows-distinct(e) rows-distinct(p)",
        f"{TWO_TABLES} struct {{ double **d; }} w = {{p}}, v = {{e}}; show(&w, &v); {P_OF_E}",
    ),
    ("yes", f"{TWO_OF_ITS_OWN} {P_OF_E}"),
    (  # what T[0] leads to was allocated in the inner loop, when that ran before
        "no carried-dependence 1 | unknown may-alias *",
        "double *T[9]; T[0] = malloc(80); for (int l = 0; l < m; l++) { for (int i = 0; i < 8; i++) {"
        " double *f[1]; f[0] = T[0]; T[i + 1] = malloc(80); f[0][3] = i; } T[0] = T[4]; }",
    ),
    ("yes rows-distinct(e) rows-distinct(p)", f"{TWO_OF_ITS_OWN} double **w = p, **v = e; show(&w, &v); {P_OF_E}"),
    (
        "yes rows-distinct(e) rows-distinct(p)",
        f"{TWO_OF_ITS_OWN} S[0] = (double *)p; S[1] = (double *)e; ext(); {P_OF_E}",
    ),
    ("yes params-distinct(a,b)", f"{I} a[i] = b[i];"),
    ("yes", f"{I} r[i] = b[i];"),
    ("yes params-distinct(a,q)", f"{I} a[i] = q[i];"),
    ("yes params-distinct(V,a)", f"{I} V[i] = a[i];"),
    ("yes", f"{I} V[i] = W[i];"),
    ("yes params-distinct(a,t)", f"{I} a[i] = t[i];"),
    ("yes rows-distinct(R)", f"{I} R[i][k] = 0;"),
    ("yes params-distinct(R,S) rows-distinct(R) rows-distinct(S)", f"{I} R[i][k] = S[k][i];"),
    ("yes members-distinct(g)", f"{I} g->d[i] = g->e[i];"),
    ("yes rows-distinct(g->d)", f"{I} g->d[i] = g->idx[i];"),
    ("yes", "for (int i = 0; i < g->n; i++) g->d[i] = 0;"),
    ("yes bound-invariant(g->n)", "for (int i = 0; i < g->n; i++) g->idx[i] = 0;"),
    ("yes", f"{I} c[i].x = c[i].y;"),
    ("yes", f"{I} c[i].x = c[i + 1].y;"),
    ("no carried-dependence 1", f"{I} c[i].x = c[i + 1].x;"),
    ("yes in-bounds(g->v) in-bounds(g->w)", f"{I} g->v[i] = g->w[i];"),
    ("yes", "for (int i = 0; i < 8; i++) g->v[i] = g->w[i];"),
    ("yes", f"{I} {{ c[i].lo = 1; c[i].hi = 2; }}"),
    ("yes", f"{I} z[i].i = z[i].f;"),
    ("no carried-dependence 1", "for (int i = 1; i < n; i++) z[i].i = z[i - 1].f;"),
    ("no carried-dependence 1", f"{I} {{ x[i] = i; ((int *)x)[i + 1] = 7; }}"),
    ("yes params-distinct(G,q) params-distinct(idx,q)", f"{I} q[i] = idx[i] + G;"),
    ("yes", "double *p = a; for (int i = 0; i < n; i++) *p++ = 0;"),
    ("yes params-distinct(a,b)", f"double *p = a, *e = b; {I} *p++ = *e++;"),
    ("no carried-dependence 1", f"double *p = a, *e = b; {I} {{ p[i] = e[i]; double *w = p; p = e; e = w; }}"),
    ("no carried-dependence 1", f"{I} {{ double *w = g->d; g->d = g->e; g->e = w; }}"),
    ("yes", f"{I} {{ double *w = malloc(80); w[0] = b[i]; r[i] = w[0]; free(w); }}"),
    ("no carried-dependence k", f"double *p = a + k; {I} a[i] = p[i];"),
    ("yes", f"double *p = a + n; {I} a[i] = p[i];"),
    ("unknown may-alias", f"int w = 0; int *p = k ? &w : idx; {I} {{ p[i] = i; r[i] = w; }}"),
    ("unknown may-alias *", f"{I} {{ double *p = (i & 1) ? a : b; p[i] = i; }}"),
    ("unknown may-alias *", f"{I} {{ R[0] = R[1]; R[0][i] = 1; }}"),
    ("unknown may-alias *", f"double *rows[2]; rows[0] = a; rows[1] = a; for (int i = 0; i < 2; i++) {J} rows[i][j] = i;"),
    ("yes rows-distinct(g->d)", f"{I} g[i].d[0] = i;"),
    ("yes in-bounds(g->v) | yes bound-invariant(g[i].n)", f"{I} for (int j = 0; j < g[i].n; j++) g[i].v[j] = 0;"),
    ("yes bound-invariant(g->n) params-distinct(g,t)", "for (int i = 0; i < g->n; i++) t[i] = 0;"),
    ("no carried-dependence 1", f"{I} c[i] = c[i + 1];"),
    ("unknown side-effect", f"double *w = malloc(80); {I} {{ r[i] = 1; free(w); }}"),
]

INDIRECT = [
    ("unknown non-affine-access *", f"{I} r[idx[i]] = i;"),
    ("yes +:r[] fp-reorder(r)", f"{I} r[idx[i]] += b[i];"),
    ("yes +:H[] params-distinct(H,idx)", f"{I} H[idx[i]]++;"),
    ("yes", f"{I} r[i] = b[idx[i]];"),
    ("unknown non-affine-access *", f"{I} {{ H[idx[i]]++; H[i] = 0; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (i < n - 1) H[i >> 2] -= i; else H[3 * i + 2] = b[i]; }}"),
    ("unknown carried-dependence *", f"{I} {{ H[2] -= q[i]; H[(i + 1) % 2] &= 1 + i; }}"),  # elements apart, one array
    ("unknown carried-dependence *", f"{I} H[q[i] & 7] += H[9];"),
    ("unknown non-affine-access *", f"{I} {{ H[idx[i]]++; k += H[idx[i]] > 5; }} return k;"),
    ("unknown non-affine-access *", f"{I} a[i] = a[idx[i]];"),
    ("unknown non-affine-access *", f"{I} r[idx[i]] = b[i] + r[idx[i + 1]];"),
    ("yes max:r[]", f"{I} if (b[i] > r[idx[i]]) r[idx[i]] = b[i];"),
    ("unknown non-affine-access *", f"{I} q[idx[i]] += b[i];"),
    ("yes +:r[] fp-reorder(r)", f"{I} {{ r[idx[i]] += b[i]; r[0] -= 1; }}"),
    ("unknown non-affine-access * | yes", f"{I} for (int j = q[i]; j < q[i + 1]; j++) r[j] = i;"),
    ("yes private(s) | yes +:s fp-reorder(s)", f"{I} {{ s = 0; for (int j = q[i]; j < q[i + 1]; j++) s += a[j]; r[i] = s; }}"),
]

SCALARS = [
    ("yes private(s)", f"{I} {{ s = b[i]; r[i] = s; }}"),
    ("yes last(s)", f"{I} {{ s = b[i]; r[i] = s; }} return s;"),
    ("yes", f"{I} {{ r[i] = s; s = b[i]; }}"),  # it is b[i - 1]
    ("no carried-dependence *", f"{I} {{ if (b[i] > 0) s = b[i]; r[i] = s; }}"),
    ("yes private(s)", f"{I} {{ if (b[i] > 0) {{ s = b[i]; r[i] = s; }} }}"),
    ("no carried-dependence *", f"{I} {{ if (b[i] > 0) {{ s = b[i]; r[i] = s; }} }} return s;"),
    ("yes private(s)", f"{I} {{ if (b[i] > 0) s = 1; else s = 2; r[i] = s; }}"),
    ("yes private(s)", f"{I} {{ s = b[i]; r[i] = s; }} s = 1; return s;"),
    ("yes last(s)", f"{I} {{ s = b[i]; r[i] = s; }} if (k) s = 1; return s;"),
    ("yes private(s) last(r) | yes private(s)", f"for (int l = 0; l < k; l++) {{ s = 0; {I} {{ s = b[i]; r[i] = s; }} }}"),
    ("yes first(w)", f"int w; {I} {{ {J} w = j; r[i] = w; }}"),
    ("yes private(w)", f"int w; {I} {{ for (int j = 0; j < 5; j++) w = j; r[i] = w; }}"),
    ("yes private(w)", f"int w; {I} {{ int j = 0; do {{ w = j; }} while (++j < m); r[i] = w; }}"),
    ("yes private(j)", f"int j; {FIXED_I} for (j = 0; j < 200; j++) A[i][j] = 1;"),
    ("no carried-dependence *", f"int j = 0; {I} if (b[i] > 0) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if (idx[i] & 12) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if (!(idx[i] & 8)) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if ((t[i] & 6) == 6) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if (m & idx[i]) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if ((t[i] & k) == 0) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if (t[i] & 256) r[j++] = b[i];"),  # where it is below 0
    ("unknown carried-dependence *", f"int j = 0; {I} if (c[i].lo & 16) r[j++] = b[i];"),
    ("unknown carried-dependence *", f"int j = 0; {I} if ((idx[i] & 6) == 6 && !(idx[i] & 2)) r[j++] = b[i];"),
    ("no carried-dependence *", f"int j = 0; {I} if (my_lookup(i) != 0) r[j++] = b[i];"),
    ("yes", f"int j = 0; {I} {{ r[j] = b[i]; j += 2; }}"),
    ("yes last(G) params-distinct(G,idx)", f"{I} {{ G = idx[i]; r[i] = G; }}"),
    ("no carried-dependence *", f"double *p = a; {I} if (b[i] > 0) *p++ = b[i];"),
    ("no carried-dependence *", f"{I} {{ switch (idx[i]) {{ case 1: s = 1; break; case 2: s = 2; }} r[i] = s; }}"),
    ("yes first(s) last(s)", f"{I} {{ {J} s = b[j]; }} return s;"),
    ("yes", "for (int i = 0, w = 0; i < n; i++) { r[i] = w; w = idx[i]; }"),  # it is idx[i - 1]
    ("yes", f"{I} {{ double w = b[i]; r[i] = w * w; }}"),
    ("yes", f"{I} {{ double w; if (b[i] > 0) w = b[i]; if (b[i] > 0) r[i] = w; }}"),
]

REDUCTIONS = [
    ("yes +:s fp-reorder(s)", f"{I} s += a[i]; return s;"),
    ("yes +:s fp-reorder(s)", f"{I} s = s + a[i] * b[i] - 1; return s;"),
    ("yes +:s fp-reorder(s)", f"{I} {{ s += a[i]; s -= b[i]; }} return s;"),
    ("yes +:s fp-reorder(s)", f"{I} if (a[i] > 0) s += a[i]; return s;"),
    ("yes *:s fp-reorder(s)", f"{I} s *= a[i]; return s;"),
    ("no carried-dependence 1", f"{I} {{ s += a[i]; s *= b[i]; }} return s;"),
    ("no carried-dependence 1", f"{I} s = a[i] - s; return s;"),
    ("no carried-dependence 1", f"{I} s /= a[i]; return s;"),
    ("no carried-dependence 1", f"{I} {{ s += a[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} if (s < 100) s += a[i]; return s;"),
    ("yes max:s", f"{I} if (a[i] > s) s = a[i]; return s;"),
    ("yes min:s", f"{I} if (a[i] < s) s = a[i]; return s;"),
    ("yes max:s", f"{I} if (s <= a[i]) s = a[i]; return s;"),
    ("yes min:s", f"{I} s = a[i] > s ? s : a[i]; return s;"),
    ("yes max:s", f"{I} s = fmax(s, fabs(a[i])); return s;"),
    ("yes max:s", f"{I} if (b[i] > 0 && a[i] > s) s = a[i]; return s;"),
    ("no carried-dependence *", f"{I} if (a[i] > s) s = a[i] + 1; return s;"),
    ("no carried-dependence *", f"{I} if (a[i] > s) s = b[i]; return s;"),
    ("yes", f"{I} if (a[i] > s) {{ s = a[i]; k = i; }} return k;"),
    ("no carried-dependence *", f"{I} {{ if (a[i] > s) s = a[i]; else k++; }} return k;"),
    ("unknown carried-dependence *", f"{I} {{ if (a[i] > s) s = a[i]; if (a[i] < s) s = a[i]; }} return s;"),
    ("yes +:k", f"{I} if (a[i] > 0) k++; return k;"),
    ("yes +:k", f"{I} k++; return k;"),
    ("yes &&:ok in-bounds(a)", f"{I} ok = ok && a[i] > 0; return ok;"),
    ("yes ||:ok in-bounds(a)", f"{I} ok = ok || a[i] > 0; return ok;"),
    ("unknown non-affine-access *", "for (int i = 0; i < n; i += m) for (int j = 0; j < 4; j++) r[i + j] = i;"),
    ("yes", "if (m >= 4) for (int i = 0; i < n; i += m) for (int j = 0; j < 4; j++) r[i + j] = i;"),
    ("yes", "for (int i = 0; i < n; i += m) for (int j = 0; j < m; j++) r[i + j] = i;"),
    ("unknown non-affine-access *", f"{I} for (int j = 0; j < 4; j++) r[i * m + j] = i;"),
    ("unknown non-affine-access *", f"double *p = r; {I} {{ for (int j = 0; j < 4; j++) p[j] = i; p += m; }}"),
    ("unknown non-affine-access *", f"{I} {{ r[i * m] = 1; r[i * m + 1] = 2; r[i * m + 2] = 3; }}"),
    ("yes", f"if (m > 2) {I} {{ r[i * m] = 1; r[i * m + 1] = 2; r[i * m + 2] = 3; }}"),
    ("yes +:c[] fp-reorder(c) params-distinct(a,c) params-distinct(c,idx)", f"{I} {{ c[idx[i]].n += 1; c[idx[i]].x += a[i]; }}"),
    ("yes +:c[] fp-reorder(c) params-distinct(a,c) params-distinct(c,idx)", f"{I} {{ c[idx[i]].x += a[i]; c[idx[i]].n += 1; }}"),
    ("yes +:c[] params-distinct(c,idx)", f"{I} {{ c[idx[i]].n += 1; c[idx[i]].n -= k; }}"),
    ("unknown carried-dependence *", f"{I} {{ c[idx[i]].n += 1; c[idx[i]].x *= a[i]; }}"),
    ("yes ||:ok in-bounds(idx) in-bounds(q)", f"{I} ok = ok || (idx[i] && q[i] / idx[i]); return ok;"),
    ("yes ||:ok in-bounds(q)", f"{I} if (idx[i] < 0) ok = ok || q[i] % idx[i]; return ok;"),
    ("yes ||:ok in-bounds(q)", f"{I} if (!(idx[i] == 0 || q[i] < 3)) ok = ok || q[i] % idx[i]; return ok;"),
    ("yes ||:ok in-bounds(q)", f"{I} ok = ok || q[i] / (i + 1) > 2; return ok;"),
    ("yes ||:ok in-bounds(q)", f"{I} ok = ok || q[i] / 3 > 2; return ok;"),
    ("yes ||:ok in-bounds(q)", f"{I} ok = ok || 9 / (q[i] | 1) > 2; return ok;"),
    ("unknown carried-dependence *", f"{I} ok = ok || q[i] / i > 2; return ok;"),
    ("unknown carried-dependence *", f"{I} ok = ok || q[i] / idx[i]; return ok;"),
    ("unknown carried-dependence *", f"{I} ok = ok || (q[i] && q[i] / idx[i]); return ok;"),
    ("unknown carried-dependence *", f"{I} if (idx[i] >= 0) ok = ok || q[i] % idx[i]; return ok;"),
    ("unknown carried-dependence *", f"{I} if (idx[i]) {{ idx[i] = m; ok = ok || q[i] % idx[i]; }} return ok;"),
    ("unknown carried-dependence *", f"{I} ok = ok && (idx[i] || q[i] % idx[i]); return ok;"),
    ("unknown carried-dependence *", f"{I} H[idx[i]] = H[idx[i]] || 9 / q[i];"),
    ("yes &&:ok", f"{I} ok = q[i] / idx[i] && ok; return ok;"),
    ("yes |:ok", f"{I} ok |= q[i] / idx[i]; return ok;"),
    ("unknown carried-dependence *", f"{I} if (q[i] > k && 9 / idx[i]) k = q[i]; return k;"),
    ("unknown carried-dependence *", f"{I} if (q[i] > k && a[idx[i]] > 0) k = q[i]; return k;"),
    ("yes max:k", f"{I} if (9 / idx[i] && q[i] > k) k = q[i]; return k;"),
    ("yes max:k in-bounds(a)", f"{I} if (q[i] > k && a[i] > 0) k = q[i]; return k;"),
    ("yes max:k", f"{I} if (q[i] > k && q[i] < 100) k = q[i]; return k;"),
    ("unknown carried-dependence *", f"{I} ok = ok || R[i][0] > 0; return ok;"),
    ("yes ||:ok in-bounds(R)", f"{I} {J} ok = ok || R[i][j] > 0; return ok;"),
    ("yes ||:ok in-bounds(R)", f"{I} ok = ok || (R[i] && R[i][0] > 0); return ok;"),
    ("unknown carried-dependence *", f"{I} ok = ok || a[idx[i]] > 0; return ok;"),
    ("yes ||:ok", f"{I} {{ r[i] = b[idx[i]]; ok = ok || b[idx[i]] > 0; }} return ok;"),
    ("yes ||:ok in-bounds(H) in-bounds(idx)", f"{I} ok = ok || H[idx[i]]; return ok;"),
    ("yes |:ok", f"{I} ok |= a[i] > 0; return ok;"),
    ("yes ^:k", f"{I} k ^= idx[i]; return k;"),
    ("no carried-dependence 1", f"{I} k += a[i]; return k;"),
    ("yes +:w", f"signed char w = 0; {I} w += idx[i]; return w;"),
    ("no carried-dependence *", f"signed char w = 0; {I} if (idx[i] > w) w = idx[i]; return w;"),
    ("no carried-dependence 1", f"_Bool w = 0; {I} w += idx[i]; return w;"),
    ("yes |:w", f"_Bool w = 0; {I} w |= idx[i]; return w;"),
    ("unknown carried-dependence *", f"unsigned w = 0; {I} if (idx[i] > (int)w) w = idx[i]; return w;"),
    ("yes +:r[k] fp-reorder(r[k])", f"{I} r[k] += b[i];"),
    ("yes max:r[3]", f"{I} if (a[i] > r[3]) r[3] = a[i];"),
    ("yes +:r[] fp-reorder(r) | yes", f"{I} {J} r[j] += A[i][j];"),
    ("yes +:s fp-reorder(s) | yes +:s fp-reorder(s)", f"{I} {J} s += A[i][j]; return s;"),
    ("yes private(s) | yes +:s fp-reorder(s)", f"{I} {{ s = 0; {J} s += A[i][j]; r[i] = s; }}"),
    ("no carried-dependence 1", f"{I} r[i + 1] += r[i];"),
]

FILLED = "for (int j = 0; j < m; j++) w[j] = b[j];"
FOLDED = "for (int j = 0; j < m; j++) r[i] += w[j];"

PRIVATE_ARRAYS = [
    # who read the array before the loop does not need what the loop leaves there, unless a loop around comes by again
    ("yes private(w)", f"double w[99]; w[0] = 1; r[0] = w[0]; {I} if (a[i] > 0) {{ {FILLED} {FOLDED} }}"),
    ("unknown carried-dependence *", f"double w[99]; {I} if (a[i] > 0) {{ {FILLED} {FOLDED} }} r[0] = w[0];"),
    (
        "* | unknown carried-dependence *",
        f"double w[99]; w[0] = 1; for (int l = 0; l < k; l++) {{ r[0] = w[0]; {I} if (a[i] > 0) {{ {FILLED} {FOLDED} }} }}",
    ),
    # which elements are written: all of l % 2 == 1 in every iteration, others in every other one
    ("yes last(A)", "for (int i = 0; i < n; i++) for (int l = 0; l < 7; l++) if (l % 2 == 1) A[1][l] = i;"),
    ("no carried-dependence *", f"{I} for (int l = 0; l < 7; l++) if ((l + i) % 2 == 1) A[1][l] = i;"),
    ("yes last(A)", f"{I} for (int j = 2; j < 9; j++) for (int l = 2; l < 9; l++) if (j > 1 || j < n) A[j][l] = i;"),
    ("yes private(l) last(r) | yes private(l)", f"int l; {I} {J} {{ l = 0; do r[j] = b[i]; while (++l < k); }}"),
    ("yes *:c[2].v[1] params-distinct(my_alloc(),q)", "struct { int k, v[4]; } *c = my_alloc(9); for (int i = 0; i < n; i++) c[2].v[1] *= q[i];"),
    # what is read is inside of the array: n - 1 - j >= 0 is what makes the write cover it
    (
        "yes private(t)",
        f"double t[9]; {I} {{ {J} t[j] = j; for (int j = 0; j < k; j++) r[i * 9 + j % 9] = t[m - 1 - j]; }}",
    ),
    (
        "yes private(w) | yes | yes last(r[i])",
        f"double w[99]; {I} {{ for (int j = 0; j < q[0]; j++) w[j] = b[j]; for (int j = 0; j < q[0]; j++) r[i] = w[j]; }}",
    ),
    (
        "unknown carried-dependence *",
        f"double w[99]; {I} {{ q[0] = 3; for (int j = 0; j < q[0]; j++) w[j] = b[j]; q[0] = 9; for (int j = 0; j < q[0]; j++) r[i] = w[j]; }}",
    ),
    ("yes last(r[k])", "for (int i = 1; i < n; i++) r[k] = r[k + i];"),
    ("no carried-dependence *", "for (int i = 0; i < n; i++) r[k] = r[k + i];"),
    (
        "yes | yes +:A[(2 * i) + 2][i] last(A[i][i]) fp-reorder(A[(2 * i) + 2][i])",
        f"for (int i = 0; i < 40; i++) {J} {{ A[i][i] = j; A[2 * i + 2][i] += 1; }}",
    ),
    (
        "yes private(w) | yes | yes +:r[i] fp-reorder(r[i])",
        f"double w[10]; {I} {{ {J} w[j] = b[i + j]; for (int j = 0; j < m; j++) r[i] += w[m - 1 - j]; }}",
    ),
    (
        "yes private(w) | yes | yes +:r[i] fp-reorder(r[i])",
        f"double w[10]; {I} {{ for (int j = 1; j < 10; j++) w[j] = b[i + j]; for (int j = 0; j < 10; j++) r[i] += w[j]; }}",
    ),
    (
        "yes private(w) | yes | yes +:r[i] fp-reorder(r[i])",
        f"double w[10]; {I} {{ {J} w[j] = b[i + j]; for (int j = 0; j < k; j++) r[i] += w[j]; }}",
    ),
    (
        "yes | yes | yes +:r[i] fp-reorder(r[i])",
        f"{I} {{ double w[10]; {J} w[j] = b[i + j]; for (int j = 0; j < k; j++) r[i] += w[j]; }}",
    ),
    (
        "no carried-dependence * | yes +:r[i] fp-reorder(r[i]) | yes params-distinct(b,w)",
        f"{I} {{ static double w[10]; for (int j = 0; j < 10; j++) r[i] += w[j]; for (int j = 0; j < 10; j++) w[j] = b[i + j]; }}",
    ),
    ("yes last(V[0]) params-distinct(V,b)", f"{I} {{ V[0] = b[i]; r[i] = V[0] * 2; }}"),
    ("no carried-dependence 1", f"{I} {{ if (b[i] > 0) V[0] = b[i]; r[i] = V[0] * 2; }}"),
    ("no carried-dependence 1", f"{I} {{ r[i] = V[0]; V[0] = b[i]; }}"),
    ("yes last(V[0])", f"{I} V[0] = i;"),
    ("no carried-dependence 1", f"double w[10]; {I} {{ w[0] = b[i]; r[i] = w[1] + w[0]; w[1] = 3; }}"),
    ("yes private(w)", f"struct cell w; {I} {{ w.x = b[i]; w.y = b[i] + 1; r[i] = w.x * w.y; }}"),
    ("yes private(w.x)", f"struct cell w; {I} {{ if (b[i] > 0) w.x = b[i]; else w.x = 0; r[i] = w.x; }}"),
    ("unknown carried-dependence 1", f"struct cell w; {I} {{ if (b[i] > 0) w.x = b[i]; r[i] = w.x; }}"),
    ("yes private(w)", f"struct cell w; {I} {{ w = c[i]; r[i] = w.x; }}"),
    ("yes first(w)", f"union both w; {I} {{ w.c[0] = 1; r[i] = w.i; }}"),
    ("yes private(w)", f"double w[10]; {I} {{ for (int j = 0; j < 10; j++) {{ w[j] = b[i]; r[i] += w[j]; }} }}"),
    ("no carried-dependence *", f"double w[10]; {I} {{ for (int j = 0; j < 10; j++) {{ r[i] += w[j]; w[j] = b[i]; }} }}"),
    ("yes last(w)", f"double w[10]; {I} {{ for (int j = 0; j < i; j++) w[j] = b[i]; }} return w[0];"),
    (
        "yes private(w)",
        f"double w[10]; {I} if (b[i] > 0) {{ {J} w[j] = b[j]; for (int j = 0; j < m; j++) r[i] += w[j]; }}",
    ),
    (
        "unknown carried-dependence *",
        f"double w[10]; {I} {{ if (b[i] > 0) {J} w[j] = b[j]; for (int j = 0; j < m; j++) r[i] += w[j]; }}",
    ),
    (
        "yes private(w)",
        f"double w[10]; {I} {{ {J} {{ if (b[j] > 0) break; w[j] = b[i]; }} for (int j = 0; j < m; j++) r[i] += w[j]; }}",
    ),
    (
        "yes private(w)",
        f"double w[10]; {I} {{ for (int j = 0; j < m; j += 2) w[j] = b[i]; for (int j = 0; j < m; j++) r[i] += w[j]; }}",
    ),
]

BLOCKED = [
    ("yes", f"{I} r[i] = sqrt(b[i]);"),
    ("unknown unknown-call", f"{I} ext();"),
    ("no side-effect 1", f'{I} printf("%d", i);'),
    ("unknown side-effect", f'{I} printf(".");'),
    ("no side-effect 1", f'{I} if (a[i] > 0) printf("%d", i);'),
    ("no side-effect 1", f"{I} r[i] = rand();"),
    ("no volatile", f"{I} r[i] = port;"),
    ("no early-exit *", f"{I} {{ if (a[i] < 0) break; a[i] = 0; }}"),
    ("no early-exit *", f"{I} {{ if (a[i] < 0) return 1; a[i] = 0; }}"),
    ("no early-exit *", f"{I} {{ if (a[i] < 0) goto out; a[i] = 0; }} out: return 0;"),
    ("unknown early-exit", f"{I} {{ if (a[i] < 0) exit(1); a[i] = 0; }}"),
    ("no unknown-trip-count 1", "for (int i = 0; i < n && a[i] > 0; i++) r[i] = 0;"),
    ("yes no-overflow(i)", "for (unsigned char i = 0; i < n; i++) r[i] = 1;"),
    ("unknown non-affine-access", f"unsigned char w = 0; {I} {{ r[w] = i; w += 2; }}"),
    ("no carried-dependence 1", f"{I} {{ if (b[i] > 0) i++; r[i] = 1; }}"),
    ("no unknown-trip-count 1", "while (*t) { *t = 0; t++; }"),
    ("unknown inline-asm", f'{I} __asm__ volatile ("nop");'),
    ("yes", f"{I} {{ if (a[i] < 0) continue; a[i] = 0; }}"),
    ("yes | no early-exit *", f"{I} {{ {J} {{ if (b[j] < 0) break; r[i] = b[j]; }} }}"),
]

CALLS = [
    ("yes", "double *p = mk(n), *e = mk(n); for (int i = 1; i < n; i++) p[i] = e[i - 1];"),
    ("yes", f"{I} {{ double *p = mk(n); p[0] = i; r[i] = p[0]; }}"),
    ("no carried-dependence 1", f"{I} add(r, i);"),
    ("yes", f"{I} r[i] = pick(b, i);"),
    ("yes +:k", f"{I} bump(&k); return k;"),
    ("yes", f"{I} {{ int w; set(&w, i); r[i] = w; }}"),
    ("yes private(w)", f"int w; {I} {{ set(&w, i); r[i] = w; }}"),
    ("yes", f"{I} {{ int w = 0; set_late(&w, i); r[i] = w; }}"),
    ("unknown carried-dependence *", f"int w = 0; {I} {{ set_late(&w, i); r[i] = w; }}"),
    ("unknown carried-dependence *", f"{I} r[i] = counted();"),
    ("no carried-dependence 1", f"{I} swap(&a[i], &a[i + 1]);"),
    ("yes", "for (int i = 0; i < n; i += 2) swap(&a[i], &a[i + 1]);"),
]

CONTENTS = [
    ("no carried-dependence *", f"{I} if (b[i] > 0 && b[i] < a[i]) {{ r[k++] = b[i]; }}"),
    ("no carried-dependence *", f"{I} if (fabs(b[i]) > s) {{ s = b[i]; k = i; }} return k;"),
    ("no carried-dependence *", f"{I} if (b[i] < 0) k = i; return k;"),
    ("no carried-dependence *", f"{I} {{ if (idx[i] % 3 == 1) s = b[i]; r[i] = s; }}"),
    ("no carried-dependence *", f"{I} {{ double w = a[i] - b[i]; if (w > 0) s = w; r[i] = s; }}"),
    ("no carried-dependence *", f"{I} {{ if (b[i] > 0) s = b[i]; r[i] = s; b[i] = 0; }}"),
    ("no carried-dependence *", f"{I} {{ if (i % 4 == 0) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (i > 4) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"int w[99]; ext(); {I} {{ if (w[i] > 4) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"int w[99]; ext(); {I} {{ if (w[i]) s = 1; else if (idx[i]) s = b[i]; r[i] = s; }}"),
    ("no carried-dependence 1", "struct link *p = (struct link *)a; while (p) { p->v = 0; p = p->next; }"),
    # the same condition decides of both, or conditions exclude each other
    ("yes private(s)", f"{I} {{ if (b[i] > 0) s = b[i]; if (b[i] > 0) r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (b[i] > 0) s = b[i]; if (b[i] > 1) r[i] = s; }}"),
    ("yes first(s)", f"{I} {{ if (ok) s = b[i]; if (!ok) r[i] = s; }}"),
    ("yes first(s)", f"{I} {{ if (ok > 3) s = b[i]; else r[i] = s; }}"),
    ("yes first(s)", f"{I} {{ if (b) s = b[i]; r[i] = s; }}"),
    ("yes first(s) last(s)",
     f"double d = b[0]; {I} {{ if (d > 3) {{ s = b[i]; if (s < 0) s = 7; }} r[i] = s; }} a[0] = s;"),
    ("yes first(s)", f"{I} {{ if (c->x > 3 && c->y < 2) s = i; r[i] = s; }}"),
    ("no carried-dependence *", f"{I} {{ if (b) r[i] = s; if (b) s = b[i]; }}"),
    ("no carried-dependence 1", f"{I} {{ if (c->x > 3) s = b[i]; r[i] = s; c->x = 2; }}"),
    ("no carried-dependence *", f"double d = b[0]; {I} {{ if (d > 3) s = b[i]; r[i] = s; d = b[i]; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (b && i > k) s = b[i]; r[i] = s; }}"),
    ("no carried-dependence *", f"{I} {{ if (b) {{ if (c->x > b[i]) s = 3; r[i] = s; }} }}"),
    ("unknown carried-dependence *", f"{I} {{ if (x[i] < 0) continue; if (b) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", "for (float f = 0; f < 9; f++) { if (f > 2) s = f; r[(int)f] = s; }"),
    ("unknown carried-dependence *", f"{I} {{ if (b[i] > 0 && b[i] < 0) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (a[i] > b[i] && b[i] > a[i]) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (i == n - 1) s = b[i]; if (i < n - 1) r[i] = s; }}"),
    # conditions that need not have both outcomes
    ("unknown carried-dependence *", f"{I} {{ if (b[i] * b[i] < 0) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (sqrt(b[i]) < 0) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (fabs(b[i]) < 0) s = b[i]; r[i] = s; }}"),
    ("yes first(s)", f"{I} {{ if (t[i] > 1000) s = b[i]; r[i] = s; }}"),
    ("yes first(s)", f"{I} {{ if (idx[i] % 3 == 7) s = b[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ if (b[i] - b[i] > 0) s = b[i]; r[i] = s; }}"),
    # contents that the function makes itself
    ("yes | unknown carried-dependence *", f"{I} b[i] = 1; {I} {{ if (b[i] > 2) s = a[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"{I} {{ b[i] = 0; if (b[i] > 2) s = a[i]; r[i] = s; }}"),
    ("unknown carried-dependence *", f"double w[9]; ext(); {FIXED_I} {{ if (w[i] > 2) s = a[i]; r[i] = s; }}"),
    ("yes | unknown non-affine-access *", f"{I} idx[i] = i; {I} r[idx[i]] = b[i];"),
    ("yes", "int w[3] = {2, 0, 1}; for (int i = 0; i < 3; i++) r[w[i]] = b[i];"),
    ("yes", "for (int i = 0; i < 4; i++) r[SHUFFLED[i]] = b[i];"),
    ("unknown non-affine-access *", f"{I} {{ idx[i] = i; r[idx[i]] = b[i]; }}"),
    ("yes params-distinct(a,my_alloc())", f"double *w = my_alloc(n); {I} w[i] = a[i];"),
    ("unknown may-alias *", f"double *w = my_lookup(n); {I} w[i] = a[i];"),
    # output whose order nobody can tell
    ("yes", f"{I} if (b[i] > 0) k = 7; return k;"),
    ("unknown side-effect", f'{I} if (a[i] > 0) printf("%d", n);'),
    ("unknown side-effect", f'{I} if (i == 3) printf("%d", i);'),
]

LEAVING = [
    # taken in the first iteration or never
    ("unknown early-exit", f"{I} {{ r[i] = b[i]; if (idx[3]) break; }}"),
    ("unknown early-exit", f"{I} {{ if (g->n > 7) return 1; r[i] = b[i]; }}"),
    ("no early-exit *", f"{I} {{ r[i] = b[i]; if (idx[i] > 3) break; }}"),
    ("no early-exit *", f"{I} {{ r[i] = b[i]; if (b[i] > 0) break; }}"),
    ("no early-exit *", f"{I} if (b[i] > 0) return i;"),
    ("no early-exit *", "int i; for (i = 0; i < n; i++) if (b[i] > 0) break; return i;"),
    ("no early-exit *", f"{I} if (b[i] > 0) {{ k = i; break; }} return k;"),
    ("no early-exit *", f"{I} {{ if (b[i] > k) {{ s = b[i]; goto out; }} }} out: return s;"),
    ("no early-exit 1", f"{I} if (b[i] > 0) return 1;"),
    ("no early-exit 1", f"{I} if (b[i] > 0) {{ k = 7; break; }} return k;"),
    ("no early-exit 1", f"{I} {{ double w = b[i]; if (w > 0) break; }}"),
    ("no early-exit 1", f"{I} if (my_lookup(i)) return 1;"),
    ("no unknown-trip-count 1", "while (*t && *t != 32) t++; k = *t;"),
    ("no unknown-trip-count 1", "while (t[k]) k++; n = k;"),
    ("unknown early-exit", f"{I} if (i == n - 1 && b[i] > 0) return 1;"),
    ("unknown early-exit", f"{I} if (*b > 0) return 1;"),
    ("yes | unknown early-exit", f"double w[9]; for (int i = 0; i < 9; i++) w[i] = 0; {I} if (w[i] > 0) return 1;"),
    ("unknown early-exit", f"{I} {{ if (b[i] > 0) exit(1); }}"),
    ("no carried-dependence 1", f"{I} {{ if (b[i] > 0) exit(1); a[i + 1] = a[i]; }}"),
    ("unknown unknown-trip-count", "for (int i = 1; i < n; i *= 2) k++;"),
    ("no carried-dependence 1", "int w = rand(); for (int i = 1; i < w; i++) a[i] = a[i - 1];"),
    ("no carried-dependence 1", "int w = asked(); for (int i = 1; i < w; i++) a[i] = a[i - 1];"),
    ("no carried-dependence 1", "my_lookup(ok = (int)(long)&k); for (int i = 1; i < k; i++) a[i] = a[i - 1];"),
    ("no carried-dependence 1", "int w = m; if (*q) w = 1; for (int i = 1; i < w; i++) a[i] = a[i - 1];"),
    ("yes", "int w = 2; if (*q) w = 1; for (int i = 1; i < w; i++) a[i] = a[i - 1];"),
    ("no carried-dependence 1", "int w = n / m; for (int i = 0; i < w; i++) a[i + 1] = a[i];"),
    ("no carried-dependence 1", "int w = (int)(s * 3); for (int i = 0; i < w; i++) a[i + 1] = a[i];"),
    ("yes first(s)", "int w = n > m; for (int i = 0; i < w; i++) { s = 2 * s - a[i]; r[i] = s; }"),
    ("yes first(s)", "int w = (s > 1) - (n > m); for (int i = 0; i < w; i++) { s = 2 * s - a[i]; r[i] = s; }"),
    ("yes", "int w = n / m; if (w < 2) for (int i = 0; i < w; i++) a[i + 1] = a[i];"),
    ("yes", "int w = n / m; for (int i = 0; i < w; i++) a[i + w] = a[i];"),
    ("yes max:ok", f"{I} ok = larger(ok, idx[i]); return ok;"),
    ("yes max:ok", f"{I} ok = larger(larger(idx[i], q[i]), ok); return ok;"),
    ("unknown early-exit", f"{I} {{ if (!a) exit(1); r[i] = 0; }}"),
    ("no side-effect 1", f"double w[2]; w[0] = s; {I} {{ if (w[0] < 3) printf(\"%d\", i); else printf(\"%d \", i); }}"),
    ("unknown side-effect", f"double w[2]; w[0] = s; {I} {{ if (w[0] < 3) printf(\"%d\", i); else r[i] = 0; }}"),
    ("unknown side-effect", f"double w[2]; w[0] = s; {I} {{ if (w[0] < 3) printf(\"%d\", i); else printf(\"none\"); }}"),
    ("unknown non-affine-access *", f"{I} r[i + five(idx[i])] = i;"),
    ("yes", "for (int i = 0; i < LIMIT; i++) q[i] = 0;"),
    ("yes", "for (int i = 0; i < NOWHERE; i++) q[i] = 0;"),
    ("yes bound-invariant(G) params-distinct(G,q)", "for (int i = 0; i < G; i++) q[i] = 0;"),
    ("unknown non-affine-access *", f"{I} r[i + three(idx[i])] = i;"),
    ("yes +:ok", f"{I} ok += five(idx[i]) + three(idx[i]) + on(idx[i]); return ok;"),
    ("yes", f"{I} {{ if (idx[i] < 0) __builtin_unreachable(); r[i] = 0; }}"),
    ("unknown unknown-trip-count", "for (int i = 0; i < *(int *)my_lookup(3); i++) k++;"),
    ("unknown early-exit", f"{I} {{ r[i] = b[i]; if (n < 0) break; }}"),
    ("unknown early-exit", f"{I} {{ r[i] = b[i]; if (i == n - 1) break; }}"),
    ("unknown early-exit", f"{I} {{ r[i] = b[i]; if (b[i] * b[i] < 0) break; }}"),
    ("no early-exit *", f"{I} {{ if (b[i] > 0) {{ r[i] = 0; break; }} }}"),
]

REVISITS = [
    ("no carried-dependence 1 | yes", f"{I} {{ {FIXED_J} V[j] = W[j] + 1; ext(); }}"),
    ("no carried-dependence 1 | yes", f"for (int i = 0; i < G; i++) {{ {FIXED_J} V[j] = W[j] + 1; ext(); }}"),
    ("no carried-dependence 1", f"{I} {{ if (W[0] > 0) V[0] = i; ext(); }}"),
    ("unknown unknown-call | yes", f"{I} {{ {FIXED_J} r[j] = W[j] + 1; ext(); }}"),
    ("unknown unknown-call | yes", f"double w[200]; {I} {{ {FIXED_J} w[j] = W[j] + 1; ext(); r[i] = w[i]; }}"),
    ("no carried-dependence 1 | unknown non-affine-access *", f"{I} {{ {J} V[idx[j]] = b[j]; ext(); }}"),
    ("no carried-dependence 1", f"{I} {{ {J} if (b[j] > 0) V[j] = b[j]; ext(); }}"),
    ("no carried-dependence 1", f"{I} {{ {J} if (V[j] > 0) V[j] = -1; ext(); }}"),
    ("unknown unknown-call", f"{I} {{ {J} {{ r[j] = 0; if (r[j] > 0) W[j] = -1; }} ext(); }}"),
    ("unknown unknown-call", f"{I} {{ V[i] = 1; ext(); }}"),
    ("unknown unknown-call", f"double w[200]; {I} {{ {FIXED_J} w[j] = W[j] + i; see(w); }}"),
    ("no early-exit 1", f"{I} {{ double w[9]; if (see(w) == 1) w[0] = i; else return 1; }}"),
    ("no carried-dependence 1 | yes", f"{I} {{ {FIXED_J} V[j] = W[j] + i; see(V); }}"),
    ("unknown unknown-call", f"{I} {{ if (i == 3) V[0] = i; ext(); }}"),
]

SWAP = "double *w = p; p = e; e = w;"
STEP = f"{J} e[j] = p[j + 1];"
EXCHANGED = [
    ("no carried-dependence 1 | yes params-distinct(a,b)", f"double *p = a, *e = b; {I} {{ {STEP} {SWAP} }}"),
    ("no carried-dependence 1 | yes", f"double *p = a, *e = malloc(800); {I} {{ {STEP} {SWAP} }}"),
    ("no carried-dependence 1 | yes", f"double *p = a, *e = r; {I} {{ {STEP} {SWAP} }}"),
    (
        "no carried-dependence 1 | yes params-distinct(V,a) params-distinct(V,b) params-distinct(a,b)",
        f"double *p = a, *e = b; {I} {{ {J} e[j] = p[j + 1] + V[j]; {SWAP} }}",
    ),
    (
        "no carried-dependence 1 | yes params-distinct(R,S) rows-distinct(R) rows-distinct(S)",
        f"double **p = R, **e = S; {I} {{ {J} e[k][j] = p[k][j + 1]; double **w = p; p = e; e = w; }}",
    ),
    (
        "no carried-dependence 1 | unknown may-alias *",
        f"double **p = R, **e = R; {I} {{ {J} e[k][j] = p[k][j + 1]; double **w = p; p = e; e = w; }}",
    ),
    (  # what the swapped pointer was set to has another name, too
        "no carried-dependence 1 | unknown may-alias *",
        f"double *p = malloc(800), *e = malloc(800), *c = p; {I} {{ {J} e[j] = c[j + 1]; {SWAP} }} k = e[1] + c[2];",
    ),
    ("no carried-dependence 1 | unknown may-alias *", f"double *p = a, *e = a; {I} {{ {STEP} {SWAP} }}"),
    ("no carried-dependence 1 | unknown may-alias *", f"double *p = a, *e = b; {I} {{ {STEP} p = e; e = a; }}"),
    ("no carried-dependence 1 | unknown may-alias *", f"double *p = a, *e = b; {I} {{ {STEP} p = e; }}"),
    ("no carried-dependence * | unknown may-alias *", f"double *p = a, *e = b; {I} {{ {STEP} if (ok) {{ {SWAP} }} }}"),
    ("no carried-dependence 1 | unknown may-alias *", f"double *p = a, *e = b; {I} {{ {J} e[j] = a[j + 1]; {SWAP} }}"),
    (
        "no carried-dependence 1 | unknown may-alias *",
        f"double *p = a, *e = b; if (ok) e = a; {I} {{ {STEP} {SWAP} }}",
    ),
]

CARRIED_AROUND = [
    ("yes +:s private(w) fp-reorder(s)", f"double w; {I} {{ w = s; w += a[i]; s = w; }} return s;"),
    ("yes +:v private(w)", f"int v = 0, w; {I} {{ w = v + idx[i]; v = w; }} return v;"),
    ("yes +:v", f"int v = 0; {I} if (q[i]) {{ int w = v; w -= idx[i]; v = w; }} return v;"),
    # it is seen, read later, from before, set otherwise, or out of date
    ("no carried-dependence 1", f"int v = 0, w; {I} {{ w = v + idx[i]; r[i] = w; v = w; }} return v;"),
    ("no carried-dependence 1", f"int v = 0, w = 0; {I} {{ w = v + idx[i]; v = w; }} return v + w;"),
    ("no carried-dependence 1", f"int v = 0, w = 0; {I} {{ v = v + w; w = v + idx[i]; v = w; }} return v;"),
    ("no carried-dependence 1", f"int v = 0, w; {I} {{ w = v + 1; if (idx[i]) w = 5; v = w; }} return v;"),
    ("no carried-dependence 1", f"int v = 0, w; {I} {{ w = v; v += idx[i]; v = w + q[i]; }} return v;"),
    ("no carried-dependence *", f"int v = 0, w; {I} {{ w = v + idx[i]; if (q[i]) v = w; }} return v;"),
    ("no carried-dependence 1", f"int v = 0; {I} {{ short w = v; w += idx[i]; v = w; }} return v;"),
]

FLAGS = [
    ("yes ||:any", f"int any = 0; {I} if (idx[i] == 3) any = 1; return any;"),
    ("yes &&:all", f"int all = 1; {I} {{ if (idx[i] == 3) all = 0; if (q[i]) all = 0; }} return all;"),
    ("yes max:level", f"int level = -5; {I} if (idx[i] == 3) level = 7; return level;"),
    ("yes min:level", f"int level = 9; {I} if (idx[i] == 3) level = 7; return level;"),
    ("yes ||:any", f"int any = 0; {I} {J} if (q[i * m + j] == 3) any = 1; return any;"),
    ("yes min:l", f"unsigned char l = 100; {I} if (idx[i] == 3) l = 300; return l;"),
    # stays shared, as all store the same: between what it was and what it is elsewhere; others may see it
    ("yes", f"int l = 0; if (k) l = 9; {I} if (idx[i] == 3) l = 7; return l;"),
    ("yes", f"int l = k; {I} if (idx[i] == 3) l = 1; return l;"),
    ("yes params-distinct(G,idx)", f"{I} if (idx[i] == 3) G = 1;"),
    ("yes", f"{I} if (idx[i] == 3) ok = 1; return ok;"),
    ("unknown carried-dependence *", f"int l = 0; {I} {{ if (idx[i] == 3) l = 7; if (q[i]) l = 8; }} return l;"),
    ("no carried-dependence *", f"int any = 0; {I} {{ if (idx[i] == 3) any = 1; r[i] = any; }} return any;"),
    ("yes max:v", f"int v = 0; {I} if (!(v > idx[i])) v = idx[i]; return v;"),
    ("yes min:v", f"int v = 0; {I} if (!(v <= idx[i])) v = idx[i]; return v;"),
    ("yes max:s", f"{I} if (!(s > a[i])) s = a[i]; return s;"),
]

RANGES = [
    ("yes", "while (idx < q) *idx++ = 0;"),
    ("yes", "for (int *p = idx; p != q; p++) *p = 0;"),
    ("yes", "while (q > idx) *--q = 0;"),
    ("yes", "for (const double *end = b; a < end; a++) *a = 1;"),
    ("yes params-distinct(b,idx)", "while (idx < q) *b++ = *idx++;"),
    ("yes no-overflow(d = q - idx)", "int d = q - idx; for (int i = 0; i < d; i++) idx[i] = 0;"),
    ("no carried-dependence 1", "for (int *p = idx; p < q; p++) *p = p[1];"),
    ("no carried-dependence 1", "while (idx < q) *b++ = *idx++, q = my_lookup(1);"),
    # two pointers that are compared lead into one object
    ("unknown may-alias *", "for (int *p = idx; p < q; p++) *p = q[3];"),
    ("unknown may-alias *", "if (idx < q) for (int i = 0; i < n; i++) idx[i] = q[i];"),
    ("unknown may-alias *", "while (a < b) { double t = *a; *a++ = *b; *b-- = t; }"),
    ("yes params-distinct(idx,q)", "if (idx != q) for (int i = 0; i < n; i++) idx[i] = q[i];"),
    ("yes", "while ((char *)idx < t) *idx++ = 0;"),
]

LAST_MEMBERS = [
    ("yes bound-invariant(l->n)", "struct tail *l = (void *)t; for (int i = 0; i < l->n; i++) l->d[i] = 0;"),
    ("*", "struct tail *l = (void *)t; for (int i = 0; i < l->n; i++) l->n = 0;"),
]

LABELS = [
    ("yes", f"{I} {{ r[i] = 0; unused: r[i] += 1; }}"),
    ("yes", f"{I} {{ if (idx[i]) goto next; r[i] = 0; next: ; }}"),
    ("no early-exit *", f"{I} {{ r[i] = 0; if (idx[i]) goto out; }} out: return n;"),
    ("no carried-dependence *", f"{I} if (b[i] > 0) {{ s = b[i]; r[i] = s; }} if (k) goto out; s = 0; out: return s;"),
]

TABLES = {
    "carried around": CARRIED_AROUND,
    "flags": FLAGS,
    "ranges": RANGES,
    "labels": LABELS,
    "last members": LAST_MEMBERS,
    "calls": CALLS,
    "subscripts": SUBSCRIPTS,
    "rounded": ROUNDED,
    "wrapping": WRAPPING,
    "certain": CERTAIN,
    "pointers": POINTERS,
    "walking": WALKING,
    "steady": STEADY,
    "products": PRODUCTS,
    "nests": NESTS,
    "objects": OBJECTS,
    "indirect": INDIRECT,
    "scalars": SCALARS,
    "reductions": REDUCTIONS,
    "private": PRIVATE_ARRAYS,
    "blocked": BLOCKED,
    "contents": CONTENTS,
    "leaving": LEAVING,
    "revisits": REVISITS,
    "exchanged": EXCHANGED,
}
ALL = cache(lambda: answers_of_all(c for rows in TABLES.values() for _, c in rows))
CASES = [pytest.param(e, c, id=f"{table}: {c}") for table, rows in TABLES.items() for e, c in rows]


@pytest.mark.parametrize(("expected", "c"), CASES)
def test_answer(expected: str, c: str) -> None:
    wanted = expected.split(" | ")
    found = [summary(p) for p in ALL()[c][: len(wanted)]]
    assert [f if w != "*" else w for f, w in zip(found, wanted, strict=True)] == wanted


@pytest.mark.parametrize(
    ("c", "reason"),
    [
        pytest.param(f"{I} a[i] = b[i];", "may-alias", id="params-distinct"),
        pytest.param(f"{I} R[i][k] = 0;", "may-alias", id="rows-distinct"),
        pytest.param(f"{FIXED_I} {J} A[i][j] = 0;", "non-affine-access", id="in-bounds"),
        pytest.param("for (unsigned i = 0; i < u; i++) a[i + k] = 0;", "non-affine-access", id="no-overflow"),
        pytest.param("for (int i = 0; i < g->n; i++) g->idx[i] = 0;", "unknown-trip-count", id="bound-invariant"),
        pytest.param(f"{I} s += a[i]; return s;", "fp-order", id="fp-reorder"),
    ],
)
def test_without_assumptions_nothing_is_assumed(c: str, reason: str) -> None:
    assert answer(c).verdict is Verdict.YES
    refused = answer(c, assume="none")
    assert refused.verdict is Verdict.UNKNOWN
    assert refused.reason is not None
    assert refused.reason.code == reason


def test_an_exit_in_the_other_arm_is_told_from_one_in_the_first() -> None:
    for then, otherwise, word in (("r[0] = b[i];", "return 1;", "without"), ("return 1;", "r[0] = b[i];", "with")):
        reason = answer(f"{I} {{ if (idx[i] == 2) {then} else {otherwise} }}").reason
        assert reason is not None
        assert f"after the first iteration {word} `if (idx[i] == 2)` no other may change `r[0]`" in reason.message


def test_without_assumptions_a_proof_stands() -> None:
    assert answer(f"{I} r[i] = b[i];", assume="none").verdict is Verdict.YES


def test_strict_fp_refuses_to_reorder_sums_but_not_maxima() -> None:
    refused = answer(f"{I} s += a[i]; return s;", strict_fp=True)
    assert summary(refused) == "no fp-order"
    assert summary(answer(f"{I} if (a[i] > s) s = a[i]; return s;", strict_fp=True)) == "yes max:s"
    assert summary(answer(f"{I} k += idx[i]; return k;", strict_fp=True)) == "yes +:k"


@pytest.mark.parametrize(
    ("expected", "c"),
    [
        ("yes user(independent)", f"// analyze: independent\n{I} r[idx[i]] = i;"),
        ("yes user(independent)", f"// analyze: independent\n{I} r[i * k] = i;"),
        ("yes", f"// analyze: independent\n{I} r[i] = i;"),
        ("no carried-dependence 1", "// analyze: independent\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];"),
        ("unknown early-exit 1", f"// analyze: independent\n{I} if (a[i] > 0) break;"),
    ],
)
def test_the_users_word_settles_what_is_open(expected: str, c: str) -> None:
    assert summary(answer(c)) == expected


def test_a_pragma_is_no_proof() -> None:
    assert summary(answer("\n#pragma omp parallel for\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];")).startswith("no")


def test_a_dependence_names_both_accesses_and_lines() -> None:
    reason = answer("for (int i = 1; i < n; i++)\na[i] =\n a[i - 1];").reason
    assert reason is not None
    assert reason.accesses == ("a[i]", "a[i - 1]")
    line = reason.line
    assert reason.message == f"line {line} reads `a[i - 1]`, which line {line - 1} writes as `a[i]` one iteration earlier"


def test_a_variable_that_is_set_anew_is_private_though_it_steps_evenly() -> None:
    found = answer(f"unsigned w = 0; {I} {{ w = 0; {J} w -= i; r[i] = w; }}")
    assert found.verdict is Verdict.YES
    assert "w" in found.private


@pytest.mark.parametrize("c", [f"{I} r[i * k] = i;", f"int *p = r; {I} {{ *p = i; p += k; }}"])
def test_a_stride_of_zero_is_said_to_be_one(c: str) -> None:
    reason = answer(c).reason
    assert reason is not None
    assert reason.message.startswith("if `k` is 0, ")
    assert reason.message.endswith("; if it never is, say `// analyze: independent`")
    assert answer(c, assume="none").reason == replace(reason, message=reason.message.partition("; if")[0])
    assert answer(f"\n// analyze: independent k > 0\n{c}").verdict is Verdict.YES


def test_the_comment_is_not_named_where_more_is_missing() -> None:
    body = f"{I} {{ r[i * k] = i; if (a[i] > 0) break; }}"
    reason = answer(body).reason
    assert reason is not None
    assert "analyze:" not in reason.message
    assert answer(f"\n// analyze: independent k > 0\n{body}").verdict is not Verdict.YES


def test_an_early_exit_says_which_statement() -> None:
    reason = answer(f"{I} if (a[i] > 0) break;").reason
    assert reason is not None
    assert "`break`" in reason.message


def test_a_copy_begins_with_the_old_values_where_the_own_store_is_read_first() -> None:
    """The one iteration that meets its own store reads it first: a private copy would start empty."""
    c = (
        "for (int i = 0; i < n - 1; i++) for (long j = i; j <= n / 2; j++) for (int l = 0; l < m - 2; l++)"
        " idx[l - i + n] = idx[j];"
    )
    middle = answers_of_all([c])[c][1]
    assert middle.verdict is Verdict.YES
    assert middle.first_private == middle.last_private == ("idx",)


def test_an_assertion_says_how_to_leave_it_out() -> None:
    failed = 'void __assert_fail(const char *, const char *, unsigned, const char *);'
    body = f'{failed} for (int i = 0; i < n; i++) {{ b[i] > 0 ? (void)0 : __assert_fail("", "", 1, ""); a[i] = b[i]; }}'
    reason = answer(body).reason
    assert reason is not None
    assert reason.message == "`assert` can end the program (-DNDEBUG leaves it out)"


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("for (int i = 1; i < n; i++) A[k][i] = A[m][i - 1];", "if `k` equals `m`, "),
        ("for (int i = 1; i < n; i++) A[m][i - 1] = A[k][i] = i;", "if `k` equals `m`, "),
        ("for (int i = 1; i < n; i++) A[k][i] = A[3][i - 1];", "if `k` equals `3`, "),
        ("double *p = R[k], *w = R[m]; for (int i = 1; i < n; i++) p[i] = w[i - 1];", "if `k` equals `m`, "),
        ("for (int i = 1; i < n; i++) A[idx[0]][i] = A[idx[1]][i - 1];", "if `idx[0]` equals `idx[1]`, "),
        ("for (int i = 1; i < n; i++) A[k][i] = A[k][i - 1];", ""),
        ("for (int i = 1; i < n; i++) A[i][k] = A[i - 1][k];", ""),
    ],
)
def test_a_dependence_between_two_rows_says_when_they_are_one(body: str, condition: str) -> None:
    found = answer(body)
    assert found.verdict is Verdict.NO
    assert found.reason is not None
    assert found.reason.message.startswith(f"{condition}line ")


@pytest.mark.parametrize(
    ("statement", "operator"),
    [
        ("if (!ok) ok = q[i] == 3;", "||"),
        ("if (ok == 0 && q[i] == 3) ok = 1;", "||"),
        ("if (q[i] == 3 && !ok) ok = 1;", "||"),
        ("if (ok) continue; ok = a[i] > 3;", "||"),
        ("if (ok) ok = q[i] == 3 && idx[i];", "&&"),
        ("if (ok && q[i] == 3) ok = 0;", "&&"),
        ("if (s) s = a[i] > 3;", "&&"),
        ("if (!ok) ok = q[i];", None),  # the first value other than 0
        ("if (ok != 1) ok = q[i] == 3;", None),
        ("if (!(char)ok) ok = q[i] == 3;", None),
        ("if (!ok) ok = q[i] == 3; else ok = 0;", None),
        ("if (!ok) ok = q[i] == 3; idx[i] = ok;", None),
        ("if (!ok) ok = q[i] == 3; if (ok) ok = q[i] == 4;", None),
        ("if (!ok) ok = 8 / q[i] == 3;", None),
        ("if (t) t = 0;", None),
    ],
)
def test_truth_values_that_a_condition_keeps(statement: str, operator: str | None) -> None:
    found = answer(f"for (int i = 0; i < n; i++) {{ {statement} }} return ok + (int)s + (t != 0);")
    assert (found.verdict is Verdict.YES) is (operator is not None)
    assert operator is None or [r.operator for r in found.reductions] == [operator]
