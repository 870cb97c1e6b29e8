/* Stand-in for <unistd.h>. */
#ifndef BOATHULL_UNISTD_H
#define BOATHULL_UNISTD_H
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PAGESIZE 30
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
int close(int file);
off_t lseek(int file, off_t offset, int from);
int unlink(const char *path);
int access(const char *path, int mode);
pid_t getpid(void);
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
long sysconf(int name);
int getopt(int count, char *const words[], const char *options);
extern char *optarg;
extern int optind;
#endif
