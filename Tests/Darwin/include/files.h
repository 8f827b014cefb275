// Descriptors, files, the process and the standard streams.
#ifndef STANDIN_FILES_H
#define STANDIN_FILES_H

#include "basics.h"

#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x0004
#define O_APPEND 0x0008
#define O_CREAT 0x0200
#define O_TRUNC 0x0400
#define O_EXCL 0x0800
#define O_CLOEXEC 0x1000000
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

struct iovec {
    void *iov_base;
    size_t iov_len;
};

struct stat {
    int32_t st_dev;
    mode_t st_mode;
    uint16_t st_nlink;
    uint64_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    int32_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    int64_t st_blocks;
    int32_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
    int32_t st_lspare;
    int64_t st_qspare[2];
};

int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int lstat(const char *, struct stat *);
int close(int);
int dup(int);
int fchmod(int, mode_t);
int isatty(int);
int mkdir(const char *, mode_t);
int pipe(int *);
int unlink(const char *);
ssize_t read(int, void *, size_t);
ssize_t readv(int, const struct iovec *, int);
ssize_t write(int, const void *, size_t);
ssize_t writev(int, const struct iovec *, int);

typedef struct __sFILE FILE;
extern FILE *__stdinp;
extern FILE *__stdoutp;
extern FILE *__stderrp;
int fclose(FILE *);
int feof(FILE *);
int ferror(FILE *);
int fflush(FILE *);
int fputs(const char *, FILE *);
int vsnprintf(char *, size_t, const char *, va_list);
char *fgets(char *, int, FILE *);
FILE *fopen(const char *, const char *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);

typedef void (*sig_t)(int);
#define SIGINT 2
#define SIGABRT 6
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
sig_t signal(int, sig_t);
int kill(pid_t, int);
pid_t getpid(void);
char *getenv(const char *);
_Noreturn void abort(void);
_Noreturn void exit(int);

#define RTLD_LAZY 0x1
#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
#define RTLD_GLOBAL 0x8
char *realpath(const char *, char *);
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
char *dlerror(void);

#endif
