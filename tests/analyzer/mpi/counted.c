/* Counts the bytes that each process sends, apart from the analysis: a layer between a program and MPI (its profiling
   interface). Collective operations are carried out here by the algorithms that docs/mpi.md states, over messages from
   point to point, and every such message is counted by what PMPI_Send gets. So the algorithms themselves are tested: the
   programs check their results. Element types must have no gaps, operations be commutative.

   Writes one line `RANK BYTES` to the file $COUNTED.RANK when the program ends. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG 31000

static long sent;

static long bytes_of(int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (long)count * size;
}

static void check_gaps(MPI_Datatype type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  assert(lower == 0 && extent == bytes_of(1, type));
}

static void put(const void *data, long bytes, int to, MPI_Comm comm) {
  sent += bytes;
  PMPI_Send(data, (int)bytes, MPI_BYTE, to, TAG, comm);
}

static void get(void *data, long bytes, int from, MPI_Comm comm) {
  PMPI_Recv(data, (int)bytes, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
}

static void swap(const void *out, long out_bytes, int to, void *in, long in_bytes, int from, MPI_Comm comm) {
  sent += out_bytes;
  PMPI_Sendrecv(out, (int)out_bytes, MPI_BYTE, to, TAG, in, (int)in_bytes, MPI_BYTE, from, TAG, comm,
                MPI_STATUS_IGNORE);
}

static void place(MPI_Comm comm, int *rank, int *size) {
  PMPI_Comm_rank(comm, rank);
  PMPI_Comm_size(comm, size);
}

int MPI_Finalize(void) {
  int rank;
  char name[4096];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", getenv("COUNTED"), rank);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d %ld\n", rank, sent);
  fclose(file);
  return PMPI_Finalize();
}

/* --- from point to point */

static void count_message(int count, MPI_Datatype type, int to) {
  if (to != MPI_PROC_NULL)
    sent += bytes_of(count, type);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_message(count, type, to);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count_message(count, type, to);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  count_message(count, type, to);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status) {
  count_message(out_count, out_type, to);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

/* --- trees: stage k joins the processes v and v + 2^k, v < 2^k, counted from the root */

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(type);
  int v = (rank - root + size) % size;
  long bytes = bytes_of(count, type);
  for (int step = 1; step < size; step *= 2)
    if (v < step && v + step < size)
      put(data, bytes, (v + step + root) % size, comm);
    else if (v >= step && v < 2 * step)
      get(data, bytes, (v - step + root) % size, comm);
  return MPI_SUCCESS;
}

static int largest_step(int size) {
  int step = 1;
  while (2 * step < size)
    step *= 2;
  return step;
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(type);
  int v = (rank - root + size) % size;
  long bytes = bytes_of(count, type);
  void *own = malloc(bytes + 1), *other = malloc(bytes + 1);
  memcpy(own, from == MPI_IN_PLACE ? to : from, bytes);
  for (int step = largest_step(size); step >= 1; step /= 2)
    if (v < step && v + step < size) {
      get(other, bytes, (v + step + root) % size, comm);
      PMPI_Reduce_local(other, own, count, type, op);
    } else if (v >= step && v < 2 * step)
      put(own, bytes, (v - step + root) % size, comm);
  if (v == 0)
    memcpy(to, own, bytes);
  free(own);
  free(other);
  return MPI_SUCCESS;
}

/* Packs the parts of child and all below it, or unpacks them: those w with w mod 2 step = child. */
static long below(char *packed, char *parts, long bytes, int child, int step, int size, int pack) {
  long length = 0;
  for (int w = child; w < size; w += 2 * step, length += bytes)
    if (pack)
      memcpy(packed + length, parts + w * bytes, bytes);
    else
      memcpy(parts + w * bytes, packed + length, bytes);
  return length;
}

int MPI_Gather(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type, int root,
               MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(out_type);
  int v = (rank - root + size) % size;
  long bytes = from == MPI_IN_PLACE ? bytes_of(in, in_type) : bytes_of(out, out_type);
  char *parts = malloc(size * bytes + 1), *packed = malloc(size * bytes + 1);
  memcpy(parts + v * bytes, from == MPI_IN_PLACE ? (char *)to + rank * bytes : from, bytes);
  for (int step = largest_step(size); step >= 1; step /= 2)
    if (v < step && v + step < size) {
      long length = 0;
      for (int w = v + step; w < size; w += 2 * step)
        length += bytes;
      get(packed, length, (v + step + root) % size, comm);
      below(packed, parts, bytes, v + step, step, size, 0);
    } else if (v >= step && v < 2 * step)
      put(packed, below(packed, parts, bytes, v, step, size, 1), (v - step + root) % size, comm);
  if (v == 0)
    for (int w = 0; w < size; w++)
      memcpy((char *)to + (w + root) % size * bytes, parts + w * bytes, bytes);
  free(parts);
  free(packed);
  return MPI_SUCCESS;
}

