/* Stand-in for <stddef.h>: used where no compiler or no such header is installed. */
#ifndef BOATHULL_STDDEF_H
#define BOATHULL_STDDEF_H
#ifdef __BOATHULL_SIZE_TYPE__
typedef __BOATHULL_SIZE_TYPE__ size_t;
typedef __BOATHULL_PTRDIFF_TYPE__ ptrdiff_t;
typedef __BOATHULL_PTRDIFF_TYPE__ ssize_t;
#else
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long ssize_t;
#endif
typedef int wchar_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
