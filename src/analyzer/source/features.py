"""What configure, CMake and meson find out about a machine, answered from names: headers, functions, types, sizes.

Nothing is run. An answer is text for the preprocessor: whether a header is there is asked of the compiler itself
(`__has_include`), sizes are its predefined macros, and a function is there where the header that declares it is.
"""

import re
from collections.abc import Mapping

from msgspec import Struct, field

from ..base.regex import regex
from .abi import ABIS
from .headers import STANDINS

_HEADERS = frozenset(
    """aio.h alloca.h arpa/inet.h assert.h byteswap.h complex.h cpio.h ctype.h dirent.h dlfcn.h elf.h endian.h err.h
    errno.h execinfo.h fcntl.h features.h fenv.h float.h fnmatch.h ftw.h getopt.h glob.h grp.h iconv.h ifaddrs.h
    inttypes.h iso646.h langinfo.h libgen.h libintl.h limits.h link.h linux/fs.h linux/futex.h linux/types.h locale.h
    malloc.h math.h memory.h monetary.h mntent.h mqueue.h net/if.h netdb.h netinet/in.h netinet/in6.h netinet/tcp.h
    nl_types.h paths.h poll.h pthread.h pty.h pwd.h regex.h resolv.h sched.h search.h semaphore.h setjmp.h sgtty.h
    signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
    string.h strings.h stropts.h sys/auxv.h sys/cdefs.h sys/dir.h sys/epoll.h sys/event.h sys/eventfd.h sys/file.h
    sys/ioctl.h sys/ipc.h sys/mman.h sys/mount.h sys/msg.h sys/param.h sys/poll.h sys/prctl.h sys/queue.h sys/random.h
    sys/resource.h sys/select.h sys/sem.h sys/sendfile.h sys/shm.h sys/signalfd.h sys/socket.h sys/stat.h sys/statfs.h
    sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/sysmacros.h sys/time.h sys/timeb.h sys/timerfd.h sys/times.h
    sys/types.h sys/ucontext.h sys/uio.h sys/un.h sys/unistd.h sys/utsname.h sys/vfs.h sys/wait.h sys/xattr.h syslog.h
    tar.h termio.h termios.h tgmath.h threads.h time.h uchar.h ucontext.h ulimit.h unistd.h utime.h utmp.h utmpx.h
    wait.h wchar.h wctype.h wordexp.h cpuid.h immintrin.h emmintrin.h xmmintrin.h x86intrin.h smmintrin.h
    tmmintrin.h pmmintrin.h""".split()  # noqa: SIM905
) - {"netinet/in6.h", "sgtty.h", "stropts.h", "sys/event.h", "termio.h", "linux/futex.h"}
"""Headers of the C library of Linux and of its compilers: those that are there where no compiler can be asked."""

