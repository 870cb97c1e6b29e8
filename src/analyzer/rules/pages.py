"""The longer part of a rule's page: a bad and a good C example, what the rule does not see, which models it uses.

The tests run all examples: the bad one gets a finding of the rule, the good one gets none.
"""

from msgspec import Struct

TIMES = "The model of the run (`--model`; see --list-models), with the figures of the device; --why shows every number."


NO_TIMES = "None: no figure of a device takes part in the answer."


class Page(Struct, frozen=True):
    """`bad` and `good` are C functions; empty where no C code makes the difference. `options`: those of the command
    line with which they get this answer, where they need any but a target. `also`: the checks about the same thing in
    the Open Catalog of code guidelines for performance (github.com/codee-com/open-catalog)."""

    bad: str = ""
    good: str = ""
    limits: str = ""
    models: str = NO_TIMES
    options: str = ""
    also: tuple[str, ...] = ()


def page_of(rule: str) -> Page:
    """The page of a rule by its id."""
    return PAGES[rule]


def catalogue(checks: tuple[str, ...]) -> str:
    """A sentence that names the checks about the same thing in the open catalogue; empty without any."""
    return f"{', '.join(checks)} of the Open Catalog (github.com/codee-com/open-catalog)" if checks else ""


def _busy(items: int, steps: int) -> str:
    """Much arithmetic on each of some elements."""
    return (
        f"void f(float *restrict a) {{\n    for (int i = 0; i < {items}; i++)\n"
        f"        for (int k = 0; k < {steps}; k++)\n            a[i] = a[i] * 0.5f + 1.0f;\n}}"
    )


def _double(items: int, kind: str = "double", pragma: str = "") -> str:
    """Little arithmetic on each of some elements."""
    return (
        f"void f({kind} *restrict a, const {kind} *restrict b) {{\n{pragma}"
        f"    for (int i = 0; i < {items}; i++)\n        a[i] = b[i] * 2;\n}}"
    )


_BUSY = _busy(10000000, 1000)
_DEEP = (
    "#define EIGHT(s) if (a[i]) if (a[i]) if (a[i]) if (a[i]) if (a[i]) if (a[i]) if (a[i]) if (a[i]) s\n"
    "#define MANY(s) EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(s))))))))))\n"
    "void f(int n, int *a) {\n    for (int i = 0; i < n; i++) {\n"
    "        MANY(MANY(MANY(MANY(MANY(MANY(MANY(MANY(a[i] = 1;))))))))\n    }\n}"
)
_SHALLOW = "void f(int n, int *a) {\n    for (int i = 0; i < n; i++)\n        if (a[i])\n            a[i] = 1;\n}"
_FILL = "    for (int i = 0; i < n; i++)\n        a[i] = 0;\n}"
_PARALLEL = "    #pragma omp parallel for\n"


