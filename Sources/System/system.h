// Headers of the C library that Swift's Glibc and Musl modules leave out.
#ifndef SWIFTLET_SYSTEM_H
#define SWIFTLET_SYSTEM_H

#if defined(__linux__)
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#endif

#endif
