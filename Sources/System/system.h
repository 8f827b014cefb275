// Headers of the C library that Swift's Glibc and Musl modules leave out, and one spelling for
// constants that the C libraries define in different ways (macro, enumeration, not at all).
#ifndef SWIFTLET_SYSTEM_H
#define SWIFTLET_SYSTEM_H

#include <stdint.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#if defined(__linux__)
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

static const int swiftlet_sock_stream = SOCK_STREAM;
static const int swiftlet_sock_datagram = SOCK_DGRAM;
static const int swiftlet_sock_raw = SOCK_RAW;
static const unsigned swiftlet_interface_up = IFF_UP | IFF_RUNNING;
static const unsigned swiftlet_interface_loopback = IFF_LOOPBACK;
static const int swiftlet_ipproto_tcp = IPPROTO_TCP;
static const int swiftlet_shut_write = SHUT_WR;
static const int swiftlet_shut_both = SHUT_RDWR;

// What the dynamic loader knows about an address. dladdr is behind _GNU_SOURCE, which the importer does not
// define, and has this name here in case another module declares it.
struct swiftlet_symbol {
    const char *file;
    void *base;
    const char *name;
    void *address;
};
#if defined(__APPLE__)
int swiftlet_dladdr(const void *, struct swiftlet_symbol *) __asm__("_dladdr");
int issetugid(void);
#else
int swiftlet_dladdr(const void *, struct swiftlet_symbol *) __asm__("dladdr");
char *secure_getenv(const char *);
#endif

#if defined(__linux__)
// Descriptors are born close-on-exec and non-blocking: no other thread's fork comes in between.
static const int swiftlet_sock_birth_flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int swiftlet_send_flags = MSG_NOSIGNAL;
// Behind _GNU_SOURCE, which the importer does not define.
int accept4(int, struct sockaddr *, socklen_t *, int);
// `pthread_t` is spelt out: its header would declare `timespec` a second time.
#if defined(__GLIBC__)
int pthread_setname_np(unsigned long, const char *);
#else
struct __pthread;
int pthread_setname_np(struct __pthread *, const char *);
#endif
static const int swiftlet_eventfd_flags = EFD_NONBLOCK | EFD_CLOEXEC;
static const int swiftlet_epoll_create_flags = EPOLL_CLOEXEC;
static const uint32_t swiftlet_epoll_in = EPOLLIN;
static const uint32_t swiftlet_epoll_out = EPOLLOUT;
static const uint32_t swiftlet_epoll_edge = EPOLLET;
static const uint32_t swiftlet_epoll_hang_up = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
#else
static const int swiftlet_sock_birth_flags = 0;
static const int swiftlet_send_flags = 0;
#endif

#endif
