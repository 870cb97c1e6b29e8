"""Functions of the C library that touch nothing but what their pointer arguments lead to (C11 7.20 to 7.27, POSIX).

Every other function without a visible body may read and write all memory that is not on its own stack.
"""

NOTHING = frozenset(
    (
        "free",
        "exit",
        "abort",
        "_Exit",
        "atexit",
        "srand",
        "rand",
        "random",
        "srandom",
        "drand48",
        "srand48",
        "time",
        "clock",
        "clock_gettime",
        "gettimeofday",
        "difftime",
        "omp_get_wtime",
        "omp_get_num_threads",
        "omp_get_max_threads",
        "omp_get_thread_num",
        "omp_set_num_threads",
        "putchar",
        "fputc",
        "putc",
        "fflush",
        "fclose",
        "getchar",
        "fgetc",
        "getc",
        "feof",
        "ferror",
        "rewind",
        "fseek",
        "ftell",
        "sleep",
        "usleep",
        "sched_yield",
    )
)
"""They touch no array: `free` needs no contents, the clocks write a few bytes of their own."""

LATER = frozenset(
    (
        *("atexit", "at_quick_exit", "on_exit", "signal", "sigaction", "setjmp", "_setjmp", "sigsetjmp"),
        *("pthread_create", "thrd_create", "fork"),
    )
)
"""After them, code of the program runs at times that its text does not tell."""

READ = frozenset(
    (
        "printf",
        "fprintf",
        "puts",
        "fputs",
        "fwrite",
        "perror",
        "fopen",
        "remove",
        "rename",
        "atoi",
        "atol",
        "atoll",
        "atof",
        "getenv",
        "system",
        "strtol",
        "strtoul",
        "strtoll",
        "strtoull",
        "strtod",
        "strtof",
        "__builtin_printf",
        "__printf_chk",
        "__fprintf_chk",
        "strdup",
        "strchr",
        "strrchr",
        "strstr",
        "strcspn",
        "strspn",
        "__assert_fail",
    )
)
"""They read what they are given."""

WRITTEN = frozenset(
    (
        "scanf",
        "fscanf",
        "sscanf",
        "fread",
        "fgets",
        "getline",
        "sprintf",
        "snprintf",
        "vsnprintf",
        "strcat",
        "strncat",
        "strtok",
        "qsort",
    )
)
"""They read and write what they are given."""
