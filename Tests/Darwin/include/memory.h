// <stdlib.h> and <string.h>.
#ifndef STANDIN_MEMORY_H
#define STANDIN_MEMORY_H

#include "basics.h"

void *calloc(size_t, size_t);
void *malloc(size_t);
void *realloc(void *, size_t);
void free(void *);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
// memset_s(3); its result is an error number.
int memset_s(void *, size_t, int, size_t);
char *strdup(const char *);
size_t strlen(const char *);
double strtod(const char *, char **);
double log(double);

#endif
