/* Stand-in for <sys/resource.h>. */
#ifndef BOATHULL_SYS_RESOURCE_H
#define BOATHULL_SYS_RESOURCE_H
#include <sys/time.h>
struct rusage {
  struct timeval ru_utime, ru_stime;
  long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd,
      ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
#define RUSAGE_SELF 0
int getrusage(int who, struct rusage *usage);
#endif
