/* Copies without a value, and copies whose value is lost: no race in any of them. */

void lacks_first(double *a, int n) {
    double scale = 0.5;
#pragma omp parallel for private(scale)
    for (int i = 0; i < n; i++) a[i] *= scale;
}

void has_first(double *a, int n) {
    double scale = 0.5;
#pragma omp parallel for firstprivate(scale)
    for (int i = 0; i < n; i++) a[i] *= scale;
}

int lacks_last(int *a, int n) {
    int last;
#pragma omp parallel for private(last)
    for (int i = 0; i < n; i++) {
        last = a[i];
        a[i] = last + 1;
    }
    return last;
}

int has_last(int *a, int n) {
    int last;
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < n; i++) {
        last = a[i];
        a[i] = last + 1;
    }
    return last;
}

void lacks_first_array(double *a, int n) {
    double w[3] = {1, 2, 1};
#pragma omp parallel for private(w)
    for (int i = 0; i < n; i++) a[i] = w[0] * i + w[2];
}

void has_first_array(double *a, int n) {
    double w[3] = {1, 2, 1};
#pragma omp parallel for firstprivate(w)
    for (int i = 0; i < n; i++) a[i] = w[0] * i + w[2];
}

void lacks_first_in_region(double *a, int n) {
    int base = 4, i;
#pragma omp parallel private(base)
    {
#pragma omp for
        for (i = 0; i < n; i++) a[i] = base;
    }
}

void has_first_in_region(double *a, int n) {
    int base = 4, i;
#pragma omp parallel private(base)
    {
        base = 3;
#pragma omp for
        for (i = 0; i < n; i++) a[i] = base;
    }
}

void lacks_first_of_sum(const double *a, double *b, int n) {
    double s = 0;
#pragma omp parallel for private(s)
    for (int i = 0; i < n; i++) {
        s += a[i];
        b[i] = s;
    }
}

void has_first_of_sum(const double *restrict a, double *restrict b, int n) {
    double s = 0;
#pragma omp parallel for private(s)
    for (int i = 0; i < n; i++) {
        s = 0;
        for (int k = 0; k < 4; k++) s += a[i];
        b[i] = s;
    }
}

int lacks_last_of_sections(void) {
    int x, y;
#pragma omp parallel sections private(x, y)
    {
#pragma omp section
        x = 1;
#pragma omp section
        y = 2;
    }
    return x;
}

int has_last_of_sections(void) {
    int x, y;
#pragma omp parallel sections lastprivate(x) private(y)
    {
#pragma omp section
        y = 2;
#pragma omp section
        x = 1;
    }
    return x;
}

double lacks_last_of_initialised(const double *a, int n) {
    double x = 0;
#pragma omp parallel for private(x)
    for (int i = 0; i < n; i++) x = a[i];
    return x;
}

double has_last_of_initialised(const double *a, int n) {
    double x = 0;
#pragma omp parallel for lastprivate(x)
    for (int i = 0; i < n; i++) x = a[i];
    return x;
}

double has_last_that_is_set_again(const double *a, double *b, int n) {
    double x = 0;
#pragma omp parallel for private(x)
    for (int i = 0; i < n; i++) {
        x = a[i];
        b[i] = x * x;
    }
    x = b[0];
    return x;
}

int has_last_that_only_some_set(const int *a, int *b, int n) {
    int found = -1;
#pragma omp parallel for private(found)
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) found = i;
        b[i] = a[i];
    }
    return found;
}

void bounds_of(int part, int *first, int *last);

void has_last_in_a_copy_that_a_call_sets(double *a, int n, int backwards) {
    int first, last, p, i;
    if (backwards) {
#pragma omp parallel for private(first, last, i)
        for (p = 0; p < n; p++) {
            bounds_of(p, &first, &last);
            for (i = first; i < last; i++) a[i] = i;
        }
    } else {
#pragma omp parallel for private(first, last, i)
        for (p = 0; p < n; p++) {
            bounds_of(p, &first, &last);
            first = n - first;
            for (i = first; i > last; i--) a[i] = i;
        }
    }
}
