/* Stand-in for <time.h>. */
#ifndef BOATHULL_TIME_H
#define BOATHULL_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};
#define CLOCKS_PER_SEC 1000000
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
clock_t clock(void);
time_t time(time_t *result);
double difftime(time_t end, time_t start);
time_t mktime(struct tm *parts);
struct tm *localtime(const time_t *when);
struct tm *gmtime(const time_t *when);
char *ctime(const time_t *when);
char *asctime(const struct tm *parts);
size_t strftime(char *to, size_t size, const char *format, const struct tm *parts);
int clock_gettime(clockid_t clock, struct timespec *result);
int nanosleep(const struct timespec *wanted, struct timespec *left);
#endif
