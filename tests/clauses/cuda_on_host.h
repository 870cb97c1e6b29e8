/* CUDA for a processor: kernels run block after block, those of blocks that wait for each other with four threads.
 * Memory of the device is memory apart, which begins with garbage. */
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>

#define __host__
#define __device__
#define __global__
#define __shared__ static

struct clz_place {
    unsigned x;
};
static clz_place blockIdx, blockDim, gridDim;
static thread_local clz_place threadIdx;
static std::barrier<> *clz_together;

#define __syncthreads() clz_together->arrive_and_wait()

typedef int cudaError_t;
enum { cudaSuccess, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static cudaError_t cudaMalloc(void **at, size_t size)
{
    *at = malloc(size + 1);
    memset(*at, 0xa5, size);
    return *at ? cudaSuccess : 1;
}

static cudaError_t cudaMemcpy(void *to, const void *from, size_t size, int)
{
    memcpy(to, from, size);
    return cudaSuccess;
}

static cudaError_t cudaFree(void *at)
{
    free(at);
    return cudaSuccess;
}

static cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
static const char *cudaGetErrorString(cudaError_t) { return "no memory"; }

template <typename Kernel> static void clz_launch(unsigned blocks, unsigned threads, Kernel kernel)
{
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) kernel();
}

template <typename Kernel> static void clz_launch_together(unsigned blocks, unsigned threads, Kernel kernel)
{
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        std::barrier<> together(threads);
        std::thread *team = new std::thread[threads];
        clz_together = &together;
        for (unsigned k = 0; k < threads; k++) team[k] = std::thread([&kernel, k] { threadIdx.x = k; kernel(); });
        for (unsigned k = 0; k < threads; k++) team[k].join();
        delete[] team;
    }
}
