/* Tasks: those that run beside each other, and beside what makes them. */
int wrong_two_tasks(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x)
        x = 1;
#pragma omp task shared(x)
        x = 2;
    }
    return x;
}

int right_two_tasks(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
#pragma omp task shared(x) depend(inout : x)
        x = 2;
    }
    return x;
}

int wrong_no_wait(void) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x)
        x = 1;
        y = x;
    }
    return y;
}

int right_no_wait(void) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x)
        x = 1;
#pragma omp taskwait
        y = x;
    }
    return y;
}

void wrong_task_loop(double *a, int n) {
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < n; i++) {
#pragma omp task
        a[i] = a[i - 1];
    }
}

void right_task_loop(double *a, int n) {
#pragma omp parallel
#pragma omp single
    for (int i = 1; i < n; i++) {
#pragma omp task
        a[i] = 2 * a[i];
    }
}

void wrong_task_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task shared(s)
        s += a[i];
    }
    *out = s;
}

void right_task_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task shared(s)
        {
#pragma omp atomic
            s += a[i];
        }
    }
    *out = s;
}

void wrong_taskloop(double *a, int n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
    for (int i = 1; i < n; i++) a[i] = a[i - 1];
}

void right_taskloop(double *a, int n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
    for (int i = 1; i < n; i++) a[i] = 2 * a[i];
}

int wrong_three_tasks(void) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
#pragma omp task shared(x, y) depend(in : x)
        y = x;
#pragma omp task shared(x, z) depend(in : y)
        z = x + y;
    }
    return z;
}

int right_three_tasks(void) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
        y = x;
#pragma omp task shared(x, y, z) depend(in : y)
        z = x + y;
    }
    return z;
}

int wrong_group(int *a) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            a[0] = 1;
        }
#pragma omp task shared(x)
        x = 2;
        a[1] = x;
    }
    return x;
}

int right_group(int *a) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(x)
            x = 2;
        }
        a[1] = x;
    }
    return x;
}

void wrong_every_thread(double *a) {
#pragma omp parallel
    {
#pragma omp task
        a[0] = 1;
    }
}

void right_every_thread(double *a) {
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            a[0] = 1;
        }
    }
}

int wrong_fib(int n) {
    int x, y;
    if (n < 2) return n;
#pragma omp task shared(x)
    x = wrong_fib(n - 1);
#pragma omp task shared(y)
    y = wrong_fib(n - 2);
    return x + y;
}

int right_fib(int n) {
    int x, y;
    if (n < 2) return n;
#pragma omp task shared(x)
    x = right_fib(n - 1);
#pragma omp task shared(y)
    y = right_fib(n - 2);
#pragma omp taskwait
    return x + y;
}

void wrong_local_of_maker(double *out) {
#pragma omp parallel
#pragma omp single
    {
        double v = 1;
#pragma omp task shared(v)
        v = 2;
        v += 1;
#pragma omp taskwait
        *out = v;
    }
}

void right_local_of_maker(double *out) {
#pragma omp parallel
#pragma omp single
    {
        double v = 1;
#pragma omp task shared(v)
        v = 2;
#pragma omp taskwait
        v += 1;
        *out = v;
    }
}

void wrong_two_makers(double *s) {
#pragma omp parallel
    {
#pragma omp task depend(inout : s[0])
        s[0] += 1;
    }
}

void right_two_makers(double *s) {
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 9; k++) {
#pragma omp task depend(inout : s[0])
        s[0] += 1;
    }
}