int MPI_Scatter(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type, int root,
                MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(in_type);
  int v = (rank - root + size) % size;
  long bytes = to == MPI_IN_PLACE ? bytes_of(out, out_type) : bytes_of(in, in_type);
  char *parts = malloc(size * bytes + 1), *packed = malloc(size * bytes + 1);
  if (v == 0)
    for (int w = 0; w < size; w++)
      memcpy(parts + w * bytes, (const char *)from + (w + root) % size * bytes, bytes);
  for (int step = 1; step < size; step *= 2)
    if (v < step && v + step < size)
      put(packed, below(packed, parts, bytes, v + step, step, size, 1), (v + step + root) % size, comm);
    else if (v >= step && v < 2 * step) {
      long length = 0;
      for (int w = v; w < size; w += 2 * step)
        length += bytes;
      get(packed, length, (v - step + root) % size, comm);
      below(packed, parts, bytes, v, step, size, 0);
    }
  if (to != MPI_IN_PLACE)
    memcpy(to, parts + v * bytes, bytes);
  free(parts);
  free(packed);
  return MPI_SUCCESS;
}

/* --- all to all */

int MPI_Allgather(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type,
                  MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(in_type);
  long bytes = bytes_of(in, in_type);
  char *parts = malloc(size * bytes + 1); /* part i is that of process rank + i */
  memcpy(parts, from == MPI_IN_PLACE ? (char *)to + rank * bytes : from, bytes);
  for (int step = 1; step < size; step *= 2) {
    int many = step < size - step ? step : size - step;
    swap(parts, many * bytes, (rank - step + size) % size, parts + step * bytes, many * bytes, (rank + step) % size, comm);
  }
  for (int i = 0; i < size; i++)
    memcpy((char *)to + (rank + i) % size * bytes, parts + i * bytes, bytes);
  free(parts);
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type,
                 MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(in_type);
  assert(from != MPI_IN_PLACE);
  long bytes = bytes_of(in, in_type);
  memcpy((char *)to + rank * bytes, (const char *)from + rank * bytes, bytes);
  for (int i = 1; i < size; i++) {
    int next = (rank + i) % size, last = (rank - i + size) % size;
    swap((const char *)from + next * bytes, bytes, next, (char *)to + last * bytes, bytes, last, comm);
  }
  return MPI_SUCCESS;
}

int MPI_Reduce_scatter_block(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(type);
  assert(from != MPI_IN_PLACE);
  long bytes = bytes_of(count, type);
  void *own = malloc(bytes + 1), *other = malloc(bytes + 1);
  memcpy(own, (const char *)from + rank * bytes, bytes);
  for (int i = 1; i < size; i++) {
    int next = (rank + i) % size, last = (rank - i + size) % size;
    swap((const char *)from + next * bytes, bytes, next, other, bytes, last, comm);
    PMPI_Reduce_local(other, own, count, type, op);
  }
  memcpy(to, own, bytes);
  free(own);
  free(other);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, size, whole = 1;
  place(comm, &rank, &size);
  check_gaps(type);
  while (2 * whole <= size)
    whole *= 2;
  int rest = size - whole; /* the even ones of the first 2 rest processes hand theirs on */
  long bytes = bytes_of(count, type);
  void *other = malloc(bytes + 1);
  if (from != MPI_IN_PLACE)
    memcpy(to, from, bytes);
  if (rank < 2 * rest && rank % 2 == 0) {
    put(to, bytes, rank + 1, comm);
    get(to, bytes, rank + 1, comm);
    free(other);
    return MPI_SUCCESS;
  }
  if (rank < 2 * rest) {
    get(other, bytes, rank - 1, comm);
    PMPI_Reduce_local(other, to, count, type, op);
  }
  int v = rank < 2 * rest ? rank / 2 : rank - rest;
  for (int step = 1; step < whole; step *= 2) {
    int w = v ^ step, partner = w < rest ? 2 * w + 1 : w + rest;
    swap(to, bytes, partner, other, bytes, partner, comm);
    PMPI_Reduce_local(other, to, count, type, op);
  }
  if (rank < 2 * rest)
    put(to, bytes, rank - 1, comm);
  free(other);
  return MPI_SUCCESS;
}

int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  check_gaps(type);
  long bytes = bytes_of(count, type);
  void *other = malloc(bytes + 1), *own = malloc(bytes + 1);
  memcpy(own, from == MPI_IN_PLACE ? to : from, bytes);
  for (int step = 1; step < size; step *= 2) {
    int next = rank + step < size ? rank + step : MPI_PROC_NULL, last = rank >= step ? rank - step : MPI_PROC_NULL;
    swap(own, next == MPI_PROC_NULL ? 0 : bytes, next, other, bytes, last, comm);
    if (last != MPI_PROC_NULL)
      PMPI_Reduce_local(other, own, count, type, op);
  }
  memcpy(to, own, bytes);
  free(own);
  free(other);
  return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm comm) {
  int rank, size;
  place(comm, &rank, &size);
  for (int step = 1; step < size; step *= 2)
    swap("", 0, (rank + step) % size, &(char){0}, 0, (rank - step + size) % size, comm);
  return MPI_SUCCESS;
}
