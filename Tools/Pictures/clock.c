// Preloaded into the programs that appear in the pictures. Stops the wall clock at PICTURE_TIME, in seconds since 1970.
// The monotonic clock keeps running, so waits with a wall-clock deadline take their normal time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t now(void) {
  static time_t seconds;
  if (!seconds) seconds = atoll(getenv("PICTURE_TIME"));
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return (int)syscall(SYS_clock_gettime, clock, result);
  *result = (struct timespec){.tv_sec = now()};
  return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  *result = (struct timeval){.tv_sec = now()};
  return 0;
}

time_t time(time_t *result) {
  if (result) *result = now();
  return now();
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  // A deadline decades in the past is a monotonic time: the condition variable was initialized with that clock.
  if (deadline->tv_sec < now() / 2) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, deadline);
  struct timespec until;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &until);
  until.tv_sec += deadline->tv_sec - now();
  until.tv_nsec += deadline->tv_nsec;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &until);
}
