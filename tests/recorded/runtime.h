/* What an instrumented program calls; given to the compiler with -include, so it includes nothing itself. */
extern void *recorded_jump[5];
extern int recorded_quiet(void), recorded_value(long long), recorded_enter(int, int), recorded_leave(int);
extern int recorded_first(int), recorded_iteration(int, int);
#define RECORDED_NONE 0x7ffbadbadbadbadLL
