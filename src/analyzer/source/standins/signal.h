/* Stand-in for <signal.h>. */
#ifndef BOATHULL_SIGNAL_H
#define BOATHULL_SIGNAL_H
typedef int sig_atomic_t;
#define SIGINT 2
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
#endif
