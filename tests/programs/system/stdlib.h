#ifndef STDLIB_H
#define STDLIB_H
typedef __SIZE_TYPE__ size_t;
#define NULL ((void *)0)
void *malloc(size_t size) __attribute__((__nothrow__, __malloc__));
void *calloc(size_t count, size_t size) __attribute__((__nothrow__, __malloc__));
void free(void *memory) __attribute__((__nothrow__));
void abort(void) __attribute__((__nothrow__, __noreturn__));
void exit(int status) __attribute__((__nothrow__, __noreturn__));
int abs(int x) __attribute__((__nothrow__, __const__));
#endif
