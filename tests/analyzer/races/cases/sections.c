/* Sections, and what stands around them. */
int wrong_sections(int *out) {
    int x = 0;
#pragma omp parallel sections
    {
#pragma omp section
        x = 1;
#pragma omp section
        x = 2;
    }
    *out = x;
    return x;
}

int right_sections(int *out) {
    int x = 0, y = 0;
#pragma omp parallel sections
    {
#pragma omp section
        x = 1;
#pragma omp section
        y = 2;
    }
    *out = x + y;
    return x;
}

void wrong_halves(double *a, int n) {
#pragma omp parallel sections
    {
        for (int i = 0; i <= n / 2; i++) a[i] = 1;
#pragma omp section
        for (int i = n / 2; i < n; i++) a[i] = 2;
    }
}

void right_halves(double *a, int n) {
#pragma omp parallel sections
    {
        for (int i = 0; i < n / 2; i++) a[i] = 1;
#pragma omp section
        for (int i = n / 2; i < n; i++) a[i] = 2;
    }
}

void wrong_section_loop(double *restrict a, double *restrict b, int n) {
    int i;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            for (i = 0; i < n; i++) a[i] = 1;
#pragma omp section
            for (i = 0; i < n; i++) b[i] = 2;
        }
    }
}

void right_section_loop(double *restrict a, double *restrict b, int n) {
    int i;
#pragma omp parallel
    {
#pragma omp sections private(i)
        {
#pragma omp section
            for (i = 0; i < n; i++) a[i] = 1;
#pragma omp section
            for (i = 0; i < n; i++) b[i] = 2;
        }
    }
}

void wrong_sections_nowait(double *a, int n) {
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            a[0] = 1;
        }
#pragma omp for
        for (int i = 0; i < n; i++) a[i] += 1;
    }
}

void right_sections_nowait(double *a, int n) {
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            a[0] = 1;
        }
#pragma omp for
        for (int i = 0; i < n; i++) a[i] += 1;
    }
}
