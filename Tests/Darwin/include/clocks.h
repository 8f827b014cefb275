// clock_gettime(3), mach_absolute_time and calendar time.
#ifndef STANDIN_CLOCKS_H
#define STANDIN_CLOCKS_H

#include "basics.h"

// An enumeration, as <time.h> has it, which Swift imports as a structure.
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_MONOTONIC_RAW = 4,
    _CLOCK_MONOTONIC_RAW_APPROX = 5,
    _CLOCK_UPTIME_RAW = 8,
    _CLOCK_UPTIME_RAW_APPROX = 9,
    _CLOCK_PROCESS_CPUTIME_ID = 12,
    _CLOCK_THREAD_CPUTIME_ID = 16
} clockid_t;
int clock_gettime(clockid_t, struct timespec *);
uint64_t clock_gettime_nsec_np(clockid_t);

struct mach_timebase_info {
    uint32_t numer;
    uint32_t denom;
};
typedef struct mach_timebase_info *mach_timebase_info_t;
typedef struct mach_timebase_info mach_timebase_info_data_t;
int mach_timebase_info(mach_timebase_info_t);
uint64_t mach_absolute_time(void);
uint64_t mach_continuous_time(void);

struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};

struct tm *gmtime_r(const time_t *, struct tm *);
time_t time(time_t *);
int nanosleep(const struct timespec *, struct timespec *);
int usleep(useconds_t);
unsigned int sleep(unsigned int);

#endif
