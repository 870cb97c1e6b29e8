/* What generated programs use of the C library, for the compiler in place of its own headers: those are read, and their
 * hundreds of declarations searched, for every file of every program. C_INCLUDE_PATH makes them headers of the system. */

#ifndef STDIO_H
#define STDIO_H
typedef struct _IO_FILE FILE;
extern FILE *stderr;
int fprintf(FILE *restrict stream, const char *restrict format, ...);
int printf(const char *restrict format, ...);
int puts(const char *text);
#endif
