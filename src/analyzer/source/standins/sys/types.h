/* Stand-in for <sys/types.h>. */
#ifndef BOATHULL_SYS_TYPES_H
#define BOATHULL_SYS_TYPES_H
#include <stdint.h>
#include <time.h>
typedef long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int mode_t;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned short ushort;
#endif