PAGES: dict[str, Page] = {
    "OFF001": Page(
        bad=_BUSY,
        good="void f(float *restrict a) {\n"
        "    #pragma omp target teams distribute parallel for map(tofrom: a[:10000000])\n" + _BUSY.partition("\n")[2],
        limits="A likely time is no measurement; docs/extended-model.md says what is in it and what is not.",
        models=TIMES,
        also=("PWR055", "PWR056", "PWR057"),
    ),
    "OFF002": Page(
        bad="void f(int n, float *restrict a) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        good="void f(int n, float *restrict a) {  // analyze: size n=1000000\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        limits="With several unknown sizes the break-even is given as if they were equal.",
        models=TIMES,
        also=("RMK013",),
    ),
    "OFF003": Page(
        bad=_busy(1000, 30),
        good=_double(10000000),
        limits="Which of two answers is right needs a measurement.",
        models=TIMES,
        options="--host xeon6248",
    ),
    "OFF004": Page(
        bad=_double(30000),
        good=_busy(30000, 1000),
        options="--host xeon6248 --target h200",
        limits="About the loop alone; the placement of the whole program sees data that stay on the device.",
        models=TIMES,
        also=("PWR013", "PWR015"),
    ),
    "OFF005": Page(
        bad=_busy(800, 100),
        good=_busy(10000, 10000),
        limits="That kernels of neighbouring loops could be merged is not seen.",
        models=TIMES,
        options="--host xeon6248 --resident --min-speedup 10",
    ),
    "OFF006": Page(
        bad="void f(float *restrict a) {\n    for (int i = 0; i < 100; i++)\n        a[i] *= 2;\n}",
        good=_BUSY,
        limits="A small loop that runs very often is judged with the loop around it.",
        models=TIMES,
    ),
    "OFF007": Page(
        bad=_double(10000000),
        good=_BUSY,
        limits="Other targets may win; `-t` takes several.",
        models=TIMES,
        options="--host xeon6248 --min-speedup 10",
    ),
    "OFF008": Page(
        bad=_double(10000000, pragma=_PARALLEL),
        good=_double(10000000, "float", _PARALLEL),
        limits="A program that needs the precision in part only is not looked at in parts. Reported where the "
        "threads of the host do not win either.",
        models=TIMES,
        options="--target gts250",
    ),
    "OFF009": Page(
        limits="No C code makes the difference, the file of the device does: `boathull devices check FILE` says which "
        "figures it lacks.",
        models=TIMES,
    ),
    "OFF010": Page(
        bad=_double(200000000, pragma=_PARALLEL),
        good=_double(20000000, pragma=_PARALLEL),
        limits="Memory that other loops keep on the device is not counted. Reported where the threads of the host do "
        "not win either.",
        models=TIMES,
        options="--target gtx470",
    ),
    "PAR001": Page(
        bad="double f(int n, const double *a) {\n    double s = 0;\n"
        "    for (int i = 0; i < 100000000; i++)\n        s += a[i];\n    return s;\n}",
        good="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for reduction(+:s)\n"
        "    for (int i = 0; i < 100000000; i++)\n        s += a[i];\n    return s;\n}",
        limits="Scheduling, NUMA placement and false sharing are not modelled.",
        models=TIMES,
        also=("PWR050", "PWR051", "PWR052"),
    ),
    "DEP001": Page(
        bad="void f(int n, double *a) {\n    for (int i = 1; i < n; i++)\n        a[i] = a[i - 1] + a[i];\n}",
        good="void f(int n, const double *restrict a, double *restrict b) {\n"
        "    for (int i = 1; i < n; i++)\n        b[i] = a[i - 1] + a[i];\n}",
        limits="Parallel forms (scan, wavefront) are named where they are recognised, and not applied.",
    ),
    "DEP002": Page(
        bad="float f(int n, const float *a) {\n    float s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}",
        good="float f(int n, const float *a) {\n    float s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        if (a[i] > s)\n            s = a[i];\n    return s;\n}",
        limits="How much the rounding differs is not estimated.",
        options="--strict-fp",
    ),
    "DEP003": Page(
        bad="struct node { struct node *next; double v; };\nvoid f(int n, struct node *p) {\n"
        "    for (int i = 0; i < n; i++)\n        p[i].v = p[i].next->v;\n}",
        good="void f(int n, double *restrict a, const double *restrict b) {\n"
        "    for (int i = 0; i < n; i++)\n        a[i] = b[i + 1];\n}",
        limits="Two plain pointer parameters, or arrays of two members, are assumed not to overlap, and the answer "
        "says so. Nothing is assumed of a pointer that a call returns, or of members that the function itself sets.",
        also=("PWR023",),
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
        '    printf("%d doubled\\n", n);\n}',
        limits="Which effects a reader would not miss is not asked: all that shows outside counts.",
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
        limits="Jumps out of a loop are DEP006; jumps inside one iteration are followed where they go forwards.",
    ),
    "DEP008": Page(
        bad="volatile int sum;\nvoid f(int n, const int *a) {\n"
        "    for (int i = 0; i < n; i++)\n        sum += a[i];\n}",
        good="volatile int sum;\nvoid f(int n, const int *a) {\n    int s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    sum = s;\n}",
        limits="A volatile object that no other thread or device reads blocks as well: the type says otherwise.",
    ),
    "DEP009": Page(
        bad='void f(int n, int *a) {\n    for (int i = 0; i < n; i++)\n        __asm__("bswap %0" : "+r"(a[i]));\n}',
        good="void f(int n, unsigned *a) {\n    for (int i = 0; i < n; i++)\n"
        "        a[i] = a[i] >> 24 | (a[i] >> 8 & 0xff00) | (a[i] & 0xff00) << 8 | a[i] << 24;\n}",
        limits="Also assembly that only computes; an intrinsic of the compiler is known by name.",
    ),
    "DEP010": Page(
        bad="void f(int n, int m, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i * m % n] = i;\n}",
        good="void f(int n, int m, double *a) {\n    // analyze: independent m and n have no common factor\n"
        "    for (int i = 0; i < n; i++)\n        a[i * m % n] = i;\n}",
        limits="Where sizes are found for which the order shows, the reason is DEP001.",
        also=("PWR036", "RMK014"),
    ),
    "DEP011": Page(
        bad="void f(double *a, double eps) {\n    int i = 0;\n    while (a[i] > eps) {\n        a[i] = 0;\n"
        "        i++;\n    }\n}",
        good="void f(int n, double *a) {\n    int i = 0;\n"
        "    while (i < n) {\n        a[i] = 0;\n        i++;\n    }\n}",
        limits="A loop that ends at a value in memory has no count even if the value is always there.",
        also=("PWR017", "PWR024"),
    ),
    "DEP012": Page(
        bad=_DEEP,
        good=_SHALLOW,
        limits="12 000 pairs of accesses in one loop, 2 500 eliminations in one nest; larger ones are left open.",
    ),
    "DEP013": Page(
        bad="struct node { double x; struct node *next; };\nvoid f(struct node **table) {\n"
        "    #pragma omp parallel for\n    for (int i = 0; i < 100000; i++)\n"
        "        for (int k = 0; k < 1000; k++)\n            table[i]->x = table[i]->x * 0.5 + k;\n}",
        good="void f(double *x) {\n    #pragma omp parallel for\n    for (int i = 0; i < 100000; i++)\n"
        "        for (int k = 0; k < 1000; k++)\n            x[i] = x[i] * 0.5 + k;\n}",
        limits="Reported where nothing else decides: all threads of the host may win without any copy.",
        also=("PWD006",),
    ),
    "MEM001": Page(
        bad="void f(double (*restrict a)[4096], double (*restrict b)[4096]) {\n    for (int j = 0; j < 4096; j++)\n"
        "        for (int i = 0; i < 4096; i++)\n            a[i][j] = b[i][j] * 2;\n}",
        good="void f(double (*restrict a)[4096], double (*restrict b)[4096]) {\n    for (int i = 0; i < 4096; i++)\n"
        "        for (int j = 0; j < 4096; j++)\n            a[i][j] = b[i][j] * 2;\n}",
        limits="Reported for loops that are worth moving or may be. Caches may soften it, and the times know.",
        models=TIMES,
        also=("PWR034", "PWR039", "PWR016", "RMK010"),
    ),
    "MEM002": Page(
        bad="void f(double *restrict a, const double *restrict b, const int *restrict k) {\n"
        "    for (int i = 0; i < 10000000; i++)\n        a[i] = b[k[i]];\n}",
        good="void f(double *restrict a, const double *restrict sorted) {\n"
        "    for (int i = 0; i < 10000000; i++)\n        a[i] = sorted[i];\n}",
        limits="Reported for loops that are worth moving or may be. That indices are nearly sorted is not known.",
        models=TIMES,
        also=("PWR035", "PWR036", "RMK014"),
    ),
    "RAC001": Page(
        bad="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}",
        good="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for reduction(+: s)\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}",
        limits="Threads that wait for each other by several flags or by library calls are not followed: then the "
        "answer is unknown. Nor is which elements the values in a list select that is read from somewhere.",
    ),
    "RAC002": Page(
        bad="void f(int n, double *a) {\n    double scale = 0.5;\n    #pragma omp parallel for private(scale)\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= scale;\n}",
        good="void f(int n, double *a) {\n    double scale = 0.5;\n    #pragma omp parallel for firstprivate(scale)\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= scale;\n}",
        limits="Copies that are read or set under a condition only are not looked at.",
    ),
    "RAC003": Page(
        bad="void f(int n, double *a) {\n    #pragma omp target teams distribute parallel for map(to: a[0:n])\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        good="void f(int n, double *a) {\n    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])\n"
        "    for (int i = 0; i < n; i++)\n        a[i] *= 2;\n}",
        limits="Names that another directive of the file gives to the device are left out. Sizes of sections are not "
        "compared.",
    ),
    "RAC004": Page(
        bad="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for\n"
        "    for (int i = 0; i < n; i++) {\n        #pragma omp critical\n        s += a[i] * a[i];\n    }\n"
        "    return s;\n}",
        good="double f(int n, const double *a) {\n    double s = 0;\n    #pragma omp parallel for reduction(+: s)\n"
        "    for (int i = 0; i < n; i++)\n        s += a[i] * a[i];\n    return s;\n}",
        limits="How long they wait is not worked out.",
    ),
    "SRC001": Page(
        bad="void f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i] = 2 * ;\n}",
        good="void f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i] = 2 * a[i];\n}",
        limits="Code that another branch of an #if would hold is not looked at.",
    ),
    "SRC002": Page(
        bad="void f(int n, vector_t *a) {\n    for (int i = 0; i < n; i++)\n        a[i].x = 0;\n}",
        good="typedef struct { double x, y; } vector_t;\nvoid f(int n, vector_t *a) {\n"
        "    for (int i = 0; i < n; i++)\n        a[i].x = 0;\n}",
        limits="A macro of a missing header that stands for a type looks the same.",
    ),
    "SRC003": Page(
        bad='#include "sizes.h"\nvoid f(double *a) {\n    for (int i = 0; i < SIZE; i++)\n        a[i] = 0;\n}',
        good="#define SIZE 1000000\nvoid f(double *a) {\n    for (int i = 0; i < SIZE; i++)\n        a[i] = 0;\n}",
        limits="Whether the header matters is not known: it may define nothing that the loops use.",
    ),
    "SRC004": Page(limits="No C code makes the difference, the folders do: headers of one name are not told apart."),
    "SRC005": Page(limits="No C code makes the difference, compile_commands.json does."),
    "SRC006": Page(
        bad="#ifndef SIZE\n#error SIZE is not defined\n#endif\nvoid f(int n, double *a) {\n" + _FILL,
        good="#ifndef SIZE\n#define SIZE 1000\n#endif\nvoid f(int n, double *a) {\n" + _FILL,
        limits="Text of files outside of the project is not repeated in the message.",
    ),
    "SRC007": Page(
        bad=_DEEP,
        good=_SHALLOW,
        limits="Where time decides, a slower machine reaches the limit earlier.",
    ),
    "SRC008": Page(limits="No C code makes the difference, the machine does."),
    "SRC009": Page(
        bad="void f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n"
        "        a[i] = __builtin_types_compatible_p(int, double) ? 1 : 2;\n}",
        good="void f(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        a[i] = 2;\n}",
        limits="Extensions whose meaning is known, as attributes and `__typeof__`, are taken as they are.",
    ),
    "SRC010": Page(limits="No C code makes the difference, the file does."),
    "SRC011": Page(
        bad="void f(int n, double *a) {\n    // analyze: indepedent\n" + _FILL,
        good="void f(int n, double *a) {\n    // analyze: independent\n" + _FILL,
        limits="Comments in headers of the system are not read.",
    ),
    "SRC900": Page(limits="No C code makes the difference that is known: otherwise it would be mended."),
}
