/* Stand-in for <string.h>. */
#ifndef BOATHULL_STRING_H
#define BOATHULL_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *memory, int value, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
int strcasecmp(const char *left, const char *right);
int strncasecmp(const char *left, const char *right, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t size);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *wanted);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **state);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
char *strerror(int number);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *refused);
char *strpbrk(const char *text, const char *accepted);
#endif
