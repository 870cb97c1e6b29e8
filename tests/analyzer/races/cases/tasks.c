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
