"""Loops whose iterations have an order, for which an expert knows a way, and others that look alike."""

C = """
void running_elements(int n, double *s, const double *a) { for (int i = 1; i < n; i++) s[i] = s[i - 1] + a[i]; }
void running_downwards(int n, int *s, const int *a) { for (int i = n - 2; i >= 0; i--) s[i] = s[i + 1] + a[i]; }
void running_maximum(int n, int *s, const int *a) {
    for (int i = 1; i < n; i++) s[i] = a[i] > s[i - 1] ? a[i] : s[i - 1];
}
void running_variable(int n, int *s, const int *a) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        t += a[i];
        s[i] = t;
    }
}
void running_before(int n, int *s, const int *a) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        s[i] = t;
        t += a[i];
    }
}
void running_conditionally(int n, int *s, const int *a) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 0)
            t += a[i];
        s[i] = t;
    }
}
void two_kept(int n, double *s, double *m, const double *a) {
    double t = 0;
    for (int i = 0; i < n; i++) { t += a[i]; s[i] = t; m[i] = t / (i + 1); }
}
void filter(int n, float *y, const float *x, float a) {
    float s = 0;
    for (int i = 0; i < n; i++) { s = a * s + x[i]; y[i] = s; }
}
void linear(int n, double *x, const double *a, const double *b) {
    for (int i = 1; i < n; i++) x[i] = a[i] * x[i - 1] + b[i];
}
unsigned hash(int n, const char *s) { unsigned h = 5381; for (int i = 0; i < n; i++) h = h * 33 + s[i]; return h; }
int signed_hash(int n, const char *s) { int h = 5381; for (int i = 0; i < n; i++) h = h * 33 + s[i]; return h; }
void squares(int n, double *x) { for (int i = 1; i < n; i++) x[i] = x[i - 1] * x[i - 1]; }
void changed_behind(int n, double *x) { for (int i = 1; i < n; i++) { x[i] = x[i - 1] + 1; x[i - 1] = 0; } }
void stored_when_large(int n, int *s, int *b, const int *a) {
    for (int i = 1; i < n; i++) { s[i] = s[i - 1] + a[i]; if (s[i - 1] > 3) b[0] = i; }
}
int last_large(int n, int *s, const int *a, int k) {
    for (int i = 1; i < n; i++) { s[i] = s[i - 1] + a[i]; if (s[i - 1] > 3) k = a[i]; }
    return k;
}
void reset(int n, int *s, const int *a) {
    int t = 0;
    for (int i = 0; i < n; i++) { t += a[i]; s[i] = t; if (a[i] < 0) t = 0; }
}
void tested_sum(int n, int *s, const int *a) {
    int t = 0;
    for (int i = 0; i < n; i++) { if (t < 100) t += a[i]; s[i] = t; }
}
unsigned digits(int n, const unsigned char *p) {
    unsigned c = ~0u;
    for (int i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0xEDB88320u : c >> 1;
    }
    return ~c;
}

void relaxation(int n, int m, double a[n][m]) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
void upper_left(int n, int m, double a[n][m]) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < m; j++)
            a[i][j] = 0.5 * (a[i - 1][j] + a[i][j - 1]);
}
void upper_right(int n, int m, double a[n][m]) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < m - 1; j++)
            a[i][j] = 0.5 * (a[i - 1][j + 1] + a[i][j - 1]);
}
void linearised(int n, int m, double *a) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < m; j++)
            a[i * m + j] += a[(i - 1) * m + j] + a[i * m + j - 1];
}
void longest_common(int n, int m, int t[n + 1][m + 1], const char *a, const char *b) {
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++)
            t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1 : t[i - 1][j] + t[i][j - 1];
}
void triangle(int n, double a[n][n]) {
    for (int i = 1; i < n; i++) for (int j = 1; j < i; j++) a[i][j] = a[i - 1][j] + a[i][j - 1];
}
void planes(int n, double a[n][n][n]) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 0; k < n; k++)
                a[i][j][k] = 0.25 * (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k]);
}
int through_a_helper_variable(int n, int m, int a[n][m]) {
    int i, j;
    for (i = 1; i < n; i++)
        for (j = 1; j < m; j++)
            a[i][j] = a[i - 1][j] + a[i][j - 1];
    return j;
}
void transposed(int n, double a[n][n]) {
    for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i - 1][j] + a[j][i - 1];
}
void indirect_columns(int n, double a[n][n], const int *c) {
    for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i - 1][c[j]] + a[i][j - 1];
}
void whole_rows(int n, double a[n][n]) {
    for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i - 1][n - j] + a[i][j - 1];
}
double sum_of_all(int n, double a[n][n]) {
    double s = 0;
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) { a[i][j] = a[i - 1][j] + a[i][j - 1]; s = s * 0.5 + a[i][j]; }
    return s;
}

void moved_down(int n, double *a, const double *b) { for (int i = 0; i < n - 1; i++) a[i] = a[i + 1] + b[i]; }
void moved_down_twice(int n, int *a) { for (int i = 0; i < n - 2; i++) a[i] = a[i + 1] * a[i + 2]; }
void moved_up(int n, double *a, const double *b) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i]; }
void smoothed_in_place(int n, double *a) { for (int i = 1; i < n - 1; i++) a[i] = a[i - 1] * a[i + 1]; }
void swapped(int n, int *a) {
    for (int i = 0; i < n - 1; i++) if (a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
}
void four_apart(int n, double *a, const double *b) { for (int i = 4; i < n; i++) a[i] = a[i - 4] * b[i] + 1; }
void three_and_six(int n, double *a) { for (int i = 6; i < n; i++) a[i] = a[i - 3] * a[i - 6]; }
void three_and_four(int n, double *a) { for (int i = 4; i < n - 4; i++) a[i] = a[i - 3] * a[i + 4]; }
void unknown_apart(int n, int d, double *a) { for (int i = d; i < n; i++) a[i] = a[i - d] * 2; }

int kept(int n, int *b, const int *a) {
    int k = 0;
    for (int i = 0; i < n; i++) if (a[i] > 0) b[k++] = a[i];
    return k;
}
int kept_in_place(int n, int *a) {
    int k = 0;
    for (int i = 0; i < n; i++) if (a[i] > 0) a[k++] = a[i];
    return k;
}
int kept_decides(int n, int *b, const int *a) {
    int k = 0;
    for (int i = 0; i < n; i++) if (a[i] > b[k]) b[k++] = a[i];
    return k;
}
int kept_and_read(int n, int *b, const int *a) {
    int k = 0;
    for (int i = 0; i < n; i++) if (a[i] > k) b[k++] = a[i];
    return k;
}
int kept_two(int n, int *b, int *c, const int *a) {
    int k = 0;
    for (int i = 0; i < n; i++) if (a[i] > 0) { b[k] = a[i]; c[k] = i; k++; }
    return k;
}

int position_of(int n, const int *a, int x) {
    for (int i = 0; i < n; i++)
        if (a[i] == x)
            return i;
    return -1;
}
int first_negative(int n, const float *a) {
    int i;
    for (i = 2; i < n; i++) {
        if (a[i] < 0)
            break;
    }
    return i;
}
int until_sum(int n, const int *a, int x) {
    int s = 0;
    for (int i = 0; i < n; i++) { s += a[i]; if (s > x) return i; }
    return -1;
}
int stores_on_the_way(int n, int *a, int x) {
    for (int i = 0; i < n; i++) { if (a[i] == x) return i; a[i] = 0; }
    return -1;
}
struct node { struct node *next; int v; };
void scaled_list(struct node *list) { for (struct node *p = list; p; p = p->next) p->v *= 2; }
int sum_of_list(struct node *p) { int s = 0; while (p) { s += p->v; p = p->next; } return s; }
"""
