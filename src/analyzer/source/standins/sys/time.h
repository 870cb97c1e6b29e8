/* Stand-in for <sys/time.h>. */
#ifndef BOATHULL_SYS_TIME_H
#define BOATHULL_SYS_TIME_H
#include <time.h>
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
struct timezone {
  int tz_minuteswest;
  int tz_dsttime;
};
int gettimeofday(struct timeval *result, struct timezone *zone);
#endif
