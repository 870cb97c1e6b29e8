/* Stand-in for <setjmp.h>. */
#ifndef BOATHULL_SETJMP_H
#define BOATHULL_SETJMP_H
typedef long jmp_buf[25];
int setjmp(jmp_buf where);
void longjmp(jmp_buf where, int value);
#endif
