// getaddrinfo(3), gethostname(3), inet_ntop(3), and the interfaces of the machine.
#ifndef STANDIN_NAMES_H
#define STANDIN_NAMES_H

#include "sockets.h"

#define AI_PASSIVE 0x0001
#define AI_CANONNAME 0x0002
#define AI_NUMERICHOST 0x0004
#define AI_ADDRCONFIG 0x0400
#define AI_NUMERICSERV 0x1000
#define EAI_AGAIN 2
#define EAI_FAIL 4
#define EAI_FAMILY 5
#define EAI_MEMORY 6
#define EAI_NONAME 8
#define EAI_SERVICE 9
#define EAI_SYSTEM 11

struct addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    socklen_t ai_addrlen;
    char *ai_canonname;
    struct sockaddr *ai_addr;
    struct addrinfo *ai_next;
};

int getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
void freeaddrinfo(struct addrinfo *);
const char *gai_strerror(int);

#define INET_ADDRSTRLEN 16
#define INET6_ADDRSTRLEN 46
const char *inet_ntop(int, const void *, char *, socklen_t);
int inet_pton(int, const char *, void *);

#define IF_NAMESIZE 16
#define IFF_UP 0x1
#define IFF_LOOPBACK 0x8
#define IFF_RUNNING 0x40
unsigned int if_nametoindex(const char *);
char *if_indextoname(unsigned int, char *);

struct ifaddrs {
    struct ifaddrs *ifa_next;
    char *ifa_name;
    unsigned int ifa_flags;
    struct sockaddr *ifa_addr;
    struct sockaddr *ifa_netmask;
    struct sockaddr *ifa_dstaddr;
    void *ifa_data;
};

int getifaddrs(struct ifaddrs **);
void freeifaddrs(struct ifaddrs *);
int gethostname(char *, size_t);

#endif