_DECLARED_IN: Mapping[str, str] = {
    function: header
    for header, functions in {
        "stdlib.h": """abort abs atexit atoll bsearch calloc free getenv labs llabs malloc mkstemp mkdtemp
            posix_memalign putenv qsort rand_r random srandom realloc realpath setenv strtod strtof strtol strtold
            strtoll strtoul strtoull system unsetenv aligned_alloc""",
        "string.h": """memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror
            strerror_r strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr strsignal strspn strstr strtok
            strtok_r stpcpy""",
        "strings.h": "bcmp bcopy bzero ffs index rindex strcasecmp strncasecmp",
        "stdio.h": """fdopen fileno flockfile fseeko ftello funlockfile getdelim getline pclose perror popen printf
            remove rename snprintf sprintf sscanf vfprintf vprintf vsnprintf vsprintf vsscanf putc_unlocked
            getc_unlocked fprintf fseek ftell dprintf vdprintf fmemopen open_memstream tmpfile""",
        "unistd.h": """access alarm chdir chown close dup dup2 execl execv execve execvp fchdir fchown fork fsync
            fdatasync ftruncate getcwd getegid geteuid getgid gethostname getlogin getopt getpagesize getpid getppid
            getuid isatty lchown link lseek pathconf pipe pread pwrite read readlink rmdir sbrk setgid setsid setuid
            sleep symlink sysconf truncate ttyname unlink usleep vfork write linkat readlinkat symlinkat unlinkat
            fchownat faccessat""",
        "fcntl.h": "creat fcntl open openat posix_fadvise posix_fallocate",
        "sys/stat.h": """chmod fchmod fchmodat fstat fstatat futimens lstat mkdir mkfifo mknod stat umask utimensat
            mkdirat""",
        "sys/time.h": "futimes getitimer gettimeofday lutimes setitimer settimeofday utimes",
        "time.h": """asctime_r clock clock_getres clock_gettime clock_nanosleep ctime ctime_r gmtime gmtime_r localtime
            localtime_r mktime nanosleep strftime strptime time timegm timer_create tzset""",
        "utime.h": "utime",
        "math.h": """acosh asinh atanh cbrt ceil copysign erf erfc exp2 expm1 fabs fabsf floor floorf fma fmax fmin fmod
            frexp hypot ilogb isfinite isinf isnan ldexp lgamma lgamma_r llrint llrintf llround log1p log2 logb lrint
            lrintf lround lroundf modf modff nearbyint pow powf remainder rint rintf round roundf sin cos sincos sqrt
            sqrtf tgamma trunc truncf tan tanh nextafter signbit""",
        "sys/mman.h": "madvise mlock mmap mprotect msync munmap posix_madvise",
        "sys/socket.h": """accept bind connect getpeername getsockname getsockopt listen recv recvfrom recvmsg send
            sendmsg sendto setsockopt shutdown socket socketpair""",
        "netdb.h": """freeaddrinfo gai_strerror getaddrinfo gethostbyname gethostbyname_r getnameinfo getprotobynumber
            getservbyname""",
        "arpa/inet.h": "inet_addr inet_aton inet_ntoa inet_ntop inet_pton htonl htons ntohl ntohs",
        "sys/wait.h": "wait waitpid wait3 wait4",
        "signal.h": "kill raise sigaction sigaddset sigaltstack signal sigprocmask sigemptyset",
        "setjmp.h": "sigsetjmp siglongjmp setjmp",
        "poll.h": "poll",
        "sys/select.h": "select pselect",
        "sys/resource.h": "getpriority getrlimit getrusage setrlimit setpriority",
        "sys/uio.h": "readv writev",
        "sys/utsname.h": "uname",
        "sys/ioctl.h": "ioctl",
        "dirent.h": "closedir dirfd fdopendir opendir readdir readdir_r rewinddir",
        "pwd.h": "getpwnam getpwnam_r getpwuid getpwuid_r",
        "grp.h": "getgrgid getgrgid_r getgrnam getgrnam_r",
        "dlfcn.h": "dladdr dlopen dlsym",
        "locale.h": "localeconv setlocale newlocale uselocale freelocale",
        "langinfo.h": "nl_langinfo",
        "wchar.h": """btowc mbrlen mbrtowc mbsrtowcs wcrtomb wcscmp wcscpy wcslen wctomb wmemcmp wmemcpy wmemmove wcsdup
            wcsrtombs mbsnrtowcs wcsnrtombs""",
        "wctype.h": "iswalnum iswctype iswprint towlower towupper",
        "ctype.h": "isascii isblank toascii tolower toupper",
        "iconv.h": "iconv iconv_open",
        "fnmatch.h": "fnmatch",
        "glob.h": "glob",
        "regex.h": "regcomp",
        "getopt.h": "getopt_long",
        "spawn.h": "posix_spawn posix_spawnp",
        "syslog.h": "syslog openlog",
        "sched.h": "sched_yield sched_getaffinity sched_setaffinity",
        "pthread.h": """pthread_create pthread_atfork pthread_condattr_setclock pthread_mutex_lock pthread_once
            pthread_sigmask""",
        "alloca.h": "alloca",
        "malloc.h": "memalign",
        "stdarg.h": "va_copy",
        "inttypes.h": "strtoimax strtoumax imaxabs",
        "sys/statvfs.h": "statvfs fstatvfs",
        "termios.h": "tcgetattr tcsetattr cfmakeraw",
        "fenv.h": "fesetround fegetround",
    }.items()
    for function in functions.split()
}

