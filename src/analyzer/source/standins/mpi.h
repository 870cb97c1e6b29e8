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
/* Each predefined handle is an address: two of one name are equal, and nothing a program calls can change it. */
extern struct boathull_comm boathull_mpi_comm_world, boathull_mpi_comm_self;
extern struct boathull_type boathull_mpi_char, boathull_mpi_signed_char, boathull_mpi_unsigned_char,
    boathull_mpi_byte, boathull_mpi_short, boathull_mpi_unsigned_short, boathull_mpi_int, boathull_mpi_long,
    boathull_mpi_long_long, boathull_mpi_unsigned, boathull_mpi_unsigned_long,
    boathull_mpi_unsigned_long_long, boathull_mpi_float, boathull_mpi_double, boathull_mpi_long_double,
    boathull_mpi_c_bool, boathull_mpi_double_int, boathull_mpi_float_int, boathull_mpi_long_int,
    boathull_mpi_2int, boathull_mpi_packed, boathull_mpi_int8_t, boathull_mpi_int16_t, boathull_mpi_int32_t,
    boathull_mpi_int64_t, boathull_mpi_uint8_t, boathull_mpi_uint16_t, boathull_mpi_uint32_t,
    boathull_mpi_uint64_t, boathull_mpi_c_complex, boathull_mpi_c_double_complex, boathull_mpi_aint,
    boathull_mpi_offset;
extern struct boathull_op boathull_mpi_sum, boathull_mpi_prod, boathull_mpi_min, boathull_mpi_max,
    boathull_mpi_land, boathull_mpi_lor, boathull_mpi_band, boathull_mpi_bor, boathull_mpi_lxor,
    boathull_mpi_bxor, boathull_mpi_maxloc, boathull_mpi_minloc;
#define MPI_COMM_WORLD (&boathull_mpi_comm_world)
#define MPI_COMM_SELF (&boathull_mpi_comm_self)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_CHAR (&boathull_mpi_char)
#define MPI_SIGNED_CHAR (&boathull_mpi_signed_char)
#define MPI_UNSIGNED_CHAR (&boathull_mpi_unsigned_char)
#define MPI_BYTE (&boathull_mpi_byte)
#define MPI_SHORT (&boathull_mpi_short)
#define MPI_UNSIGNED_SHORT (&boathull_mpi_unsigned_short)
#define MPI_INT (&boathull_mpi_int)
#define MPI_LONG (&boathull_mpi_long)
#define MPI_LONG_LONG (&boathull_mpi_long_long)
#define MPI_UNSIGNED (&boathull_mpi_unsigned)
#define MPI_UNSIGNED_LONG (&boathull_mpi_unsigned_long)
#define MPI_UNSIGNED_LONG_LONG (&boathull_mpi_unsigned_long_long)
#define MPI_FLOAT (&boathull_mpi_float)
#define MPI_DOUBLE (&boathull_mpi_double)
#define MPI_LONG_DOUBLE (&boathull_mpi_long_double)
#define MPI_C_BOOL (&boathull_mpi_c_bool)
#define MPI_DOUBLE_INT (&boathull_mpi_double_int)
#define MPI_FLOAT_INT (&boathull_mpi_float_int)
#define MPI_LONG_INT (&boathull_mpi_long_int)
#define MPI_2INT (&boathull_mpi_2int)
#define MPI_PACKED (&boathull_mpi_packed)
#define MPI_INT8_T (&boathull_mpi_int8_t)
#define MPI_INT16_T (&boathull_mpi_int16_t)
#define MPI_INT32_T (&boathull_mpi_int32_t)
#define MPI_INT64_T (&boathull_mpi_int64_t)
#define MPI_UINT8_T (&boathull_mpi_uint8_t)
#define MPI_UINT16_T (&boathull_mpi_uint16_t)
#define MPI_UINT32_T (&boathull_mpi_uint32_t)
#define MPI_UINT64_T (&boathull_mpi_uint64_t)
#define MPI_C_COMPLEX (&boathull_mpi_c_complex)
#define MPI_C_DOUBLE_COMPLEX (&boathull_mpi_c_double_complex)
#define MPI_AINT (&boathull_mpi_aint)
#define MPI_OFFSET (&boathull_mpi_offset)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_C_FLOAT_COMPLEX MPI_C_COMPLEX
#define MPI_SUM (&boathull_mpi_sum)
#define MPI_PROD (&boathull_mpi_prod)
#define MPI_MIN (&boathull_mpi_min)
#define MPI_MAX (&boathull_mpi_max)
#define MPI_LAND (&boathull_mpi_land)
#define MPI_LOR (&boathull_mpi_lor)
#define MPI_BAND (&boathull_mpi_band)
#define MPI_BOR (&boathull_mpi_bor)
#define MPI_LXOR (&boathull_mpi_lxor)
#define MPI_BXOR (&boathull_mpi_bxor)
#define MPI_MAXLOC (&boathull_mpi_maxloc)
#define MPI_MINLOC (&boathull_mpi_minloc)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_INFO_NULL ((MPI_Info)0)
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
int MPI_Ssend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Bsend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Rsend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Issend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *done, MPI_Status statuses[]);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status);
int MPI_Exscan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scatterv(const void *from, const int out[], const int at[], MPI_Datatype out_type, void *to, int in,
                 MPI_Datatype in_type, int root, MPI_Comm comm);
int MPI_Allgatherv(const void *from, int out, MPI_Datatype out_type, void *to, const int in[], const int at[],
                   MPI_Datatype in_type, MPI_Comm comm);
int MPI_Alltoallv(const void *from, const int out[], const int out_at[], MPI_Datatype out_type, void *to,
                  const int in[], const int in_at[], MPI_Datatype in_type, MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Ialltoall(const void *from, int out, MPI_Datatype out_type, void *to, int in, MPI_Datatype in_type,
                  MPI_Comm comm, MPI_Request *request);
int MPI_Put(const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int in, MPI_Datatype in_type,
            MPI_Win window);
int MPI_Get(void *to, int count, MPI_Datatype type, int from, MPI_Aint at, int out, MPI_Datatype out_type,
            MPI_Win window);
int MPI_Accumulate(const void *from, int count, MPI_Datatype type, int to, MPI_Aint at, int in, MPI_Datatype in_type,
                   MPI_Op op, MPI_Win window);
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window);
int MPI_Win_fence(int assert, MPI_Win window);
int MPI_Win_free(MPI_Win *window);
int MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *result);
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *result);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
double MPI_Wtick(void);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *result);
int MPI_Type_indexed(int count, const int lengths[], const int at[], MPI_Datatype old, MPI_Datatype *result);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *result);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *result);
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint at[], const MPI_Datatype types[],
                           MPI_Datatype *result);
int MPI_Type_create_subarray(int dims, const int sizes[], const int subsizes[], const int starts[], int order,
                             MPI_Datatype old, MPI_Datatype *result);
#define MPI_ORDER_C 56
#define MPI_ORDER_FORTRAN 57
#endif
