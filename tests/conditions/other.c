#include <stdio.h>

void complain(int code, const char *text)
{
    printf("%d: %s\n", code, text);
}