_ON_LINUX: Mapping[str, str] = {
    function: header
    for header, functions in {
        "sys/epoll.h": "epoll epoll_create epoll_create1 epoll_ctl epoll_wait",
        "sys/eventfd.h": "eventfd",
        "sys/timerfd.h": "timerfd_create",
        "sys/signalfd.h": "signalfd",
        "sys/random.h": "getrandom getentropy",
        "sys/sendfile.h": "sendfile",
        "sys/prctl.h": "prctl",
        "sys/auxv.h": "getauxval",
        "sys/statfs.h": "statfs fstatfs",
        "sys/socket.h": "accept4 recvmmsg sendmmsg",
        "sys/syscall.h": "syscall",
        "unistd.h": "pipe2 dup3 getopt_long_only copy_file_range",
        "fcntl.h": "fallocate splice",
        "stdio.h": "asprintf vasprintf fread_unlocked fwrite_unlocked fputs_unlocked",
        "stdlib.h": "secure_getenv reallocarray mkostemp canonicalize_file_name",
        "string.h": "explicit_bzero memmem mempcpy memrchr strchrnul strsep rawmemchr",
        "strings.h": "strcasestr",
        "malloc.h": "malloc_usable_size mallinfo",
        "pthread.h": "pthread_setname_np pthread_setaffinity_np",
        "ifaddrs.h": "getifaddrs",
        "sys/mman.h": "mremap memfd_create",
    }.items()
    for function in functions.split()
}
"""Functions that the C library of Linux declares beyond POSIX."""



def is_of_c_library(function: str) -> bool:
    """Whether the C library of Linux declares a function of that name, or its threads do.

    >>> is_of_c_library("qsort"), is_of_c_library("pthread_join"), is_of_c_library("move")
    (True, True, False)
    """
    return function in _DECLARED_IN or function in _ON_LINUX or function.startswith(("pthread_", "sem_", "omp_"))


_TYPES = frozenset(
    """bool _bool char16_t int8_t int16_t int32_t int64_t intmax_t intptr_t long_double long_long long_long_int mode_t
    off_t pid_t ptrdiff_t size_t socklen_t ssize_t time_t uid_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t
    unsigned_long_long unsigned_long_long_int u_int8_t u_int16_t u_int32_t u_int64_t u_char u_int u_long u_short uchar
    uint ulong ushort wchar_t wint_t sig_atomic_t struct_timeval struct_timespec struct_stat struct_addrinfo
    struct_in6_addr struct_sockaddr_in6 struct_sockaddr_storage struct_sockaddr_un sa_family_t in_addr_t in_port_t
    struct_stat_st_blksize struct_stat_st_blocks struct_stat_st_rdev struct_tm_tm_gmtoff struct_tm_tm_zone
    struct_dirent_d_type suseconds_t""".split()  # noqa: SIM905
)
_COMPILER = frozenset(
    ("visibility", "typeof", "inline", "restrict", "atomic_builtins", "sync_builtins", "gcc_atomic_builtins")
)
"""Abilities that every compiler has that calls itself GNU's."""
_COMPILER_PREFIXES = (
    *("attribute_", "func_attribute_", "var_attribute_", "bswap", "builtin_add_overflow", "builtin_bswap"),
    *("builtin_clz", "builtin_constant_p", "builtin_ctz", "builtin_expect", "builtin_mul_overflow", "builtin_popcount"),
    *("builtin_prefetch", "builtin_sub_overflow", "builtin_unreachable"),
)

