/* Stand-in for MPI's <mpi.h>: the calls that programs use most, on opaque handles. */
#ifndef BOATHULL_MPI_H
#define BOATHULL_MPI_H
#include <stddef.h>
typedef struct boathull_comm *MPI_Comm;
typedef struct boathull_type *MPI_Datatype;
typedef struct boathull_request *MPI_Request;
typedef struct boathull_op *MPI_Op;
typedef struct boathull_group *MPI_Group;
typedef struct boathull_info *MPI_Info;
typedef struct boathull_win *MPI_Win;
typedef struct boathull_file *MPI_File;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;
extern MPI_Comm MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL;
extern MPI_Datatype MPI_CHAR, MPI_BYTE, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_UNSIGNED,
    MPI_UNSIGNED_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_DOUBLE_INT, MPI_2INT, MPI_PACKED,
    MPI_INT64_T, MPI_UINT64_T;
extern MPI_Op MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_MAXLOC, MPI_MINLOC;
extern MPI_Request MPI_REQUEST_NULL;
extern MPI_Info MPI_INFO_NULL;
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_UNDEFINED (-32766)
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_BOTTOM ((void *)0)
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3
int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
double MPI_Wtime(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *result);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *result);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type, int root,
               MPI_Comm comm);
int MPI_Gatherv(const void *from, int out, MPI_Datatype out_type, void *to, const int in[], const int at[],
                MPI_Datatype in_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type, int root,
                MPI_Comm comm);
int MPI_Allgather(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type,
                  MPI_Comm comm);
int MPI_Alltoall(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type,
                 MPI_Comm comm);
int MPI_Cart_create(MPI_Comm comm, int dims, const int sizes[], const int periodic[], int reorder, MPI_Comm *result);
int MPI_Cart_shift(MPI_Comm comm, int direction, int distance, int *source, int *target);
int MPI_Cart_coords(MPI_Comm comm, int rank, int dims, int coords[]);
int MPI_Dims_create(int nodes, int dims, int sizes[]);
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *result);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *result);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
#endif
