"""The longer part of a rule's page: a bad and a good C example, what the rule does not see, which models it uses.

The examples of the `DEP` rules are analysed by the tests: the first loop of the bad one has the rule's reason, the
first loop of the good one is parallel.
"""

from msgspec import Struct

BOAT_HULL = "boat-hull (The Boat Hull Model, 2012), with the figures of the device; --why shows every number."


class Page(Struct, frozen=True):
    """`bad` and `good` are C functions; empty where no C code makes the difference."""

    bad: str = ""
    good: str = ""
    limits: str = ""
    models: str = ""


PAGES: dict[str, Page] = {
    "OFF001": Page(
        limits="A likely time is no measurement. Caches, launch latency and occupancy are not in the boat hull model.",
        models=BOAT_HULL,
    ),
    "OFF002": Page(
        bad="void f(int n, float *restrict a) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        good="void f(int n, float *restrict a) {  // analyze: size n=1000000\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        limits="With several unknown sizes the break-even is given as if they were equal.",
        models=BOAT_HULL,
    ),
    "OFF003": Page(models=BOAT_HULL),
    "OFF004": Page(
        limits="Each loop is looked at alone: data that stay on the device between loops are not seen.",
        models=BOAT_HULL,
    ),
    "OFF005": Page(models=BOAT_HULL),
    "OFF006": Page(models=BOAT_HULL),
    "OFF007": Page(models=BOAT_HULL),
    "OFF008": Page(models=BOAT_HULL),
    "OFF009": Page(models=BOAT_HULL),
    "OFF010": Page(limits="Memory that other loops keep on the device is not counted.", models=BOAT_HULL),
    "PAR001": Page(
        bad="double f(int n, const double *a) {\n    double s = 0;\n"
        "    for (int i = 0; i < 100000000; i++)\n        s += a[i];\n    return s;\n}",
        good="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for reduction(+:s)\n"
        "    for (int i = 0; i < 100000000; i++)\n        s += a[i];\n    return s;\n}",
        limits="Scheduling, NUMA placement and false sharing are not modelled.",
        models=BOAT_HULL,
    ),
    "DEP001": Page(
        bad="void f(int n, double *a) {\n    for (int i = 1; i < n; i++)\n        a[i] = a[i - 1] + a[i];\n}",
        good="void f(int n, const double *restrict a, double *restrict b) {\n"
        "    for (int i = 1; i < n; i++)\n        b[i] = a[i - 1] + a[i];\n}",
        limits="Parallel forms (scan, wavefront) are named where they are recognised, and not applied.",
    ),
    "DEP002": Page(
        bad="float f(int n, const float *a) {  // with --strict-fp\n    float s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}",
        good="float f(int n, const float *a) {\n    float s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        if (a[i] > s)\n            s = a[i];\n    return s;\n}",
        limits="How much the rounding differs is not estimated.",
    ),
    "DEP003": Page(
        bad="struct pair { double *a, *b; };\nvoid f(int n, struct pair *p) {\n"
        "    for (int i = 0; i < n; i++)\n        p->a[i] = p->b[i + 1];\n}",
        good="void f(int n, double *restrict a, const double *restrict b) {\n"
        "    for (int i = 0; i < n; i++)\n        a[i] = b[i + 1];\n}",
        limits="Two plain pointer parameters are assumed not to overlap, and the answer says so; two members are not.",
    ),
    "DEP004": Page(
        bad="double g(double);\nvoid f(int n, double *a) {\n"
        "    for (int i = 0; i < n; i++)\n        a[i] = g(a[i]);\n}",
        good="static double g(double x) { return x * x + 1; }\nvoid f(int n, double *a) {\n"
        "    for (int i = 0; i < n; i++)\n        a[i] = g(a[i]);\n}",
        limits="Calls through pointers and recursion stay unknown; functions of the C library are known by name.",
    ),
    "DEP005": Page(
        bad="#include <stdio.h>\nvoid f(int n, double *a) {\n    for (int i = 0; i < n; i++) {\n"
        '        a[i] *= 2;\n        printf("%g\\n", a[i]);\n    }\n}',
        good="#include <stdio.h>\nvoid f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n"
        '    for (int i = 0; i < n; i++)\n        printf("%g\\n", a[i]);\n}',
    ),
    "DEP006": Page(
        bad="int f(int n, const int *a) {\n    for (int i = 0; i < n; i++)\n        if (a[i] == 0)\n"
        "            return i;\n    return -1;\n}",
        good="int f(int n, const int *a) {\n    int first = n;\n    for (int i = 0; i < n; i++)\n"
        "        if (a[i] == 0 && i < first)\n            first = i;\n    return first < n ? first : -1;\n}",
        limits="The good one reads all of the array: it pays where the exit is usually late.",
    ),
    "DEP007": Page(
        bad="void f(int n, double *a) {\n    for (int i = 0; i < n; i++) {\n    again:\n        a[i] /= 2;\n"
        "        if (a[i] > 1)\n            goto again;\n    }\n}",
        good="void f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        while (a[i] > 1)\n"
        "            a[i] /= 2;\n}",
    ),
    "DEP008": Page(
        bad="volatile int sum;\nvoid f(int n, const int *a) {\n"
        "    for (int i = 0; i < n; i++)\n        sum += a[i];\n}",
        good="volatile int sum;\nvoid f(int n, const int *a) {\n    int s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    sum = s;\n}",
    ),
    "DEP009": Page(
        bad="void f(int n, int *a) {\n    for (int i = 0; i < n; i++)\n"
        '        __asm__("bswap %0" : "+r"(a[i]));\n}',
        good="void f(int n, unsigned *a) {\n    for (int i = 0; i < n; i++)\n"
        "        a[i] = a[i] >> 24 | (a[i] >> 8 & 0xff00) | (a[i] & 0xff00) << 8 | a[i] << 24;\n}",
    ),
    "DEP010": Page(
        bad="void f(int n, int m, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i * m % n] = i;\n}",
        good="void f(int n, int m, double *a) {\n    // analyze: independent m and n have no common factor\n"
        "    for (int i = 0; i < n; i++)\n        a[i * m % n] = i;\n}",
        limits="Where sizes or contents are found for which the order shows, the reason is DEP001.",
    ),
    "DEP011": Page(
        bad="void f(double *a, double eps) {\n    int i = 0;\n    while (a[i] > eps) {\n        a[i] = 0;\n"
        "        i++;\n    }\n}",
        good="void f(int n, double *a) {\n    int i = 0;\n"
        "    while (i < n) {\n        a[i] = 0;\n        i++;\n    }\n}",
    ),
    "DEP012": Page(limits="12 000 pairs of accesses or 2 000 eliminations in one loop; larger ones are left open."),
    "DEP013": Page(limits="Reported by placement only; loops over linked structures are mostly DEP001."),
}