_SIZEOF = {
    "short": "short", "unsigned_short": "short", "int": "int", "unsigned_int": "int", "unsigned": "int",
    "long": "long", "long_int": "long", "unsigned_long": "long", "unsigned_long_int": "long", "long_long": "long long",
    "long_long_int": "long long", "unsigned_long_long": "long long", "float": "float", "double": "double",
    "long_double": "long double", "void_p": "pointer", "void_ptr": "pointer", "voidp": "pointer", "char_p": "pointer",
    "int_p": "pointer", "pthread_t": "pointer", "time_t": "pointer", "size_t": "pointer", "ssize_t": "pointer",
    "ptrdiff_t": "pointer", "intptr_t": "pointer", "uintptr_t": "pointer",
}  # fmt: skip
_FIXED_SIZE = {
    "char": 1, "unsigned_char": 1, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4,
    "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "intmax_t": 8, "uintmax_t": 8, "wchar_t": 4, "pid_t": 4, "mode_t": 4,
    "socklen_t": 4, "off_t": 8, "off64_t": 8, "sf_count_t": 8, "__int64": 8, "bool": 1, "_bool": 1,
}  # fmt: skip
_EXTENSIONS = frozenset(
    """_GNU_SOURCE _ALL_SOURCE _DARWIN_C_SOURCE _POSIX_PTHREAD_SEMANTICS _TANDEM_SOURCE __EXTENSIONS__
    _NETBSD_SOURCE _OPENBSD_SOURCE STDC_HEADERS TIME_WITH_SYS_TIME RETSIGTYPE_VOID HAVE_STDC_HEADERS""".split()  # noqa: SIM905
)
"""What configure defines wherever it runs: it asks headers for all that they have."""
_BIG_ENDIAN = "__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__"
_BYTE_ORDER = {
    "WORDS_BIGENDIAN": _BIG_ENDIAN, "WORDS_BIG_ENDIAN": _BIG_ENDIAN, "CPU_IS_BIG_ENDIAN": _BIG_ENDIAN,
    "IS_BIG_ENDIAN": _BIG_ENDIAN, "BIG_ENDIAN_HOST": _BIG_ENDIAN,
    "CPU_IS_LITTLE_ENDIAN": f"!({_BIG_ENDIAN})", "IS_LITTLE_ENDIAN": f"!({_BIG_ENDIAN})",
}  # fmt: skip

_MOST_TESTED = 2000
"""Headers that are looked for on account of templates, in one file: each costs a look into every folder."""
_ASKS = regex(r"(?:^|_)(?:HAVE_DECL|HAVE_TYPE|HAVE|HAS)_+(?P<what>\w+)\Z", re.IGNORECASE)
_SIZE_OF = regex(r"(?:^|_)SIZEOF_(?P<what>\w+)\Z", re.IGNORECASE)


class Answer(Struct, frozen=True):
    """`condition`: for `#if`, when the name is defined; `value`: what it is defined as then."""

    condition: str
    value: str = "1"


