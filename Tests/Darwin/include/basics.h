// Types of the 64-bit platforms of Apple, as <sys/types.h> and its like define them.
#ifndef STANDIN_BASICS_H
#define STANDIN_BASICS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef long time_t;
typedef int32_t pid_t;
typedef int32_t suseconds_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef uint32_t gid_t;
typedef uint32_t uid_t;
typedef uint32_t useconds_t;

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

#endif
