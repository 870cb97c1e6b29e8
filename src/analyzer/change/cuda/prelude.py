"""What every file of kernels begins with: errors, memory of the device, and the comparison with the host.

Names of macros and constants are those that no C program has: definitions of the program come behind them."""

PRELUDE = r"""
#define restrict __restrict__
#define _Bool bool

enum { BLOCK_THREADS = 256, GRID_BLOCKS = 1024 };

#define CHECK_CUDA(call) check_cuda(call, __FILE__, __LINE__)

static void check_cuda(cudaError_t status, const char *file, int line)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
        exit(1);
    }
}

/* Memory of the device for so many elements, with the values of these. */
template <typename T> static T *to_device(const T *host, long long count, bool copied)
{
    T *device;
    CHECK_CUDA(cudaMalloc((void **)&device, count * sizeof(T)));
    if (copied)
        CHECK_CUDA(cudaMemcpy((void *)device, (const void *)host, count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

/* The end of it. */
template <typename T> static void from_device(const T *host, T *device, long long count, bool copied)
{
    if (copied)
        CHECK_CUDA(cudaMemcpy((void *)host, (const void *)device, count * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree((void *)device));
}
"""

SUMS = r"""
static long long at_most(long long most, long long value) { return value < most ? value : most; }
"""

ATOMIC = r"""
template <typename T, typename V> __host__ __device__ static inline void add_atomically(T &place, V value)
{
#ifdef __CUDA_ARCH__
    if constexpr (std::is_integral<T>::value && sizeof(T) == 8)
        atomicAdd((unsigned long long *)&place, (unsigned long long)value);
    else
        atomicAdd(&place, (T)value);
#else
    place += value;
#endif
}
"""

COMPARED = r"""
#ifdef COMPARE_WITH_HOST
template <typename T> static T *copy_of(const T *values, long long count)
{
    T *copy = (T *)malloc(count * sizeof(T));
    memcpy((void *)copy, (const void *)values, count * sizeof(T));
    return copy;
}

template <typename T> static double difference(const T &a, const T &b)
{
    if constexpr (std::is_array<T>::value) {
        double most = 0;
        for (size_t k = 0; k < std::extent<T>::value; k++)
            most = fmax(most, difference(a[k], b[k]));
        return most;
    } else if constexpr (std::is_arithmetic<T>::value) {
        double gap = fabs((double)a - (double)b), size = fmax(fabs((double)a), fabs((double)b));
        return a == b || (a != a && b != b) ? 0 : size > 1 ? gap / size : gap;
    } else {
        return memcmp((const void *)&a, (const void *)&b, sizeof(T)) != 0;
    }
}

/* What the host computes in `expected` against what the device did. */
template <typename T> static void compare(const char *name, const T *found, T *expected, long long count)
{
    double most = 0;
    for (long long k = 0; k < count; k++)
        most = fmax(most, difference(found[k], expected[k]));
    fprintf(stderr, "%s: differs by %g at most\n", name, most);
    free((void *)expected);
}
#endif
"""