class Features(Struct):
    """Answers for one file. `has_compiler`: whether `__has_include` can be asked of one; `abi`: the one asked for by
    name, if any. `tested`: the headers that were asked for, whether they are there or not."""

    has_compiler: bool
    abi: str | None = None
    tested: set[str] = field(default_factory=set)

    def answer(self, name: str) -> Answer | None:
        """What configure would say to a name; None where that is not known. Without a compiler every condition is `0`
        or `1`.

        `HAVE_SYS_TYPES_H`, `HAVE_MMAP`, `HAVE_UINT64_T`, `SIZEOF_LONG`, `WORDS_BIGENDIAN`; with a prefix, too
        (`EVENT__HAVE_POLL`). Not: abilities of other libraries, and choices of the one who builds."""
        found = self._answer(name)
        if found is None or self.has_compiler:
            return found
        return Answer(_decided(found.condition), found.value)

    def _answer(self, name: str) -> Answer | None:
        if name in _EXTENSIONS:
            return Answer("1")
        if name in _BYTE_ORDER:
            return Answer(_BYTE_ORDER[name])
        if name == "BYTEORDER":
            return Answer("1", "__BYTE_ORDER__")
        size = _SIZE_OF.search(name)
        if size is not None:
            value = self.size(size["what"].lower())
            return None if value is None else Answer("1", value)
        asked = _ASKS.search(name)
        return None if asked is None else self._has(asked["what"].lower())

    def size(self, type_: str) -> str | None:
        """Bytes of a type named as in `SIZEOF_UNSIGNED_LONG`, as a number or a macro of the compiler."""
        kind = _SIZEOF.get(type_)
        if kind is not None and self.abi is not None:
            return str(ABIS[self.abi].sizes[kind])
        if kind is not None:
            return f"__SIZEOF_{kind.upper().replace(' ', '_')}__"
        return None if type_ not in _FIXED_SIZE else str(_FIXED_SIZE[type_])

    def _has(self, what: str) -> Answer | None:
        if what.endswith("_h"):
            return self._header(what[:-2])
        if what.endswith("intrin") and f"{what}.h" in _HEADERS:
            return Answer(self.includes(f"{what}.h"))
        if what in _TYPES:
            return Answer("1")
        if what in _COMPILER or what.startswith(_COMPILER_PREFIXES):
            return Answer("defined(__GNUC__)")
        what = what.removeprefix("working_").removeprefix("posix_") if what not in _DECLARED_IN else what
        if what in _DECLARED_IN:
            return Answer(self.includes(_DECLARED_IN[what]))
        if what in _ON_LINUX:
            return Answer(f"defined(__linux__) && {self.includes(_ON_LINUX[what])}")
        return None

    def _header(self, words: str) -> Answer | None:
        """`sys_types`: `sys/types.h` or `sys_types.h`."""
        names = list(dict.fromkeys(f"{words.replace('_', sign, count)}.h" for sign in "/_-" for count in (1, 2, 9)))
        known = next((n for n in names if n in _HEADERS), None)
        if known is not None:
            return Answer(self.includes(known))
        if len(self.tested) > _MOST_TESTED:
            return None
        return Answer(" || ".join(self.includes(n) for n in names if not (STANDINS / n).is_file()) or "0")

    def includes(self, header: str) -> str:
        """For `#if`: whether a header is there."""
        self.tested.add(header)
        if self.has_compiler:
            return f"__has_include(<{header}>)"
        return "1" if header in _HEADERS else "0"


def _decided(condition: str) -> str:
    """A condition as it is on the machine that the built-in preprocessor knows: GNU C on Linux, little-endian."""
    for known, value in ((_BIG_ENDIAN, "0"), ("!(0)", "1"), ("defined(__linux__)", "1"), ("defined(__GNUC__)", "1")):
        condition = condition.replace(known, value)
    return "1" if any("0" not in part for part in condition.split("||")) else "0"


def usual_names() -> list[str]:
    """What a configuration header of any program may ask for, and can be answered."""
    functions = [*_DECLARED_IN, *_ON_LINUX]
    words = [*(re.sub(r"\W", "_", header) for header in sorted(_HEADERS)), *functions, *sorted(_TYPES)]
    words += [f"decl_{function}" for function in functions]
    sizes = [f"SIZEOF_{word.upper()}" for word in (*_SIZEOF, *_FIXED_SIZE)]
    ordered = [name for name in _BYTE_ORDER if name == "WORDS_BIGENDIAN"]
    return [*(f"HAVE_{word.upper()}" for word in words), *sizes, *ordered, "_GNU_SOURCE", "STDC_HEADERS"]
