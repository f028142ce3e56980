// Swift's module for the C library omits this header.
#ifdef __linux__
#include <sys/epoll.h>
#endif
